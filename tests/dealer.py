"""A second implementation of the deal and of a whole game, written from the rules alone.

A game has one secret of 32 bytes. The secret and a label give a *stream* of 32-bit words; words
give uniform numbers, and these give shuffles. `Replayer` plays a finished game again from its
secret and its actions alone, and so proves every event that the service reported.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from tests.oracle import (
    JOKER,
    RANKS,
    SUITS,
    best_arrangement,
    check_arrangement,
    every_card_melds,
    sorted_hand,
)

WORDS = 2**32
ROUNDS = 11
TURNS = 60  # a seat's turns in a round that nobody ends

Event = dict[str, Any]


def stream(secret: bytes, label: str) -> Iterator[int]:
    """The endless 32-bit words of a label."""
    for block in count():
        message = f"313/1/{label}/{block}".encode("ascii")
        yield from struct.unpack(">8I", hmac.digest(secret, message, "sha256"))


def uniform(words: Iterator[int], n: int) -> int:
    """A uniform number below n, from the next word in a range that n divides."""
    fair = n * (WORDS // n)
    return next(word for word in words if word < fair) % n


def shuffled(cards: Sequence[str], words: Iterator[int]) -> list[str]:
    """The cards, shuffled by the words; the last card of the list is the top."""
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        other = uniform(words, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def first_dealer(secret: bytes, seats: int) -> int:
    """The seat that deals the first round played."""
    return uniform(stream(secret, "dealer"), seats)


def hand_size(round_number: int) -> int:
    """How many cards a round deals to each seat."""
    return round_number + 2


def wild_rank(round_number: int) -> str:
    """The wild rank of a round: the number of cards dealt, then J, Q, K."""
    return RANKS[hand_size(round_number) - 1]


def all_cards(jokers: int) -> list[str]:
    """Every card of the game in the order from which a deal starts."""
    one_deck = [rank + suit for suit in SUITS for rank in RANKS]
    return one_deck + one_deck + [JOKER] * jokers


def deal(
    secret: bytes, round_number: int, seats: int, dealer: int, jokers: int
) -> tuple[list[list[str]], str, list[str]]:
    """A round's hands by seat, its upcard, and its stock with the top card last."""
    stock = shuffled(all_cards(jokers), stream(secret, f"deal/{round_number}"))
    hands: list[list[str]] = [[] for _ in range(seats)]
    for turn in range(seats * hand_size(round_number)):
        hands[(dealer + 1 + turn) % seats].append(stock.pop())
    upcard = stock.pop()
    return hands, upcard, stock


def refill(secret: bytes, round_number: int, k: int, pile_without_top: Sequence[str]) -> list[str]:
    """The new stock from the discard pile, oldest card first, at a round's k-th refill."""
    return shuffled(pile_without_top, stream(secret, f"refill/{round_number}/{k}"))


class Replayer:
    """Plays a finished game again from its secret, rules, seats, first dealer and actions."""

    def __init__(self, replay: Mapping[str, Any]) -> None:
        self.replay = replay
        self.secret = bytes.fromhex(replay["secret"])
        self.jokers: int = replay["rules"]["jokers"]
        self.aces: str = replay["rules"]["aces"]
        self.first: int = replay["rules"]["rounds"]["first"]
        self.last: int = replay["rules"]["rounds"]["last"]
        self.seats = len(replay["seats"])

    def check(self) -> None:
        """Assert that the secret is the committed one and that it produces these events."""
        commitment = hashlib.sha256(self.secret).hexdigest()
        assert self.replay["commitment"] == commitment, "the secret is not the committed one"
        drawn = first_dealer(self.secret, self.seats)
        if self.replay.get("rematch_of") is not None:  # the deal goes on from the game before
            drawn = self.replay["first_dealer"]
        assert self.replay["first_dealer"] == drawn, f"the secret makes seat {drawn} deal first"
        same_events(self.events(), self.replay["events"], self.aces)

    def events(self) -> list[Event]:
        """All events of the game, unredacted and without times."""
        self._events: list[Event] = []
        self._actions = iter(self.replay["actions"])
        self._totals = [0] * self.seats
        self._join()
        for number in range(self.first, self.last + 1):
            self._play_round(number)
        assert next(self._actions, None) is None, "an action follows the end of the game"
        self._finish()
        return self._events

    def _emit(self, kind: str, round_number: int | None, **fields: Any) -> None:
        seq = len(self._events) + 1
        self._events.append({"seq": seq, "type": kind, "round": round_number, **fields})

    def _join(self) -> None:
        for seat, player in enumerate(self.replay["seats"]):
            if player["kind"] == "human":
                self._emit("seat_joined", None, seat=seat, name=player["name"])

    def _play_round(self, number: int) -> None:
        self._deal(number)
        seat = (self._dealer + 1) % self.seats
        while seat != self._out and not self._is_stalled(seat):
            self._turns[seat] += 1
            self._draw(seat)
            self._discard(seat)
            seat = (seat + 1) % self.seats
        self._score()

    def _is_stalled(self, seat: int) -> bool:
        return self._out is None and self._turns[seat] == TURNS

    def _deal(self, number: int) -> None:
        self._number, self._wild = number, wild_rank(number)
        self._dealer = (self.replay["first_dealer"] + number - self.first) % self.seats
        self._hands, upcard, self._stock = deal(
            self.secret, number, self.seats, self._dealer, self.jokers
        )
        self._pile = [upcard]
        self._turns, self._refills = [0] * self.seats, 0
        self._out: int | None = None
        self._emit(
            "round_dealt",
            number,
            dealer=self._dealer,
            hand_size=hand_size(number),
            wild_rank=self._wild,
            upcard=upcard,
        )

    def _next_action(self, seat: int, kind: str) -> Mapping[str, Any]:
        action: Mapping[str, Any] | None = next(self._actions, None)
        assert action is not None, f"seat {seat} has no {kind} in round {self._number}"
        fields = {"draw": {"source"}, "discard": {"card", "go_out"}}[kind]
        whose = (action["seat"], action["round"], action["type"])
        assert whose == (seat, self._number, kind), f"{action} is not seat {seat}'s {kind}"
        assert set(action) == {"seat", "round", "type"} | fields, f"fields of the action {action}"
        return action

    def _draw(self, seat: int) -> None:
        source = self._next_action(seat, "draw")["source"]
        assert source in ("stock", "discard"), f"there is no source {source!r}"
        if source == "stock" and not self._stock:
            self._refill()
        card = (self._stock if source == "stock" else self._pile).pop()
        self._hands[seat].append(card)
        self._emit("card_drawn", self._number, seat=seat, source=source, card=card)

    def _refill(self) -> None:
        self._refills += 1
        *rest, top = self._pile
        self._stock = refill(self.secret, self._number, self._refills, rest)
        self._pile = [top]
        self._emit("stock_reshuffled", self._number, stock_count=len(self._stock))

    def _discard(self, seat: int) -> None:
        action = self._next_action(seat, "discard")
        card, hand = action["card"], self._hands[seat]
        assert card in hand, f"seat {seat} holds no {card} in round {self._number}"
        assert isinstance(action["go_out"], bool), f"go_out of the action {action}"
        hand.remove(card)
        self._pile.append(card)
        self._emit("card_discarded", self._number, seat=seat, card=card)
        if self._out is None and action["go_out"]:
            self._go_out(seat)

    def _go_out(self, seat: int) -> None:
        hand = sorted_hand(self._hands[seat])
        if every_card_melds(hand, self._wild, self.aces):
            self._out = seat
            melds, _, _ = best_arrangement(hand, self._wild, self.aces)
            self._emit("went_out", self._number, seat=seat, hand=hand, melds=melds)

    def _score(self) -> None:
        rows = [self._row(seat) for seat in range(self.seats)]
        stalled = self._out is None
        self._emit("round_scored", self._number, went_out=self._out, stalled=stalled, seats=rows)

    def _row(self, seat: int) -> dict[str, Any]:
        hand = sorted_hand(self._hands[seat])
        melds, deadwood, points = best_arrangement(hand, self._wild, self.aces)
        self._totals[seat] += points
        return {
            "seat": seat,
            "hand": hand,
            "melds": melds,
            "deadwood": deadwood,
            "points": points,
            "total": self._totals[seat],
        }

    def _finish(self) -> None:
        outcome = result(self._totals)
        self._emit("game_finished", self.last, **outcome, secret=self.replay["secret"])


def result(totals: Sequence[int]) -> dict[str, Any]:
    """The winner with these totals: the seat with the lowest total, or nobody after a tie."""
    lowest = [seat for seat, total in enumerate(totals) if total == min(totals)]
    alone = len(lowest) == 1
    return {
        "winner": lowest[0] if alone else None,
        "tied": [] if alone else lowest,
        "totals": list(totals),
    }


def same_events(ours: Sequence[Event], theirs: Sequence[Event], aces: str = "low") -> bool:
    """True, or an AssertionError that shows the first event in which the lists differ.

    Times are ignored. Several arrangements of a hand can be equally good: shown melds and
    deadwood may differ from ours, but must be legal, complete and worth the same points.
    """
    for mine, other in zip(ours, theirs, strict=False):
        same_event(mine, other, aces)
    assert len(ours) == len(theirs), f"{len(theirs)} events instead of {len(ours)}"
    return True


def same_event(ours: Event, theirs: Event, aces: str) -> None:
    """Assert that two events are equal, apart from the choice of arrangement."""
    kinds = ours["type"], theirs["type"]
    assert kinds[0] == kinds[1], f"{__file__} has {kinds[0]} where there is {kinds[1]}: {theirs}"
    fields = set(theirs) - {"at"}
    assert fields == set(ours), f"{theirs} should have the fields {sorted(ours)}"
    mine, other = without_arrangements(ours), without_arrangements(theirs)
    assert mine == other, f"the event should be\n{mine}\nbut is\n{other}"
    wild = wild_rank(theirs["round"]) if theirs["round"] else ""
    if theirs["type"] == "went_out":
        check_arrangement(theirs["hand"], theirs["melds"], [], 0, wild, aces)
    for row in theirs["seats"] if theirs["type"] == "round_scored" else []:
        check_arrangement(row["hand"], row["melds"], row["deadwood"], row["points"], wild, aces)


def without_arrangements(event: Event) -> Event:
    """An event without its time, and with the choice of its melds and deadwood left out."""
    plain = {name: "any" if name == "melds" else event[name] for name in event if name != "at"}
    if isinstance(event.get("seats"), list):
        plain["seats"] = [
            {name: "any" if name in ("melds", "deadwood") else row[name] for name in row}
            for row in event["seats"]
        ]
    return plain
