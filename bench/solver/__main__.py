"""The solver's figures beside its peers, in one run: exactness, speed, the worst hands.

    python -m bench.solver [--quick] [--json]

The peers are OpenSpiel's C++ deadwood of gin rummy, for single-deck hands without wilds, and
OR-tools CP-SAT as an exact reference for everything. Times are CPU times; sides that are compared
take turns. Exits with 1 if any answer is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain

import engine
from bench.peers import MissingPeerError, peer
from bench.rows import Row, table
from bench.solver import agreement, speed, worst
from bench.solver.forms import SourceForm

QUICK_SHARE = 10
PEERS = ("pyspiel", "ortools.sat.python.cp_model")


def rows(share: int, processes: int) -> Iterator[Row]:
    """Every row, as it is measured."""
    with SourceForm() as source:
        yield from chain(
            speed.rows(source, engine.form, share),
            worst.rows(source, engine.form, share),
            agreement.rows(source, share, processes),
        )


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser("python -m bench.solver", description="The solver's figures.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(words)
    for module in PEERS:
        peer(module)
    measured = []
    for row in rows(QUICK_SHARE if options.quick else 1, options.processes):
        measured.append(row)
        print(f"{row.what}: {row.figure}", file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps({"form": engine.form, "rows": [asdict(row) for row in measured]}))
    else:
        print(table(measured))
        if engine.form != "compiled":
            print("\nThe compiled form is not there: `make run` builds it where a compiler is.")
    return int(any(row.must and not row.met for row in measured))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MissingPeerError as error:
        sys.exit(str(error))
