"""From what a user holds to named types of objects with matrices between them."""
