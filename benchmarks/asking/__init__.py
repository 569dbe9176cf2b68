"""What answers do: curves of accuracy, against peers that know as much."""
