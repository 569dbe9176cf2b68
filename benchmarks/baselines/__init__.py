"""Systems of the literature that are compared with and are no part of the library."""
