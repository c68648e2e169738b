"""A copy of the data is a whole log, whatever the server does meanwhile."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import redis

from service.runtime.embedded import backup
from service.runtime.embedded.backup import BackupError, back_up
from service.runtime.embedded.embedded_server import EmbeddedServer
from tests.nodes import wait_for

LOG = "valkey-9.1/appendonlydir"


def written(folder: Path, manifest: str, *files: str) -> Path:
    """A log of these files, and of a manifest."""
    log = folder / LOG
    log.mkdir(parents=True, exist_ok=True)
    for name in files:
        (log / name).write_text(f"content of {name}")
    (log / "appendonly.aof.manifest").write_text(manifest)
    return log


OLD = "file a seq 1 type b\nfile b seq 1 type i\n"
NEW = "file c seq 2 type b\nfile d seq 2 type i\nfile a seq 1 type h\n"


def test_what_was_written_is_in_the_copy_of_a_server_that_writes_on(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path / "data") as server, closing(redis.from_url(server.url)) as client:
        client.set("before", "1")
        assert back_up(tmp_path / "data", tmp_path / "copy") > 0
        client.set("after", "1")
        client.bgrewriteaof()
        wait_for(lambda: not client.info("persistence")["aof_rewrite_in_progress"], "a new log")
        back_up(tmp_path / "data", tmp_path / "later")
    for name, keys in (("copy", {b"before"}), ("later", {b"before", b"after"})):
        with (
            EmbeddedServer(tmp_path / name) as copied,
            closing(redis.from_url(copied.url)) as client,
        ):
            assert set(client.scan_iter()) == keys


def test_only_what_the_manifest_names_is_copied(tmp_path: Path) -> None:
    written(tmp_path / "data", NEW, "a", "c", "d", "temporary")
    back_up(tmp_path / "data", tmp_path / "copy")
    found = {each.name for each in (tmp_path / "copy" / LOG).iterdir()}
    assert found == {"c", "d", "appendonly.aof.manifest"}


def test_a_log_that_is_rewritten_meanwhile_is_copied_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written(tmp_path / "data", OLD, "a", "b")
    copy = backup._copy
    copied = []

    def copy_and_rewrite(source: Path, target: Path) -> int:
        copied.append(source.name)
        size = copy(source, target)
        if source.name == "a":
            written(tmp_path / "data", NEW, "c", "d")
            (log / "b").unlink()
        return size

    monkeypatch.setattr(backup, "_copy", copy_and_rewrite)
    back_up(tmp_path / "data", tmp_path / "copy")
    assert copied == ["a", "b", "c", "d"]
    assert (tmp_path / "copy" / LOG / "appendonly.aof.manifest").read_text() == NEW
    assert not (tmp_path / "copy" / LOG / "a").exists()


def test_the_single_file_of_an_older_server_is_copied(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "redis-6.2"
    folder.mkdir(parents=True)
    (folder / "appendonly.aof").write_text("log")
    assert back_up(tmp_path / "data", tmp_path / "copy") == 3
    assert (tmp_path / "copy/redis-6.2/appendonly.aof").read_text() == "log"


def test_what_was_left_of_a_broken_copy_is_no_hindrance(tmp_path: Path) -> None:
    written(tmp_path / "data", OLD, "a", "b")
    (tmp_path / "copy.part").mkdir()
    (tmp_path / "copy.part" / "half").write_text("")
    back_up(tmp_path / "data", tmp_path / "copy")
    assert [each.name for each in (tmp_path / "copy").iterdir()] == ["valkey-9.1"]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    written(tmp_path / "data", OLD, "a", "b")
    (tmp_path / "copy").mkdir()
    with pytest.raises(BackupError, match="copy exists"):
        back_up(tmp_path / "data", tmp_path / "copy")


@pytest.mark.parametrize("made", [True, False])
def test_a_folder_without_data_is_named(tmp_path: Path, made: bool) -> None:
    if made:
        (tmp_path / "data").mkdir()
    with pytest.raises(BackupError, match="data"):
        back_up(tmp_path / "data", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_log_that_never_rests_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written(tmp_path / "data", OLD, "a", "b")
    numbers = iter(range(1_000))
    monkeypatch.setattr(
        backup,
        "_copy",
        lambda *_: (log / "appendonly.aof.manifest").write_text(f"{OLD}\n# {next(numbers)}"),
    )
    with pytest.raises(BackupError, match="rewritten 20 times"):
        back_up(tmp_path / "data", tmp_path / "copy")
