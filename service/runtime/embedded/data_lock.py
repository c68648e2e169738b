"""The lock on a data directory: one server at a time writes there.

The lock is a `flock` on an open file. The server process inherits that file, so the lock
lasts until the last writer is gone, also when the process that took it was killed first.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path

_TIMEOUT_SECONDS = 10.0
_POLL_SECONDS = 0.05


class DataInUseError(Exception):
    """Another process writes to this directory."""

    def __init__(self, data_dir: Path, holder: int | None) -> None:
        """Keep the directory and the holder's process id, if that is known."""
        who = "another process" if holder is None else f"process {holder}"
        super().__init__(
            f"the data in {data_dir} is in use by {who}; stop it or set DATA_DIR to another folder"
        )
        self.data_dir = data_dir
        self.holder = holder


class DataLock:
    """An exclusive lock on one data directory, which is created if need be."""

    def __init__(self, data_dir: Path) -> None:
        """Name the directory; nothing is touched before `acquire`."""
        self._data_dir = data_dir
        self._file: int | None = None

    def acquire(self, timeout_seconds: float = _TIMEOUT_SECONDS) -> None:
        """Take the lock or raise `DataInUseError`; wait only for what a dead holder left behind."""
        self._data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._data_dir / "lock"
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + timeout_seconds
        while not self._try():
            holder = _holder(path)
            alive = holder is not None and _is_alive(holder)
            if alive or time.monotonic() > deadline:
                self.release()
                raise DataInUseError(self._data_dir, holder)
            time.sleep(_POLL_SECONDS)
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Release the lock; it stays taken while a process that inherited it lives."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def fileno(self) -> int:
        """Give the descriptor of the taken lock, for a child to inherit."""
        if self._file is None:
            raise RuntimeError("the lock is not taken")
        return self._file

    def _try(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(self.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False


def _holder(path: Path) -> int | None:
    text = path.read_text(encoding="ascii", errors="replace").strip()
    return int(text) if text.isascii() and text.isdigit() else None


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it exists, but is not ours
        return True
    return True
