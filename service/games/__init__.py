"""What can be done with a game, apart from HTTP and from Redis.

Read `transactions.py` first: one function makes every change of a game. `changes.py` has the
changes that callers ask for, `queries.py` what they can read. `repository.py` is the only module
here that uses the store; `bodies.py` writes what a viewer may see.
"""
