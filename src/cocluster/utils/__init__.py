"""The ground floor: checks, errors, files, threads, randomness. Knows nothing of matrices."""
