"""The store on a real server: all of a commit or nothing, and what happens when it is lost."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.games.tokens import game_id
from service.store import retry
from service.store.durability import Durability
from service.store.game_store import Store
from service.store.models import Commit, Done, Kept, RecordKey, Stale, Stored
from tests.nodes import throwaway_server


def first_commit(record: bytes = b"first", key: RecordKey | None = None) -> Commit:
    return Commit(
        game_id=game_id(None),
        expected=0,
        stored=Stored(1, b"state 1", b"meta 1"),
        events=[b"event 1", b"event 2"],
        logged=0,
        record_key=key or RecordKey("own", "nonce 1"),
        record=record,
        record_ttl=60,
        game_ttl=100,
    )


def next_commit(after: Commit, nonce: str = "nonce 2") -> Commit:
    version = after.stored.version
    return replace(
        after,
        expected=version,
        stored=Stored(version + 1, b"state %d" % (version + 1), b"meta"),
        events=[b"event 3"],
        logged=after.logged + len(after.events),
        record_key=RecordKey("own", nonce),
        record=b"next",
    )


def keys(server: redis.Redis, commit: Commit) -> dict[bytes, object]:
    """All that is stored of a game, with lifetimes left out."""
    found: dict[bytes, object] = {}
    for key in server.scan_iter(f"{{g:{commit.game_id}}}:*"):
        kind = server.type(key)
        if kind == b"hash":
            found[key] = server.hgetall(key)
        else:
            found[key] = server.lrange(key, 0, -1) if kind == b"list" else server.get(key)
    return found


def test_a_commit_writes_state_events_and_record_with_lifetimes(
    store: Store, server: redis.Redis
) -> None:
    commit = first_commit()
    assert store.commit(commit) == Done()
    stored, record = store.read(commit.game_id, commit.record_key)
    assert (stored, record) == (commit.stored, b"first")
    assert store.events(commit.game_id, 0, 10) == [b"event 1", b"event 2"]
    assert set(map(bytes.decode, keys(server, commit))) == {
        f"{{g:{commit.game_id}}}:game",
        f"{{g:{commit.game_id}}}:events",
        f"{{g:{commit.game_id}}}:key:own",
    }
    assert 90 < server.ttl(f"{{g:{commit.game_id}}}:game") <= 100
    assert 90 < server.ttl(f"{{g:{commit.game_id}}}:events") <= 100
    assert 50 < server.ttl(f"{{g:{commit.game_id}}}:key:own") <= 60


def test_the_next_commit_appends_and_renews(store: Store, server: redis.Redis) -> None:
    commit = first_commit()
    store.commit(commit)
    assert store.commit(replace(next_commit(commit), game_ttl=500)) == Done()
    assert store.events(commit.game_id, 0, 10) == [b"event 1", b"event 2", b"event 3"]
    assert store.events(commit.game_id, 1, 1) == [b"event 2"]
    assert store.events_at(commit.game_id, [3, 1]) == [b"event 3", b"event 1"]
    assert server.ttl(f"{{g:{commit.game_id}}}:events") > 400
    assert server.ttl(f"{{g:{commit.game_id}}}:game") > 400
    stored, _ = store.read(commit.game_id)
    assert stored is not None
    assert stored.version == 2


@pytest.mark.parametrize("expected", [0, 2, 7])
def test_a_commit_on_another_version_writes_nothing(
    store: Store, server: redis.Redis, expected: int
) -> None:
    commit = first_commit()
    store.commit(commit)
    before = keys(server, commit)
    late = replace(next_commit(commit), expected=expected, game_ttl=500)
    assert store.commit(late) == Stale(1)
    assert keys(server, commit) == before
    assert server.ttl(f"{{g:{commit.game_id}}}:game") <= 100


def test_a_commit_on_a_game_that_is_gone_writes_nothing(store: Store, server: redis.Redis) -> None:
    commit = next_commit(first_commit())
    assert store.commit(commit) == Stale(0)
    assert keys(server, commit) == {}


def test_a_kept_record_is_given_before_the_version_is_compared(
    store: Store, server: redis.Redis
) -> None:
    key = RecordKey("seat:abc")
    commit = first_commit(key=key)
    store.commit(commit)
    store.commit(next_commit(commit))
    before = keys(server, commit)
    assert store.commit(commit) == Kept(b"first")
    assert store.commit(replace(next_commit(commit), record_key=key)) == Kept(b"first")
    assert keys(server, commit) == before


def test_only_the_newest_record_without_a_clients_key_is_kept(store: Store) -> None:
    commit = first_commit()
    store.commit(commit)
    assert store.commit(commit) == Kept(b"first")
    store.commit(next_commit(commit))
    assert store.commit(commit) == Stale(2)
    assert store.commit(next_commit(commit)) == Kept(b"next")


@pytest.mark.parametrize("logged", [1, 3])
def test_a_log_that_does_not_fit_the_game_is_never_written_to(
    store: Store, server: redis.Redis, logged: int
) -> None:
    commit = first_commit()
    store.commit(commit)
    before = keys(server, commit)
    with pytest.raises(CorruptGameError, match="TORN"):
        store.commit(replace(next_commit(commit), logged=logged))
    assert keys(server, commit) == before


def changes(server: redis.Redis) -> int:
    """How many writes the server has carried out since it saved last."""
    count: int = server.info("persistence")["rdb_changes_since_last_save"]
    return count


def test_a_kept_record_is_written_once_more_where_replicas_have_to_confirm_it(
    store: Store, server: redis.Redis, redis_url: str
) -> None:
    commit = first_commit()
    store.commit(commit)
    before, kept = changes(server), keys(server, commit)
    again = replace(commit, record=b"another answer")
    assert store.commit(again) == Kept(b"first")
    assert changes(server) == before
    # None of no replicas need confirm, so that this call comes back.
    sure = Store.from_url(redis_url, 1, Durability.ACKNOWLEDGED, replicas=0)
    assert sure.commit(again) == Kept(b"first")
    sure.close()
    assert changes(server) == before + 1
    assert keys(server, commit) == kept
    assert 50 < server.ttl(f"{{g:{commit.game_id}}}:key:own") <= 60


def test_a_server_that_does_not_insist_on_replicas_is_not_written_to(
    server: redis.Redis, redis_url: str
) -> None:
    commit = first_commit()
    promised = Store.from_url(redis_url, 1, Durability.REPLICATED)
    with pytest.raises(StorageUnavailableError, match="set min-replicas-to-write there"):
        promised.commit(commit)
    promised.close()
    assert keys(server, commit) == {}


def test_events_that_are_not_there_are_left_out(store: Store) -> None:
    commit = first_commit()
    store.commit(commit)
    assert store.events_at(commit.game_id, [9, 1]) == [b"event 1"]
    assert store.events(commit.game_id, 0, 0) == []


def test_a_deleted_game_is_gone_with_its_log(store: Store) -> None:
    commit = first_commit()
    store.commit(commit)
    store.delete(commit.game_id)
    assert store.read(commit.game_id) == (None, None)
    assert store.events(commit.game_id, 0, 10) == []
    assert store.commit(next_commit(commit)) == Stale(0)


def test_the_keys_of_a_game_share_one_slot(store: Store, server: redis.Redis) -> None:
    commit = first_commit()
    store.commit(commit)
    tags = {key.split(b"}")[0] for key in keys(server, commit)}
    assert tags == {b"{g:" + commit.game_id.encode()}


def test_a_server_that_forgot_the_script_is_given_it_again(
    store: Store, server: redis.Redis
) -> None:
    server.script_flush()
    assert store.commit(first_commit()) == Done()


def test_many_commits_on_one_version_leave_one_winner(store: Store) -> None:
    commit = first_commit()
    store.commit(commit)
    rivals = [next_commit(commit, nonce=f"rival {number}") for number in range(20)]
    outcomes: list[object] = []
    barrier = threading.Barrier(len(rivals))

    def run(rival: Commit) -> None:
        barrier.wait()
        outcomes.append(store.commit(rival))

    threads = [threading.Thread(target=run, args=(rival,)) for rival in rivals]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(Done()) == 1
    assert outcomes.count(Stale(2)) == 19
    assert store.events(commit.game_id, 0, 10) == [b"event 1", b"event 2", b"event 3"]


class CuttingProxy:
    """Passes bytes to a unix socket; cuts a connection after a request, before its answer."""

    def __init__(self, target: str, cuts: int) -> None:
        self.cuts = cuts
        self.cut = 0
        self.word = b"EVAL"
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with closing(client), closing(socket.socket(socket.AF_UNIX)) as server:
            server.connect(self._target)
            while request := client.recv(65_536):
                server.sendall(request)
                answer = server.recv(65_536)
                if self.word in request and self.cut < self.cuts:
                    self.cut += 1
                    return
                client.sendall(answer)

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def lossy(redis_url: str) -> Iterator[tuple[Store, CuttingProxy]]:
    proxy = CuttingProxy(redis_url.removeprefix("unix://").split("?")[0], cuts=1)
    yield Store.from_url(f"redis://127.0.0.1:{proxy.port}/0", connections=4), proxy
    proxy.close()


def test_a_commit_whose_answer_is_lost_is_settled_and_made_once(
    lossy: tuple[Store, CuttingProxy],
) -> None:
    store, proxy = lossy
    commit = first_commit()
    store.ping()
    assert store.commit(commit) == Kept(b"first")
    assert proxy.cut == 1
    assert store.events(commit.game_id, 0, 10) == [b"event 1", b"event 2"]


def test_a_commit_that_another_followed_is_not_taken_for_unmade(
    lossy: tuple[Store, CuttingProxy], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    distant, _ = lossy
    commit = first_commit()
    distant.ping()

    def follow() -> None:
        assert store.commit(next_commit(commit)) == Done()

    monkeypatch.setattr(retry, "_pause", follow)
    with pytest.raises(OutcomeUnknownError):
        distant.commit(commit)
    assert store.events(commit.game_id, 0, 10) == [b"event 1", b"event 2", b"event 3"]


def test_a_deletion_whose_answer_is_lost_is_not_called_undone(
    lossy: tuple[Store, CuttingProxy], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    distant, proxy = lossy
    commit = first_commit()
    store.commit(commit)
    monkeypatch.setattr(retry, "DEADLINE", 0.0)
    proxy.word = b"UNLINK"
    with pytest.raises(OutcomeUnknownError):
        distant.delete(commit.game_id)
    assert store.read(commit.game_id) == (None, None)


def test_a_commit_that_cannot_be_settled_says_so(
    lossy: tuple[Store, CuttingProxy], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, proxy = lossy
    monkeypatch.setattr(retry, "DEADLINE", 0.2)
    proxy.cuts = 10**6
    store.ping()
    with pytest.raises(OutcomeUnknownError):
        store.commit(first_commit())


def test_a_server_that_is_away_changed_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "DEADLINE", 0.1)
    store = Store.from_url(f"unix://{tmp_path}/none", connections=2)
    with pytest.raises(StorageUnavailableError):
        store.commit(first_commit())
    with pytest.raises(StorageUnavailableError):
        store.read(game_id(None))
    with pytest.raises(StorageUnavailableError):
        store.ping()


def test_a_server_that_comes_back_in_time_is_waited_for() -> None:
    with throwaway_server() as server:
        store = Store.from_url(server.url, connections=4)
        commit = first_commit()
        store.commit(commit)
        server.kill()
        with ThreadPoolExecutor() as pool:
            reading = pool.submit(store.read, commit.game_id)
            time.sleep(0.3)
            server.start()
            assert reading.result() == (commit.stored, None)
        store.close()


def test_a_full_server_refuses_moves_and_still_answers_reads() -> None:
    with throwaway_server() as server:
        store = Store.from_url(server.url, connections=4)
        commit = first_commit()
        store.commit(commit)
        with closing(redis.Redis.from_url(server.url)) as admin:
            admin.config_set("maxmemory", 1)
            with pytest.raises(StorageUnavailableError):
                store.commit(next_commit(commit))
            assert store.read(commit.game_id)[0] == commit.stored
            admin.config_set("maxmemory", 0)
        assert store.commit(next_commit(commit)) == Done()
        store.close()
