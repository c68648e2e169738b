"""Every refusal: the catalogue of problems, and the handlers that answer errors with them."""
