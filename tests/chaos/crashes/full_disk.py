"""A full disk loses no acknowledged move, and once there is room the service goes on by itself.

The real service with its embedded server and the strictest flush, under clients that play. The
disk is filled in one of two ways:

- `FileLimit`: the server, and every one that is started after it, may write no file longer than
  its append-only file is then (the kernel answers `EFBIG`); works for any user;
- `SmallDisk`: the data lie on a file system of 6 MB of their own, which is filled; needs root.

While it is full, the process answers `/healthz`, a write is 503 with `Retry-After`, reads go on.
"""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol, Self

import requests

from service.runtime.embedded.server_program import bundled_path
from tests.chaos.crashes.background_play import playing
from tests.chaos.traffic.history import History
from tests.chaos.trial import Outcome, Trial
from tests.system.launch import Launch, create_game

_MOVES_BEFORE, _MOVES_AFTER = 20, 20
_REPEAT_SECONDS = 120.0
_POLL_SECONDS = 0.05
_LEAST_READS = 0.5  # of all reads; the server is away only for its start

_LIMITING_PROGRAM = """#!/bin/sh
trap '' XFSZ  # so that a write fails and the signal ends nobody
if [ -e {limit} ]; then ulimit -S -f "$(cat {limit})"; fi
exec {program} "$@"
"""
_BLOCK_BYTES = 512  # of `ulimit -f`


class Disk(Protocol):
    """A disk that can be filled."""

    settings: dict[str, str]

    def fill(self, service: Launch) -> None:
        """Leave no room for another move."""

    def free(self, service: Launch) -> None:
        """Make room."""


class FileLimit:
    """A limit of the length of a file, for the embedded server alone."""

    def __init__(self, folder: Path) -> None:
        self._limit = folder / "limit"
        program = folder / "valkey-server"
        program.write_text(_LIMITING_PROGRAM.format(limit=self._limit, program=bundled_path()))
        program.chmod(0o700)
        self.settings = {"REDIS_SERVER": str(program)}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def fill(self, service: Launch) -> None:
        """Limit the running server, and those to come."""
        self.limit(service.data_dir, _servers(service))

    def free(self, service: Launch) -> None:
        """Lift the limit."""
        self._limit.unlink()
        set_limit(_servers(service), resource.RLIM_INFINITY)

    def limit(self, data_dir: Path, servers: Iterable[int]) -> None:
        """Allow no file longer than the append-only file is now."""
        (file,) = data_dir.glob("*/appendonlydir/*.incr.aof")
        length = file.stat().st_size
        new = self._limit.with_suffix(".new")
        new.write_text(str(length // _BLOCK_BYTES))
        new.rename(self._limit)
        set_limit(servers, length)


def _servers(service: Launch) -> list[int]:
    return [each.pid for each in service.family() if "valkey-server" in each.command]


def set_limit(servers: Iterable[int], length: int) -> None:
    """Limit the length of the files that these processes write."""
    for pid in servers:
        with contextlib.suppress(ProcessLookupError):
            _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (length, hard))


class MountError(Exception):
    """This user may not mount a file system."""


class SmallDisk:
    """A file system of 6 MB in memory, mounted where the data lie."""

    def __init__(self, folder: Path) -> None:
        self._place = folder / "data"
        self._place.mkdir()
        self.settings: dict[str, str] = {}

    def __enter__(self) -> Self:
        command = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(self._place)]
        mounted = subprocess.run(command, check=False, capture_output=True, text=True)
        if mounted.returncode:
            raise MountError(mounted.stderr.strip())
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", str(self._place)], check=True)

    def fill(self, _service: Launch) -> None:
        """Write a file that takes all the room there is."""
        fill = os.open(self._place / "fill", os.O_WRONLY | os.O_CREAT)
        with contextlib.suppress(OSError):
            while os.write(fill, bytes(4096)):
                pass
        os.close(fill)

    def free(self, _service: Launch) -> None:
        """Delete that file."""
        (self._place / "fill").unlink()


def run(
    disk_kind: type[FileLimit | SmallDisk] = FileLimit,
    seconds: float = 60,
    clients: int = 4,
    seed: int = 1,
) -> Outcome:
    """Fill the disk for so many seconds during play, then make room and play on."""
    history = History()
    with (
        tempfile.TemporaryDirectory() as folder,
        disk_kind(Path(folder)) as disk,
        Launch(Path(folder), LOG_LEVEL="CRITICAL", WORKERS="2", **disk.settings) as service,
    ):
        watch = Watch(service.url())
        name = f"full disk {seed}"
        with playing(service.url(), history, name, clients, _REPEAT_SECONDS) as games:
            games.wait_for_moves(_MOVES_BEFORE)
            disk.fill(service)
            watch.look(seconds)
            disk.free(service)
            freed = time.monotonic()
            made = games.wait_for_moves(_MOVES_AFTER)
            took = time.monotonic() - freed
        violations = [*watch.violations(), *history.violations()]
        if made < _MOVES_AFTER:
            violations.append(f"only {made} moves in {took:.0f} s with room")
        if service.process.poll() is not None:
            violations.append(f"the service ended: {service.output[-500:]}")
        starts = service.output.count("it is started again")
    done = (
        f"{seconds:.0f} s full, {history.moves} moves acknowledged, {starts} starts of the store;"
        f" {watch.seen}; {took:.1f} s until {_MOVES_AFTER} moves were made again"
    )
    return Outcome(done, [f"seed {seed}: {each}" for each in violations])


class Watch:
    """Looks at a service whose disk is full: its process, a read and a write."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._game = create_game(url)
        self._answers: Counter[str] = Counter()
        self._violations: list[str] = []

    @property
    def seen(self) -> str:
        """What was answered, in numbers."""
        counts = (f"{count} {what}" for what, count in sorted(self._answers.items()))
        return "answers: " + ", ".join(counts)

    def look(self, seconds: float) -> None:
        """Ask again and again for so long."""
        asks = (self._ask_process, self._ask_read, self._ask_write)
        end = time.monotonic() + seconds
        with ThreadPoolExecutor(len(asks)) as pool:
            for each in [pool.submit(_repeat, ask, end) for ask in asks]:
                each.result()

    def violations(self) -> Iterator[str]:
        """What was otherwise than promised."""
        yield from self._violations
        read, unread = self._answers["reads 200"], self._answers["reads 503"]
        if read < _LEAST_READS * (read + unread):
            yield f"{unread} of {read + unread} reads were refused"
        if not self._answers["writes 503"]:
            yield "no write was refused: the disk was not full"

    def _ask_process(self) -> None:
        answer = requests.get(f"{self._url}/healthz", timeout=10)
        if answer.status_code != 200:
            self._violations.append(f"/healthz was answered {answer.status_code}")

    def _ask_read(self) -> None:
        self._note("reads", requests.get(self._game, timeout=10))

    def _ask_write(self) -> None:
        self._note("writes", requests.post(f"{self._url}/v1/games", timeout=10))

    def _note(self, what: str, answer: requests.Response) -> None:
        self._answers[f"{what} {answer.status_code}"] += 1
        if answer.status_code == 503 and "Retry-After" not in answer.headers:
            self._violations.append(f"{what}: 503 without Retry-After")
        elif answer.status_code not in (200, 201, 503):
            self._violations.append(f"{what} were answered {answer.status_code} {answer.text}")


def _repeat(ask: Callable[[], None], end: float) -> None:
    while time.monotonic() < end:
        ask()
        time.sleep(_POLL_SECONDS)


def on_a_small_disk(seconds: float = 60) -> Outcome:
    """The same on a file system of its own, where this user may mount one."""
    try:
        return run(SmallDisk, seconds)
    except MountError as error:
        return Outcome(f"not tried, for nothing can be mounted: {error}")


TRIALS = (
    Trial(
        "a full disk loses no acknowledged move; reads go on, and with room so do the games",
        "the store may write no longer file for 60 s during play, then it may again",
        run,
    ),
    Trial(
        "the same on a small file system",
        "a file system of 6 MB filled for 60 s during play, then freed (needs root)",
        on_a_small_disk,
    ),
)
