"""The OpenAPI description, and what the operations say for it."""
