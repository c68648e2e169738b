"""Every refusal: the catalogue of problems, the error that each answers, the handlers that do."""
