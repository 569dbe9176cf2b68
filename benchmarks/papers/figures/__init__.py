"""The figures of the five papers, and the page of each paper."""
