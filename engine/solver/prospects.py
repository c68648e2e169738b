"""What a hand may become within one turn, counted over the unseen cards.

The *prospect* of a hand is the least points to be expected after one turn that has the best of
three unseen cards, each drawn with replacement. All figures are integers, so that the compiled form
and the source form agree to the last digit: an expected value is multiplied by the number of
equally likely cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64

from engine.solver.kernel import KINDS, WILD, Kernel


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


class LookaheadKernel(Kernel):
    """A kernel that also looks one turn ahead.

    `unseen` has for each kind of card, by index, how many may be drawn.
    """

    def draw_total(self, hand: bytes, unseen: bytes) -> int:
        """The least points to be expected after a draw and the best discard.

        The value is multiplied by the number of unseen cards. The hand has at least three cards.
        """
        return weighted(self._turns(self._parts(hand), len(hand), unseen), unseen)

    def prospect(self, hand: bytes, unseen: bytes) -> int:
        """The prospect of a hand, multiplied by the cube of the number of unseen cards."""
        return best_of_three(self._turns(self._parts(hand), len(hand), unseen), unseen)

    def prospects(self, hand: bytes, discards: bytes, unseen: bytes) -> list[int]:
        """For each of the discards, the prospect of the hand without that card.

        The hand has at least four cards.
        """
        parts = self._parts(hand)
        result = [-1] * KINDS
        for card in discards:
            turns = self._turns(self._without(parts, card), len(hand) - 1, unseen)
            result[card] = best_of_three(turns, unseen)
        return result

    def _best_prospect(self, hand: bytes, unseen: bytes, candidates: int) -> int:
        """The least prospect after the discard of a natural; 0 where the hand can go out.

        Only so many `candidates` are compared: the discards that leave the least points.
        """
        least = self.least_after_discards(hand)
        ranked = sorted(
            [
                (least[card], -self.points[card], -card)
                for card in set(hand)
                if self.places[card] != WILD
            ]
        )
        if not ranked or ranked[0][0] == 0:
            return 0  # a hand of four wilds or more goes out, too
        chosen = bytes([-card for _, _, card in ranked[:candidates]])
        return min(total for total in self.prospects(hand, chosen, unseen) if total >= 0)

    def draw_prospect(
        self, hand: bytes, unseen: bytes, candidates: int, stay: int
    ) -> tuple[int, int]:
        """The average of the least prospect after a draw from the stock: numerator, denominator.

        `stay` is the prospect of the hand itself, which a card that is discarded again leaves;
        of other discards only so many `candidates` are compared for each card drawn.
        """
        count = sum(unseen)
        before: i64 = count**3
        after: i64 = (count - 1) ** 3
        again = stay * after
        left = bytearray(unseen)
        total = 0
        for card in range(KINDS):
            if unseen[card]:
                left[card] -= 1
                best = self._best_prospect(hand + bytes([card]), bytes(left), candidates)
                left[card] += 1
                total += unseen[card] * min(again, best * before)
        return total, before * after * count
