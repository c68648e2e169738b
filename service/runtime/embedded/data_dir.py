"""The data directory: whether it can be written, and what to do where it cannot.

check -> the folder exists, this user may write there, and there is some room
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

_ROOM_BYTES = 1 << 20  # what a first start needs, and some moves
_PROBE_NAME = "room"
_ELSEWHERE = "or set DATA_DIR to another folder"
_FILE = "it is a file, or a part of its path is one; set DATA_DIR to a folder"
_FORBIDDEN = f"this user may not write there; change the permissions {_ELSEWHERE}"
_READ_ONLY = f"its file system is read-only; mount it for writing {_ELSEWHERE}"
_FULL = f"there is no room left; free at least {_ROOM_BYTES >> 20} MiB {_ELSEWHERE}"
_PROBLEMS = {
    errno.ENOTDIR: _FILE,
    errno.EEXIST: _FILE,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: _READ_ONLY,
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
}


class DataDirError(Exception):
    """The data directory cannot be used."""

    def __init__(self, data_dir: Path, error: OSError) -> None:
        """Name the directory, the problem and what to do about it."""
        other = f"{os.strerror(error.errno or 0)}; set DATA_DIR to another folder"
        super().__init__(f"DATA_DIR is {data_dir}: {_PROBLEMS.get(error.errno or 0, other)}")


@contextlib.contextmanager
def naming(data_dir: Path) -> Iterator[None]:
    """Raise what goes wrong with files inside as `DataDirError` of this directory."""
    try:
        yield
    except OSError as error:
        raise DataDirError(data_dir, error) from error


def check_room(folder: Path) -> None:
    """Write 1 MiB into a folder and delete it again; raise `OSError` if that fails."""
    probe = folder / _PROBE_NAME
    try:
        with probe.open("wb") as file:
            file.write(bytes(_ROOM_BYTES))
            file.flush()
            os.fsync(file.fileno())
    finally:
        with contextlib.suppress(OSError):
            probe.unlink(missing_ok=True)
