"""A copy of the embedded server's data, taken while the server may be writing.

    read the manifest -> copy the files that it names -> is it still the same? -> done, or again

The manifest names the files of the append-only log in their order. Of these only the last grows, at
its end; when the server rewrites the log, it writes other files, then another manifest, and only
then deletes the old files. So while the manifest stays the same, the files that it names are one
whole log, up to the moment at which the last was copied. A command that is cut there is dropped
when the log is read, and with it the commit that it belongs to.

Redis before 7 has one file, which a rewrite replaces.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

_MANIFEST = "appendonlydir/appendonly.aof.manifest"
_SINGLE = "appendonly.aof"
_NAMED = re.compile(rb"^file (\S+) seq \d+ type [bi]\b", re.MULTILINE)
_ATTEMPTS = 20
_MODE = 0o700


class BackupError(Exception):
    """The data cannot be copied."""


def back_up(data_dir: Path, target: Path) -> int:
    """Copy the data of a data directory, and return how many bytes they are.

    `target` must not exist; it is there once the copy is complete and on the disk, and is a data
    directory itself. Raises BackupError.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        folders = [found for found in sorted(data_dir.iterdir()) if _has_log(found)]
        if not folders:
            raise BackupError(f"there are no data in {data_dir}")
        if target.exists():
            raise BackupError(f"{target} exists")
        if part.exists():
            shutil.rmtree(part)
        part.mkdir(mode=_MODE, parents=True)
        size = sum(_copy_log(folder, part / folder.name) for folder in folders)
        _flush(part)
        part.rename(target)
        _flush_names(target.parent)
    except OSError as error:
        raise BackupError(f"{error.filename or target}: {error.strerror}") from error
    return size


def _has_log(folder: Path) -> bool:
    return (folder / _MANIFEST).exists() or (folder / _SINGLE).exists()


def _copy_log(source: Path, target: Path) -> int:
    """Copy one server's log, and return its size in bytes."""
    for _ in range(_ATTEMPTS):
        target.mkdir(mode=_MODE)
        manifest = _manifest(source)
        try:
            size = sum(_copy(source / name, target / name) for name in _names(manifest))
        except FileNotFoundError:
            size = None  # deleted after a rewrite
        if size is not None and _manifest(source) == manifest:
            if manifest is not None:
                _write(target / _MANIFEST, manifest)
            return size
        shutil.rmtree(target)
    raise BackupError(f"the log in {source} was rewritten {_ATTEMPTS} times while it was copied")


def _manifest(folder: Path) -> bytes | None:
    """What names the files of the log; None where it is a single one."""
    place = folder / _MANIFEST
    return place.read_bytes() if place.exists() else None


def _names(manifest: bytes | None) -> Iterator[str]:
    """The files of a log, the one that grows last."""
    if manifest is None:
        yield _SINGLE
        return
    for name in _NAMED.findall(manifest):
        yield f"{Path(_MANIFEST).parent}/{os.fsdecode(name)}"


def _copy(source: Path, target: Path) -> int:
    target.parent.mkdir(mode=_MODE, exist_ok=True)
    shutil.copy2(source, target)
    with target.open("rb") as file:
        os.fsync(file.fileno())
    return target.stat().st_size


def _write(place: Path, content: bytes) -> None:
    with place.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush(folder: Path) -> None:
    """Have a folder and all folders in it on the disk."""
    for place, _, _ in os.walk(folder):
        _flush_names(Path(place))


def _flush_names(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
