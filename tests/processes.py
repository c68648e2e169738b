"""The process table for tests: descendants of a process, and whether processes have ended."""

import os
import signal
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """One process of the process table."""

    pid: int
    parent: int
    state: str
    command: str


def all_processes() -> list[Process]:
    """List all processes, zombies included."""
    if Path("/proc/self/stat").exists():
        return [found for entry in Path("/proc").glob("[0-9]*") if (found := _read(entry))]
    lines = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,stat=,command="], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    words = [line.split(maxsplit=3) for line in lines]
    return [Process(int(pid), int(parent), state, *rest) for pid, parent, state, *rest in words]


def _read(entry: Path) -> Process | None:
    try:
        _, _, fields = (entry / "stat").read_text().rpartition(") ")
        command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:  # the process has ended meanwhile
        return None
    state, parent, *_ = fields.split()
    return Process(int(entry.name), int(parent), state, command)


def family(pid: int) -> list[Process]:
    """List a process and all its descendants, parents before children."""
    everyone = all_processes()
    members = [process for process in everyone if process.pid == pid]
    for member in members:  # grows as it goes
        members += [process for process in everyone if process.parent == member.pid]
    return members


def living(pids: Iterable[int]) -> set[int]:
    """Return the processes that run; a zombie does not."""
    return {process.pid for process in all_processes() if process.state[0] != "Z"} & set(pids)


def kill_all(pids: Iterable[int]) -> None:
    """Send SIGKILL to each of these processes."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def left_after(pids: Iterable[int], seconds: float) -> set[int]:
    """Wait until these processes have ended; return those that still run after `seconds`."""
    deadline = time.monotonic() + seconds
    while (left := living(pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def suspend(pid: int) -> None:
    """Stop a process with SIGSTOP, and wait until every thread of it stands still; Linux only.

    Before that a thread may still take another signal, which then waits for the process no more.
    """
    os.kill(pid, signal.SIGSTOP)
    tasks = Path(f"/proc/{pid}/task")
    while any(_state(task) != "T" for task in tasks.iterdir()):
        time.sleep(0.005)


def _state(entry: Path) -> str:
    """The state of a process or a thread, as one letter."""
    return (entry / "stat").read_text().rpartition(") ")[2][0]


def has_pending(pid: int, number: signal.Signals) -> bool:
    """Whether a signal waits for a process, which is stopped; Linux only."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    masks = [
        line.split()[1] for line in status.splitlines() if line.startswith(("SigPnd", "ShdPnd"))
    ]
    return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)
