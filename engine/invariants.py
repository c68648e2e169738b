"""What holds of every game while it waits for a human, or is over: its parts fit together.

Between two calls a game is at rest: it waits for humans to join, or for a human who is there to
move, or it is over. How many cards lie where, how many turns were played, how many events there
were and who is out depend on each other; a game that was damaged hardly ever keeps all of this.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from engine.cards import Card
from engine.game import Game, Status
from engine.round import Discarding, Drawing, Finished, Round, melds_completely
from engine.rules import JOKER_POINTS, LAST_TURN, WILD_POINTS, Rules, hand_size
from engine.seats import HumanSeat, has_joined, is_away
from engine.shuffle import pack
from engine.solver.hands import least_points

LEAST_ROUND_EVENTS = 3
"""Events of a round beside draws and discards: it is dealt, a seat goes out, it is scored."""


def broken_rules(game: Game) -> Iterator[str]:
    """The rules that a game at rest breaks, in words that quote none of it.

    Only the first may be relied on: later ones suppose that earlier ones hold.
    """
    yield from _broken_by_status(game)
    if game.round is not None:
        yield from _broken_by_cards(game.round)
        yield from _broken_by_turns(game.round)
        yield from _broken_by_stock(game.round)
        yield from _broken_by_round(game, game.round)
    yield from _broken_by_totals(game)
    yield from _broken_by_events(game)


def _broken_by_status(game: Game) -> Iterator[str]:
    """Who is there, and what the game waits for."""
    awaited = not all(map(has_joined, game.seats))
    away = any(map(is_away, game.seats))
    if awaited != (game.round is None):
        yield "a round is dealt once everybody has joined"
    if away and (awaited or game.turn_seconds is None):
        yield "a human is away once a turn with a bound has run out"
    if game.abandoned and isinstance(game.round, Finished):
        yield "a game that is played to its end is not abandoned"
    if game.status is not Status.FINISHED and not game.humans:
        yield "a game that goes on has a human"
    if game.abandoned and game.humans:
        yield "a game is abandoned when its last human leaves"
    if game.status is Status.PLAYING and not _is_present(game, game.layout.seat):
        yield "a game waits for a human who is there"
    is_bounded = game.turn_seconds is not None and game.status is Status.PLAYING
    if is_bounded != (game.deadline is not None):
        yield "a turn has a deadline where turns are bounded"


def _is_present(game: Game, seat: int) -> bool:
    return isinstance(game.seats[seat], HumanSeat) and not is_away(game.seats[seat])


def _broken_by_round(game: Game, state: Round) -> Iterator[str]:
    """Which round it is, and who deals."""
    layout, rounds = state.layout, game.rules.rounds
    if not rounds.first <= layout.number <= rounds.last:
        yield "the round is one of those that the game plays"
    if layout.dealer != (game.first_dealer + layout.number - rounds.first) % layout.seats:
        yield "the deal passes on each round"
    if isinstance(state, Finished) and layout.number != rounds.last:
        yield "after every round but the last the next one is dealt"


def _broken_by_cards(state: Round) -> Iterator[str]:
    """Where the cards lie."""
    layout = state.layout
    if sorted(layout.all_cards()) != _sorted_pack(layout.rules.jokers):
        yield "every card is in exactly one place"
    if not all(map(_is_sorted, (*layout.hands, *layout.shown))):
        yield "hands are sorted"
    if not all(map(_are_held, layout.shown, layout.hands)):
        yield "what was shown is still held"
    extra = layout.seat if isinstance(state, Discarding) else None
    if any(len(hand) != layout.size + (seat == extra) for seat, hand in enumerate(layout.hands)):
        yield "hand sizes fit the phase"
    if isinstance(state, Discarding) and state.drawn not in layout.hand:
        yield "the drawn card is in the hand"
    if not layout.pile and not _was_taken(state):
        yield "the pile is empty only where its last card was taken"
    if layout.out is not None and not melds_completely(
        layout.hands[layout.out], layout.wild, layout.aces
    ):
        yield "who is out has melded every card"


@cache
def _sorted_pack(jokers: int) -> list[Card]:
    return sorted(pack(jokers))


def _is_sorted(cards: tuple[Card, ...]) -> bool:
    return sorted(cards) == list(cards)


def _are_held(shown: tuple[Card, ...], hand: tuple[Card, ...]) -> bool:
    return all(shown.count(card) <= hand.count(card) for card in shown)


def _was_taken(state: Round) -> bool:
    """Whether the drawn card can be one that came from the pile."""
    return isinstance(state, Discarding) and state.drawn in state.layout.shown[state.layout.seat]


def _broken_by_turns(state: Round) -> Iterator[str]:
    """How many turns were played, who is out, and how many final turns are left."""
    layout, seats = state.layout, state.layout.seats
    is_over = isinstance(state, Finished)
    if isinstance(state, Finished) and state.stalled != (layout.out is None):
        yield "a round stalls where nobody is out"
    if layout.out is None:
        last = seats * LAST_TURN - 1
        if layout.finals_left or layout.turns > last or (is_over and layout.turns < last):
            yield "without final turns a round has sixty turns a seat"
        return
    # Of the seats after the one that is out, those before the seat to move have played.
    played = (layout.seat - layout.out) % seats
    if layout.finals_left != (0 if is_over else (seats - played) % seats):
        yield "final turns belong to the seats after the one that is out"
    if played != seats - 1 if is_over else played == 0:
        yield "the seat that is out has no final turn"
    if not 0 <= layout.turns - played < seats * LAST_TURN:
        yield "a seat goes out in one of its sixty turns"


def _broken_by_stock(state: Round) -> Iterator[str]:
    """How often the stock was refilled, and how many cards were drawn from it.

    Each stock, new or refilled, has every card that is outside the hands but the one on the pile,
    and a refill is followed by a draw.
    """
    layout = state.layout
    whole = len(_sorted_pack(layout.rules.jokers)) - layout.seats * layout.size - 1
    draws = layout.turns + (not isinstance(state, Drawing))
    from_stock = (layout.refills + 1) * whole - len(layout.stock)
    shown = sum(map(len, layout.shown))
    if not 0 <= from_stock <= draws - shown:
        yield "the stock loses a card by each draw from it"
    if layout.refills and len(layout.stock) >= whole:
        yield "a stock that was refilled has been drawn from"
    if isinstance(state, Discarding) and not _was_taken(state) and not from_stock:
        yield "the drawn card comes from somewhere"


def _broken_by_totals(game: Game) -> Iterator[str]:
    """What the seats have scored."""
    if max(game.totals) > _most_total(game.rules, _rounds_over(game)):
        yield "totals are the points of the rounds that are over"
    if isinstance(game.round, Finished):
        layout = game.round.layout
        points = (least_points(hand, layout.wild, layout.aces) for hand in layout.hands)
        if any(total < least for total, least in zip(game.totals, points, strict=True)):
            yield "totals have the points of the last round in them"


def _rounds_over(game: Game) -> int:
    if game.round is None:
        return 0
    begun = game.round.layout.number - game.rules.rounds.first + 1
    return begun - (not isinstance(game.round, Finished))


@cache
def _most_total(rules: Rules, over: int) -> int:
    """The most that a seat can have scored in the rounds that are over."""
    first = rules.rounds.first
    numbers = range(first, first + over)
    return sum(_most_points(hand_size(number), rules.jokers) for number in numbers)


def _most_points(cards: int, jokers: int) -> int:
    """The most that a hand can cost: no card but a joker costs more than a wild."""
    return WILD_POINTS * cards + (JOKER_POINTS - WILD_POINTS) * min(cards, jokers)


def _broken_by_events(game: Game) -> Iterator[str]:
    """How many events there were, by the numbers of the last one and of each scoring."""
    if len(game.scored) != _rounds_over(game):
        yield "as many rounds are scored as are over"
        return
    seats = len(game.seats)
    # A turn has a draw and a discard, and may have a refill, a seat away and one returned.
    least = 2 * seats + LEAST_ROUND_EVENTS
    most = 5 * seats * (LAST_TURN + 1) + LEAST_ROUND_EVENTS + 3 * seats
    if any(not least <= after - before <= most for before, after in pairwise((0, *game.scored))):
        yield "each round has its events before it is scored"
    begun, last = _round_events(game)
    caused = _events_of_play(game.round) if game.round is not None else 0
    others = last - begun - caused
    if not _least_others(game) <= others <= _most_others(game):
        yield "each move has its events"
    if isinstance(game.round, Finished) and not 1 <= game.seq - last <= 1 + _late_returns(game):
        yield "the end of the game is its last event"


def _late_returns(game: Game) -> int:
    """How many seats may have returned after the end, as earlier versions of the engine had it."""
    humans = sum(isinstance(seat, HumanSeat) for seat in game.seats)
    return 0 if game.turn_seconds is None else humans


def _round_events(game: Game) -> tuple[int, int]:
    """The numbers of the last event before the round (0: none), and of the round's last one."""
    if isinstance(game.round, Finished):
        return (0, *game.scored)[-2], game.scored[-1]
    return (game.scored[-1] if game.scored else 0), game.seq


def _events_of_play(state: Round) -> int:
    """The events of a round's moves, its deal and its scoring."""
    layout = state.layout
    moves = 2 * layout.turns + layout.refills + layout.is_final
    match state:
        case Drawing():
            return moves + 1
        case Discarding():
            return moves + 2
        case Finished():
            return moves + 4


def _least_others(game: Game) -> int:
    """Of seats that are joined and left, at the least."""
    begins = game.round is None or game.layout.number == game.rules.rounds.first
    joined = max(1, len(game.humans)) if begins else 0
    return joined + 2 * game.abandoned


def _most_others(game: Game) -> int:
    """Of seats that are joined, left, away and returned, at the most."""
    seats = len(game.seats)
    others = 2 * seats + game.abandoned
    if game.turn_seconds is None or game.round is None:
        return others
    return others + seats + 2 * (game.layout.turns + 1)
