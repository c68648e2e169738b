"""Who is told of the choices that AI players make: nobody, until a program asks for it.

The engine has no clock; whoever is told may have one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from engine.seats import Level


class ChoiceObserver(Protocol):
    """Is told in the thread that plays, before and after each choice."""

    def choice_began(self) -> None:
        """A player begins to choose."""

    def choice_ended(self, level: str) -> None:
        """The player of this level has chosen, or failed."""


class _Observed:
    """Tells an observer of the choices of one level."""

    __slots__ = ("_level", "_observer")

    def __init__(self, level: Level, observer: ChoiceObserver) -> None:
        self._level = level
        self._observer = observer

    def __enter__(self) -> None:
        self._observer.choice_began()

    def __exit__(self, *_: object) -> None:
        self._observer.choice_ended(self._level.value)


_NOBODY = nullcontext()
_observed: dict[Level, AbstractContextManager[None]] = dict.fromkeys(Level, _NOBODY)


def observe(observer: ChoiceObserver | None) -> None:
    """Have an observer be told of every choice of this process from now on, or nobody."""
    for level in Level:
        _observed[level] = _NOBODY if observer is None else _Observed(level, observer)


def observed(level: Level) -> AbstractContextManager[None]:
    """What a choice of a level's player is made within."""
    return _observed[level]
