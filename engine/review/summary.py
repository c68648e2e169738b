"""The review of one seat: every move judged, and the sums by round and in the whole game.

Points are told in hundredths. They are rounded for each move, so that the sums of what is told are
the sums that are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.cards import Card
from engine.errors import GameNotFinishedError
from engine.events import CardDrawn, Event, RoundScored
from engine.game import Game, Status, turn_randomness
from engine.review import repetition
from engine.review.judgement import Judgement, judged_discard, judged_draw
from engine.round import Source
from engine.view import view

_HUNDREDTHS = 100


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A draw (`played` and `best` are sources) or a discard (they are cards), event `seq`.

    `loss`, `most` and `luck` as in a `Judgement`, in hundredths of a point.
    """

    seq: int
    round: int
    played: Source | Card
    best: Source | Card
    loss: int
    most: int
    luck: int | None


@dataclass(frozen=True, slots=True)
class Review:
    """What a seat gave away in a finished game, and what was luck.

    `points` has for each round that was dealt the seat's points, None where it was never scored.
    """

    seat: int
    points: dict[int, int | None]
    moves: tuple[ReviewedMove, ...]

    @property
    def accuracy(self) -> float:
        """The share of all that could be lost which was not, in per cent, to hundredths."""
        most = sum(move.most for move in self.moves)
        return round(100 * (1 - total_loss(self.moves) / most), 2) if most else 100.0

    def of_round(self, number: int) -> tuple[ReviewedMove, ...]:
        """The moves of a round."""
        return tuple(move for move in self.moves if move.round == number)


def total_loss(moves: Iterable[ReviewedMove]) -> int:
    """What the moves gave away, in hundredths of a point."""
    return sum(move.loss for move in moves)


def total_luck(moves: Iterable[ReviewedMove]) -> int:
    """The luck of the moves, in hundredths of a point; below 0 it was bad."""
    return sum(move.luck for move in moves if move.luck is not None)


def review(game: Game, events: Sequence[Event], seat: int) -> Review:
    """The review of a seat, from a finished game and all its events.

    Raises GameNotFinishedError, or ReplayError where the events are not those of the game.
    """
    if game.status is not Status.FINISHED:
        raise GameNotFinishedError("the game is still played")
    moves = repetition.moves(game, events)
    reviewed = tuple([reviewed_move(move) for move in moves if move.body.seat == seat])
    return Review(seat, _points(game, events, seat), reviewed)


def reviewed_move(move: repetition.Move) -> ReviewedMove:
    """A move with its judgement, by the view of its seat and nothing else of the game."""
    game, body = move.before, move.body
    seen, random, budget = view(game, body.seat), turn_randomness(game), game.turn_solves
    if isinstance(body, CardDrawn):
        draw = judged_draw(seen, random, budget, body.source, body.card)
        return _told(move, body.source, draw)
    return _told(move, body.card, judged_discard(seen, random, budget, body.card))


def _told(
    move: repetition.Move, played: Source | Card, judged: Judgement[Source] | Judgement[Card]
) -> ReviewedMove:
    return ReviewedMove(
        seq=move.seq,
        round=move.before.layout.number,
        played=played,
        best=judged.best,
        loss=round(judged.loss * _HUNDREDTHS),
        most=round(judged.most * _HUNDREDTHS),
        luck=None if judged.luck is None else round(judged.luck * _HUNDREDTHS),
    )


def _points(game: Game, events: Iterable[Event], seat: int) -> dict[int, int | None]:
    if game.number is None:
        return {}
    points: dict[int, int | None] = dict.fromkeys(range(game.rules.rounds.first, game.number + 1))
    for event in events:
        if isinstance(event.body, RoundScored) and event.round is not None:
            points[event.round] = event.body.seats[seat].points
    return points
