"""What a hand may become within one turn, counted over the unseen cards.

The *prospect* of a hand is the least points to be expected after one turn that has the best of
three unseen cards, each drawn with replacement. All figures are integers, so that the compiled form
and the source form agree to the last digit: an expected value is multiplied by the number of
equally likely cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from mypy_extensions import i64

from engine.solver.costs import POINTS
from engine.solver.kernel import KINDS, QUESTION_COST, WILD, Kernel


def weighted(numbers: list[int], weights: bytes) -> int:
    """The sum of the numbers, each multiplied by its weight."""
    total: i64 = 0
    index: i64 = 0
    while index < len(weights):
        weight: i64 = weights[index]
        if weight:
            total += weight * numbers[index]
        index += 1
    return total


def best_of_three(numbers: list[int], weights: bytes) -> int:
    """The sum of the least of three numbers, over all ways to draw three with replacement.

    A weight says how often a number is there to be drawn, so the number of ways is the cube of
    the sum of the weights. No number is negative.
    """
    occurrences = [0] * (max(numbers) + 1)
    larger: i64 = 0
    index: i64 = 0
    while index < len(weights):
        weight: i64 = weights[index]
        if weight:
            occurrences[numbers[index]] += weight
            larger += weight
        index += 1
    total: i64 = 0
    for weight in occurrences:
        larger -= weight
        total += larger * larger * larger
    return total


@final
class TwoDraws:
    """The least points of one hand after a draw, a discard, another draw and the best discard.

    The two cards drawn may come in either order, so each pair of them is solved only once.
    """

    def __init__(self) -> None:
        self.unchanged: list[int] = [-1] * KINDS
        self.after: dict[int, list[list[int]]] = {}

    def known(self, drawn: int, discarded: int) -> list[int]:
        """By the second card, what is known after the first draw and the discard; -1 if not."""
        if drawn == discarded:
            return self.unchanged
        if discarded not in self.after:
            self.after[discarded] = [[-1] * KINDS for _ in range(KINDS)]
        return self.after[discarded][drawn]

    def learn(self, drawn: int, discarded: int, turns: list[int]) -> None:
        """Remember what is now known for the two cards in the other order."""
        if drawn != discarded:
            for row, points in zip(self.after[discarded], turns, strict=True):
                row[drawn] = points


class LookaheadKernel(Kernel):
    """A kernel that also looks one turn ahead.

    `unseen` has for each kind of card, by index, how many may be drawn.
    """

    def least_after_discard(self, hand: bytes) -> int:
        """The least points after the best discard; the hand has at least four cards."""
        return self._least_after_discard(self._parts(hand), POINTS)

    def draw_total(self, hand: bytes, unseen: bytes) -> int:
        """The least points to be expected after a draw and the best discard.

        The value is multiplied by the number of unseen cards. The hand has at least three cards.
        """
        return weighted(self._turns(self._parts(hand), len(hand), unseen, [-1] * KINDS), unseen)

    def prospect(self, hand: bytes, unseen: bytes) -> int:
        """The prospect of a hand, multiplied by the cube of the number of unseen cards."""
        turns = self._turns(self._parts(hand), len(hand), unseen, [-1] * KINDS)
        return best_of_three(turns, unseen)

    def prospects(self, hand: bytes, discards: bytes, unseen: bytes) -> list[int]:
        """For each of the discards, the prospect of the hand without that card.

        The hand has at least four cards.
        """
        parts = self._parts(hand)
        result = [-1] * KINDS
        for card in discards:
            left = self._without(parts, card)
            turns = self._turns(left, len(hand) - 1, unseen, [-1] * KINDS)
            result[card] = best_of_three(turns, unseen)
        return result

    def stock_is_worse(
        self, hand: bytes, unseen: bytes, candidates: int, stay: int, other: int
    ) -> bool:
        """Whether the least prospect after a draw from the stock is on average above `other`.

        `stay` is the prospect of the hand itself, which a card that is discarded again leaves;
        of other discards only so many `candidates` are compared for each card drawn. The cards
        with most copies come first, and the rest is not looked at once it makes no difference.
        """
        self.meter.spend(QUESTION_COST)
        count = sum(unseen)
        before: i64 = count**3
        after: i64 = (count - 1) ** 3
        again: i64 = stay * after
        limit: i64 = other * after * count
        least: i64 = 0
        rest: i64 = count
        left = bytearray(unseen)
        draws = TwoDraws()
        for card in sorted(range(KINDS), key=lambda kind: -unseen[kind]):
            if least > limit or least + rest * again <= limit:
                break
            copies: i64 = unseen[card]
            left[card] -= 1
            best: i64 = self._best_prospect(hand, card, bytes(left), candidates, draws)
            left[card] += 1
            least += copies * min(again, best * before)
            rest -= copies
        return least > limit

    def stock_prospects(self, hand: bytes, unseen: bytes, candidates: int, stay: int) -> list[int]:
        """For each unseen kind, the least prospect after a draw of it from the stock.

        `stay` and `candidates` as for `stock_is_worse`. With n unseen cards the values are
        multiplied by the cubes of n and n - 1.
        """
        self.meter.spend(QUESTION_COST)
        count = sum(unseen)
        before: i64 = count**3
        again: i64 = stay * (count - 1) ** 3
        left = bytearray(unseen)
        draws = TwoDraws()
        result = [-1] * KINDS
        for card in range(KINDS):
            if unseen[card]:
                left[card] -= 1
                best: i64 = self._best_prospect(hand, card, bytes(left), candidates, draws)
                left[card] += 1
                result[card] = min(again, best * before)
        return result

    def _best_prospect(
        self, hand: bytes, drawn: int, unseen: bytes, candidates: int, draws: TwoDraws
    ) -> int:
        """The least prospect after a draw and the discard of a natural; 0 if the hand can go out.

        Only so many `candidates` are compared: the discards that leave the least points.
        """
        full = hand + bytes([drawn])
        least = self.least_after_discards(full)
        ranked = sorted(
            [
                (least[card], -self.points[card], -card)
                for card in set(full)
                if self.places[card] != WILD
            ]
        )
        if not ranked or ranked[0][0] == 0:
            return 0  # a hand of four wilds or more goes out, too
        parts = self._parts(full)
        best: i64 = -1
        for _, _, negative in ranked[:candidates]:
            card: i64 = -negative
            known = draws.known(drawn, card)
            turns = self._turns(self._without(parts, card), len(hand), unseen, known)
            draws.learn(drawn, card, turns)
            total: i64 = best_of_three(turns, unseen)
            if best < 0 or total < best:
                best = total
        return best
