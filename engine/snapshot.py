"""A game as text that can be stored, and back, checked against the rules on the way in.

The format is JSON in which each card is one character: A to Z, a to z for the 52 naturals in sorted
order, `*` for a joker. `FORMAT` grows whenever the shape changes. Format 2, which wrote cards as
codes with blanks between them, is still read; a snapshot of any other format is refused. The rules
of a game that does not play all eleven rounds have `rounds`: the first and the last number. `load`
trusts nothing: every member has its type and its range, there is none too many, and the game that
they make must keep every rule of `invariants`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Any, assert_never

from engine import stored_values as stored
from engine.cards import CARDS, Card, parse_cards
from engine.errors import CardCodeError, EngineError, SnapshotError
from engine.game import Game
from engine.invariants import broken_rules
from engine.options import GameOptions
from engine.round import Discarding, Drawing, Finished, Layout, Round
from engine.rules import ALL_ROUNDS, LAST_TURN, ROUNDS, AceMode, Rounds, Rules
from engine.seats import AiSeat, HumanSeat, Level, Seat, SeatKind
from engine.shuffle import SECRET_BYTES
from engine.stored_values import Plain

FORMAT = 3
OLD_FORMAT = 2
LAST_MOMENT = 253_402_300_799_999
"""The last millisecond that can be written as a time: the end of the year 9999."""
_TABLES = 256
"""How many tables are remembered as JSON, and how many seats as values: both seldom change."""

_CHARACTERS = ascii_uppercase + ascii_lowercase + "*"
_CARD_OF = dict(zip(_CHARACTERS, CARDS, strict=True))
_CHARACTER_OF = bytes.maketrans(bytes(CARDS), _CHARACTERS.encode())

_ParseCards = Callable[[str], tuple[Card, ...]]

_GAME = {
    *("format", "secret", "seeded", "rules", "seats", "first_dealer", "totals", "seq", "scored"),
    *("turn_seconds", "turn_solves", "deadline", "abandoned", "round"),
}
_RULES = {"jokers", "aces", "hints"}
_SHORT_GAME_RULES = _RULES | {"rounds"}
_LAYOUT = {
    *("number", "dealer", "hands", "stock", "pile", "shown", "refills", "turns", "out"),
    "finals_left",
}
_ROUNDS = {
    "drawing": _LAYOUT | {"state"},
    "discarding": _LAYOUT | {"state", "drawn"},
    "finished": _LAYOUT | {"state", "stalled"},
}
_SEAT_MEMBERS = 5
"""Of a seat's list: kind, name, level, whether it has joined, whether it is away."""


def dump(game: Game) -> bytes:
    """The game as UTF-8 JSON; `load` gives an equal game back."""
    plain = {
        "format": FORMAT,
        "secret": game.secret.hex(),
        "seeded": game.seeded,
        "rules": _rules_plain(game.rules),
        "seats": _seats_plain(game.seats),
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
    return _ENCODER.encode(plain).encode()


def load(blob: bytes) -> Game:
    """The game of a snapshot; raises SnapshotError if it is damaged or of another format."""
    try:
        game = _game(_DECODER.decode(blob.decode()))
    except SnapshotError:
        raise
    except (EngineError, ValueError, RecursionError) as error:
        # Not what it says: that may quote cards, and this goes to the log.
        raise SnapshotError(f"the stored game is damaged: {type(error).__name__}") from None
    for rule in broken_rules(game):
        raise SnapshotError(f"the stored game breaks a rule: {rule}")
    return game


def _rules_plain(rules: Rules) -> Plain:
    plain: Plain = {"jokers": rules.jokers, "aces": rules.aces.value, "hints": rules.hints}
    if rules.rounds != ALL_ROUNDS:
        plain["rounds"] = (rules.rounds.first, rules.rounds.last)
    return plain


@lru_cache(maxsize=_TABLES)
def _seats_plain(seats: tuple[Seat, ...]) -> list[list[object]]:
    return list(map(_seat_plain, seats))


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
        "hands": list(map(_written, layout.hands)),
        "stock": _written(layout.stock),
        "pile": _written(layout.pile),
        "shown": list(map(_written, layout.shown)),
        "refills": layout.refills,
        "turns": layout.turns,
        "out": layout.out,
        "finals_left": layout.finals_left,
    }
    match state:
        case Drawing():
            return {"state": "drawing", **plain}
        case Discarding(drawn=drawn):
            return {"state": "discarding", "drawn": _written((drawn,)), **plain}
        case Finished(stalled=stalled):
            return {"state": "finished", "stalled": stalled, **plain}
        case _:
            assert_never(state)


def _game(value: object) -> Game:
    plain = stored.members(value, _GAME)
    parse = _PARSERS.get(stored.whole(plain["format"]))
    if parse is None:
        raise SnapshotError(f"the stored game is of neither format {OLD_FORMAT} nor {FORMAT}")
    options = _options(plain)
    seats = len(options.seats)
    return Game(
        secret=_secret(plain["secret"]),
        seeded=options.seeded,
        rules=options.rules,
        seats=options.seats,
        first_dealer=stored.whole(plain["first_dealer"], most=seats - 1),
        round=None if plain["round"] is None else _round(plain["round"], options, parse),
        totals=stored.wholes(plain["totals"], seats),
        seq=stored.whole(plain["seq"], least=1),
        scored=stored.wholes(plain["scored"]),
        turn_seconds=options.turn_seconds,
        turn_solves=options.turn_solves,
        deadline=stored.whole_or_none(plain["deadline"], LAST_MOMENT),
        abandoned=stored.flag(plain["abandoned"]),
    )


def _options(plain: Plain) -> GameOptions:
    """What the game was created with, as far as that still stands; refuses what no game has."""
    return GameOptions(
        tuple(map(_seat, stored.items(plain["seats"]))),
        _rules(plain["rules"], plain["format"]),
        turn_seconds=stored.whole_or_none(plain["turn_seconds"]),
        turn_solves=stored.whole(plain["turn_solves"]),
        seeded=stored.flag(plain["seeded"]),
    )


def _rules(value: object, written_as: int) -> Rules:
    is_short = written_as == FORMAT and isinstance(value, dict) and "rounds" in value
    plain = stored.members(value, _SHORT_GAME_RULES if is_short else _RULES)
    rounds = Rounds(*stored.wholes(plain["rounds"], 2)) if is_short else ALL_ROUNDS
    if is_short and rounds == ALL_ROUNDS:
        raise SnapshotError("the stored game names its rounds although it plays all")
    return Rules(
        stored.whole(plain["jokers"]),
        AceMode(stored.text(plain["aces"])),
        stored.flag(plain["hints"]),
        rounds,
    )


def _seat(value: object) -> Seat:
    members = stored.items(value, _SEAT_MEMBERS)
    try:
        return _parsed_seat(*members)
    except TypeError:  # a list or an object, which cannot be remembered
        return _parsed_seat.__wrapped__(*members)


@lru_cache(maxsize=_TABLES, typed=True)  # 1 and True are equal, but only one is a flag
def _parsed_seat(kind: object, name: Any, level: Any, joined: Any, away: Any) -> Seat:
    if kind == SeatKind.HUMAN.value and level is None:
        return HumanSeat(name, joined, away)
    if kind == SeatKind.AI.value and joined is True and away is False:
        return AiSeat(name, Level(level))
    raise SnapshotError("a stored seat is neither a human's nor an AI player's")


def _round(value: object, options: GameOptions, parse: _ParseCards) -> Round:
    state = value.get("state") if isinstance(value, dict) else None
    if not isinstance(state, str) or state not in _ROUNDS:
        raise SnapshotError("the stored game is in no state of a round")
    plain = stored.members(value, _ROUNDS[state])
    layout = _layout(plain, options, parse)
    if state == "drawing":
        return Drawing(layout)
    if state == "discarding":
        (drawn,) = parse(stored.text(plain["drawn"]))
        return Discarding(layout, drawn)
    return Finished(layout, stored.flag(plain["stalled"]))


def _layout(plain: Plain, options: GameOptions, parse: _ParseCards) -> Layout:
    seats = len(options.seats)
    return Layout(
        rules=options.rules,
        number=stored.whole(plain["number"], least=1, most=ROUNDS),
        dealer=stored.whole(plain["dealer"], most=seats - 1),
        hands=tuple(parse(stored.text(hand)) for hand in stored.items(plain["hands"], seats)),
        stock=parse(stored.text(plain["stock"])),
        pile=parse(stored.text(plain["pile"])),
        shown=tuple(parse(stored.text(cards)) for cards in stored.items(plain["shown"], seats)),
        refills=stored.whole(plain["refills"]),
        turns=stored.whole(plain["turns"], most=seats * (LAST_TURN + 1)),
        out=stored.whole_or_none(plain["out"], seats - 1),
        finals_left=stored.whole(plain["finals_left"], most=seats - 1),
    )


def _written(cards: Iterable[Card]) -> str:
    return bytes(cards).translate(_CHARACTER_OF).decode()


def _parsed(text: str) -> tuple[Card, ...]:
    try:
        return tuple(map(_CARD_OF.__getitem__, text))
    except KeyError as error:
        raise CardCodeError(error.args[0]) from None


def _secret(value: object) -> bytes:
    text = stored.text(value)
    secret = bytes.fromhex(text)
    if len(secret) != SECRET_BYTES or secret.hex() != text:
        raise SnapshotError("the stored secret is not of 64 hex digits")
    return secret


_PARSERS: dict[int, _ParseCards] = {OLD_FORMAT: parse_cards, FORMAT: _parsed}
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(object_pairs_hook=stored.unique_members)
