"""What a worker costs beside its requests: memory, and the import of the application."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, dataclass

from bench.progress import Progress
from bench.service.batches import Spread
from bench.service.clients import Clients
from bench.service.games import create, play
from bench.service.servers import Setup
from bench.service.size import Size
from bench.service.usage import resident_bytes
from bench.tables import Table, verdict

MEMORY_GOAL = 90
IMPORT_GOAL = 0.6
_MEGABYTE = 1_000_000
_IMPORT = """
from time import perf_counter, process_time
began, spent = perf_counter(), process_time()
import service.wsgi
print(perf_counter() - began, process_time() - spent)
"""


@dataclass(frozen=True, slots=True)
class Process:
    """MB of a worker; seconds of the import, and CPU seconds."""

    memory: float
    wall: Spread
    cpu: Spread

    def table(self) -> Table:
        """A row for each figure."""
        memory, seconds = f"< {MEMORY_GOAL} MB", f"< {IMPORT_GOAL} s"
        rows = (
            (
                "memory of a worker",
                f"{self.memory:.1f} MB",
                memory,
                verdict(self.memory < MEMORY_GOAL),
            ),
            (
                "import of the application, CPU time",
                f"{self.cpu.text('.2f')} s",
                seconds,
                verdict(self.cpu.median < IMPORT_GOAL),
            ),
            ("the same, elapsed", f"{self.wall.text('.2f')} s", "", ""),
        )
        notes = (
            "Memory: resident, with shared pages, after whole games and the parts before.",
            "The import makes the application, too.",
        )
        return Table("A worker", ("what", "measured", "goal", ""), rows, notes)

    def chart(self) -> None:
        """None."""

    def record(self) -> object:
        """The figures as JSON holds them."""
        return asdict(self)


def measure(setup: Setup, size: Size, silent: bool) -> Process:
    """Play whole games for the memory, and import the application anew."""
    progress = Progress("worker", size.whole_games + size.starts, silent)
    with Clients(setup.product.address, size.clients) as clients:
        games = create(clients, size.whole_games)
        play(clients, games, lambda game: game.is_over, progress)
    (worker,) = setup.product.workers
    memory = resident_bytes(worker) / _MEGABYTE
    times = []
    for _ in range(size.starts):
        times.append(_import_times())
        progress.step()
    wall, cpu = zip(*times, strict=True)
    return Process(memory, Spread.of(wall), Spread.of(cpu))


def _import_times() -> tuple[float, float]:
    """Seconds and CPU seconds of the import in a fresh process."""
    command = [sys.executable, "-c", _IMPORT]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    wall, cpu = map(float, printed.split())
    return wall, cpu
