"""The history of one run: every operation and every acknowledged move of its clients.

The clients add operations with their times, acknowledged moves, and violations that they see at
once. At the end the history is checked for linearizability.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from tests.chaos.traffic.linearizability import (
    AcknowledgedMove,
    Kind,
    Operation,
    event_log_violations,
    linearizability_violations,
)

_MAX_VIOLATIONS = 50


class History:
    """The operations, acknowledged moves, violations and counts of one run; thread-safe."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._operations: list[Operation] = []
        self._moves: defaultdict[str, dict[str, AcknowledgedMove]] = defaultdict(dict)
        self._views: dict[tuple[str, int, int | None], Mapping[str, Any]] = {}
        self._violations: list[str] = []

    @property
    def moves(self) -> int:
        """The number of acknowledged moves; a repeated request counts once."""
        return self.counts["moves"]

    @property
    def has_too_many_violations(self) -> bool:
        """Whether there are so many violations that the run should stop."""
        return len(self._violations) >= _MAX_VIOLATIONS

    def count(self, what: str) -> None:
        """Add one to a count of the summary."""
        with self._lock:
            self.counts[what] += 1

    def add_violation(self, text: str) -> None:
        """Add a violation that a client has seen itself."""
        with self._lock:
            self._violations.append(text)

    def add_unknown_outcome(self, game: str, key: str, invoked: float) -> None:
        """Add a move that may or may not have been made."""
        with self._lock:
            self.counts["unknown"] += 1
            self._operations.append(Operation(game, Kind.MOVE, key, invoked))

    def add_operation(
        self, game: str, kind: Kind, key: str, invoked: float, view: Mapping[str, Any]
    ) -> None:
        """Add an operation that was answered with a view just now.

        Two different views of one version for one viewer are a violation.
        """
        responded = time.monotonic()
        version, you = view["version"], view["you"]
        viewer = None if you is None else you["seat"]
        with self._lock:
            self._operations.append(Operation(game, kind, key, invoked, responded, version))
            if self._views.setdefault((game, version, viewer), view) != view:
                self._violations.append(f"game {game}: two views of version {version} differ")

    def add_acknowledged(self, game: str, move: AcknowledgedMove) -> None:
        """Add a move that was answered; a repeated request is the same move."""
        with self._lock:
            self.counts["moves"] += move.key not in self._moves[game]
            self._moves[game].setdefault(move.key, move)

    def acknowledged_moves(self) -> dict[str, list[AcknowledgedMove]]:
        """All acknowledged moves so far, by game."""
        with self._lock:
            return {game: list(moves.values()) for game, moves in self._moves.items()}

    def compare_with_log(self, game: str, log: Sequence[Mapping[str, Any]]) -> None:
        """Compare the acknowledged moves of a game with its complete event log."""
        with self._lock:
            unknown = sum(each.game == game and each.version is None for each in self._operations)
            found = event_log_violations(log, self._moves[game].values(), unknown)
            self._violations += [f"game {game}: {violation}" for violation in found]

    def violations(self) -> list[str]:
        """The violations that clients have added, and those of linearizability."""
        return self._violations + self.linearizability_violations()

    def linearizability_violations(self) -> list[str]:
        """What contradicts linearizability, from the operations alone."""
        with self._lock:
            return linearizability_violations(self._operations)
