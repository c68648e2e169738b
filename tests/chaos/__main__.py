"""`make chaos`: every promise, how often it was tried, and how often it broke.

python -m tests.chaos [NAME ...]    only the proofs of the named modules of this folder
"""

from __future__ import annotations

import importlib
import sys
import time

from tests.chaos.trial import Proof

MODULES = (
    "crashes.worker_kills",
    "crashes.seeded_faults",
    "crashes.lost_answers",
    "crashes.power_cuts",
    "crashes.full_disk",
    "crashes.store_kills",
    "crashes.stops",
    "crashes.failover",
    "crashes.store_failures",
    "clients.connections",
    "access.noninterference",
    "access.callers",
    "traffic.keys",
    "traffic.joins",
    "access.secret_scan",
    "clients.hostile",
    "simulation.faulty_players",
    "simulation.simulation",
)
_SHOWN = 5


def main(names: list[str]) -> int:
    unknown = set(names) - set(MODULES)
    if unknown:
        print(f"no such proofs: {', '.join(sorted(unknown))}; there are {', '.join(MODULES)}")
        return 2
    proofs = [
        proof
        for name in names or MODULES
        for proof in importlib.import_module(f"tests.chaos.{name}").PROOFS
    ]
    print("| promise | test | done | breaches | s |\n| --- | --- | --- | --- | --- |")
    broke = [_broke(proof) for proof in proofs]
    return int(any(broke))


def _broke(proof: Proof) -> bool:
    begun = time.monotonic()
    outcome = proof.run()
    seconds = time.monotonic() - begun
    count = len(outcome.breaches)
    cells = (proof.promise, proof.test, outcome.done, str(count), f"{seconds:.0f}")
    print(f"| {' | '.join(cells)} |", flush=True)
    for breach in outcome.breaches[:_SHOWN]:
        print(f"  breach: {breach}", file=sys.stderr, flush=True)
    return bool(outcome.breaches)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
