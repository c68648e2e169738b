"""Faulty AI players in a game with a human who plays over HTTP.

A faulty player raises, asks the solver for ever, or returns an illegal choice. Each of its turns
must be replaced by a cheap legal turn and be logged once, and the game must end.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

from flask.testing import FlaskClient

from engine.cards import JOKER, Card, Rank
from engine.game import Source
from engine.players import LEVELS
from engine.players.position import Position
from engine.rules import AceMode
from engine.seats import Level
from engine.solver.arrangement import arrange, best_discard
from engine.solver.hands import kernel, least_points
from engine.view import View
from service.app import create_app
from service.config import Config
from tests.chaos.simulation.faulty_store import ModelStore
from tests.chaos.trial import Outcome, Trial
from tests.dealer import Replayer
from tests.player import Player, create

LEVEL = Level.HARD
"""The level whose player is replaced by a faulty one."""
SEAT = 1
_OPTIONS = {
    "seats": [{"kind": "human"}, {"kind": "ai", "level": LEVEL.value}, {"kind": "ai"}],
    "jokers": 2,
}

Choose = Callable[[View], Any]


@dataclass(frozen=True)
class FaultyPlayer:
    """A player whose draw and discard, or only one of them, are faulty."""

    name: str
    choose: Choose
    draws: bool = True
    discards: bool = True

    def choose_draw(self, view: View, *others: Any) -> Any:
        chooser = self if self.draws else LEVELS[Level.EASY]
        return self.choose(view) if chooser is self else chooser.choose_draw(view, *others)

    def choose_discard(self, view: View, *others: Any) -> Any:
        chooser = self if self.discards else LEVELS[Level.EASY]
        return self.choose(view) if chooser is self else chooser.choose_discard(view, *others)


class EqualToEverything:
    """An object that is equal to every other, and whose `__class__` is `kind`."""

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


def _recurses(view: View) -> Any:
    return _recurses(view)


def _asks_for_ever(ask: Callable[[Position], object]) -> Choose:
    def choose(view: View) -> NoReturn:
        position = Position.of(view)
        while True:
            ask(position)

    return choose


def _ignores_every_error(view: View) -> NoReturn:
    """Asks the solver for ever and ignores every error."""
    hand = Position.of(view).hand
    while True:
        with suppress(Exception):
            least_points(hand, Rank.KING, AceMode.LOW)


def _asks_every_kernel(_: View) -> NoReturn:
    while True:
        for wild in Rank:
            for aces in AceMode:
                kernel(wild, aces).least_after_turns(b"\1\2\3")


def _other_card(view: View) -> Card:
    hand = Position.of(view).hand
    return next(card for card in (JOKER, *map(Card, range(52))) if card not in hand)


def _other_kind_of_choice(view: View) -> Any:
    return Source.STOCK if view.you is not None and view.you.discards else JOKER


FAULTY_PLAYERS = (
    FaultyPlayer("raises", _raises(RuntimeError("broken"))),
    FaultyPlayer("raises StopIteration", _raises(StopIteration())),
    FaultyPlayer("runs out of memory", _raises(MemoryError())),
    FaultyPlayer("recurses for ever", _recurses),
    FaultyPlayer("fails in its discard", _raises(KeyError("card")), draws=False),
    FaultyPlayer("fails in its draw", _raises(OSError()), discards=False),
    FaultyPlayer("asks the kernel for ever", _asks_for_ever(lambda at: at.kernel.least(b"\1\2\3"))),
    FaultyPlayer(
        "looks ahead for ever",
        _asks_for_ever(lambda at: at.kernel.stock_is_worse(bytes(range(3)), at.unseen, 3, 1, 0)),
    ),
    FaultyPlayer(
        "asks about an empty hand for ever",
        _asks_for_ever(lambda at: at.kernel.prospects(b"", b"", b"")),
    ),
    FaultyPlayer(
        "arranges for ever", _asks_for_ever(lambda at: arrange(at.hand, at.wild, at.aces))
    ),
    FaultyPlayer(
        "discards for ever", _asks_for_ever(lambda at: best_discard(at.hand, at.wild, at.aces))
    ),
    FaultyPlayer("asks every kernel for ever", _asks_every_kernel),
    FaultyPlayer("goes on after every error", _ignores_every_error),
    FaultyPlayer("chooses None", lambda _: None),
    FaultyPlayer("chooses a string", lambda _: "stock"),
    FaultyPlayer("chooses a number", lambda _: 0),
    FaultyPlayer("chooses a list", lambda _: []),
    FaultyPlayer("draws a card, discards a source", _other_kind_of_choice),
    FaultyPlayer("discards another's card", _other_card, draws=False),
    FaultyPlayer(
        "draws an object that equals everything",
        lambda _: EqualToEverything(Source),
        discards=False,
    ),
    FaultyPlayer(
        "discards an object that equals everything", lambda _: EqualToEverything(Card), draws=False
    ),
)


@dataclass
class CapturedLog(logging.Handler):
    """The log lines about AI players."""

    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    __hash__ = logging.Handler.__hash__


@contextmanager
def service_with_player(
    player: object, solves: int | None = None, model: ModelStore | None = None
) -> Iterator[tuple[FlaskClient, CapturedLog]]:
    """A client of a service in which one level has this player, and the log about AI players."""
    log, logger, store = CapturedLog(), logging.getLogger("service.players"), model or ModelStore()
    config = Config(data_dir=Path("unused"), log_level="ERROR", ai_turn_solves=solves)
    logger.addHandler(log)
    logger.propagate = False
    try:
        with mock.patch.dict(LEVELS, {LEVEL: player}):
            yield create_app(config, store).test_client(), log  # type: ignore[arg-type]
    finally:
        logger.propagate = True
        logger.removeHandler(log)


@dataclass(frozen=True)
class PlayedGame:
    """A game against a faulty player: its number of turns, and the longest request (s)."""

    turns: int
    longest: float
    violations: tuple[str, ...]


def play(
    player: FaultyPlayer, seed: int, solves: int | None = None, rounds: int = 11
) -> PlayedGame:
    """Play a game, or its first rounds, against a faulty player, and check it."""
    with service_with_player(player, solves) as (client, log):
        human = create(client, {**_OPTIONS, "seed": f"{seed:064x}"})
        played = _play_rounds(human, rounds)
        violations = list(played.violations)
        violations += _replay_violations(human) if human.game["status"] == "finished" else []
    if len(log.lines) != played.turns or len(set(log.lines)) != played.turns:
        lines = f"{len(log.lines)} lines, {len(set(log.lines))} different"
        violations.append(f"{played.turns} turns, but the log has {lines}")
    where = f"{player.name}, seed {seed}"
    return replace(played, violations=tuple(f"{where}: {each}" for each in violations))


def _play_rounds(human: Player, rounds: int) -> PlayedGame:
    """Make the human's moves in so many rounds; every move must be accepted."""
    events, longest = list(human.created.get_json()["events"]), 0.0
    violations: tuple[str, ...] = ()
    while human.game["status"] == "playing" and human.game["round"]["number"] <= rounds:
        started = time.perf_counter()
        phase = human.game["turn"]["phase"]
        answer = human.draw() if phase == "draw" else human.discard()
        longest = max(longest, time.perf_counter() - started)
        if answer.status_code != 200:
            violations = (f"{phase} answers {answer.status_code}",)
            break
        events += answer.get_json()["events"]
    turns = sum(e["type"] == "card_discarded" and e["seat"] == SEAT for e in events)
    return PlayedGame(turns, longest, violations)


def _replay_violations(human: Player) -> Iterator[str]:
    """Play the finished game again; a difference is a violation."""
    try:
        Replayer(human.get("/replay").get_json()).check()
    except AssertionError as error:
        yield str(error)


def faulty_players(games: int = 5, solves: int | None = None, rounds: int = 11) -> Outcome:
    """Play so many games against each faulty player."""
    seeds = range(1, games + 1)
    played = [play(player, seed, solves, rounds) for player in FAULTY_PLAYERS for seed in seeds]
    longest = max(game.longest for game in played) * 1000
    summary = (
        f"{len(FAULTY_PLAYERS)} faulty players, {len(played)} games,"
        f" {sum(game.turns for game in played)} faulty turns,"
        f" the longest request took {longest:.0f} ms"
    )
    return Outcome(summary, [each for game in played for each in game.violations])


TRIALS = [
    Trial(
        "A turn of an AI player that fails, hangs or cheats is replaced by a legal one and logged.",
        "Games over HTTP against faulty players of every kind",
        faulty_players,
    ),
]
