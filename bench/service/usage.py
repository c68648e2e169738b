"""What processes use of the machine, read from /proc: CPU time and memory. Linux only."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_QUIET_SECONDS = 0.003
_MOST_SECONDS = 0.5


class NotLinuxError(Exception):
    """The kernel does not count what is measured here."""


def require_linux() -> None:
    """Raise NotLinuxError where /proc does not tell the CPU time of threads."""
    if not Path("/proc/self/schedstat").exists():
        raise NotLinuxError("the service is measured on Linux only: no /proc/self/schedstat")


def cpu_us(pids: Iterable[int]) -> float:
    """CPU µs of these processes since their start, once they are idle.

    The kernel counts nanoseconds, up to date for a thread that waits. Threads that have ended do
    not count.
    """
    members = tuple(pids)
    deadline = time.monotonic() + _MOST_SECONDS
    before, spent = -1, _cpu_ns(members)
    while spent != before and time.monotonic() < deadline:
        time.sleep(_QUIET_SECONDS)
        before, spent = spent, _cpu_ns(members)
    return spent / 1000


def _cpu_ns(pids: Iterable[int]) -> int:
    total = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):  # the thread has ended meanwhile
                total += int((task / "schedstat").read_text().split()[0])
    return total


def resident_bytes(pid: int) -> int:
    """The memory of a process that is in use now, shared pages included."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
    assert found, "a process that has ended has no memory"
    return int(found[1]) * 1024


def threads(pid: int) -> int:
    """How many threads a process has now."""
    return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())


def machine() -> str:
    """The processor of this machine, the number of its cores, and how busy they are."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    name = found[1].strip() if found else "unknown processor"
    return f"{os.cpu_count()} cores ({name}), load average {os.getloadavg()[0]:.1f} at the start"
