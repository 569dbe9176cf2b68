"""What was found, told: characteristic features and pictures."""
