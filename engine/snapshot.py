"""A game as text that can be stored, and back, checked against the rules on the way in.

The format is JSON in which each card is one character: A to Z, a to z for the 52 naturals in sorted
order, `*` for a joker. The rules of a game that does not play all eleven rounds have `rounds`: the
first and the last number. The number of the format grows whenever the shape changes:

    2   cards are codes with blanks between them, and no game is short; only read
    3   read, and written by default
    4   a seat has no members that its kind decides; read, and written where that is asked for

A snapshot of any other format is refused. `load` trusts nothing: every member has its type and its
range, there is none too many, and the game that they make must keep every rule of `invariants`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple, assert_never

from engine import stored_seats
from engine import stored_values as stored
from engine.cards import CARDS, Card, parse_cards
from engine.errors import CardCodeError, EngineError, SnapshotError
from engine.game import Game
from engine.invariants import broken_rules
from engine.options import GameOptions
from engine.round import Discarding, Drawing, Finished, Layout, Round
from engine.rules import ALL_ROUNDS, LAST_TURN, ROUNDS, AceMode, Rounds, Rules
from engine.seats import Seat
from engine.shuffle import SECRET_BYTES
from engine.stored_values import Plain

DEFAULT_FORMAT = 3
WRITTEN_FORMATS = (3, 4)
"""What this release can write: the default, and the next one, which every release before reads."""
LAST_MOMENT = 253_402_300_799_999
"""The last millisecond that can be written as a time: the end of the year 9999."""

_CHARACTERS = ascii_uppercase + ascii_lowercase + "*"
_CARD_OF = dict(zip(_CHARACTERS, CARDS, strict=True))
_CHARACTER_OF = bytes.maketrans(bytes(CARDS), _CHARACTERS.encode())

_ParseCards = Callable[[str], tuple[Card, ...]]


class _Form(NamedTuple):
    """How a format is read, where the formats differ."""

    cards: _ParseCards
    seat: Callable[[object], Seat]
    has_short_games: bool


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


def dump(game: Game, written_as: int = DEFAULT_FORMAT) -> bytes:
    """The game as UTF-8 JSON; `load` gives an equal game back.

    Raises ValueError for a format that is not written.
    """
    if written_as not in WRITTEN_FORMATS:
        raise ValueError(f"format {written_as} is not written")
    plain = {
        "format": written_as,
        "secret": game.secret.hex(),
        "seeded": game.seeded,
        "rules": _rules_plain(game.rules),
        "seats": _SEATS_WRITTEN[written_as](game.seats),
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
    # The format first: another one may have other members, and the log is to name it.
    written_as = stored.whole(value.get("format") if isinstance(value, dict) else None)
    form = _FORMS.get(written_as)
    if form is None:
        known = ", ".join(map(str, _FORMS))
        raise SnapshotError(f"the stored game has format {written_as}, and those read are {known}")
    plain = stored.members(value, _GAME)
    options = _options(plain, form)
    seats = len(options.seats)
    return Game(
        secret=_secret(plain["secret"]),
        seeded=options.seeded,
        rules=options.rules,
        seats=options.seats,
        first_dealer=stored.whole(plain["first_dealer"], most=seats - 1),
        round=None if plain["round"] is None else _round(plain["round"], options, form),
        totals=stored.wholes(plain["totals"], seats),
        seq=stored.whole(plain["seq"], least=1),
        scored=stored.wholes(plain["scored"]),
        turn_seconds=options.turn_seconds,
        turn_solves=options.turn_solves,
        deadline=stored.whole_or_none(plain["deadline"], LAST_MOMENT),
        abandoned=stored.flag(plain["abandoned"]),
    )


def _options(plain: Plain, form: _Form) -> GameOptions:
    """What the game was created with, as far as that still stands; refuses what no game has."""
    return GameOptions(
        tuple(map(form.seat, stored.items(plain["seats"]))),
        _rules(plain["rules"], form),
        turn_seconds=stored.whole_or_none(plain["turn_seconds"]),
        turn_solves=stored.whole(plain["turn_solves"]),
        seeded=stored.flag(plain["seeded"]),
    )


def _rules(value: object, form: _Form) -> Rules:
    is_short = form.has_short_games and isinstance(value, dict) and "rounds" in value
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


def _round(value: object, options: GameOptions, form: _Form) -> Round:
    state = value.get("state") if isinstance(value, dict) else None
    if not isinstance(state, str) or state not in _ROUNDS:
        raise SnapshotError("the stored game is in no state of a round")
    plain = stored.members(value, _ROUNDS[state])
    layout = _layout(plain, options, form.cards)
    if state == "drawing":
        return Drawing(layout)
    if state == "discarding":
        (drawn,) = form.cards(stored.text(plain["drawn"]))
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


_FORMS = {
    2: _Form(parse_cards, stored_seats.long_seat, has_short_games=False),
    3: _Form(_parsed, stored_seats.long_seat, has_short_games=True),
    4: _Form(_parsed, stored_seats.seat, has_short_games=True),
}
_SEATS_WRITTEN = {3: stored_seats.long_plain, 4: stored_seats.plain}
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(object_pairs_hook=stored.unique_members)
