"""The lock on a data directory: who holds it, who waits for it and who is refused."""

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from service.runtime.embedded.data_lock import DataInUseError, DataLock
from service.runtime.embedded.embedded_server import EmbeddedServer


def test_a_second_server_on_the_same_data_is_refused_and_names_the_first(tmp_path: Path) -> None:
    first, second = EmbeddedServer(tmp_path), EmbeddedServer(tmp_path)
    first.lock()

    with pytest.raises(DataInUseError, match=f"in use by process {os.getpid()};") as refused:
        second.lock()

    assert refused.value.holder == os.getpid()
    first.close()
    second.lock()
    second.close()


def test_a_lock_that_a_dead_process_left_to_its_server_is_waited_for(tmp_path: Path) -> None:
    left = _locked_by_nobody(tmp_path)
    threading.Timer(0.2, os.close, [left]).start()
    lock = DataLock(tmp_path)

    lock.acquire(timeout_seconds=10)

    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    lock.release()


def test_a_lock_that_nobody_frees_is_refused_in_the_end(tmp_path: Path) -> None:
    left = _locked_by_nobody(tmp_path)

    with pytest.raises(DataInUseError, match="in use by"):
        DataLock(tmp_path).acquire(timeout_seconds=0.1)

    os.close(left)


def test_a_lock_without_a_readable_holder_is_refused_in_the_end(tmp_path: Path) -> None:
    left = _locked_by_nobody(tmp_path)
    (tmp_path / "lock").write_text("?")

    with pytest.raises(DataInUseError, match="in use by another process;"):
        DataLock(tmp_path).acquire(timeout_seconds=0.1)

    os.close(left)


def test_a_holder_that_belongs_to_another_user_counts_as_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_process: int, _signal: int) -> None:
        raise PermissionError

    left = _locked_by_nobody(tmp_path)
    monkeypatch.setattr(os, "kill", refuse)

    with pytest.raises(DataInUseError, match=r"in use by process \d+;"):
        DataLock(tmp_path).acquire(timeout_seconds=60)

    os.close(left)


def test_a_lock_that_is_not_taken_has_no_descriptor(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="not taken"):
        DataLock(tmp_path).fileno()


def _locked_by_nobody(folder: Path) -> int:
    """Lock the folder in the name of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT)
    os.write(lock, f"{ended.pid}\n".encode())
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock
