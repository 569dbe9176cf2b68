"""The parts of an account: for each one its value, and the function that computes it."""
