"""A game as text that can be stored, and back, checked against the rules on the way in.

The format is JSON with cards as codes. `FORMAT` grows whenever the shape changes; a snapshot of
another format is refused. `load` trusts nothing: every card of the pack must lie in exactly one
place, hands must have the sizes that the phase asks for, and numbers must be in their ranges.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, assert_never

from engine.cards import Card, parse_cards, write_cards
from engine.errors import EngineError, SnapshotError
from engine.game import Game
from engine.round import Discarding, Drawing, Finished, Layout, Round
from engine.rules import LAST_TURN, MAX_SEATS, MIN_SEATS, ROUNDS, AceMode, Rules
from engine.seats import AiSeat, HumanSeat, Level, Seat, SeatKind, has_joined
from engine.shuffle import SECRET_BYTES, pack

FORMAT = 2

_DAMAGE = (
    EngineError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    RecursionError,
)

Plain = dict[str, Any]


def dump(game: Game) -> bytes:
    """The game as UTF-8 JSON; `load` gives an equal game back."""
    plain = {
        "format": FORMAT,
        "secret": game.secret.hex(),
        "seeded": game.seeded,
        "rules": {
            "jokers": game.rules.jokers,
            "aces": game.rules.aces.value,
            "hints": game.rules.hints,
        },
        "seats": [_seat_plain(seat) for seat in game.seats],
        "first_dealer": game.first_dealer,
        "totals": game.totals,
        "seq": game.seq,
        "scored": game.scored,
        "turn_seconds": game.turn_seconds,
        "turn_solves": game.turn_solves,
        "deadline": game.deadline,
        "abandoned": game.abandoned,
        "round": None if game.round is None else _round_plain(game.round),
    }
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def load(blob: bytes) -> Game:
    """The game of a snapshot; raises SnapshotError if it is damaged or of another format."""
    try:
        game = _game(json.loads(blob))
        _check(game)
    except SnapshotError:
        raise
    except _DAMAGE as error:
        # Not what it says: that may quote cards, and this goes to the log.
        raise SnapshotError(f"the stored game is damaged: {type(error).__name__}") from None
    return game


def _seat_plain(seat: Seat) -> list[object]:
    match seat:
        case HumanSeat(name, joined, away):
            return [seat.kind.value, name, None, joined, away]
        case AiSeat(name, level):
            return [seat.kind.value, name, level.value, True, False]
        case _:
            assert_never(seat)


def _round_plain(state: Round) -> Plain:
    layout = state.layout
    plain: Plain = {
        "number": layout.number,
        "dealer": layout.dealer,
        "hands": list(map(write_cards, layout.hands)),
        "stock": write_cards(layout.stock),
        "pile": write_cards(layout.pile),
        "shown": list(map(write_cards, layout.shown)),
        "refills": layout.refills,
        "turns": layout.turns,
        "out": layout.out,
        "finals_left": layout.finals_left,
    }
    match state:
        case Drawing():
            return {"state": "drawing", **plain}
        case Discarding(drawn=drawn):
            return {"state": "discarding", "drawn": str(drawn), **plain}
        case Finished(stalled=stalled):
            return {"state": "finished", "stalled": stalled, **plain}
        case _:
            assert_never(state)


def _game(plain: Plain) -> Game:
    if plain["format"] != FORMAT:
        raise SnapshotError(f"format {plain['format']!r} is not {FORMAT}")
    rules = plain["rules"]
    known = Rules(rules["jokers"], AceMode(rules["aces"]), rules["hints"])
    return Game(
        secret=bytes.fromhex(plain["secret"]),
        seeded=plain["seeded"],
        rules=known,
        seats=tuple(_seat(*members) for members in plain["seats"]),
        first_dealer=plain["first_dealer"],
        round=None if plain["round"] is None else _round(plain["round"], known),
        totals=tuple(plain["totals"]),
        seq=plain["seq"],
        scored=tuple(plain["scored"]),
        turn_seconds=plain["turn_seconds"],
        turn_solves=plain["turn_solves"],
        deadline=plain["deadline"],
        abandoned=plain["abandoned"],
    )


def _seat(kind: object, name: str, level: Any, joined: bool, away: bool) -> Seat:
    if kind == SeatKind.HUMAN.value and level is None:
        return HumanSeat(name, joined, away)
    if kind == SeatKind.AI.value and joined is True and away is False:
        return AiSeat(name, Level(level))
    raise SnapshotError("a seat is neither a human's nor an AI player's")


def _round(plain: Plain, rules: Rules) -> Round:
    layout = Layout(
        rules=rules,
        number=plain["number"],
        dealer=plain["dealer"],
        hands=tuple(map(parse_cards, plain["hands"])),
        stock=parse_cards(plain["stock"]),
        pile=parse_cards(plain["pile"]),
        shown=tuple(map(parse_cards, plain["shown"])),
        refills=plain["refills"],
        turns=plain["turns"],
        out=plain["out"],
        finals_left=plain["finals_left"],
    )
    match plain["state"]:
        case "drawing":
            return Drawing(layout)
        case "discarding":
            return Discarding(layout, Card.parse(plain["drawn"]))
        case "finished":
            return Finished(layout, plain["stalled"])
        case _:
            raise SnapshotError("the stored game is in no state of a round")


def _check(game: Game) -> None:
    for rule, holds in _checks(game).items():
        if not holds:
            raise SnapshotError(f"the stored game breaks a rule: {rule}")


def _checks(game: Game) -> dict[str, bool]:
    """Every condition on a stored game, by what it says."""
    seats = len(game.seats)
    conditions = {
        "the secret has 32 bytes": len(game.secret) == SECRET_BYTES,
        "two to six seats": MIN_SEATS <= seats <= MAX_SEATS,
        "a total for each seat": len(game.totals) == seats,
        "the first dealer is a seat": 0 <= game.first_dealer < seats,
        "numbers are whole and not negative": _are_counts(
            game.first_dealer, game.seq, *game.totals, *game.scored
        ),
        "flags are true or false": _are_flags(game.seeded, game.abandoned),
        "a round is dealt once everybody has joined": game.abandoned
        or (game.round is None) != all(map(has_joined, game.seats)),
    }
    return conditions if game.round is None else {**conditions, **_round_checks(game, game.round)}


def _round_checks(game: Game, state: Round) -> dict[str, bool]:
    """The conditions on the round of a stored game."""
    layout, seats = state.layout, len(game.seats)
    return {
        "a hand for each seat": len(layout.hands) == len(layout.shown) == seats,
        "rounds 1 to 11": 1 <= layout.number <= ROUNDS,
        "as many scores as rounds are over": len(game.scored) == _rounds_over(state),
        "the deal passes on each round": layout.dealer
        == (game.first_dealer + layout.number - 1) % seats,
        "counts of the round are whole and not negative": _are_counts(
            layout.number, layout.dealer, layout.refills, layout.turns, layout.finals_left
        ),
        "what was shown is still held": all(
            not Counter(shown) - Counter(hand)
            for shown, hand in zip(layout.shown, layout.hands, strict=True)
        ),
        "turns within the round": 0 <= layout.turns <= seats * (LAST_TURN + 1),
        "every card in exactly one place": layout.all_cards()
        == tuple(sorted(pack(game.rules.jokers))),
        "a card on the pile": bool(layout.pile) or isinstance(state, Discarding),
        "hands are sorted": all(hand == tuple(sorted(hand)) for hand in layout.hands),
        "hand sizes fit the phase": _sizes_fit(state),
        "the drawn card is in the hand": not isinstance(state, Discarding)
        or state.drawn in layout.hand,
        "final turns belong to a seat that is out": _finals_fit(state),
    }


def _are_counts(*values: object) -> bool:
    return all(type(value) is int and value >= 0 for value in values)


def _are_flags(*values: object) -> bool:
    return all(isinstance(value, bool) for value in values)


def _rounds_over(state: Round) -> int:
    return state.layout.number - (0 if isinstance(state, Finished) else 1)


def _sizes_fit(state: Round) -> bool:
    layout = state.layout
    extra = layout.seat if isinstance(state, Discarding) else None
    return all(len(hand) == layout.size + (seat == extra) for seat, hand in enumerate(layout.hands))


def _finals_fit(state: Round) -> bool:
    layout = state.layout
    if layout.out is None:
        return layout.finals_left == 0
    if type(layout.out) is not int or not 0 <= layout.out < layout.seats:
        return False
    if isinstance(state, Finished):
        return layout.finals_left == 0
    # The turns between the seat that is out and the seat to move have been played.
    return layout.finals_left == (layout.out - layout.seat) % layout.seats > 0
