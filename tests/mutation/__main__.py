"""Mutation testing: break the code in every small way, and see that a test fails.

    python -m tests.mutation [view|round|store|transactions …]

mutmut makes the mutants and runs the tests of each. A mutant that no test can kill, since it does
what the code does, is listed in `equivalent.toml` with the reason. The answer is one table; it is
a failure if a module has too few mutants killed, or if the list names a mutant that does not
exist or was killed.
"""

from __future__ import annotations

import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.workplace import FailedRunError, Fate, Mutant, tried_mutants

_LIST = Path(__file__).with_name("equivalent.toml")
_DEAD = (Fate.KILLED, Fate.LATE)


@dataclass(frozen=True)
class Part:
    """Modules and the tests that have to kill their mutants, `floor` % of those not equivalent."""

    name: str
    floor: int
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
        ("service/store/game_store.py", "service/store/retry.py"),
        (
            "tests/store/test_retry.py",
            "tests/store/test_game_store.py",
            "tests/store/test_commands.py",
        ),
    ),
    Part(
        "transactions",
        90,
        ("service/games/transactions.py", "service/games/repository.py"),
        ("tests/games/test_transactions.py", "tests/games/test_repository.py"),
    ),
)


@dataclass(frozen=True)
class Equivalent:
    """A change that is none, and why."""

    module: str
    function: str
    before: str
    after: str
    why: str

    def is_of(self, mutant: Mutant) -> bool:
        """Whether it is this mutant."""
        return (self.module, self.function, self.before, self.after) == (
            mutant.module,
            mutant.function,
            mutant.before,
            mutant.after,
        )


@dataclass(frozen=True)
class Count:
    """A line of the table: what became of the mutants of a module."""

    module: str
    floor: int
    mutants: int
    killed: int
    equivalent: int

    @property
    def survived(self) -> int:
        """Those that a test should have killed."""
        return self.mutants - self.killed - self.equivalent

    @property
    def share(self) -> float:
        """The killed ones in % of those that are not equivalent."""
        return 100 * self.killed / (self.mutants - self.equivalent)

    @property
    def is_enough(self) -> bool:
        """Whether the floor is reached."""
        return self.share >= self.floor

    def __str__(self) -> str:
        numbers = (self.mutants, self.killed, self.equivalent, self.survived)
        cells = "".join(f"{number:>11}" for number in numbers)
        return f"{self.module:<26}{cells}{self.share:>8.1f}{self.floor:>7}"


_COLUMNS = ("mutants", "killed", "equivalent", "survived")
_HEAD = f"{'module':<26}{''.join(f'{name:>11}' for name in _COLUMNS)}{'%':>8}{'floor':>7}"


def counted(part: Part, module: str, mutants: list[Mutant], listed: list[Equivalent]) -> Count:
    """What became of the mutants of a module; those that lived and are not excused are printed."""
    lived = [mutant for mutant in mutants if mutant.fate not in _DEAD]
    excused = [mutant for mutant in lived if any(each.is_of(mutant) for each in listed)]
    for mutant in lived:
        if mutant not in excused:
            print(mutant)
    return Count(module, part.floor, len(mutants), len(mutants) - len(lived), len(excused))


def complaints(mutants: list[Mutant], listed: list[Equivalent]) -> Iterator[str]:
    """What is wrong with the list of equivalent mutants, or with the run."""
    for each in listed:
        found = [mutant for mutant in mutants if each.is_of(mutant)]
        if len(found) != 1:
            yield f"{_LIST.name} names a mutant that is there {len(found)} times: {each}"
        for mutant in found:
            if mutant.fate in _DEAD:
                yield f"{_LIST.name} names a mutant that was killed: {mutant}"
    for mutant in mutants:
        if mutant.fate is Fate.UNSETTLED:
            yield f"a mutant was not tried to the end: {mutant}"


def main(names: list[str]) -> int:
    """Try the mutants of the named parts, or of all; 1 if too many live."""
    unknown = set(names) - {part.name for part in PARTS}
    if unknown:
        raise FailedRunError(f"there is no part {' '.join(sorted(unknown))}")
    parts = [part for part in PARTS if not names or part.name in names]
    listed = [Equivalent(**each) for each in tomllib.loads(_LIST.read_text())["equivalent"]]
    tried: list[Mutant] = []
    counts: list[Count] = []
    for part in parts:
        print(f"{part.name}: the mutants of {' and '.join(part.modules)}", flush=True)
        begun = time.monotonic()
        mutants = tried_mutants(part.name, part.modules, part.tests)
        seconds = time.monotonic() - begun
        print(f"{part.name}: {len(mutants)} mutants in {seconds:.0f} s", flush=True)
        for module in part.modules:
            own = [mutant for mutant in mutants if mutant.module == module]
            counts.append(counted(part, module, own, listed))
        tried += mutants
    other = {module for part in PARTS if part not in parts for module in part.modules}
    wrong = list(complaints(tried, [each for each in listed if each.module not in other]))
    print(_HEAD, *counts, *wrong, sep="\n")
    return int(bool(wrong) or not all(count.is_enough for count in counts))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except FailedRunError as error:
        sys.exit(str(error))
