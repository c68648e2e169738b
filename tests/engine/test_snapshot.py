from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from engine import game as games
from engine.cards import Card
from engine.errors import SnapshotError
from engine.game import Game, Source
from engine.options import GameOptions
from engine.seats import HumanSeat
from engine.snapshot import dump, load
from tests.builders import ANN, ai, humans, rules, secret
from tests.playout import Playout

Plain = dict[str, Any]


def drawn_game() -> Game:
    game = games.open_game(secret(1), GameOptions((ANN, ai()), rules(2), first_dealer=1)).game
    return games.draw(game, 0, Source.STOCK).game


def test_a_game_comes_back_equal_in_every_phase() -> None:
    playout = Playout(secret(4), rules(4, "both"), humans(5), random.Random(4), skill=0.95)
    for state in playout.states():
        assert load(dump(state)) == state


def test_names_of_any_script_come_back() -> None:
    seats = (HumanSeat("Ann 安娜 🂡 “x”"), ai())
    game = games.open_game(secret(1), GameOptions(seats, rules())).game
    assert load(dump(game)).seats == seats


def broken(change: Callable[[Plain], object]) -> bytes:
    plain = json.loads(dump(drawn_game()))
    change(plain)
    return json.dumps(plain).encode()


def swap_first_card(plain: Plain) -> None:
    stock = plain["round"]["stock"].split()
    stock[0] = "AC" if stock[0] != "AC" else "2C"
    plain["round"]["stock"] = " ".join(stock)


def to_other_hand(plain: Plain) -> None:
    first, *rest = plain["round"]["hands"][1].split()
    plain["round"]["hands"] = [
        " ".join(sorted_codes([*plain["round"]["hands"][0].split(), first])),
        " ".join(rest),
    ]


def sorted_codes(codes: list[str]) -> list[str]:
    return sorted(codes, key=Card.parse)


def reverse_hand(plain: Plain) -> None:
    hands = plain["round"]["hands"]
    hands[1] = " ".join(reversed(hands[1].split()))


@pytest.mark.parametrize(
    "change",
    [
        lambda plain: plain.update(format=1),
        lambda plain: plain.pop("format"),
        lambda plain: plain.pop("secret"),
        lambda plain: plain.update(secret="00"),
        lambda plain: plain.update(secret=7),
        lambda plain: plain.update(totals=[0]),
        lambda plain: plain.update(scored=[9]),
        lambda plain: plain.update(seats=[["human", "Ann", None]]),
        lambda plain: plain.update(seats=[["robot", "Ann", None], ["ai", "B", "medium"]]),
        lambda plain: plain.update(first_dealer=2),
        lambda plain: plain["rules"].update(jokers=3),
        lambda plain: plain["rules"].update(jokers=4),
        lambda plain: plain["rules"].update(aces="middle"),
        lambda plain: plain["round"].update(state="sleeping"),
        lambda plain: plain["round"].update(state="drawing"),
        lambda plain: plain["round"].update(number=12),
        lambda plain: plain["round"].update(number=2),
        lambda plain: plain["round"].update(dealer=5),
        lambda plain: plain["round"].update(drawn="10S"),
        lambda plain: plain["round"].update(turns=1),
        lambda plain: plain["round"].update(turns=-1),
        lambda plain: plain["round"].update(turns=10**6),
        lambda plain: plain["round"].update(out=0),
        lambda plain: plain["round"].update(finals_left=1),
        lambda plain: plain["round"].update(out=7, finals_left=1),
        lambda plain: plain["round"].update(hands=["", ""]),
        lambda plain: plain["round"].update(pile=None),
        lambda plain: plain.update(round=None),
        lambda plain: plain["seats"][1].pop(),
        lambda plain: plain.update(seq="x"),
        lambda plain: plain.update(seq=-1),
        lambda plain: plain.update(totals=["a", "b"]),
        lambda plain: plain.update(totals=[0.5, 0]),
        lambda plain: plain.update(first_dealer=None),
        lambda plain: plain.update(first_dealer=0),
        lambda plain: plain.update(seeded="yes"),
        lambda plain: plain["round"].update(turns=0.0),
        lambda plain: plain["round"].update(turns="0"),
        lambda plain: plain["round"].update(refills=-1),
        lambda plain: plain["round"].update(shown=["", "JK JK JK"]),
        lambda plain: plain["round"].update(out="1", finals_left=1),
        lambda plain: plain["round"].update(out=0, finals_left=1),
        lambda plain: plain["seats"][0].append(1),
        lambda plain: plain["seats"][0].__setitem__(3, False),
        swap_first_card,
        to_other_hand,
        reverse_hand,
    ],
)
def test_a_damaged_snapshot_is_refused(change: Callable[[Plain], object]) -> None:
    with pytest.raises(SnapshotError):
        load(broken(change))


@pytest.mark.parametrize(
    "blob", [b"", b"{", b"null", b"[]", b"7", b'"x"', b"\xff\xfe", b"[" * 100_000]
)
def test_what_is_no_snapshot_is_refused(blob: bytes) -> None:
    with pytest.raises(SnapshotError):
        load(blob)


def test_the_drawn_card_must_be_in_the_hand() -> None:
    game = drawn_game()
    missing = next(c for c in map(str, game.layout.stock) if Card.parse(c) not in game.layout.hand)
    with pytest.raises(SnapshotError, match="drawn card"):
        load(broken(lambda plain: plain["round"].update(drawn=missing)))


def test_what_is_said_of_a_damaged_game_quotes_none_of_it() -> None:
    # It goes to the log, where no card may stand.
    blob = dump(drawn_game())
    refusals = [refused for place in range(len(blob)) if (refused := refusal(blob, place))]
    told = {str(refused) for refused in refusals}
    assert len(told) > 3
    assert not [words for words in told if re.search(r"\b([2-9TJQKA][CDHS]|JK)\b", words)]
    assert all(refused.__suppress_context__ or not refused.__context__ for refused in refusals)


def refusal(blob: bytes, place: int) -> SnapshotError | None:
    """What is said of a snapshot with one byte changed."""
    try:
        load(blob[:place] + b"x" + blob[place + 1 :])
    except SnapshotError as error:
        return error
    return None
