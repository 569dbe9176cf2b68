"""The tables of the five papers: published figures beside ours."""
