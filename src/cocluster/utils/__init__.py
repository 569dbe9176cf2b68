"""Parameter checks, text, files, locks, threads and optional libraries; independent of matrices."""
