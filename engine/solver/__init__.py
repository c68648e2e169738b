"""The exact solver: the least deadwood points of a hand, and the arrangement that has them.

Read `hands.py` first: what can be asked about a hand. `arrangement.py` finds the melds. The modules
below them (`costs`, `suits`, `sets`, `kernel`, `prospects`) run compiled where a C compiler was
found, else as source; `form` says which.
"""

from __future__ import annotations

from engine.solver import compiled

form = compiled.use(__path__)
