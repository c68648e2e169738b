"""A whole game: seats, the rounds that it plays, totals, the result.

`open_game` deals the first round; `draw` and `discard` make one move each and return a `Step`:
the game after it and the events it caused. When a round ends it is scored and the next one
dealt within the same step. The check of turn and phase stands in `_state` alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

from engine import round as rounds
from engine import shuffle
from engine.cards import Card
from engine.errors import (
    GameFinishedError,
    GameWaitingError,
    MoveError,
    NotYourTurnError,
    WrongPhaseError,
)
from engine.events import (
    Body,
    CardDiscarded,
    CardDrawn,
    Event,
    GameFinished,
    RoundDealt,
    RoundScored,
    SeatJoined,
    SeatScore,
    StockReshuffled,
    WentOut,
)
from engine.melds import Arrangement
from engine.options import GameOptions
from engine.round import Discarding, Drawing, Finished, Layout, Round, Source
from engine.rules import TURN_SOLVES, Rules
from engine.seats import HumanSeat, Seat, has_joined
from engine.solver.arrangement import arrange


class Status(Enum):
    """How far a game is: `waiting` for humans to join, `playing`, `finished`."""

    WAITING = "waiting"
    PLAYING = "playing"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Result:
    """Who won: the seat with the lowest total, or nobody where several `tied` for it."""

    winner: int | None
    tied: tuple[int, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Game:
    """One game as it stands.

    `round` is None while humans have yet to join. `seq` is the number of its last event, and
    `scored` holds the numbers of its round_scored events: together with the event log they are
    the game's history. `turn_seconds` bounds the turns of humans, None for no bound; `deadline`
    (ms since 1970) is the end of the turn that a human is in. `turn_solves` bounds the hands that
    an AI player may have solved in one choice.
    """

    secret: bytes
    seeded: bool
    rules: Rules
    seats: tuple[Seat, ...]
    first_dealer: int
    round: Round | None
    totals: tuple[int, ...]
    seq: int = 0
    scored: tuple[int, ...] = ()
    turn_seconds: int | None = None
    turn_solves: int = TURN_SOLVES
    deadline: int | None = None
    abandoned: bool = False

    @property
    def layout(self) -> Layout:
        """The layout of the round that is played, or was played last; there must be one."""
        assert self.round is not None, "a game that waits has no round"
        return self.round.layout

    @property
    def status(self) -> Status:
        """How far the game is: a round stays finished only when no other follows."""
        if self.abandoned or isinstance(self.round, Finished):
            return Status.FINISHED
        return Status.WAITING if self.round is None else Status.PLAYING

    @property
    def humans(self) -> tuple[int, ...]:
        """The seats of humans who have come and not left."""
        return tuple(
            number
            for number, seat in enumerate(self.seats)
            if isinstance(seat, HumanSeat) and seat.joined
        )

    @property
    def number(self) -> int | None:
        """The number of the round; None while humans have yet to join."""
        return None if self.round is None else self.round.layout.number

    @property
    def result(self) -> Result | None:
        """The result; None until the last round is scored, and for good if abandoned."""
        if not isinstance(self.round, Finished):
            return None
        least = min(self.totals)
        lowest = tuple(seat for seat, total in enumerate(self.totals) if total == least)
        if len(lowest) == 1:
            return Result(lowest[0], (), self.totals)
        return Result(None, lowest, self.totals)


@dataclass(frozen=True, slots=True)
class Step:
    """A game after a move, and the events the move caused, in order.

    `faults` says what AI players did wrong on the way, where a fallback move took the place
    of theirs; it is for the log and changes nothing.
    """

    game: Game
    events: tuple[Event, ...]
    faults: tuple[str, ...] = ()

    def followed_by(self, after: Step) -> Step:
        """The step and the one made after it, as one."""
        return Step(after.game, self.events + after.events, self.faults + after.faults)


def open_game(secret: bytes, options: GameOptions) -> Step:
    """A new game, its first round dealt unless humans have yet to join."""
    seats, dealer = options.seats, options.first_dealer
    game = Game(
        secret=secret,
        seeded=options.seeded,
        rules=options.rules,
        seats=seats,
        first_dealer=shuffle.first_dealer(secret, len(seats)) if dealer is None else dealer,
        round=None,
        totals=(0,) * len(seats),
        turn_seconds=options.turn_seconds,
        turn_solves=options.turn_solves,
    )
    joined = [SeatJoined(seat, seats[seat].name) for seat in game.humans]
    return deal_if_complete(with_events(game, list(joined)))


def draw(game: Game, seat: int, source: Source) -> Step:
    """The game after a seat drew; raises a MoveError where it may not."""
    before = _state(game, seat, Drawing)
    after = rounds.draw(before, source, game.secret)
    bodies: list[Body] = []
    if after.layout.refills > before.layout.refills:
        bodies.append(StockReshuffled(len(after.layout.stock) + 1))
    bodies.append(CardDrawn(seat, source, after.drawn))
    return _with_round(game, after, bodies)


def discard(game: Game, seat: int, card: Card, go_out: bool = True) -> Step:
    """The game after a seat discarded, the next round dealt if that ended one.

    Raises a MoveError where the seat may not, or holds no such card.
    """
    before = _state(game, seat, Discarding)
    after = rounds.discard(before, card, go_out)
    bodies: list[Body] = [CardDiscarded(seat, card, go_out)]
    if after.layout.out == seat:
        hand = after.layout.hands[seat]
        bodies.append(WentOut(seat, hand, _arrange(after.layout, hand).melds))
    if not isinstance(after, Finished):
        return _with_round(game, after, bodies)
    return _round_over(game, after, bodies)


def legal_moves(game: Game, seat: int) -> tuple[tuple[Source, ...], tuple[Card, ...]]:
    """The sources that `draw` lets this seat draw from, the distinct cards it may `discard`."""
    try:
        state = require_turn(game, seat)
    except MoveError:
        return (), ()
    return rounds.legal_draws(state), rounds.legal_discards(state)


_State = TypeVar("_State", Drawing, Discarding)


def _state(game: Game, seat: int, phase: type[_State]) -> _State:
    """The round, if this seat is to move in it and the phase is the given one."""
    state = require_turn(game, seat)
    if not isinstance(state, phase):
        raise WrongPhaseError(rounds.phase_due(state).value)
    return state


def require_turn(game: Game, seat: int) -> Drawing | Discarding:
    """The round, if this seat is to move in it; raises a MoveError."""
    state = game.round
    if state is None:
        raise GameWaitingError("not every human has joined")
    if game.abandoned or isinstance(state, Finished):
        raise GameFinishedError("the game is over")
    if seat != state.layout.seat:
        raise NotYourTurnError(seat, state.layout.seat)
    return state


def turn_randomness(game: Game) -> shuffle.Stream:
    """The randomness that an AI player may use in the turn of the seat to move."""
    layout = game.layout
    return shuffle.choice_stream(game.secret, layout.number, layout.seat, layout.turn)


def deal_if_complete(step: Step) -> Step:
    """The step with the first round dealt, if nobody has yet to join."""
    game = step.game
    if game.round is not None or not all(map(has_joined, game.seats)):
        return step
    return step.followed_by(_dealt(game, game.rules.rounds.first, game.first_dealer))


def with_events(game: Game, bodies: list[Body]) -> Step:
    """The step that adds these events, of the round the game is in."""
    events = _numbered(game, game.number, bodies)
    return Step(replace(game, seq=game.seq + len(events)), events)


def _with_round(game: Game, after: Round, bodies: list[Body]) -> Step:
    """The step from one state of a round to the next, and these events of the later one."""
    events = _numbered(game, after.layout.number, bodies)
    # As `replace` would make it, which takes twice as long; every move comes here.
    moved = Game(
        *(game.secret, game.seeded, game.rules, game.seats, game.first_dealer, after, game.totals),
        *(game.seq + len(events), game.scored, game.turn_seconds, game.turn_solves),
        *(game.deadline, game.abandoned),
    )
    return Step(moved, events)


def _numbered(game: Game, number: int | None, bodies: list[Body]) -> tuple[Event, ...]:
    """The next events of a game, which belong to round `number`."""
    return tuple([Event(seq, number, body) for seq, body in enumerate(bodies, game.seq + 1)])


def _dealt(game: Game, number: int, dealer: int) -> Step:
    """The game with a round dealt."""
    dealt = rounds.deal(game.secret, game.rules, number, len(game.seats), dealer)
    layout = dealt.layout
    body = RoundDealt(layout.dealer, layout.size, layout.wild, layout.pile[-1])
    return _with_round(game, dealt, [body])


def _arrange(layout: Layout, hand: tuple[Card, ...]) -> Arrangement:
    return arrange(hand, layout.wild, layout.aces)


def _round_over(game: Game, after: Finished, bodies: list[Body]) -> Step:
    """Scores the round, then deals the next one or finishes the game."""
    scored = _scored(game, after)
    totals = tuple(score.total for score in scored.seats)
    over = with_events(replace(game, round=after, totals=totals), [*bodies, scored])
    ended = replace(over.game, scored=(*game.scored, over.game.seq))
    last = after.layout
    if last.number == game.rules.rounds.last:
        return over.followed_by(_game_over(ended))
    return over.followed_by(_dealt(ended, last.number + 1, (last.dealer + 1) % last.seats))


def _scored(game: Game, after: Finished) -> RoundScored:
    layout = after.layout
    scores = []
    for seat, hand in enumerate(layout.hands):
        arrangement = _arrange(layout, hand)
        total = game.totals[seat] + arrangement.points
        scores.append(
            SeatScore(
                seat, hand, arrangement.melds, arrangement.deadwood, arrangement.points, total
            )
        )
    return RoundScored(layout.out, after.stalled, tuple(scores))


def _game_over(game: Game) -> Step:
    result = game.result
    assert result is not None, "the last round is finished"
    return with_events(game, [GameFinished(result.winner, result.tied, result.totals, game.secret)])
