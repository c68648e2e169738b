"""`make chaos`: run the trials and print one table, with a promise in each row.

python -m tests.chaos [NAME ...]    only the trials of these modules, such as `worker_kills`
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Sequence

from tests.chaos.trial import Trial

MODULES = {
    "worker_kills": "crashes",
    "seeded_faults": "store",
    "lost_answers": "crashes",
    "power_cuts": "crashes",
    "full_disk": "crashes",
    "store_kills": "store",
    "stops": "crashes",
    "restarts": "upgrades",
    "rolling_upgrades": "upgrades",
    "first_release": "upgrades",
    "watched_games": "watching",
    "watched_stops": "watching",
    "failover": "store",
    "watched_failovers": "watching",
    "store_failures": "store",
    "connections": "clients",
    "noninterference": "access",
    "callers": "access",
    "keys": "traffic",
    "joins": "traffic",
    "flood": "traffic",
    "secret_scan": "access",
    "outputs_scan": "access",
    "hostile": "clients",
    "faulty_players": "simulation",
    "simulation": "simulation",
    "backup": "endurance",
    "soak": "endurance",
}
"""The folder of each module that has trials, in the order in which they run."""
_PRINTED_VIOLATIONS = 5


def trials_of(name: str) -> Sequence[Trial]:
    """The trials of one module."""
    module = importlib.import_module(f"tests.chaos.{MODULES[name]}.{name}")
    trials: Sequence[Trial] = module.TRIALS
    return trials


def main(names: list[str]) -> int:
    unknown = sorted(set(names) - set(MODULES))
    if unknown:
        print(f"unknown module: {', '.join(unknown)}; the modules are {', '.join(MODULES)}")
        return 2
    trials = [trial for name in names or MODULES for trial in trials_of(name)]
    print("| promise | method | tried | violations | s |\n| --- | --- | --- | --- | --- |")
    failed = [_run(trial) for trial in trials]
    return int(any(failed))


def _run(trial: Trial) -> bool:
    """Run a trial and print its row; return whether it saw a violation."""
    started = time.monotonic()
    outcome = trial.run()
    seconds = time.monotonic() - started
    count = len(outcome.violations)
    cells = (trial.promise, trial.method, outcome.summary, str(count), f"{seconds:.0f}")
    print(f"| {' | '.join(cells)} |", flush=True)
    for violation in outcome.violations[:_PRINTED_VIOLATIONS]:
        print(f"  violation: {violation}", file=sys.stderr, flush=True)
    return bool(outcome.violations)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
