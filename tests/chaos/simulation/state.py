"""A simulated game as its commits tell it, and what must be so of what is kept of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from engine.errors import SnapshotError
from engine.game import Game, Status
from engine.snapshot import load
from service.games.tokens import token_hash
from service.store.models import Stored
from tests.chaos.simulation.faulty_store import Written
from tests.dealer import all_cards

Event = dict[str, Any]


@dataclass
class Table:
    """A game; `tokens` are held, those of `left` are void. `humans` is 0 until anybody knows it."""

    game_id: str
    humans: int = 0
    invites: dict[int, str] = field(default_factory=dict)
    tokens: dict[int, str] = field(default_factory=dict)
    left: dict[int, str] = field(default_factory=dict)
    version: int = 0
    log: list[bytes] = field(default_factory=list)
    game: Game | None = None
    may_vanish: bool = False
    deleted: bool = False
    gone: bool = False
    _stored: Stored | None = None

    @property
    def is_known(self) -> bool:
        """Whether anybody was told of the game."""
        return self.humans > 0

    @property
    def is_over(self) -> bool:
        return self.gone or (self.game is not None and self.game.status is Status.FINISHED)

    def give(self, seat: int, token: str) -> Iterator[str]:
        """Note who holds a seat; yields what is wrong about it."""
        if {**self.tokens, **self.left}.get(seat, token) != token:
            yield f"seat {seat} was given twice"
        if seat not in self.left:
            self.tokens[seat] = token

    def void(self, seat: int) -> None:
        """Note that a seat was left."""
        self.left[seat] = self.tokens.pop(seat)

    def follow(self, written: Written, events: Sequence[Event]) -> Iterator[str]:
        """Versions grow by one, and events are without gaps."""
        versions = (written.before, written.commit.stored.version)
        expected = (self.version, self.version + 1)
        if versions != expected:
            yield f"versions {versions} where {expected} were due"
        seqs = [event["seq"] for event in events]
        due = list(range(len(self.log) + 1, len(self.log) + 1 + len(events)))
        if not seqs or seqs != due:
            yield f"events {seqs} where {due} were due"
        self.version = versions[1]
        self.log += written.commit.events

    def check(self, stored: Stored | None, log: list[bytes] | None) -> Iterator[str]:
        """What is kept of a game is what was written, and it is a game."""
        if stored is None or self.deleted:
            if stored is not None or not self.may_vanish:
                yield f"{self.game_id} is lost, or is back"
            self.gone = True
        elif stored is not self._stored:
            self._stored = stored
            if (stored.version, log) != (self.version, self.log):
                yield f"version {self.version} or its events are lost"
            try:
                self.game = load(stored.state)
            except SnapshotError as error:
                yield str(error)
            else:
                yield from self._faults(self.game, json.loads(stored.meta)["tokens"])

    def _faults(self, game: Game, kept: Sequence[str | None]) -> Iterator[str]:
        if game.seq != len(self.log):
            yield f"the game has {game.seq} events, the log {len(self.log)}"
        if game.round is not None:
            layout = game.layout
            cards = Counter(map(str, chain(*layout.hands, layout.stock, layout.pile)))
            if cards != Counter(all_cards(game.rules.jokers)):
                yield "cards are not conserved"
        for seat, token in self.tokens.items():
            if kept[seat] != token_hash(token):
                yield f"the holder of seat {seat} has lost it"
        for seat in self.left:
            if kept[seat] is not None:
                yield f"the token of seat {seat} still holds"
        seated = len(kept) - kept.count(None) + len(self.left)
        if self.is_known and seated > self.humans:
            yield f"{seated} humans at {self.humans} seats"
