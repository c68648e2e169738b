"""Two worlds: no answer depends on what its caller may not know.

A pair is one game in two stores, alike but for what its viewer may not know: stock, other hands,
secret, what others drew. The same calls go to both, by the viewer and by strangers, and every
answer must be the same byte for byte, headers and all. Then the game goes on in both by the same
moves, until the first event that the hidden difference itself changes: `law.py` knows which those
may be. Ids, tokens, clock, request ids, commitment and `ai` words are held the same.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from flask import Response, request

from engine.cards import CARDS
from engine.game import Game, Status
from engine.round import Drawing, Source
from engine.seats import SeatKind
from engine.snapshot import load
from service.app import create_app
from service.config import Config
from service.runtime.embedded_server import throwaway_server
from service.store.game_store import Store
from tests.chaos.access import calls, positions
from tests.chaos.access.calls import Call
from tests.chaos.access.permitted_differences import Law
from tests.chaos.trial import Outcome, Trial
from tests.clock import Clock

Plant = Callable[[Response, Game], None]
"""Spoils an answer by what the game hides, to show that the comparison finds it."""
Answer = tuple[int, tuple[tuple[str, str], ...], bytes]

MOVES = 6
TRIED_CARDS = 3
_EXCERPT = 40


class World:
    """One store with the service over it."""

    def __init__(self, url: str, clock: Clock, plant: Plant | None) -> None:
        self.store = Store.from_url(url, connections=2)
        config = Config(redis_url=url, data_dir=Path("unused"), log_level="CRITICAL")
        app = create_app(config, self.store, clock)
        if plant is not None:
            app.after_request(lambda response: self._spoilt(response, plant))
        self.client = app.test_client(use_cookies=False)

    def _spoilt(self, response: Response, plant: Plant) -> Response:
        game_id = (request.view_args or {}).get("game_id", "")
        if self.store.read(game_id)[0] is not None:
            plant(response, self.game(game_id))
        return response

    def game(self, game_id: str) -> Game:
        """The game as it is stored."""
        stored, _ = self.store.read(game_id)
        assert stored is not None, "the game has been put there"
        return load(stored.state)

    def answer(self, game_id: str, token: str | None, call: Call) -> Answer:
        """Everything an answer consists of."""
        auth = None if token is None else f"Bearer {token}"
        with call.but(X_Request_Id="held").open(self.client, game_id, auth) as got:
            return got.status_code, tuple(got.headers), got.get_data()


@dataclass
class Tally:
    """What was compared, how pairs came to their end, and every violation."""

    counts: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def told(self) -> str:
        """The counts in words."""
        words = (
            "{pairs} pairs: {waiting} waiting, {final} in final turns, {deep} deep; {answers} "
            "answers, {bytes} bytes the same, {moves} moves; {parted} parted by a lawful event"
        )
        return words.format_map(self.counts)


@dataclass
class Pair:
    """One game in two worlds, and the talk with both."""

    worlds: tuple[World, World]
    tally: Tally
    seed: int
    viewer: int | None
    deep: bool
    chance: random.Random
    clock: Clock
    start: int = 0
    parted: bool = False

    @property
    def game_id(self) -> str:
        """The same in both worlds."""
        return f"pair{self.seed:018}"

    @property
    def token(self) -> str | None:
        """The viewer's token."""
        return None if self.viewer is None else positions.token(self.viewer)

    def games(self) -> tuple[Game, Game]:
        """The two games as they are."""
        first, second = self.worlds
        return first.game(self.game_id), second.game(self.game_id)

    def begin(self, position: positions.Position) -> None:
        """Put the position into both stores, each with its own hidden part."""
        other = positions.other_world(position, self.viewer, self.chance, deep=self.deep)
        version = self.chance.randint(1, 900)
        for world, one in zip(self.worlds, (position, other), strict=True):
            positions.put(world.store, self.game_id, one, version)
        self.start = position.game.seq
        self.tally.counts.update(
            pairs=1,
            deep=self.deep,
            waiting=position.game.round is None,
            final=position.game.round is not None and position.game.layout.is_final,
            differing=other.game.round != position.game.round or position.game.round is None,
        )
        self._look_at_all(position.game, version)

    def end(self) -> None:
        """Take the game out of both stores."""
        for world in self.worlds:
            world.store.delete(self.game_id)

    def _look_at_all(self, game: Game, version: int) -> None:
        """Every question and every refusal, to the viewer and to a stranger."""
        viewer = "s" if self.viewer is None else str(self.viewer)
        cards = [str(card) for card in self.chance.sample(CARDS, TRIED_CARDS)]
        for call in calls.whole_look(version, viewer, game.seq, cards):
            self.ask(call, self.token)
        for call in calls.of_every_kind():
            self.ask(call, "of-no-seat")
        for call in calls.refused(game, self.viewer):
            self.ask(call, self.token)

    def ask(self, call: Call, token: str | None) -> None:
        """Make a call in both worlds; the answers must be the same, unless the game parts."""
        if self.parted:
            return
        first, second = (world.answer(self.game_id, token, call) for world in self.worlds)
        if first == second:
            size = len(first[2]) + sum(len(name) + len(value) for name, value in first[1])
            self.tally.counts.update({"answers": 1, "bytes": size, f"{first[0]}": 1})
        else:
            self._part(call, first, second)

    def _part(self, call: Call, first: Answer, second: Answer) -> None:
        """End the pair; a violation, unless the worlds' events part lawfully."""
        self.parted = True
        seats = self.games()[0].seats
        ai = {seat for seat, each in enumerate(seats) if each.kind is SeatKind.AI and self.deep}
        own = set() if self.viewer is None else {self.viewer}
        law = Law(self.viewer, frozenset(ai | own), draws=self.deep)
        violation = law.violation(*map(self._events, self.worlds))
        if violation is None:
            self.tally.counts["parted"] += 1
        else:
            where = f"seed {self.seed}, viewer {self.viewer}, {call}"
            self.tally.violations.append(f"{where}: {violation}; {_difference(first, second)}")

    def _events(self, world: World) -> list[dict[str, Any]]:
        """What the viewer may read of what has happened since the game was put there."""
        call = calls.get(f"/events?after={self.start}&limit=1000")
        _, _, body = world.answer(self.game_id, self.token, call)
        events: list[dict[str, Any]] = json.loads(body)["events"]
        return events

    def look(self) -> None:
        """Ask for what may have changed."""
        for call in calls.short_look(self.start):
            self.ask(call, self.token)

    def go_on(self) -> None:
        """Let the game go on in both worlds alike, as far as it does."""
        game = self.games()[0]
        if game.round is None:
            self._gather(game)
        elif game.deadline is not None and self.chance.random() < 0.5:
            self.clock.now = game.deadline
        for _ in range(MOVES):
            self.look()
            if self.parted or self.games()[0].status is not Status.PLAYING:
                return
            self._move()
        self._leave()

    def _move(self) -> None:
        """One move of the seat that is due, with a key of its own."""
        games = self.games()
        mover = games[0].layout.seat
        call = self._chosen(games, f"key-{self.chance.getrandbits(64)}")
        if call is None:
            self.parted = True
        elif mover == self.viewer:
            self.ask(call, self.token)
            self.ask(call, self.token)
        else:  # its answers are its own, and may differ
            for world in self.worlds:
                world.answer(self.game_id, positions.token(mover), call)
        self.tally.counts["moves"] += call is not None

    def _chosen(self, games: tuple[Game, Game], key: str) -> Call | None:
        """A move that can be made in both worlds; None where no hand holds the other's card."""
        if isinstance(games[0].round, Drawing):
            source = self.chance.choice(list(Source)).value
            return calls.post("/draw", {"source": source}, Idempotency_Key=key)
        both = set(games[0].layout.hand) & set(games[1].layout.hand)
        if not both:
            return None
        card, go_out = self.chance.choice(sorted(both)), self.chance.random() < 0.5
        return calls.post("/discard", {"card": str(card), "go_out": go_out}, Idempotency_Key=key)

    def _gather(self, game: Game) -> None:
        """Let those who are awaited join, one by one."""
        for seat, each in enumerate(game.seats):
            if not each.joined:
                self.look()
                self.ask(calls.post("/seats", {"invite": positions.invite(seat)}), None)

    def _leave(self) -> None:
        """The viewer's leaving tells nothing, and it is a spectator then."""
        if self.viewer is not None:
            self.ask(calls.LEAVE, self.token)
            self.ask(calls.get(), self.token)
            self.viewer = None
            self.look()


def _difference(first: Answer, second: Answer) -> str:
    """The first place where two answers differ."""
    one, other = (f"{status} {headers} {body!r}" for status, headers, body in (first, second))
    shared = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    near = slice(max(0, shared - _EXCERPT), shared + _EXCERPT)
    return f"{one[near]!r} against {other[near]!r}"


def compare(
    pairs: int, plant: Plant | None = None, *, start: int = 0, first: bool = False
) -> Tally:
    """Compare so many pairs from the one of seed `start` on, or to the `first` violation.

    A plant spoils answers on purpose.
    """
    tally, clock = Tally(), Clock(positions.NOW)
    with throwaway_server() as server, positions.held():
        worlds = (World(server.url, clock, plant), World(f"{server.url}?db=1", clock, plant))
        for seed, position in islice(enumerate(positions.positions()), start, start + pairs):
            if first and tally.violations:
                break
            chance = random.Random(f"pair {seed}")
            viewer = chance.choice([None, *position.game.humans])
            deep = chance.random() < 0.5
            clock.now = positions.NOW
            pair = Pair(worlds, tally, seed, viewer, deep, chance, clock)
            pair.begin(position)
            pair.go_on()
            pair.end()
    return tally


def two_worlds(pairs: int = 2_000) -> Outcome:
    """Every answer is the same in two worlds that the caller cannot tell apart."""
    tally = compare(pairs)
    return Outcome(tally.told(), tally.violations)


TRIALS = [
    Trial(
        "no answer depends on what its caller may not know",
        "pairs of games alike but for that, every call to both, byte for byte",
        two_worlds,
    )
]
