"""The HTTP service: one Flask application over the engine and a store.

Read `games/` first: it holds the use cases. `http/` parses requests and calls one of them each,
`store/` keeps games in Redis, `runtime/` starts and watches the processes.
"""

__version__ = "0.1.0"
