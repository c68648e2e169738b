"""The operations: each parses its request, calls one use case, and returns the answer."""
