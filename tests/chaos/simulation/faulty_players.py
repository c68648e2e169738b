"""AI players that do everything wrong, at a table with a human who plays over HTTP.

A *rogue* raises, asks the solver for ever, or chooses what is no choice. Each of its turns has to
be played by a cheap legal one and be logged once, and the game has to come to its end.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

from flask.testing import FlaskClient

from engine.cards import JOKER, Card, Rank
from engine.game import Source
from engine.players import LEVELS
from engine.players.position import Position
from engine.rules import AceMode
from engine.solver.arrangement import arrange, best_discard, kernel, least_points
from engine.view import View
from service.app import create_app
from service.config import Config
from tests.chaos.simulation.faulty_store import ModelStore
from tests.chaos.trial import Outcome, Trial
from tests.dealer import Replayer
from tests.player import Player, create

LEVEL = "hard"
"""The level that a rogue takes the place of; also the one that stands in."""
SEAT = 1

Choose = Callable[[View], Any]


@dataclass(frozen=True)
class Rogue:
    """A player that makes both choices in the same wrong way, or only one of them."""

    name: str
    choose: Choose
    draws: bool = True
    discards: bool = True

    def choose_draw(self, seen: View, *others: Any) -> Any:
        player = self if self.draws else LEVELS["easy"]
        return self.choose(seen) if player is self else player.choose_draw(seen, *others)

    def choose_discard(self, seen: View, *others: Any) -> Any:
        player = self if self.discards else LEVELS["easy"]
        return self.choose(seen) if player is self else player.choose_discard(seen, *others)


class Anything:
    """Equal to whatever it is compared with, and of its class, if asked."""

    __hash__ = object.__hash__

    def __init__(self, kind: type) -> None:
        self._kind = kind

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return self._kind

    def __eq__(self, other: object) -> bool:
        return True


def _raises(error: BaseException) -> Choose:
    def choose(_: View) -> NoReturn:
        raise error

    return choose


def _recurses(seen: View) -> Any:
    return _recurses(seen)


def _for_ever(ask: Callable[[Position], object]) -> Choose:
    def choose(seen: View) -> NoReturn:
        position = Position.of(seen)
        while True:
            ask(position)

    return choose


def _stubborn(seen: View) -> NoReturn:
    """Goes on whatever goes wrong."""
    hand = Position.of(seen).hand
    while True:
        with suppress(Exception):
            least_points(hand, Rank.KING, AceMode.LOW)


def _asks_every_kernel(_: View) -> NoReturn:
    while True:
        for wild in Rank:
            for aces in AceMode:
                kernel(wild, aces).least_after_turns(b"\1\2\3")


def _other_card(seen: View) -> Card:
    hand = Position.of(seen).hand
    return next(card for card in (JOKER, *map(Card, range(52))) if card not in hand)


def _swapped(seen: View) -> Any:
    return Source.STOCK if seen.you is not None and seen.you.discards else JOKER


ROGUES = (
    Rogue("raises", _raises(RuntimeError("broken"))),
    Rogue("raises what ends iterations", _raises(StopIteration())),
    Rogue("runs out of memory", _raises(MemoryError())),
    Rogue("recurses for ever", _recurses),
    Rogue("fails in its discard", _raises(KeyError("card")), draws=False),
    Rogue("fails in its draw", _raises(OSError()), discards=False),
    Rogue("asks the kernel for ever", _for_ever(lambda at: at.kernel.least(b"\1\2\3"))),
    Rogue(
        "looks ahead for ever",
        _for_ever(lambda at: at.kernel.draw_prospect(bytes(range(3)), at.unseen, 3)),
    ),
    Rogue("asks about nothing for ever", _for_ever(lambda at: at.kernel.prospects(b"", b"", b""))),
    Rogue("arranges for ever", _for_ever(lambda at: arrange(at.hand, at.wild, at.aces))),
    Rogue("discards for ever", _for_ever(lambda at: best_discard(at.hand, at.wild, at.aces))),
    Rogue("asks every kernel for ever", _asks_every_kernel),
    Rogue("goes on after every error", _stubborn),
    Rogue("chooses nothing", lambda _: None),
    Rogue("chooses a word", lambda _: "stock"),
    Rogue("chooses a number", lambda _: 0),
    Rogue("chooses a list", lambda _: []),
    Rogue("draws a card, discards a source", _swapped),
    Rogue("discards another's card", _other_card, draws=False),
    Rogue("draws what equals all", lambda _: Anything(Source), discards=False),
    Rogue("discards what equals all", lambda _: Anything(Card), draws=False),
)


@dataclass
class Told(logging.Handler):
    """The lines that are logged of AI players."""

    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    __hash__ = logging.Handler.__hash__


@contextmanager
def at_the_table(
    rogue: object, solves: int | None = None, model: ModelStore | None = None
) -> Iterator[tuple[FlaskClient, Told]]:
    """A client of a service whose players of one level are rogues, and what is logged of them."""
    told, logger, store = Told(), logging.getLogger("service.players"), model or ModelStore()
    config = Config(data_dir=Path("unused"), log_level="ERROR", ai_turn_solves=solves)
    logger.addHandler(told)
    logger.propagate = False
    try:
        with mock.patch.dict(LEVELS, {LEVEL: rogue}):
            yield create_app(config, store).test_client(), told  # type: ignore[arg-type]
    finally:
        logger.propagate = True
        logger.removeHandler(told)


@dataclass(frozen=True)
class Played:
    """A game that a human played against a rogue: the rogue's turns, the longest request (s)."""

    turns: int
    longest: float
    violations: tuple[str, ...]


def play(rogue: Rogue, seed: int, solves: int | None = None, rounds: int = 11) -> Played:
    """Play a game, or its first rounds, and hold it against what was promised."""
    options = {
        "seats": [{"kind": "human"}, {"kind": "ai", "level": LEVEL}, {"kind": "ai"}],
        "seed": f"{seed:064x}",
        "jokers": 2,
    }
    violations: list[str] = []
    longest = 0.0
    with at_the_table(rogue, solves) as (client, told):
        human = create(client, options)
        events = human.created.get_json()["events"]
        while human.game["status"] == "playing" and human.game["round"]["number"] <= rounds:
            begun = time.perf_counter()
            phase = human.game["turn"]["phase"]
            answer = human.draw() if phase == "draw" else human.discard()
            longest = max(longest, time.perf_counter() - begun)
            if answer.status_code != 200:
                violations.append(f"{phase} answers {answer.status_code}")
                break
            events += answer.get_json()["events"]
        violations += _replayed(human) if human.game["status"] == "finished" else []
    turns = sum(e["type"] == "card_discarded" and e["seat"] == SEAT for e in events)
    if len(told.lines) != turns or len(set(told.lines)) != turns:
        violations.append(
            f"{turns} turns, {len(told.lines)} lines, {len(set(told.lines))} different"
        )
    return Played(
        turns, longest, tuple(f"{rogue.name}, seed {seed}: {told}" for told in violations)
    )


def _replayed(human: Player) -> Iterator[str]:
    """The finished game was legal from its first card to its last."""
    try:
        Replayer(human.get("/replay").get_json()).check()
    except AssertionError as error:
        yield str(error)


def rogue_players(games: int = 5, solves: int | None = None, rounds: int = 11) -> Outcome:
    """So many games against each rogue."""
    played = [play(rogue, seed, solves, rounds) for rogue in ROGUES for seed in range(1, games + 1)]
    longest = max(game.longest for game in played) * 1000
    done = (
        f"{len(ROGUES)} rogues, {len(played)} games, {sum(game.turns for game in played)} turns "
        f"at fault, the longest request {longest:.0f} ms"
    )
    return Outcome(done, [told for game in played for told in game.violations])


TRIALS = [
    Trial(
        "An AI player that fails, never stops or cheats costs one cheap legal turn, logged once",
        "rogues of every kind at a table over HTTP",
        rogue_players,
    ),
]
