"""The tournament: which AI player is stronger, and by how much."""
