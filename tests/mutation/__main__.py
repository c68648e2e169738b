"""Mutation testing: change the code in every small way, and check that a test fails.

    python -m tests.mutation [NAME ...]    only these parts: view, round, store, transactions

mutmut makes the mutants and runs the tests on each. A mutant that no test can kill, since it
behaves like the code, is listed in `equivalent.toml` with the reason. The result is one table. The
run fails if too few mutants of a module are killed, or if the list names a mutant that does not
exist or was killed.
"""

from __future__ import annotations

import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.mutants import Mutant, MutationRunError, Status, run_mutants

_LIST = Path(__file__).with_name("equivalent.toml")
_KILLED = (Status.KILLED, Status.TIMED_OUT)


@dataclass(frozen=True)
class Part:
    """Modules, and the tests that must kill `minimum` % of their non-equivalent mutants."""

    name: str
    minimum: int
    modules: tuple[str, ...]
    tests: tuple[str, ...]


PARTS = (
    Part(
        "view",
        100,
        ("engine/view.py",),
        ("tests/engine/test_view.py", "tests/engine/test_view_fields.py"),
    ),
    Part("round", 90, ("engine/round.py",), ("tests/engine/test_round.py",)),
    Part(
        "store",
        90,
        (
            "service/store/game_store.py",
            "service/store/connections/retry.py",
            "service/store/connections/connection.py",
            "service/store/scripts/commit_script.py",
            "service/store/scripts/delete_script.py",
            "service/store/scripts/review_script.py",
            "service/store/scripts/script.py",
            "service/store/records.py",
            "service/store/readiness.py",
        ),
        (
            "tests/store/connections/test_retry.py",
            "tests/store/test_game_store.py",
            "tests/store/test_commands.py",
            "tests/store/test_kept_reviews.py",
            "tests/store/test_readiness.py",
        ),
    ),
    Part(
        "transactions",
        90,
        (
            "service/games/transactions.py",
            "service/games/repository.py",
            "service/games/rematches.py",
        ),
        (
            "tests/games/test_transactions.py",
            "tests/games/test_repository.py",
            "tests/games/test_rematches.py",
        ),
    ),
)


@dataclass(frozen=True)
class Equivalent:
    """A mutant that behaves like the code, and the reason."""

    module: str
    function: str
    before: str
    after: str
    why: str

    def describes(self, mutant: Mutant) -> bool:
        """Whether this entry describes the mutant."""
        return (self.module, self.function, self.before, self.after) == (
            mutant.module,
            mutant.function,
            mutant.before,
            mutant.after,
        )


@dataclass(frozen=True)
class Count:
    """A row of the table: the counts of the mutants of one module."""

    module: str
    minimum: int
    mutants: int
    killed: int
    equivalent: int

    @property
    def survived(self) -> int:
        """The mutants that a test should have killed."""
        return self.mutants - self.killed - self.equivalent

    @property
    def share(self) -> float:
        """The killed mutants in % of those that are not equivalent."""
        return 100 * self.killed / (self.mutants - self.equivalent)

    @property
    def is_sufficient(self) -> bool:
        """Whether the share reaches the minimum."""
        return self.share >= self.minimum

    def __str__(self) -> str:
        numbers = (self.mutants, self.killed, self.equivalent, self.survived)
        cells = "".join(f"{number:>11}" for number in numbers)
        return f"{self.module:<26}{cells}{self.share:>8.1f}{self.minimum:>7}"


_COLUMNS = ("mutants", "killed", "equivalent", "survived")
_HEAD = f"{'module':<26}{''.join(f'{name:>11}' for name in _COLUMNS)}{'%':>8}{'minimum':>7}"


def count_mutants(
    part: Part, module: str, mutants: list[Mutant], listed: list[Equivalent]
) -> Count:
    """The counts of a module; survivors that are not listed as equivalent are printed."""
    survivors = [mutant for mutant in mutants if mutant.status not in _KILLED]
    equivalent = [mutant for mutant in survivors if any(each.describes(mutant) for each in listed)]
    for mutant in survivors:
        if mutant not in equivalent:
            print(mutant)
    return Count(module, part.minimum, len(mutants), len(mutants) - len(survivors), len(equivalent))


def problems(mutants: list[Mutant], listed: list[Equivalent]) -> Iterator[str]:
    """What is wrong with the list of equivalent mutants, or with the run."""
    for each in listed:
        found = [mutant for mutant in mutants if each.describes(mutant)]
        if len(found) != 1:
            yield f"{_LIST.name} names a mutant that exists {len(found)} times: {each}"
        for mutant in found:
            if mutant.status in _KILLED:
                yield f"{_LIST.name} names a mutant that was killed: {mutant}"
    for mutant in mutants:
        if mutant.status is Status.UNKNOWN:
            yield f"the status of a mutant is unknown: {mutant}"


def equivalent_mutants() -> list[Equivalent]:
    """The entries of `equivalent.toml`."""
    return [Equivalent(**each) for each in tomllib.loads(_LIST.read_text())["equivalent"]]


def run_part(part: Part) -> list[Mutant]:
    """Run the mutants of a part; prints what it runs and how long that took."""
    print(f"{part.name}: the mutants of {' and '.join(part.modules)}", flush=True)
    started = time.monotonic()
    mutants = run_mutants(part.name, part.modules, part.tests)
    seconds = time.monotonic() - started
    print(f"{part.name}: {len(mutants)} mutants in {seconds:.0f} s", flush=True)
    return mutants


def main(names: list[str]) -> int:
    """Run the mutants of the named parts, or of all; 1 if too many survive."""
    unknown = set(names) - {part.name for part in PARTS}
    if unknown:
        known = ", ".join(part.name for part in PARTS)
        raise MutationRunError(f"unknown part: {' '.join(sorted(unknown))}; the parts are {known}")
    parts = [part for part in PARTS if not names or part.name in names]
    chosen = {module for part in parts for module in part.modules}
    listed = [each for each in equivalent_mutants() if each.module in chosen]
    mutants: list[Mutant] = []
    counts: list[Count] = []
    for part in parts:
        mutants += run_part(part)
        for module in part.modules:
            own = [mutant for mutant in mutants if mutant.module == module]
            counts.append(count_mutants(part, module, own, listed))
    found = list(problems(mutants, listed))
    print(_HEAD, *counts, *found, sep="\n")
    return int(bool(found) or not all(count.is_sufficient for count in counts))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except MutationRunError as error:
        sys.exit(str(error))
