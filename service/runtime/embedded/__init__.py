"""The embedded server: a Valkey process beside the service, on a locked data directory."""
