"""One round, played again from the secret and the actions."""

from __future__ import annotations

from engine.verify.comparison import quoted
from engine.verify.dealing import deal, hand_size, in_order, refilled, wild_rank
from engine.verify.listing import Listing
from engine.verify.melds import (
    IllegalMeldError,
    deadwood,
    is_wild,
    melds_completely,
    points,
)
from engine.verify.membership import Membership
from engine.verify.replay import Replay

LAST_TURN = 60
"""The turns of a seat in a round that nobody ends."""


class Round:
    """Deals a round, plays the listed actions in it, and expects the events that these give."""

    def __init__(self, replay: Replay, number: int, dealer: int, listing: Listing) -> None:
        self._replay, self._listing, self._number = replay, listing, number
        self._seats, self._dealer = len(replay.seats), dealer
        self._wild = wild_rank(number)
        self._hands, upcard, self._stock = deal(
            replay.secret, number, self._seats, dealer, replay.jokers
        )
        self._pile = [upcard]
        self._refills = self._turns = 0
        self._out: int | None = None
        self._finals_left = 0

    def play(self, membership: Membership, totals: list[int]) -> bool:
        """Play to the end of the round and add its points; False where the game is abandoned."""
        self._deal()
        while not self._is_over():
            seat = (self._dealer + 1 + self._turns) % self._seats
            if not membership.follow(seat):
                return False
            self._draw(seat)
            if not membership.follow(seat):
                return False
            self._discard(seat)
            self._turns += 1
        self._score(totals)
        return True

    def _is_over(self) -> bool:
        """Whether each seat but the one that is out had its final turn, or nobody may go on."""
        if self._out is None:
            return self._turns == LAST_TURN * self._seats
        return self._finals_left == 0

    def _deal(self) -> None:
        self._listing.round = self._number
        self._listing.expect(
            "round_dealt",
            dealer=self._dealer,
            hand_size=hand_size(self._number),
            wild_rank=self._wild,
            upcard=self._pile[0],
        )

    def _draw(self, seat: int) -> None:
        source = self._listing.action(seat, "draw")["source"]
        if source == "stock":
            if not self._stock:
                self._refill()
            card = self._stock.pop()
        elif source == "discard":
            card = self._pile.pop()
        else:
            self._listing.fail(f"there is no source {quoted(source)}")
        self._hands[seat].append(card)
        self._listing.expect("card_drawn", seat=seat, source=source, card=card)

    def _refill(self) -> None:
        """Make a stock of the pile less its top card."""
        self._refills += 1
        *buried, top = self._pile
        self._stock = refilled(self._replay.secret, self._number, self._refills, buried)
        self._pile = [top]
        self._listing.expect("stock_reshuffled", stock_count=len(self._stock))

    def _discard(self, seat: int) -> None:
        action, hand = self._listing.action(seat, "discard"), self._hands[seat]
        card, go_out = action["card"], action["go_out"]
        if card not in hand:
            self._listing.fail(f"seat {seat} discards {quoted(card)}, which it does not hold")
        if not isinstance(go_out, bool):
            self._listing.fail("go_out is true or false")
        card = hand.pop(hand.index(str(card)))
        self._pile.append(card)
        self._listing.expect("card_discarded", seat=seat, card=card)
        if self._out is not None:
            self._finals_left -= 1
        elif go_out and melds_completely(hand, self._wild, self._replay.aces):
            self._go_out(seat)

    def _go_out(self, seat: int) -> None:
        melds = self._listing.require("went_out").get("melds")
        left = self._deadwood(seat, melds)
        if left:
            self._listing.fail(f"seat {seat} goes out and has {' '.join(left)} in no meld")
        self._listing.expect("went_out", seat=seat, hand=in_order(self._hands[seat]), melds=melds)
        self._out, self._finals_left = seat, self._seats - 1

    def _deadwood(self, seat: int, melds: object) -> list[str]:
        try:
            return deadwood(self._hands[seat], melds, self._wild, self._replay.aces)
        except IllegalMeldError as error:
            self._listing.fail(f"the melds of seat {seat}: {error}")

    def _check_deadwood(self, seat: int, left: list[str], has_melds: bool) -> None:
        """Refuse cards in no meld that could be in one, as far as that shows without a solver."""
        if melds_completely(self._hands[seat], self._wild, self._replay.aces):
            self._listing.fail(
                f"seat {seat} is scored with cards, but its whole hand can be melded"
            )
        if has_melds and any(is_wild(card, self._wild) for card in left):
            self._listing.fail(f"seat {seat} is scored with a wild, which can join any meld")

    def _score(self, totals: list[int]) -> None:
        """Expect the scores of the hands, arranged in the melds that the event itself lists."""
        rows = self._listing.require("round_scored").get("seats")
        if not isinstance(rows, list) or len(rows) != self._seats:
            self._listing.fail("round_scored has not a row for each seat")
        expected = []
        for seat, row in enumerate(rows):
            melds = row.get("melds") if isinstance(row, dict) else None
            left = self._deadwood(seat, melds)
            if left:
                self._check_deadwood(seat, left, bool(melds))
            cost = points(left, self._wild, self._replay.aces)
            totals[seat] += cost
            expected.append(
                {
                    "seat": seat,
                    "hand": in_order(self._hands[seat]),
                    "melds": melds,
                    "deadwood": left,
                    "points": cost,
                    "total": totals[seat],
                }
            )
        self._listing.expect(
            "round_scored", went_out=self._out, stalled=self._out is None, seats=expected
        )
