"""Duplicate deals: one game played out, and one deal played by a candidate from every seat.

A *lineup* names the player of each seat. A deal is fixed by its secret: the same secret deals
the same cards to every lineup. A `Contest` puts its candidate once into every seat, the other
seats held by the field; the *paired* game has the baseline in the candidate's place.

Secrets are SHA-256 of a label and a number. The labels keep the deals that players are tuned
with apart from those that prove their strength.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from time import thread_time

from engine import game as games
from engine.events import RoundScored
from engine.game import Game, Status, Step
from engine.options import GameOptions
from engine.players import DEFAULT_LEVEL, LEVELS, Player
from engine.rules import MAX_SEATS, MIN_SEATS, ROUNDS, TURN_SOLVES, Rules
from engine.seats import AiSeat, Level
from engine.shuffle import Stream, choice_stream
from engine.view import view

LABELS = ("proof", "tuning")
STANDARD = Rules()

Lineup = tuple[str, ...]
"""The name of each seat's player: a level, or `module:object` for a player that is no level."""


class ContestError(ValueError):
    """A contest that cannot be played; the message says why."""


@dataclass(slots=True)
class TurnTimes:
    """CPU ms of the timed player's choices, a number a turn; `longest` are those of round 11."""

    every: list[float] = field(default_factory=list)
    longest: list[float] = field(default_factory=list)

    def note(self, number: int, seconds: float) -> None:
        self.every.append(seconds * 1e3)
        if number == ROUNDS:
            self.longest.append(seconds * 1e3)

    def add(self, other: TurnTimes) -> None:
        self.every += other.every
        self.longest += other.longest


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: `stalled` has the numbers of its stalled rounds."""

    totals: tuple[int, ...]
    winner: int | None
    stalled: tuple[int, ...]
    times: TurnTimes


@dataclass(frozen=True, slots=True)
class Contest:
    """A candidate at a table of field players, and the baseline it is compared with.

    `turn_solves` is the budget of a turn, in hands solved.
    """

    candidate: str
    field: str
    baseline: str
    seats: int = 4
    rules: Rules = STANDARD
    label: str = LABELS[0]
    turn_solves: int = TURN_SOLVES

    def __post_init__(self) -> None:
        """Refuse a table that the game does not know, and players that do not exist."""
        if not MIN_SEATS <= self.seats <= MAX_SEATS:
            raise ContestError(f"a table has {MIN_SEATS} to {MAX_SEATS} seats, not {self.seats}")
        for name in (self.candidate, self.field, self.baseline):
            player_named(name)

    def lineup(self, seat: int, name: str) -> Lineup:
        """The field with one other player, in this seat."""
        return tuple(name if place == seat else self.field for place in range(self.seats))


@dataclass(frozen=True, slots=True)
class DealResult:
    """One deal played from every seat: sums over the candidate's games.

    `difference` is the candidate's points less those of the baseline in the same seat;
    `field_points` is summed over games and is the mean of the field seats of each.
    """

    number: int
    wins: int
    points: int
    field_points: float
    difference: int
    baseline_wins: int
    stalled: int
    baseline_stalled: int
    times: TurnTimes


@lru_cache
def player_named(name: str) -> Player:
    """The player of a level, or the object (or what the class or function makes) of a module."""
    if name in LEVELS:
        return LEVELS[Level(name)]
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ContestError(f"no level is called {name}: there are {', '.join(LEVELS)}")
    try:
        named = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ContestError(f"no player {name}: {error}") from error
    player: Player = named() if isinstance(named, type) or _makes_players(named) else named
    return player


def _makes_players(named: object) -> bool:
    return callable(named) and not hasattr(named, "choose_draw")


def secret_of(label: str, number: int) -> bytes:
    """The secret of a deal."""
    return hashlib.sha256(f"three-thirteen/{label}/{number}".encode("ascii")).digest()


def play(
    secret: bytes,
    rules: Rules,
    lineup: Lineup,
    timed: str = "",
    turn_solves: int = TURN_SOLVES,
) -> Outcome:
    """A whole game; the turns of the player called `timed` are timed."""
    seats = tuple(AiSeat(f"Seat {number}", DEFAULT_LEVEL) for number in range(len(lineup)))
    players = tuple(map(player_named, lineup))
    game = games.open_game(secret, GameOptions(seats, rules, turn_solves=turn_solves)).game
    stalled: list[int] = []
    times = TurnTimes()
    while game.status is Status.PLAYING:
        seat, number = game.layout.seat, game.layout.number
        step, seconds = _turn(game, players[seat])
        if lineup[seat] == timed:
            times.note(number, seconds)
        stalled += [number for _ in _stalled(step)]
        game = step.game
    assert game.result is not None, "a game that is over has a result"
    return Outcome(game.totals, game.result.winner, tuple(stalled), times)


def _turn(game: Game, player: Player) -> tuple[Step, float]:
    """The game after one turn, and the CPU seconds that its two choices took."""
    layout = game.layout
    seat = layout.seat
    seen, random = view(game, seat), _turn_stream(game)
    start = thread_time()
    source = player.choose_draw(seen, random, game.turn_solves)
    spent = thread_time() - start
    game = games.draw(game, seat, source).game
    seen, random = view(game, seat), _turn_stream(game)
    start = thread_time()
    card = player.choose_discard(seen, random, game.turn_solves)
    spent += thread_time() - start
    return games.discard(game, seat, card), spent


def _turn_stream(game: Game) -> Stream:
    """The turn's random stream from its beginning, as each choice of a real game gets it."""
    layout = game.layout
    return choice_stream(game.secret, layout.number, layout.seat, layout.turn)


def _stalled(step: Step) -> Iterator[RoundScored]:
    bodies = (event.body for event in step.events)
    return (body for body in bodies if isinstance(body, RoundScored) and body.stalled)


def play_deal(contest: Contest, number: int) -> DealResult:
    """One deal from every seat; a lineup that comes twice is played once."""
    secret = secret_of(contest.label, number)
    played: dict[Lineup, Outcome] = {}

    def outcome(seat: int, name: str) -> Outcome:
        lineup = contest.lineup(seat, name)
        if lineup not in played:
            played[lineup] = play(
                secret, contest.rules, lineup, contest.candidate, contest.turn_solves
            )
        return played[lineup]

    seats = range(contest.seats)
    ours = [outcome(seat, contest.candidate) for seat in seats]
    theirs = [outcome(seat, contest.baseline) for seat in seats]
    points = [outcome.totals[seat] for seat, outcome in enumerate(ours)]
    paired = [outcome.totals[seat] for seat, outcome in enumerate(theirs)]
    others = [sum(outcome.totals) - own for outcome, own in zip(ours, points, strict=True)]
    return DealResult(
        number,
        wins=_wins(ours),
        points=sum(points),
        field_points=sum(others) / (contest.seats - 1),
        difference=sum(points) - sum(paired),
        baseline_wins=_wins(theirs),
        stalled=_stalls(ours),
        baseline_stalled=_stalls(theirs),
        times=_times(ours),
    )


def _wins(outcomes: list[Outcome]) -> int:
    """In how many games, given by the player's seat, that player won; a tie is no win."""
    return sum(outcome.winner == seat for seat, outcome in enumerate(outcomes))


def _stalls(outcomes: list[Outcome]) -> int:
    return sum(len(outcome.stalled) for outcome in outcomes)


def _times(outcomes: list[Outcome]) -> TurnTimes:
    times = TurnTimes()
    for outcome in {id(outcome): outcome for outcome in outcomes}.values():
        times.add(outcome.times)
    return times
