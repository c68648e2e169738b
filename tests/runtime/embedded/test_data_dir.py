"""The data directory: every way in which it cannot be used, by name."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.runtime.embedded import data_dir
from service.runtime.embedded.data_dir import DataDirError
from service.runtime.embedded.embedded_server import EmbeddedServer

_NOBODY = 65_534


@pytest.fixture
def nobody() -> Iterator[None]:
    """Be a user without rights, if this is one with all of them."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(_NOBODY)
    yield
    os.seteuid(user)


def lock(folder: Path) -> None:
    server = EmbeddedServer(folder)
    server.lock()
    server.close()


def test_a_folder_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    data_dir.check_room(tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("below", ["", "data"])
def test_a_file_in_its_place_is_named(tmp_path: Path, below: str) -> None:
    place = tmp_path / "file"
    place.touch()

    with pytest.raises(DataDirError, match=r"DATA_DIR is .*/file.*: it is a file"):
        lock(place / below)


@pytest.mark.usefixtures("nobody")
def test_a_folder_of_another_user_is_named() -> None:
    with pytest.raises(DataDirError, match="this user may not write there; change the perm"):
        lock(Path("/data of another user"))


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EROFS, "its file system is read-only; mount it for writing or set DATA_DIR"),
        (errno.ENOSPC, "there is no room left; free at least 1 MiB or set DATA_DIR"),
        (errno.EDQUOT, "there is no room left; free at least 1 MiB or set DATA_DIR"),
        (errno.EIO, "Input/output error; set DATA_DIR to another folder"),
    ],
)
def test_a_disk_that_takes_nothing_is_named_and_the_lock_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def fail(_folder: Path) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr("service.runtime.embedded.embedded_server.check_room", fail)
        with pytest.raises(DataDirError, match=words):
            lock(tmp_path)

    lock(tmp_path)


def test_a_probe_that_fails_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", fail)

    with pytest.raises(OSError, match="full"):
        data_dir.check_room(tmp_path)

    assert list(tmp_path.iterdir()) == []
