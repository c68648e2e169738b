"""The expected state of a simulated game, from its commits, and invariants of what is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from engine.errors import SnapshotError
from engine.game import Game, Status
from engine.snapshot import load
from service.games.stored.meta import Meta
from service.games.tokens import token_hash
from service.store.models import StoredGame
from tests.chaos.simulation.faulty_store import Written
from tests.dealer import all_cards

Event = dict[str, Any]


@dataclass
class GameState:
    """One game: `tokens` are valid, those of `left` are void.

    `humans` is 0 until a client has an answer that names the game. The invites of a rematch are
    tokens of the game before it.
    """

    game_id: str
    humans: int = 0
    invites: dict[int, str] = field(default_factory=dict)
    tokens: dict[int, str] = field(default_factory=dict)
    left: dict[int, str] = field(default_factory=dict)
    version: int = 0
    log: list[bytes] = field(default_factory=list)
    game: Game | None = None
    may_be_deleted: bool = False
    deleted: bool = False
    is_rematch: bool = False
    gone: bool = False
    _stored: StoredGame | None = None

    @property
    def is_known(self) -> bool:
        """Whether a client knows the game."""
        return self.humans > 0

    @property
    def is_over(self) -> bool:
        return self.gone or (self.game is not None and self.game.status is Status.FINISHED)

    def set_token(self, seat: int, token: str) -> Iterator[str]:
        """Set the token of a seat; yields a violation if the seat has another one."""
        if {**self.tokens, **self.left}.get(seat, token) != token:
            yield f"seat {seat} was given to two clients"
        if seat not in self.left:
            self.tokens[seat] = token

    def void(self, seat: int) -> None:
        """Make the token of a seat void, since its human has left."""
        self.left[seat] = self.tokens.pop(seat)

    def apply(self, written: Written, events: Sequence[Event]) -> Iterator[str]:
        """Apply a commit; versions must grow by one, and events must have no gaps."""
        versions = (written.before, written.commit.stored.version)
        expected = (self.version, self.version + 1)
        if versions != expected:
            yield f"versions {versions} instead of {expected}"
        seqs = [event["seq"] for event in events]
        expected_seqs = list(range(len(self.log) + 1, len(self.log) + 1 + len(events)))
        is_reservation = Meta.parse(written.commit.stored).rematch is not None
        if is_reservation is bool(seqs) or seqs != expected_seqs:
            yield f"events {seqs} instead of {expected_seqs}"
        self.version = versions[1]
        self.log += written.commit.events

    def check(self, stored: StoredGame | None, log: list[bytes] | None) -> Iterator[str]:
        """The stored game must be the committed one, and valid."""
        if stored is None or self.deleted:
            if stored is not None or not self.may_be_deleted:
                yield f"{self.game_id} is lost, or has returned after its deletion"
            self.gone = True
        elif stored is not self._stored:
            self._stored = stored
            if (stored.version, log) != (self.version, self.log):
                yield f"version {self.version} or its events are not stored"
            try:
                self.game = load(stored.state)
            except SnapshotError as error:
                yield str(error)
            else:
                yield from self._violations_of_game(self.game, Meta.parse(stored).tokens)

    def _violations_of_game(
        self, game: Game, token_hashes: Sequence[bytes | None]
    ) -> Iterator[str]:
        if game.seq != len(self.log):
            yield f"the game has {game.seq} events, the log {len(self.log)}"
        if game.round is not None:
            layout = game.layout
            cards = Counter(map(str, chain(*layout.hands, layout.stock, layout.pile)))
            if cards != Counter(all_cards(game.rules.jokers)):
                yield "the cards of the game are not complete"
        for seat, token in self.tokens.items():
            if token_hashes[seat] != token_hash(token):
                yield f"the token of seat {seat} is no longer valid"
        for seat in self.left:
            if token_hashes[seat] is not None:
                yield f"the void token of seat {seat} is still valid"
        seated = len(token_hashes) - token_hashes.count(None) + len(self.left)
        if self.is_known and seated > self.humans:
            yield f"{seated} humans at {self.humans} human seats"
