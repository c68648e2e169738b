"""The HTTP service: one Flask application over the engine and a store.

Read `games.py` first: it holds the use cases. `resources/` parses requests and calls one of
them each, `store.py` keeps games in Redis, `problems.py` turns every refusal into an answer.
"""

__version__ = "0.1.0"
