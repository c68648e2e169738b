"""The shapes of requests and answers, for parsing the first and documenting both.

`requests` refuse what they do not know. `replies` name every field that an answer always has and
stay open for more: answers are written by `games/bodies.py`, and the tests hold them against these.
"""
