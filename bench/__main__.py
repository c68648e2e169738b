"""Every benchmark: the service beside its floor, then the solver beside its peers.

    python -m bench                            everything; docs/performance.md gets the figures
    python -m bench operations storage         these parts only, into their places on the page
    python -m bench --quick                    short batches, and nothing is written

Exits with 1 if an answer of the solver is wrong. A goal that is missed is shown as such.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.peers import MissingPeerError, peer
from bench.service import charts, page
from bench.service.clients import UnexpectedAnswerError
from bench.service.run import PARTS, Run, run
from bench.service.servers import StartError
from bench.service.size import FULL, QUICK, Size
from bench.service.usage import NotLinuxError
from bench.solver import __main__ as solver

PAGE = Path("docs/performance.md")
SOLVER = "solver"
_ERRORS = (
    MissingPeerError,
    NotLinuxError,
    StartError,
    UnexpectedAnswerError,
    page.PageError,
)


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The options; exits with a message where they make no sense."""
    parser = argparse.ArgumentParser("python -m bench", description="The speed of everything.")
    add = parser.add_argument
    names = (*PARTS, SOLVER)
    add("parts", nargs="*", metavar="PART", help=f"all of them if not set: {', '.join(names)}")
    add("--quick", action="store_true", help="short batches; nothing is written")
    add("--batches", type=int, help="batches of each figure")
    add("--requests", type=int, help="requests of a batch")
    add("--page", type=Path, help=f"where the tables are written; {PAGE} if not set")
    add("--processes", type=int, default=2, help="for the solver's comparisons")
    add("--json", action="store_true", help="print one JSON object for the service, then one more")
    options = parser.parse_args(words)
    unknown = sorted(set(options.parts) - set(names))
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; the parts are {', '.join(names)}")
    return options


def size_of(options: argparse.Namespace) -> Size:
    """The amounts that the options ask for."""
    size = QUICK if options.quick else FULL
    batches, requests = options.batches or size.batches, options.requests or size.requests
    return replace(size, batches=batches, requests=requests)


def measure_service(options: argparse.Namespace, parts: Sequence[str]) -> None:
    """Measure these parts, print their tables, and write them into the page."""
    written = options.page or (None if options.quick else PAGE)
    if written is not None:
        peer("matplotlib")  # before a long run, not after it
    measured = run(parts, size_of(options), silent=options.json)
    if options.json:
        print(json.dumps(measured.record()))
    else:
        tables = [result.table().text() for result in measured.results.values()]
        print("\n\n".join([measured.origin, *tables]))
    if written is not None:
        write(measured, written)


def write(measured: Run, path: Path) -> None:
    """Put the tables of a run into a page, and its charts into the folder of the page's name."""
    tables = {name: result.table().markdown() for name, result in measured.results.items()}
    page.write(path, {name: f"{table}\n\n{measured.origin}" for name, table in tables.items()})
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for name, result in measured.results.items():
        if chart := result.chart():
            charts.draw(chart, folder / f"{name}.svg")


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where an answer of the solver is wrong."""
    options = arguments(words)
    chosen = options.parts or (*PARTS, SOLVER)
    parts = [name for name in PARTS if name in chosen]
    if parts:
        measure_service(options, parts)
    if SOLVER not in chosen:
        return 0
    print()
    flags = [flag for flag in ("quick", "json") if getattr(options, flag)]
    return solver.main([*(f"--{flag}" for flag in flags), "--processes", str(options.processes)])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except _ERRORS as error:
        sys.exit(str(error))
