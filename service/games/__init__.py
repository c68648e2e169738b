"""What can be done with a game: use cases, loading and committing, tokens, idempotency."""
