"""The verifier: deals a finished game again from its secret and compares it with its replay.

    python -m engine.verify replay.json

A *replay* is the answer of getReplay: the secret, the options, the actions and the events of a
game that is over. `replay.py` reads it, `game.py` plays it: each action of `rounds.py` is expected
to be followed by exactly the events that the rules give. The first difference is a
*contradiction*.

Everything here is written from the rules alone and imports nothing of the engine: a fault in the
engine is not repeated here. Cards are their codes, such as `7H`. That an arrangement leaves the
fewest possible points is not checked, since that needs a solver.
"""
