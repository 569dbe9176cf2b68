"""Every method at its defaults, and the peers at theirs, on real data without labels."""
