"""How long the solver takes, called from Python, beside other programs in the same run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, median
from time import thread_time

from bench.peers import peer
from bench.rows import Row, microseconds
from bench.solver import exact, forms
from bench.solver.forms import SourceForm, kernel
from bench.solver.hands import Question, of_rounds, single_deck, two_jokers

HANDS = 300
_SEED = 20_26


def rows(source: SourceForm, form: str, share: int) -> Iterator[Row]:
    """All speeds; `share` divides the number of repeats."""
    for rich in (False, True):
        yield from _beside_open_spiel(form, rich, max(5, 40 // share))
    yield from _thirteen(source, form, max(3, 10 // share))
    yield _cp_sat()
    yield from _fresh(max(1, 5 // share))


def _beside_open_spiel(form: str, rich: bool, repeats: int) -> Iterator[Row]:
    spiel = peer("pyspiel").gin_rummy.GinRummyUtils(13, 4, 10).min_deadwood
    hands = single_deck(_SEED, HANDS, rich)
    theirs = [[13 * (card % 4) + card // 4 for card in hand] for hand in hands]
    lists = [list(hand) for hand in hands]
    ours = kernel(0, "low").least
    assert [ours(hand) for hand in hands] == [spiel(hand) for hand in theirs], "they disagree"
    times = _turns(
        {
            "spiel": lambda: _pass(spiel, theirs),
            "ours": lambda: _pass(ours, hands),
            "lists": lambda: _pass(lambda hand: ours(bytes(hand)), lists),
        },
        repeats,
    )
    kind = f"10 cards, one deck, {'meld-rich' if rich else 'random'}"
    ratio = times["ours"] / times["spiel"]
    yield microseconds(f"{kind}: OpenSpiel C++", times["spiel"])
    yield Row(
        f"{kind}: ours {form}",
        f"{times['ours']:.2f} µs, {ratio:.2f} times OpenSpiel's",
        "1 times",
        ratio <= 1,
    )
    yield microseconds(f"{kind}: ours {form}, from a list of ints", times["lists"])


def _pass(call: Callable[..., object], hands: Sequence[object]) -> float:
    """CPU µs a hand over one pass."""
    start = thread_time()
    for hand in hands:
        call(hand)
    return (thread_time() - start) / len(hands) * 1e6


def _turns(sides: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """The median of each side's passes, the sides taking turns; the first pass is a warm-up."""
    passes = [{name: side() for name, side in sides.items()} for _ in range(repeats + 1)]
    return {name: median(times[name] for times in passes[1:]) for name in sides}


def _thirteen(source: SourceForm, form: str, repeats: int) -> Iterator[Row]:
    questions = two_jokers(_SEED, HANDS)
    kind = "13 cards, two decks, two jokers"
    here = forms.each(questions, repeats, 20)
    goal = 1.5 if form == "compiled" else None
    yield microseconds(f"{kind}: ours {form}, median", median(here), goal, _mean(here))
    there = source.run(forms.each, questions, repeats, 3)
    yield microseconds(f"{kind}: ours interpreted, median", median(there), 50, _mean(there))
    both = [source.run(forms.batch, of_rounds(_SEED, HANDS * 5)) for _ in range(repeats + 1)]
    yield microseconds("hands of all rounds: ours interpreted, warm", median(both[1:]), 50)


def _mean(times: Sequence[float]) -> str:
    return f", mean {fmean(times):.2f}, longest {max(times):.2f}"


def _cp_sat() -> Row:
    questions = two_jokers(_SEED, 10)
    spent = _pass(exact.least_points, questions)
    return microseconds("13 cards, two decks, two jokers: OR-tools CP-SAT", spent)


def _fresh(processes: int) -> Iterator[Row]:
    """The first thousand hands of fresh processes, each hand new to them."""
    kinds: dict[str, Callable[[int, int], list[Question]]] = {
        "hands of all rounds": of_rounds,
        "13 cards": two_jokers,
    }
    for name, hands in kinds.items():
        spent = []
        for seed in range(processes):
            with SourceForm() as fresh:
                spent.append(fresh.run(forms.batch, hands(seed, 1000)))
        yield microseconds(f"{name}: interpreted, first 1,000 of a process", median(spent), 100)
