"""A finished game once more: each move with the game as it stood before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine import game as games
from engine.errors import InvalidTableError, MoveError, ReplayError
from engine.events import CardDiscarded, CardDrawn, Event, RoundDealt, RoundScored
from engine.game import Game
from engine.options import GameOptions
from engine.round import Discarding


class Move(NamedTuple):
    """A draw or a discard, which is event `seq` of the game, and the game before it."""

    before: Game
    seq: int
    body: CardDrawn | CardDiscarded


def moves(finished: Game, events: Iterable[Event]) -> Iterator[Move]:
    """The moves of a finished game, in order, repeated from its secret and all its events.

    The seats are those at the end: who sat there decides no card. Raises ReplayError where the
    events are not those of the game.
    """
    try:
        yield from _moves(finished, events)
    except (MoveError, InvalidTableError) as error:
        # Not what it says: that may quote cards, and this goes to the log.
        raise ReplayError(f"an event repeats no move: {type(error).__name__}") from None


def _moves(finished: Game, events: Iterable[Event]) -> Iterator[Move]:
    game = _begun(finished)
    for event in events:
        match event.body:
            case RoundDealt(dealer=dealer, upcard=upcard):
                _require(game.number == event.round, "another round")
                dealt = game.layout
                _require((dealt.dealer, dealt.pile) == (dealer, (upcard,)), "another deal")
            case CardDrawn(seat=seat, source=source, card=card) as body:
                before, game = game, games.draw(game, seat, source).game
                is_same = isinstance(game.round, Discarding) and game.round.drawn == card
                _require(is_same, "another card drawn")
                yield Move(before, event.seq, body)
            case CardDiscarded(seat=seat, card=card, go_out=go_out) as body:
                before, game = game, games.discard(game, seat, card, go_out).game
                yield Move(before, event.seq, body)
            case RoundScored(seats=scores):
                _require(tuple(each.total for each in scores) == game.totals, "other totals")
            case _:
                pass
    _require((game.number, game.totals) == (finished.number, finished.totals), "another end")


def _begun(finished: Game) -> Game:
    """The game when its first round was dealt; no move is possible if that never came."""
    options = GameOptions(
        finished.seats,
        finished.rules,
        turn_solves=finished.turn_solves,
        seeded=finished.seeded,
        first_dealer=finished.first_dealer,
    )
    return games.open_game(finished.secret, options).game


def _require(is_same: bool, found: str) -> None:
    if not is_same:
        raise ReplayError(f"the events tell of {found}")
