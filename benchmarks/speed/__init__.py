"""Speed and scale: us and the peers in one run, as ratios."""
