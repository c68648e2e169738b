"""The exact arrangement of a hand with the least deadwood points.

Wilds are set apart first. What remains couples in two ways only: a run joins ranks of one suit,
a set joins suits of one rank. So every choice of sets is tried, and what the sets leave is
solved suit by suit: `_run_costs` gives, for each number of wilds spent in runs of the suit, the
least points left over, and is remembered by the suit's cards. The suits are then joined by
dealing out the wilds among them.

Why this is enough:
- A run of six or more cards parts into runs of three to five.
- A place in a run is filled by the natural card where the suit has one: a wild there could
  change places with that card wherever it is.
- Wilds before the lowest natural of a run can stand behind its highest, except at the top end.
- One natural with two wilds is a run as good as a set, so a set needs two naturals.
- Once a meld exists every spare wild joins one, so wilds are left over only where nothing melds:
  one wild beside naturals that no wild can join, or one or two wilds alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from engine.cards import Card, Rank, Suit, without
from engine.melds import HIGH_ACE, MIN_MELD, Arrangement, Meld, position_rank
from engine.rules import AceMode, ace_points, is_wild, points, total_points

LONGEST_RUN = 5
_RANKS = range(1, 14)
_NO_CARDS = (0,) * (HIGH_ACE + 1)
_MEMO_SIZE = 1 << 17

Counts = tuple[int, ...]
"""How many cards of one suit stand at each position 0 to 14; position 0 is never used."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of one suit: its first position, and for each place whether a natural fills it."""

    first: int
    naturals: tuple[bool, ...]

    @property
    def wilds(self) -> int:
        return self.naturals.count(False)


@dataclass(frozen=True, slots=True)
class _Set:
    """Naturals of one rank, `taken` of each suit; a pair needs a wild."""

    rank: int
    taken: tuple[int, ...]

    @property
    def wilds(self) -> int:
        return max(0, MIN_MELD - sum(self.taken))


@dataclass(frozen=True, slots=True)
class _Plan:
    """A choice of sets, and what the suits then hold and may spend: the solution in outline."""

    cost: int
    sets: tuple[_Set, ...]
    suits: tuple[Counts, ...]
    wilds: int


def arrange(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> Arrangement:
    """The arrangement of up to 14 cards, in any order, with the least deadwood points.

    Among equal arrangements the choice depends on the multiset of cards alone.
    """
    naturals, wilds = _part(cards, wild)
    plan = _plan(naturals, len(wilds), aces)
    melds = _Dealer(naturals, wilds, wild, aces).melds(plan)
    deadwood = _rest(cards, melds)
    return Arrangement(melds, deadwood, total_points(deadwood, wild, aces))


def least_points(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> int:
    """The least deadwood points of up to 14 cards."""
    naturals, wilds = _part(cards, wild)
    cost = _plan(naturals, len(wilds), aces).cost
    if _wilds_join(naturals, len(wilds), cost, wild, aces):
        return cost
    return cost + total_points(wilds, wild, aces)


def points_after_discard(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> dict[Card, int]:
    """For each distinct card of a hand, in sorted order, the least points without one copy."""
    return {card: least_points(without(cards, card), wild, aces) for card in sorted(set(cards))}


def best_discard(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> tuple[Card, Arrangement]:
    """The preferred discard of all that leave the least points, and the arrangement it leaves."""
    card = preferred(points_after_discard(cards, wild, aces), wild, aces)
    return card, arrange(without(cards, card), wild, aces)


def preferred(least: dict[Card, int], wild: Rank, aces: AceMode) -> Card:
    """The discard that leaves the least of the given points.

    Among equals a natural goes before a wild, then the card that costs more, then the higher.
    """
    return min(
        least,
        key=lambda card: (least[card], is_wild(card, wild), -points(card, wild, aces), -card.index),
    )


def _part(cards: tuple[Card, ...], wild: Rank) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    ordered = sorted(cards)
    return (
        tuple(card for card in ordered if not is_wild(card, wild)),
        tuple(card for card in ordered if is_wild(card, wild)),
    )


def _rest(cards: tuple[Card, ...], melds: tuple[Meld, ...]) -> tuple[Card, ...]:
    rest = tuple(sorted(cards))
    for meld in melds:
        for card in meld.cards:
            rest = without(rest, card)
    return rest


def _wilds_join(
    naturals: tuple[Card, ...], wilds: int, cost: int, wild: Rank, aces: AceMode
) -> bool:
    """Whether a meld exists for the wilds to join: three of them alone, or any with naturals."""
    return wilds >= MIN_MELD or cost < total_points(naturals, wild, aces)


# The choice of sets


def _plan(naturals: tuple[Card, ...], wilds: int, aces: AceMode) -> _Plan:
    """The plan of least cost for the naturals, any wild that is left over at no cost."""
    suits = _suit_counts(naturals)
    best: _Plan | None = None
    for sets in _set_choices(suits, wilds):
        left = _without_sets(suits, sets)
        spare = wilds - sum(chosen.wilds for chosen in sets)
        cost = _joined_costs(left, spare, aces)[-1]
        if best is None or cost < best.cost:
            best = _Plan(cost, sets, left, spare)
            if cost == 0:
                break
    assert best is not None, "no set at all is always a choice"
    return best


def _suit_counts(naturals: tuple[Card, ...]) -> tuple[Counts, ...]:
    counts = [list(_NO_CARDS) for _ in Suit]
    for card in naturals:
        counts[card.index % 4][card.index // 4 + 1] += 1
    return tuple(map(tuple, counts))


def _set_choices(suits: tuple[Counts, ...], wilds: int) -> Iterator[tuple[_Set, ...]]:
    """Every choice of at most one set a rank that the wilds can pay for, larger sets first."""
    ranks = [options for rank in _RANKS if (options := _set_options(suits, rank, wilds))]

    def choose(place: int, spare: int) -> Iterator[tuple[_Set, ...]]:
        if place == len(ranks):
            yield ()
            return
        for option in ranks[place]:
            if option.wilds <= spare:
                for rest in choose(place + 1, spare - option.wilds):
                    yield (option, *rest)
        yield from choose(place + 1, spare)

    return choose(0, wilds)


def _set_options(suits: tuple[Counts, ...], rank: int, wilds: int) -> list[_Set]:
    held = [counts[rank] for counts in suits]
    if sum(held) < MIN_MELD - min(wilds, 1):
        return []
    takes = product(*(range(count + 1) for count in held))
    least = 2 if wilds else MIN_MELD
    options = [_Set(rank, taken) for taken in takes if sum(taken) >= least]
    return sorted(options, key=lambda option: (-sum(option.taken), option.taken))


def _without_sets(suits: tuple[Counts, ...], sets: tuple[_Set, ...]) -> tuple[Counts, ...]:
    left = [list(counts) for counts in suits]
    for chosen in sets:
        for suit, taken in enumerate(chosen.taken):
            left[suit][chosen.rank] -= taken
    return tuple(map(tuple, left))


# The runs of one suit, and the suits joined


def _joined_costs(suits: tuple[Counts, ...], wilds: int, aces: AceMode) -> list[int]:
    """For 0 to `wilds` wilds, the least points that the runs of all suits leave."""
    joined = [0] * (wilds + 1)
    for counts in suits:
        if counts != _NO_CARDS:
            costs = _suit_costs(counts, aces)
            joined = [
                min(
                    joined[used - spent] + costs[min(spent, len(costs) - 1)]
                    for spent in range(used + 1)
                )
                for used in range(wilds + 1)
            ]
    return joined


@lru_cache(maxsize=_MEMO_SIZE)
def _suit_costs(counts: Counts, aces: AceMode) -> tuple[int, ...]:
    """Like `_run_costs`, for a suit whose aces still stand at position 1."""
    choices = [_run_costs(placed, aces) for placed in _ace_places(counts, aces)]
    length = max(map(len, choices))
    return tuple(
        min(costs[min(used, len(costs) - 1)] for costs in choices) for used in range(length)
    )


def _ace_places(counts: Counts, aces: AceMode) -> list[Counts]:
    """The ways to put a suit's aces at position 1 or 14, as the ace mode allows."""
    held = counts[1]
    if aces is AceMode.LOW or not held:
        return [counts]
    low = [0] if aces is AceMode.HIGH else range(held + 1)
    return [(0, kept, *counts[2:HIGH_ACE], held - kept) for kept in low]


@lru_cache(maxsize=_MEMO_SIZE)
def _run_costs(counts: Counts, aces: AceMode) -> tuple[int, ...]:
    """For 0, 1, 2, … wilds, the least points of the suit's cards that are in no run.

    The last entry is 0 and holds for any larger number of wilds.
    """
    lowest = _lowest(counts)
    if lowest is None:
        return (0,)
    dead = _run_costs(_less(counts, lowest), aces)
    best = [_position_points(lowest, aces) + cost for cost in dead]
    for run in _runs_from(counts, lowest, aces):
        costs = _run_costs(_less_run(counts, run), aces)
        best += [best[-1]] * (run.wilds + len(costs) - len(best))
        for used in range(run.wilds, len(best)):
            best[used] = min(best[used], costs[min(used - run.wilds, len(costs) - 1)])
    return tuple(best[: best.index(0) + 1])


def _lowest(counts: Counts) -> int | None:
    return next((position for position, count in enumerate(counts) if count), None)


def _less(counts: Counts, position: int) -> Counts:
    return (*counts[:position], counts[position] - 1, *counts[position + 1 :])


def _less_run(counts: Counts, run: _Run) -> Counts:
    left = list(counts)
    for place, natural in enumerate(run.naturals, run.first):
        left[place] -= natural
    return tuple(left)


def _position_points(position: int, aces: AceMode) -> int:
    return ace_points(aces) if position in (1, HIGH_ACE) else min(position, 10)


def _top(aces: AceMode) -> int:
    return 13 if aces is AceMode.LOW else HIGH_ACE


@lru_cache(maxsize=_MEMO_SIZE)
def _runs_from(counts: Counts, lowest: int, aces: AceMode) -> tuple[_Run, ...]:
    """The runs whose lowest natural is at `lowest`, none with a wild to spare."""
    top = _top(aces)
    runs = []
    first = min(lowest, top - MIN_MELD + 1)
    for length in range(MIN_MELD, LONGEST_RUN + 1):
        places = counts[first : first + length]
        if first + length - 1 <= top and (places[-1] or length == MIN_MELD):
            runs.append(_Run(first, tuple(count > 0 for count in places)))
    return tuple(runs)


# From a plan to melds


class _Dealer:
    """Turns a plan into melds of real cards: hands naturals and wilds to their places."""

    def __init__(
        self, naturals: tuple[Card, ...], wilds: tuple[Card, ...], wild: Rank, aces: AceMode
    ) -> None:
        self._naturals = naturals
        self._wilds = list(wilds)
        self._wild = wild
        self._aces = aces

    def melds(self, plan: _Plan) -> tuple[Meld, ...]:
        """The melds of a plan, spare wilds joined to one of them."""
        groups = [*self._sets(plan), *self._runs(plan)]
        melds = self._with_spare([self._meld(group) for group in groups])
        return tuple(sorted(melds, key=lambda meld: (meld.stands_for, meld.cards)))

    def _meld(self, cards: list[Card]) -> Meld:
        return Meld(tuple(cards), self._wild, self._aces)

    def _sets(self, plan: _Plan) -> Iterator[list[Card]]:
        for chosen in plan.sets:
            cards = [
                Card.of(Rank(chosen.rank), suit) for suit in Suit for _ in range(chosen.taken[suit])
            ]
            yield cards + [self._wilds.pop(0) for _ in range(chosen.wilds)]

    def _runs(self, plan: _Plan) -> Iterator[list[Card]]:
        spare = plan.wilds
        for suit, counts in zip(Suit, plan.suits, strict=True):
            costs = _suit_costs(counts, self._aces)
            behind = _joined_costs(plan.suits[suit + 1 :], spare, self._aces)
            spent = min(
                range(spare + 1),
                key=lambda used: costs[min(used, len(costs) - 1)] + behind[spare - used],
            )
            spare -= spent
            for run in _best_runs(counts, spent, self._aces):
                yield self._run_cards(run, suit)

    def _run_cards(self, run: _Run, suit: Suit) -> list[Card]:
        cards = [
            Card.of(position_rank(place), suit) if natural else self._wilds.pop(0)
            for place, natural in enumerate(run.naturals, run.first)
        ]
        if sum(run.naturals) > 1:
            return cards
        return sorted(cards, key=lambda card: (is_wild(card, self._wild), card))

    def _with_spare(self, melds: list[Meld]) -> list[Meld]:
        spare = self._wilds
        if len(spare) >= MIN_MELD:
            return [*melds, self._meld(spare)]
        if not spare or not melds:
            return melds
        host = min(melds, key=lambda meld: (meld.kind.value == "run", meld.stands_for))
        melds.remove(host)
        return [*melds, self._extended(host, spare)]

    def _extended(self, host: Meld, spare: list[Card]) -> Meld:
        cards = list(host.cards)
        if host.kind.value == "set":
            wilds = [card for card in cards if is_wild(card, self._wild)]
            return self._meld(cards[: len(cards) - len(wilds)] + sorted(wilds + spare))
        last = (host.stands_for[-1].index // 4) + 1
        room = 0 if last == Rank.ACE else _top(self._aces) - last
        return self._meld(spare[room:] + cards + spare[:room])


def _best_runs(counts: Counts, wilds: int, aces: AceMode) -> list[_Run]:
    """The runs that reach `_suit_costs` with at most `wilds` wilds."""
    placed = min(_ace_places(counts, aces), key=lambda placed: _cost_at(placed, wilds, aces))
    runs: list[_Run] = []
    while (lowest := _lowest(placed)) is not None:
        run = _best_run(placed, lowest, wilds, aces)
        if run is None:
            placed = _less(placed, lowest)
        else:
            runs.append(run)
            placed, wilds = _less_run(placed, run), wilds - run.wilds
    return runs


def _best_run(counts: Counts, lowest: int, wilds: int, aces: AceMode) -> _Run | None:
    """The run of the lowest card in a best solution; None where that card is left over."""
    goal = _cost_at(counts, wilds, aces)
    for run in _runs_from(counts, lowest, aces):
        spare = wilds - run.wilds
        if spare >= 0 and _cost_at(_less_run(counts, run), spare, aces) == goal:
            return run
    return None


def _cost_at(counts: Counts, wilds: int, aces: AceMode) -> int:
    costs = _run_costs(counts, aces)
    return costs[min(wilds, len(costs) - 1)]
