"""Files of every kind users have, read into one `Dataset`."""
