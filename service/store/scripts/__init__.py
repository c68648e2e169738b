"""The scripts that the servers run: their arguments, and what their answers mean."""
