"""The solver: exactness, speed and the worst hands, beside its peers."""
