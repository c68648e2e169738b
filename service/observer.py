"""All that the service tells of its work, to who counts it, traces it or logs it.

Each part of the service states for itself what it tells (`RequestObserver`, `GameObserver`,
`StoreObserver`, and the engine's `ChoiceObserver`). An `Observer` is all of them, and does nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

WAITED = "runtime.waited_seconds"
"""Where the web server says for how long a request has waited for a thread."""
TRACE_ID = "tracing.trace_id"
"""Where a tracer says in which trace a request is: 32 hexadecimal digits."""
NO_OPERATION = "none"
"""What a request is called that no operation answers."""


class Answer(NamedTuple):
    """A request that was answered.

    `operation`: the operationId; `waited`: the seconds for which it had waited for a thread, before
    the `seconds` that it took. `details`: what is known of it by name, where somebody asks for
    that: `request_id`, `game_id`, `seat`, and `problem`, the code of a refusal.
    """

    operation: str
    method: str
    status: int
    seconds: float
    waited: float
    details: Mapping[str, str | int]


class Observer:
    """Is told of everything, in the thread in which it happens; must not wait or fail."""

    # Requests

    def began(self, environ: dict[str, Any]) -> None:
        """A request of this thread begins, with its WSGI environment."""

    def answered(self, answer: Answer) -> None:
        """The request was answered."""

    # Games

    def identified(self, game_id: str, seat: int | None) -> None:
        """The caller was found to be in a game: in a seat, or a spectator."""

    def moved(self) -> None:
        """A draw or a discard of a caller was committed."""

    def committed(self, *, is_created: bool, is_finished: bool) -> None:
        """A version of a game was committed: its first one, or the one in which it ends."""

    def watched(self, kind: str, change: int) -> None:
        """So many more streams or waiting calls are open, or fewer where it is negative."""

    # AI players

    def choice_began(self) -> None:
        """An AI player begins to choose a move."""

    def choice_ended(self, level: str) -> None:
        """The player has chosen, or failed."""

    # Store

    def called(self, kind: str, seconds: float) -> None:
        """A call to the storage has ended, well or not."""

    def retried(self, condition: str) -> None:
        """An attempt has failed and is repeated."""

    def failed(self, condition: str) -> None:
        """A call has failed."""


class Observers(Observer):
    """Tells several observers, in their order."""

    def __init__(self, *observers: Observer) -> None:
        self._all = observers

    def began(self, environ: dict[str, Any]) -> None:
        """Tell each."""
        for each in self._all:
            each.began(environ)

    def answered(self, answer: Answer) -> None:
        """Tell each."""
        for each in self._all:
            each.answered(answer)

    def identified(self, game_id: str, seat: int | None) -> None:
        """Tell each."""
        for each in self._all:
            each.identified(game_id, seat)

    def moved(self) -> None:
        """Tell each."""
        for each in self._all:
            each.moved()

    def committed(self, *, is_created: bool, is_finished: bool) -> None:
        """Tell each."""
        for each in self._all:
            each.committed(is_created=is_created, is_finished=is_finished)

    def watched(self, kind: str, change: int) -> None:
        """Tell each."""
        for each in self._all:
            each.watched(kind, change)

    def choice_began(self) -> None:
        """Tell each."""
        for each in self._all:
            each.choice_began()

    def choice_ended(self, level: str) -> None:
        """Tell each."""
        for each in self._all:
            each.choice_ended(level)

    def called(self, kind: str, seconds: float) -> None:
        """Tell each."""
        for each in self._all:
            each.called(kind, seconds)

    def retried(self, condition: str) -> None:
        """Tell each."""
        for each in self._all:
            each.retried(condition)

    def failed(self, condition: str) -> None:
        """Tell each."""
        for each in self._all:
            each.failed(condition)
