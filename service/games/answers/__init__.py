"""What callers are answered, before it becomes HTTP."""
