"""The worker: gunicorn threads behind an event loop that owns every connection."""
