"""Row blocks in files."""
