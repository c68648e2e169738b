"""The store on a real server: all of a commit or nothing, and what happens when it is lost."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.games.tokens import game_id
from service.store.connections.retry import RetryPolicy
from service.store.durability import Durability
from service.store.game_store import GameStore
from service.store.models import (
    AlreadyCommitted,
    Commit,
    Committed,
    Deleted,
    KeyExpired,
    MoveKey,
    Nonce,
    RecordKey,
    Stale,
    StoredGame,
)
from tests.nodes import Node, lone_node, throwaway_server, wait_for
from tests.store.connections.scripted_servers import ONCE

NOW = 1_800_000_000
FIRST_NONCE, NEXT_NONCE = Nonce(b"nonce 1"), Nonce(b"nonce 2")
CREATION = RecordKey("create:key")


def move_key(number: int, owner: str = "ann", now: int = NOW) -> MoveKey:
    return MoveKey(owner, b"key %08d" % number, now)


def first_commit(key: RecordKey | MoveKey | Nonce = FIRST_NONCE) -> Commit:
    return Commit(
        game_id=game_id(None),
        expected=0,
        stored=StoredGame(1, b"state 1", b"meta 1"),
        events=[b"event 1", b"event 2"],
        logged=0,
        key=key,
        record=b"" if isinstance(key, Nonce) else b"first",
        record_ttl=60,
        game_ttl=100,
    )


def next_commit(after: Commit, key: RecordKey | MoveKey | Nonce = NEXT_NONCE) -> Commit:
    version = after.stored.version
    return replace(
        after,
        expected=version,
        stored=StoredGame(version + 1, b"state %d" % (version + 1), b"meta"),
        events=[b"event 3"],
        logged=after.logged + len(after.events),
        key=key,
        record=b"" if isinstance(key, Nonce) else b"next",
    )


def keys(server: redis.Redis, commit: Commit) -> dict[bytes, object]:
    """All that is stored of a game, with lifetimes left out."""
    contents: dict[bytes, object] = {}
    for key in server.scan_iter(f"{{g:{commit.game_id}}}:*"):
        kind = server.type(key)
        if kind == b"hash":
            contents[key] = server.hgetall(key)
        else:
            contents[key] = server.lrange(key, 0, -1) if kind == b"list" else server.get(key)
    return contents


def test_a_commit_writes_state_events_and_record_with_lifetimes(
    store: GameStore, server: redis.Redis
) -> None:
    commit = first_commit(key=CREATION)
    assert store.commit(commit) == Committed()
    stored, record = store.read(commit.game_id, CREATION)
    assert (stored, record) == (commit.stored, b"first")
    assert store.events(commit.game_id, 0, 10) == [b"event 1", b"event 2"]
    assert set(map(bytes.decode, keys(server, commit))) == {
        f"{{g:{commit.game_id}}}:game",
        f"{{g:{commit.game_id}}}:events",
        f"{{g:{commit.game_id}}}:key:create:key",
    }
    assert 90 < server.ttl(f"{{g:{commit.game_id}}}:game") <= 100
    assert 90 < server.ttl(f"{{g:{commit.game_id}}}:events") <= 100
    assert 50 < server.ttl(f"{{g:{commit.game_id}}}:key:create:key") <= 60


def test_a_move_writes_the_id_of_its_key_and_its_record_with_lifetimes(
    store: GameStore, server: redis.Redis
) -> None:
    commit = first_commit()
    store.commit(commit)
    assert store.commit(next_commit(commit, key=move_key(7))) == Committed()
    assert store.read(commit.game_id, move_key(7))[1] == b"next"
    names = {kind: f"{{g:{commit.game_id}}}:{kind}:ann" for kind in ("keys", "answers")}
    assert server.hgetall(names["keys"]) == {b"key 00000007": b"1:1800000060", b"n": b"1"}
    assert server.hgetall(names["answers"]) == {b"1": b"key 00000007next"}
    for name in names.values():
        assert 50 < server.ttl(name) <= 60


def test_a_commit_without_a_key_writes_nothing_but_its_game(
    store: GameStore, server: redis.Redis
) -> None:
    commit = first_commit()
    store.commit(commit)
    tag = f"{{g:{commit.game_id}}}"
    assert set(map(bytes.decode, keys(server, commit))) == {f"{tag}:game", f"{tag}:events"}
    assert server.hget(f"{tag}:game", "nonce") == b"nonce 1"
    store.commit(next_commit(commit))
    assert server.hget(f"{tag}:game", "nonce") == b"nonce 2"


def test_the_next_commit_appends_and_renews(store: GameStore, server: redis.Redis) -> None:
    commit = first_commit()
    store.commit(commit)
    assert store.commit(replace(next_commit(commit), game_ttl=500)) == Committed()
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
    store: GameStore, server: redis.Redis, expected: int
) -> None:
    commit = first_commit()
    store.commit(commit)
    before = keys(server, commit)
    for key in (NEXT_NONCE, CREATION, move_key(1)):
        late = replace(next_commit(commit, key=key), expected=expected, game_ttl=500)
        assert store.commit(late) == Stale(1)
    assert keys(server, commit) == before
    assert server.ttl(f"{{g:{commit.game_id}}}:game") <= 100


def test_a_commit_on_a_game_that_is_gone_writes_nothing(
    store: GameStore, server: redis.Redis
) -> None:
    commit = next_commit(first_commit())
    assert store.commit(commit) == Stale(0)
    assert keys(server, commit) == {}


def test_a_kept_record_is_given_before_the_version_is_compared(
    store: GameStore, server: redis.Redis
) -> None:
    for key in (CREATION, move_key(1)):
        commit = first_commit(key=key)
        store.commit(commit)
        store.commit(next_commit(commit))
        before = keys(server, commit)
        assert store.commit(commit) == AlreadyCommitted(b"first")
        assert store.commit(next_commit(commit, key=key)) == AlreadyCommitted(b"first")
        assert keys(server, commit) == before


def test_only_the_newest_commit_without_a_clients_key_is_recognised(store: GameStore) -> None:
    commit = first_commit()
    store.commit(commit)
    assert store.commit(commit) == AlreadyCommitted(b"")
    for number, key in enumerate((CREATION, move_key(1)), 1):
        keyed = replace(next_commit(commit, key), expected=number, logged=number + 1)
        keyed = replace(keyed, stored=replace(keyed.stored, version=number + 1))
        assert store.commit(keyed) == Committed()
        assert store.commit(commit) == AlreadyCommitted(b"")
    following = next_commit(keyed)
    assert store.commit(following) == Committed()
    assert store.commit(commit) == Stale(4)
    assert store.commit(following) == AlreadyCommitted(b"")


def test_a_key_is_looked_up_before_the_nonce_is_compared(store: GameStore) -> None:
    commit = first_commit()
    store.commit(commit)
    for key in (RecordKey("nonce 1"), MoveKey("ann", b"nonce 1", NOW)):
        assert store.commit(replace(commit, key=key, record=b"first")) == Stale(1)


def play(store: GameStore, after: Commit, *numbers: int, owner: str = "ann") -> Commit:
    """Commit a move under each of the keys with these numbers; return the last."""
    for number in numbers:
        commit = next_commit(after, move_key(number, owner))
        after = replace(commit, record=b"record %d" % number)
        assert store.commit(after) == Committed()
    return after


def test_the_newest_eight_records_of_an_owner_stay_and_the_ids_of_all_keys(
    store: GameStore, server: redis.Redis
) -> None:
    commit = first_commit()
    store.commit(commit)
    last = play(store, commit, *range(1, 21))
    last = play(store, last, *range(30, 50), owner="bea")
    before = keys(server, commit)
    for number in range(1, 21):
        newest = number > 12
        record = b"record %d" % number if newest else KeyExpired()
        assert store.read(commit.game_id, move_key(number))[1] == record
        outcome = AlreadyCommitted(b"record %d" % number) if newest else KeyExpired()
        assert store.commit(next_commit(last, key=move_key(number))) == outcome
    assert store.read(commit.game_id, move_key(1, "bea"))[1] is None
    assert keys(server, commit) == before
    assert server.hlen(f"{{g:{commit.game_id}}}:keys:ann") == 21
    assert server.hlen(f"{{g:{commit.game_id}}}:answers:ann") == 8


def test_a_key_whose_lifetime_is_over_is_new(store: GameStore) -> None:
    commit = first_commit(key=move_key(1))
    store.commit(commit)
    assert store.read(commit.game_id, move_key(1, now=NOW + 59))[1] == b"first"
    assert store.commit(replace(commit, key=move_key(1, now=NOW + 59))) == AlreadyCommitted(
        b"first"
    )
    late = move_key(1, now=NOW + 60)
    assert store.read(commit.game_id, late)[1] is None
    assert store.commit(next_commit(commit, key=late)) == Committed()
    assert store.read(commit.game_id, late)[1] == b"next"


def test_ids_whose_lifetime_is_over_are_forgotten_in_the_end(
    store: GameStore, server: redis.Redis
) -> None:
    commit = last = first_commit()
    store.commit(commit)
    for number in range(1, 64):
        time = NOW if number <= 30 else NOW + 1
        last = next_commit(last, move_key(number, now=time))
        assert store.commit(last) == Committed()
    name = f"{{g:{commit.game_id}}}:keys:ann"
    assert server.hlen(name) == 64
    assert store.commit(next_commit(last, move_key(64, now=NOW + 60))) == Committed()
    assert server.hget(name, "n") == b"64"
    assert server.hlen(name) == 1 + 34
    assert store.read(commit.game_id, move_key(31, now=NOW + 60))[1] == KeyExpired()
    assert store.read(commit.game_id, move_key(30))[1] is None


def test_the_keys_of_a_seat_stay_packed(store: GameStore, server: redis.Redis) -> None:
    commit = first_commit()
    store.commit(commit)
    play(store, commit, *range(200))
    assert server.object("ENCODING", f"{{g:{commit.game_id}}}:keys:ann") == b"listpack"


@pytest.mark.parametrize("logged", [1, 3])
def test_a_log_that_does_not_fit_the_game_is_never_written_to(
    store: GameStore, server: redis.Redis, logged: int
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
    store: GameStore, server: redis.Redis, redis_url: str
) -> None:
    # None of no replicas need confirm, so that this call comes back.
    sure = GameStore.from_url(redis_url, 1, Durability.ACKNOWLEDGED, replicas=0)
    for key, name in (
        (FIRST_NONCE, "game"),
        (CREATION, "key:create:key"),
        (move_key(1), "keys:ann"),
    ):
        commit = first_commit(key=key)
        store.commit(commit)
        before, contents = changes(server), keys(server, commit)
        lifetime = server.pttl(f"{{g:{commit.game_id}}}:{name}")
        again = replace(commit, record=b"another answer")
        outcome = AlreadyCommitted(commit.record)
        assert store.commit(again) == outcome
        assert changes(server) == before
        assert sure.commit(again) == outcome
        assert changes(server) == before + 1
        assert keys(server, commit) == contents
        assert 0 < server.pttl(f"{{g:{commit.game_id}}}:{name}") <= lifetime
    sure.close()


def test_an_id_without_its_record_is_written_once_more_where_replicas_have_to_confirm_it(
    store: GameStore, server: redis.Redis, redis_url: str
) -> None:
    commit = first_commit()
    store.commit(commit)
    last = play(store, commit, *range(1, 10))
    before, contents = changes(server), keys(server, commit)
    sure = GameStore.from_url(redis_url, 1, Durability.ACKNOWLEDGED, replicas=0)
    assert sure.commit(next_commit(last, key=move_key(1))) == KeyExpired()
    sure.close()
    assert changes(server) == before + 1
    assert keys(server, commit) == contents


def test_a_server_that_does_not_insist_on_replicas_is_not_written_to(
    server: redis.Redis, redis_url: str
) -> None:
    commit = first_commit()
    promised = GameStore.from_url(redis_url, 1, Durability.REPLICATED)
    with pytest.raises(StorageUnavailableError, match="set min-replicas-to-write there"):
        promised.commit(commit)
    promised.close()
    assert keys(server, commit) == {}


def test_events_that_are_not_there_are_left_out(store: GameStore) -> None:
    commit = first_commit()
    store.commit(commit)
    assert store.events_at(commit.game_id, [9, 1]) == [b"event 1"]
    assert store.events(commit.game_id, 0, 0) == []


def test_a_deleted_game_is_gone_with_its_log(store: GameStore) -> None:
    commit = first_commit()
    store.commit(commit)
    assert store.delete(commit.game_id, 1) == Deleted()
    assert store.read(commit.game_id) == (None, None)
    assert store.events(commit.game_id, 0, 10) == []
    assert store.commit(next_commit(commit)) == Stale(0)


@pytest.mark.parametrize("expected", [0, 2, 7])
def test_a_game_at_another_version_is_not_deleted(
    store: GameStore, server: redis.Redis, expected: int
) -> None:
    commit = first_commit(key=CREATION)
    store.commit(commit)
    before = keys(server, commit)
    assert store.delete(commit.game_id, expected) == Stale(1)
    assert keys(server, commit) == before


def test_a_game_that_is_gone_is_at_version_0(store: GameStore) -> None:
    assert store.delete(game_id(None), 1) == Stale(0)


def test_a_deletion_leaves_the_record_by_which_a_creation_is_known(store: GameStore) -> None:
    commit = first_commit(key=CREATION)
    store.commit(commit)
    assert store.delete(commit.game_id, 1) == Deleted()
    assert store.commit(commit) == AlreadyCommitted(b"first")
    assert store.read(commit.game_id)[0] is None


def test_of_a_deletion_and_a_commit_at_once_one_is_made(store: GameStore) -> None:
    with ThreadPoolExecutor(2) as pool:
        for _ in range(100):
            commit = first_commit()
            store.commit(commit)
            moved = pool.submit(store.commit, next_commit(commit))
            outcome = pool.submit(store.delete, commit.game_id, 1).result()
            expected = (Stale(0), None) if outcome == Deleted() else (Committed(), 2)
            stored = (moved.result(), store.read(commit.game_id)[0])
            assert (stored[0], stored[1] and stored[1].version) == expected


def test_the_keys_of_a_game_share_one_slot(store: GameStore, server: redis.Redis) -> None:
    commit = first_commit()
    store.commit(commit)
    tags = {key.split(b"}")[0] for key in keys(server, commit)}
    assert tags == {b"{g:" + commit.game_id.encode()}


def test_a_server_that_forgot_the_script_is_given_it_again(
    store: GameStore, server: redis.Redis
) -> None:
    server.script_flush()
    assert store.commit(first_commit()) == Committed()


def test_many_commits_on_one_version_leave_one_winner(store: GameStore) -> None:
    commit = first_commit()
    store.commit(commit)
    rivals = [next_commit(commit, Nonce(b"rival %d" % number)) for number in range(20)]
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
    assert outcomes.count(Committed()) == 1
    assert outcomes.count(Stale(2)) == 19
    assert store.events(commit.game_id, 0, 10) == [b"event 1", b"event 2", b"event 3"]


class CuttingProxy:
    """Passes bytes to a server; cuts a connection after a request, before its answer.

    `word` is what such a request holds. With `withholds` the server does not get it either.
    """

    def __init__(self, target: str, cuts: int) -> None:
        self.cuts = cuts
        self.cut = 0
        self.word = b"(nothing yet)"
        self.withholds = False
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

    def _connect(self) -> socket.socket:
        if not self._target.startswith("/"):
            host, port = self._target.split(":")
            return socket.create_connection((host, int(port)))
        server = socket.socket(socket.AF_UNIX)
        server.connect(self._target)
        return server

    def _serve(self, client: socket.socket) -> None:
        with closing(client), suppress(OSError), closing(self._connect()) as server:
            while request := client.recv(65_536):
                cuts = self.word in request and self.cut < self.cuts
                if not (cuts and self.withholds):
                    server.sendall(request)
                    answer = server.recv(65_536)
                if cuts:
                    self.cut += 1
                    return
                client.sendall(answer)

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def proxy(redis_url: str) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(redis_url.removeprefix("unix://").split("?")[0], cuts=1)
    yield proxy
    proxy.close()


def store_behind(proxy: CuttingProxy, policy: RetryPolicy | None = None) -> GameStore:
    return GameStore.from_url(f"redis://127.0.0.1:{proxy.port}/0", connections=4, policy=policy)


def is_older_than(seconds: int, server: redis.Redis) -> bool:
    return bool(server.info("server")["uptime_in_seconds"] > seconds)


@pytest.mark.parametrize("key", [FIRST_NONCE, CREATION, move_key(1)])
def test_a_commit_whose_answer_is_lost_is_settled_by_what_it_wrote(
    proxy: CuttingProxy, key: RecordKey | MoveKey | Nonce
) -> None:
    store = store_behind(proxy)
    commit = first_commit(key=key)
    store.check_ready()  # which loads the script
    proxy.word = commit.game_id.encode()
    assert store.commit(commit) == AlreadyCommitted(commit.record)
    assert proxy.cut == 1
    assert store.events(commit.game_id, 0, 10) == [b"event 1", b"event 2"]


def test_a_commit_that_another_followed_is_not_called_unmade(
    proxy: CuttingProxy, store: GameStore, server: redis.Redis
) -> None:
    # A server that may have been restarted would be asked for nothing more.
    wait_for(lambda: is_older_than(3, server), "a server that has run for some seconds")
    commit = first_commit()

    def follow(_seconds: float) -> None:
        assert store.commit(next_commit(commit)) == Committed()

    distant = store_behind(proxy, RetryPolicy(sleep=follow))
    distant.check_ready()
    proxy.word = b"EVALSHA"
    with pytest.raises(OutcomeUnknownError, match="the game went on"):
        distant.commit(commit)
    assert store.events(commit.game_id, 0, 10) == [b"event 1", b"event 2", b"event 3"]


def test_a_deletion_whose_answer_is_lost_is_not_called_undone(
    proxy: CuttingProxy, store: GameStore
) -> None:
    commit = first_commit()
    store.commit(commit)
    store.delete(game_id(None), 1)  # the server knows the script from now on
    proxy.word = b"EVALSHA"
    with pytest.raises(OutcomeUnknownError):
        store_behind(proxy, ONCE).delete(commit.game_id, 1)
    assert store.read(commit.game_id) == (None, None)


def test_a_commit_that_cannot_be_settled_is_of_unknown_outcome(proxy: CuttingProxy) -> None:
    proxy.cuts = 10**6
    proxy.word = b"\r\n"
    store = store_behind(proxy, RetryPolicy(deadline=0.2))
    with pytest.raises(OutcomeUnknownError):
        store.commit(first_commit())


def test_a_server_that_is_away_changed_nothing(tmp_path: Path) -> None:
    policy = RetryPolicy(deadline=0.1)
    store = GameStore.from_url(f"unix://{tmp_path}/none", connections=2, policy=policy)
    with pytest.raises(StorageUnavailableError):
        store.commit(first_commit())
    with pytest.raises(StorageUnavailableError):
        store.read(game_id(None))
    with pytest.raises(StorageUnavailableError):
        store.check_ready()


class Restart:
    """A sleep in whose first pause a server is killed and started again."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.pauses = 0

    def sleep(self, _seconds: float) -> None:
        self.pauses += 1
        if self.pauses == 1:
            self._node.kill()
            self._node.start()


def test_a_commit_that_a_server_died_of_is_not_sent_to_the_next_one() -> None:
    with lone_node("--appendonly", "yes", "--appendfsync", "always") as node:
        proxy = CuttingProxy(node.address, cuts=1)
        commit = first_commit()
        with closing(store_behind(proxy, RetryPolicy(sleep=Restart(node).sleep))) as store:
            store.check_ready()
            proxy.word = commit.game_id.encode()
            proxy.withholds = True
            with pytest.raises(OutcomeUnknownError, match="may have been restarted"):
                store.commit(commit)
            assert "cmdstat_evalsha" not in node.execute("INFO", "commandstats")
            assert store.read(commit.game_id) == (None, None)
            # A call of its own is a first attempt: nothing is known against it.
            assert store.commit(commit) == Committed()
        proxy.close()


@pytest.mark.parametrize("key", [FIRST_NONCE, CREATION, move_key(1)])
def test_a_commit_that_was_made_before_its_server_died_is_found(
    key: RecordKey | MoveKey | Nonce,
) -> None:
    with lone_node("--appendonly", "yes", "--appendfsync", "always") as node:
        proxy = CuttingProxy(node.address, cuts=1)
        commit = first_commit(key=key)
        with closing(store_behind(proxy, RetryPolicy(sleep=Restart(node).sleep))) as store:
            store.check_ready()
            proxy.word = commit.game_id.encode()
            assert store.commit(commit) == AlreadyCommitted(commit.record)
            assert store.read(commit.game_id)[0] == commit.stored
        proxy.close()


def test_a_server_that_comes_back_in_time_is_waited_for() -> None:
    with throwaway_server() as server:
        store = GameStore.from_url(server.url, connections=4)
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
        store = GameStore.from_url(server.url, connections=4)
        commit = first_commit()
        store.commit(commit)
        with closing(redis.Redis.from_url(server.url)) as admin:
            admin.config_set("maxmemory", 1)
            with pytest.raises(StorageUnavailableError):
                store.commit(next_commit(commit))
            assert store.read(commit.game_id)[0] == commit.stored
            admin.config_set("maxmemory", 0)
        assert store.commit(next_commit(commit)) == Committed()
        store.close()
