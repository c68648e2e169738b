"""The game of Three-Thirteen: cards, melds, rounds, players. No HTTP, no storage, no clock.

Read `round.py` first: the machine of one round. `game.py` strings the rounds of a game together,
`view.py` says who may see what, and `table.py` plays a human move with all AI turns after it.
`form` says whether the hot modules run compiled or as source.
"""

from __future__ import annotations

from engine.solver import form as form
