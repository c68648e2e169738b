"""The state of a game as far as seat 0 can know it, computed from the events alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tests.dealer import TURNS, Event, all_cards, hand_size, result, wild_rank
from tests.oracle import (
    JOKER,
    check_arrangement,
    check_card,
    every_card_melds,
    least_points,
    points_after_discard,
    sorted_hand,
)
from tests.referee import contract
from tests.referee.contract import (
    DIGEST,
    EVENT_FIELDS,
    ROW_FIELDS,
    VIEWER,
    check_equal,
    check_fields,
    check_time,
    rounds_of,
    seats_of,
)


class KnownGame:
    """What seat 0 can know of a game; each event must follow the rules."""

    def __init__(self, options: Mapping[str, Any], commitment: str) -> None:
        self.commitment = commitment
        self.jokers: int = options.get("jokers", 0)
        self.aces: str = options.get("aces", "low")
        self.rounds = rounds_of(options)
        seats = seats_of(options)
        self.seats = len(seats)
        self.to_join = [seat for seat, player in enumerate(seats) if player["kind"] == "human"]
        self.names: dict[int, Any] = {}
        self.events: list[Event] = []
        self.scored: list[Event] = []
        self.totals = [0] * self.seats
        self.result: dict[str, Any] | None = None
        self.number = 0
        self.dealer: int | None = None
        self.phase = "joining"
        self.go_out = True  # what the viewer's next discard says

    @property
    def next_number(self) -> int:
        """The number of the round that is dealt next."""
        return self.number + 1 if self.number else self.rounds["first"]

    @property
    def wild(self) -> str:
        """The round's wild rank."""
        return wild_rank(self.number)

    @property
    def is_over(self) -> bool:
        """Whether the round ends before the next turn: all final turns are played, or it stalls."""
        if self.out is None:
            return self.turns[self.turn] >= TURNS
        return self.turn == self.out

    def copies(self, card: str) -> int:
        """How many copies of a card the game has."""
        return self.jokers if card == JOKER else 2

    def follow(self, events: Sequence[Event]) -> None:
        """Check each event of an answer against the rules and the events before it."""
        for event in events:
            self._check_shape(event)
            rule = getattr(self, f"_{event['type']}", None)
            assert rule is not None, f"{__file__} has no rule for {event}"
            rule(event)
            self.events.append(event)
            if self.number:
                self.check_conservation()
        if self.phase == "discarded":
            self._begin_turn()

    def _check_shape(self, event: Event) -> None:
        kind = event.get("type")
        assert kind in EVENT_FIELDS, f"EVENT_FIELDS in {contract.__file__} has no {kind!r}"
        check_fields(event, {"seq", "at", "type", "round"} | EVENT_FIELDS[kind], f"event {event}")
        check_equal(event["seq"], len(self.events) + 1, f"the seq of {event}")
        check_time(event["at"], f"the time of {event}")
        number = {"seat_joined": None, "round_dealt": self.next_number}.get(kind, self.number)
        check_equal(event["round"], number, f"the round of {event}")

    def _expect(self, event: Event, *phases: str) -> None:
        assert self.phase in phases, f"in phase {self.phase!r} comes {event}"

    def _seat_joined(self, event: Event) -> None:
        self._expect(event, "joining")
        check_equal(event["seat"], self.to_join.pop(0), "the next seat to join")
        self.names[event["seat"]] = event["name"]
        self.phase = "joining" if self.to_join else "dealing"

    def _round_dealt(self, event: Event) -> None:
        self._expect(event, "dealing")
        self.number = self.next_number
        check_equal(event["hand_size"], hand_size(self.number), f"hand_size of round {self.number}")
        check_equal(event["wild_rank"], self.wild, f"wild_rank of round {self.number}")
        first = event["dealer"] if self.dealer is None else (self.dealer + 1) % self.seats
        check_equal(event["dealer"], first, "the dealer")
        assert first in range(self.seats), f"seat {first} cannot deal"
        check_card(event["upcard"])
        self._deal(event["dealer"], event["upcard"])

    def _deal(self, dealer: int, upcard: str) -> None:
        size = hand_size(self.number)
        self.dealer, self.turn = dealer, (dealer + 1) % self.seats
        self.counts, self.turns = [size] * self.seats, [0] * self.seats
        self.stock = len(all_cards(self.jokers)) - size * self.seats - 1
        self.pile = [upcard]
        self.cards_known: list[Counter[str]] = [Counter() for _ in range(self.seats)]
        self.taken_in_the_open: list[list[str]] = [[] for _ in range(self.seats)]
        self.own: list[str] | None = None  # until the next view shows it
        self.drawn: str | None = None
        self.out: int | None = None
        self.shown: Event | None = None
        self.must_declare = False
        self.phase = "draw"

    def _begin_turn(self) -> None:
        assert not self.is_over, f"round {self.number} should have been scored"
        assert not self.must_declare, "going out was not announced"
        self.phase = "draw"

    def _stock_reshuffled(self, event: Event) -> None:
        if self.phase == "discarded":
            self._begin_turn()
        self._expect(event, "draw")
        check_equal(self.stock, 0, "the stock that is refilled")
        check_equal(event["stock_count"], len(self.pile) - 1, "stock_count after a refill")
        assert event["stock_count"] > 0, "the refilled stock is empty"
        self.stock, self.pile = event["stock_count"], self.pile[-1:]
        self.phase = "refilled"

    def _card_drawn(self, event: Event) -> None:
        if self.phase == "discarded":
            self._begin_turn()
        self._expect(event, "draw", "refilled")
        seat, source = event["seat"], event["source"]
        check_equal(seat, self.turn, "the seat that draws")
        assert source in ("stock", "discard"), f"there is no source {source!r}"
        assert self.phase == "draw" or source == "stock", "a refill without a draw from the stock"
        if source == "stock":
            self._draw_stock(event)
        else:
            self._draw_discard(event)
        self.counts[seat] += 1
        self.turns[seat] += 1
        self.phase = "discard"

    def _draw_stock(self, event: Event) -> None:
        assert self.stock > 0, f"the stock is empty, but there is {event}"
        self.stock -= 1
        if event["seat"] == VIEWER:
            check_card(event["card"])
            self._take(event["card"])
        else:
            check_equal(event["card"], None, "another seat's card from the stock")

    def _draw_discard(self, event: Event) -> None:
        assert self.pile, "the discard pile is empty"
        check_equal(event["card"], self.pile.pop(), "the card taken from the discard pile")
        self.taken_in_the_open[event["seat"]].append(event["card"])
        if event["seat"] == VIEWER:
            self._take(event["card"])
        else:
            self.cards_known[event["seat"]][event["card"]] += 1

    def _take(self, card: str) -> None:
        assert self.own is not None, "seat 0 drew before it saw its hand"
        self.own.append(card)
        self.drawn = card

    def _card_discarded(self, event: Event) -> None:
        self._expect(event, "discard")
        seat, card = event["seat"], event["card"]
        check_equal(seat, self.turn, "the seat that discards")
        check_card(card)
        if card in self.taken_in_the_open[seat]:
            self.taken_in_the_open[seat].remove(card)
        if seat == VIEWER:
            self._give(card)
        elif self.cards_known[seat][card]:
            self.cards_known[seat][card] -= 1
        self.pile.append(card)
        self.counts[seat] -= 1
        self.turn = (seat + 1) % self.seats
        self.phase = "discarded"

    def _give(self, card: str) -> None:
        assert self.own is not None, "seat 0 discarded before it saw its hand"
        assert card in self.own, f"seat 0 discarded {card} out of {self.own}"
        self.own.remove(card)
        self.drawn = None
        free = self.out is None and self.go_out
        self.must_declare = free and every_card_melds(self.own, self.wild, self.aces)

    def _went_out(self, event: Event) -> None:
        self._expect(event, "discarded")
        seat, hand = event["seat"], event["hand"]
        check_equal(self.out, None, "the seat that went out before")
        check_equal(seat, (self.turn - 1) % self.seats, "the seat that goes out")
        self._check_hand(seat, hand)
        check_arrangement(hand, event["melds"], [], 0, self.wild, self.aces)
        assert seat != VIEWER or self.must_declare, "seat 0 went out without saying so"
        self.cards_known[seat] = Counter(hand)
        self.out, self.shown, self.must_declare = seat, event, False

    def _check_hand(self, seat: int, hand: list[str]) -> None:
        """Assert that an open hand is complete, sorted, and has the cards known to be in it."""
        what = f"the hand of seat {seat} in round {self.number}"
        check_equal(hand, sorted_hand(hand), what)
        check_equal(len(hand), hand_size(self.number), f"the size of {what}")
        assert self.cards_known[seat] <= Counter(hand), (
            f"{what} {hand} lacks some of {self.cards_known[seat]}"
        )
        if seat == VIEWER and self.own is not None:
            check_equal(hand, sorted_hand(self.own), what)

    def _round_scored(self, event: Event) -> None:
        self._expect(event, "discarded")
        assert self.is_over, f"round {self.number} was scored before its end"
        assert not self.must_declare, "going out was not announced"
        check_equal(event["went_out"], self.out, "who went out")
        check_equal(event["stalled"], self.out is None, "stalled")
        check_equal(len(event["seats"]), self.seats, "the number of hands scored")
        for seat, row in enumerate(event["seats"]):
            self._score(seat, row)
        self._check_whole(event["seats"])
        self.scored.append(event)
        self.phase = "dealing" if self.number < self.rounds["last"] else "finishing"

    def _score(self, seat: int, row: dict[str, Any]) -> None:
        check_fields(row, ROW_FIELDS, f"a row of round {self.number}")
        check_equal(row["seat"], seat, "the seat of a row")
        self._check_hand(seat, row["hand"])
        least = least_points(row["hand"], self.wild, self.aces)
        check_equal(row["points"], least, f"the points of {row['hand']}")
        self._check_arranged(row)
        self.totals[seat] += least
        check_equal(row["total"], self.totals[seat], f"the total of seat {seat}")
        if self.shown and seat == self.out:
            check_equal(row["hand"], self.shown["hand"], "the hand that went out")
            check_equal(row["melds"], self.shown["melds"], "the melds that went out")

    def _check_arranged(self, row: dict[str, Any]) -> None:
        check_arrangement(
            row["hand"], row["melds"], row["deadwood"], row["points"], self.wild, self.aces
        )

    def _check_whole(self, rows: list[dict[str, Any]]) -> None:
        """Assert that open hands, discard pile and stock together are all cards of the game."""
        seen = Counter(self.pile) + Counter(card for row in rows for card in row["hand"])
        self._check_copies(seen)
        check_equal(
            seen.total() + self.stock, len(all_cards(self.jokers)), "the number of all cards"
        )

    def _game_finished(self, event: Event) -> None:
        self._expect(event, "finishing")
        self.result = result(self.totals)
        for name, value in self.result.items():
            check_equal(event[name], value, name)
        secret = event["secret"]
        assert DIGEST.fullmatch(secret), f"the secret {secret!r} is not 64 hex digits"
        digest = hashlib.sha256(bytes.fromhex(secret)).hexdigest()
        check_equal(digest, self.commitment, "the SHA-256 of the secret")
        self.phase = "finished"

    def check_conservation(self) -> None:
        """Assert that no card is visible more often than the game has copies of it."""
        others = (cards for seat, cards in enumerate(self.cards_known) if seat != VIEWER)
        self._check_copies(sum(others, Counter(self.pile) + Counter(self.own or [])))
        assert self.stock >= 0, "the stock has fewer than no cards"

    def _check_copies(self, seen: Counter[str]) -> None:
        many = [card for card in seen if seen[card] > self.copies(card)]
        assert not many, f"too many of {many} in round {self.number}"

    def learn(self, hand: list[str]) -> None:
        """Store the newly dealt hand, which the first view of the round shows."""
        for card in hand:
            check_card(card)
        self.own = list(hand)
        self.check_conservation()

    def lowers(self, card: str) -> bool:
        """Whether taking this card, then discarding the best one, lowers the viewer's points."""
        assert self.own is not None
        now = least_points(self.own, self.wild, self.aces)
        after = points_after_discard([*self.own, card], self.wild, self.aces)
        return min((after[other] for other in after if other != card), default=now) < now
