"""Is the solver exact? Its answers against vectors, a naive oracle, CP-SAT and the other form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.rows import Row
from bench.solver import exact, forms
from bench.solver.forms import SourceForm
from bench.solver.hands import Question, any_hands
from bench.workers import spread
from engine.cards import Card, Rank
from tests import oracle

VECTORS = (Path("tests/data/deadwood.jsonl"), Path("tests/data/named_hands.jsonl"))
BLOCK = 250
Reference = Callable[[Question], int]
Wrong = Callable[[int], int]
_CODES = [rank + suit for rank in oracle.RANKS for suit in oracle.SUITS] + [oracle.JOKER]


def rows(source: SourceForm, share: int, processes: int) -> Iterator[Row]:
    """A row for each reference; `share` divides the numbers of hands."""
    yield _vectors(source)
    yield _compared("the naive oracle", wrong_by_oracle, 20_000 // share, processes)
    yield _compared("OR-tools CP-SAT", wrong_by_cp_sat, 1_000 // share, processes)
    yield _forms(source, 50_000 // share)


def _row(reference: str, wrong: int, of: int) -> Row:
    return Row(
        f"disagreements with {reference}", f"{wrong} of {of:,}", "none", wrong == 0, must=True
    )


def _vectors(source: SourceForm) -> Row:
    lines = [json.loads(line) for path in VECTORS for line in path.read_text().splitlines()]
    questions = [
        (
            int(Rank.parse(line["wild_rank"])),
            line["aces"],
            bytes(Card.parse(code) for code in line["cards"]),
        )
        for line in lines
    ]
    points = [line["points"] for line in lines]
    wrong = sum(
        answer != right
        for answers in (forms.least(questions), source.run(forms.least, questions))
        for answer, right in zip(answers, points, strict=True)
    )
    return _row("the vectors, both forms", wrong, 2 * len(lines))


def _compared(name: str, wrong: Wrong, hands: int, processes: int) -> Row:
    blocks = range(max(1, hands // BLOCK))
    return _row(name, sum(spread(wrong, blocks, processes)), len(blocks) * BLOCK)


def wrong_by_oracle(block: int) -> int:
    """Disagreements with the tests' oracle in a block of hands."""
    return _wrong(any_hands(block, BLOCK), _by_oracle)


def _by_oracle(question: Question) -> int:
    wild, aces, hand = question
    return oracle.least_points([_CODES[card] for card in hand], oracle.RANKS[wild - 1], aces)


def wrong_by_cp_sat(block: int) -> int:
    """Disagreements with CP-SAT in a block of hands."""
    return _wrong(any_hands(10_000 + block, BLOCK), exact.least_points)


def _wrong(questions: list[Question], reference: Reference) -> int:
    answers = forms.least(questions)
    return sum(
        points != reference(question) for points, question in zip(answers, questions, strict=True)
    )


def _forms(source: SourceForm, hands: int) -> Row:
    questions = any_hands(20_000, hands)
    wrong = 0
    for start in range(0, hands, BLOCK):
        asked = questions[start : start + BLOCK]
        theirs = source.begin(forms.answers, asked)
        wrong += sum(a != b for a, b in zip(forms.answers(asked), theirs.result(), strict=True))
    return _row("the source form, every question", wrong, hands)
