"""The connections to the servers of a store: where they are, and what is done when they fail."""
