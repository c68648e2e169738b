"""The exact solver: the least deadwood points of a hand, and the arrangement that has them.

Read `arrangement.py` first: it turns the points of `kernel.py` into melds. `costs`, `suits`,
`sets`, `kernel` and `prospects` run compiled where a compiler was there, else as source; `form`
says which.
"""

from __future__ import annotations

from engine.solver import compiled

form = compiled.use(__path__)
