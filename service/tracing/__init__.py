"""Traces of requests for OpenTelemetry, where its variables and packages are there."""
