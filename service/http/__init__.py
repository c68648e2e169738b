"""What speaks HTTP: middleware, parsing, replies, problems, the OpenAPI description, resources."""
