"""Looking one turn ahead: what is to be expected of a hand, over the cards that may be drawn.

Everything is counted in integers, so that the compiled form and the source form agree to the last
digit: an expectation comes multiplied by the number of ways that it averages over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64

from engine.solver.kernel import KINDS, WILD, Kernel


def weighted(numbers: list[int], weights: bytes) -> int:
    """The sum of numbers, each as often as its weight says."""
    total: i64 = 0
    index: i64 = 0
    while index < len(weights):
        weight: i64 = weights[index]
        if weight:
            total += weight * numbers[index]
        index += 1
    return total


def best_of_three(numbers: list[int], weights: bytes) -> int:
    """The sum, over all ways to draw three weighted numbers with replacement, of the smallest.

    There are as many ways as the cube of the sum of the weights. No number is negative.
    """
    among = [0] * (max(numbers) + 1)
    more: i64 = 0
    index: i64 = 0
    while index < len(weights):
        weight: i64 = weights[index]
        if weight:
            among[numbers[index]] += weight
            more += weight
        index += 1
    total: i64 = 0
    for weight in among:
        more -= weight
        total += more * more * more
    return total


class LookaheadKernel(Kernel):
    """A kernel that also prices what a hand may become.

    `unseen` has for each kind the number of cards that may be drawn.
    """

    def draw_total(self, hand: bytes, unseen: bytes) -> int:
        """The least points to be expected after a draw and the best discard.

        Multiplied by the number of unseen cards. The hand has at least three cards.
        """
        return weighted(self._turns(self._parts(hand), len(hand), unseen), unseen)

    def prospect(self, hand: bytes, unseen: bytes) -> int:
        """The least points to be expected after one turn that has the best of three unseen cards.

        Multiplied by the cube of the number of unseen cards.
        """
        return best_of_three(self._turns(self._parts(hand), len(hand), unseen), unseen)

    def prospects(self, hand: bytes, discards: bytes, unseen: bytes) -> list[int]:
        """For each of the discards, the prospect of the hand without it.

        The hand has at least four cards.
        """
        parts = self._parts(hand)
        result = [-1] * KINDS
        for card in discards:
            turns = self._turns(self._without(parts, card), len(hand) - 1, unseen)
            result[card] = best_of_three(turns, unseen)
        return result

    def best_prospect(self, hand: bytes, unseen: bytes, width: int) -> int:
        """The prospect after the best discard of a natural; 0 where the hand can go out.

        Only the `width` discards that leave the least points are looked at.
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
            return 0  # four wilds or more meld, too
        chosen = bytes([-card for _, _, card in ranked[:width]])
        return min(total for total in self.prospects(hand, chosen, unseen) if total >= 0)

    def draw_prospect(self, hand: bytes, unseen: bytes, width: int) -> tuple[int, int]:
        """The best prospect after a draw from the stock, on average: numerator, denominator."""
        count = sum(unseen)
        before: i64 = count**3
        after: i64 = (count - 1) ** 3
        stay = self.prospect(hand, unseen) * after
        left = bytearray(unseen)
        total = 0
        for card in range(KINDS):
            if unseen[card]:
                left[card] -= 1
                best = self.best_prospect(hand + bytes([card]), bytes(left), width)
                left[card] += 1
                total += unseen[card] * min(stay, best * before)
        return total, before * after * count
