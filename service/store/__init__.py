"""Games in Redis, on one server, behind sentinels or on a cluster."""
