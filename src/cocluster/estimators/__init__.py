"""One method per file."""
