"""Methods that keep as much mutual information between the types as they can."""
