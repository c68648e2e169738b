"""What tells a worker that a game was changed."""
