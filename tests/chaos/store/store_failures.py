"""A storage with every fault that it can have: the documented problem, and nothing changed.

Each `Fault` brings a real server into a fault and mends it again. Where no server can be brought
there on command, the connection gives the error that such a server answers with. The faults are
the lines of the table in `docs/operations.md`.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import redis
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.store.connections import failures
from service.store.connections.connection import Connection
from service.store.connections.failures import Failure
from service.store.connections.retry import RetryPolicy
from service.store.game_store import GameStore
from tests.chaos.trial import Outcome, Trial
from tests.nodes import Node, lone_node, wait_for
from tests.player import QUICK, create

_POLICY = RetryPolicy(deadline=0.3)
_CONNECTIONS = 4


@dataclass(frozen=True)
class Fault:
    """A fault: how a server gets it, which failure it is, and whether reads go on.

    `codes` are the problems that a move may end with.
    """

    name: str
    inject: Callable[[Node, GameStore], AbstractContextManager[None]]
    failure: Failure
    reads_go_on: bool
    codes: tuple[str, ...] = ("storage-unavailable",)


@contextlib.contextmanager
def _setting(node: Node, name: str, value: str, after: str) -> Iterator[None]:
    node.execute("CONFIG", "SET", name, value)
    yield
    node.execute("CONFIG", "SET", name, after)


def _full(node: Node, _store: GameStore) -> AbstractContextManager[None]:
    return _setting(node, "maxmemory", "1", "0")


def _too_few_replicas(node: Node, _store: GameStore) -> AbstractContextManager[None]:
    return _setting(node, "min-replicas-to-write", "1", "0")


@contextlib.contextmanager
def _read_only(node: Node, _store: GameStore) -> Iterator[None]:
    node.execute("REPLICAOF", "127.0.0.1", 1)
    yield
    node.execute("REPLICAOF", "NO", "ONE")


@contextlib.contextmanager
def _master_down(node: Node, store: GameStore) -> Iterator[None]:
    with _setting(node, "replica-serve-stale-data", "no", "yes"), _read_only(node, store):
        yield


@contextlib.contextmanager
def _busy_script(node: Node, _store: GameStore) -> Iterator[None]:
    def spin() -> None:
        with contextlib.suppress(redis.RedisError):
            node.execute("EVAL", "while true do end", 0)

    def is_busy() -> bool:
        try:
            node.execute("GET", "x")
        except redis.ResponseError as error:
            return str(error).startswith("BUSY")
        return False

    with _setting(node, "busy-reply-threshold", "1", "5000"):
        spinning = threading.Thread(target=spin)
        spinning.start()
        wait_for(is_busy, "a busy script")
        yield
        node.execute("SCRIPT", "KILL")
        spinning.join()


@contextlib.contextmanager
def _hung(node: Node, _store: GameStore) -> Iterator[None]:
    node.suspend()
    yield
    node.resume()


@contextlib.contextmanager
def _refused(node: Node, _store: GameStore) -> Iterator[None]:
    node.kill()
    yield
    node.start()


@contextlib.contextmanager
def _wrong_password(node: Node, _store: GameStore) -> Iterator[None]:
    node.execute("CONFIG", "SET", "requirepass", "another")
    node.execute_as("another", "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    yield
    node.execute_as("another", "CONFIG", "SET", "requirepass", "")


@contextlib.contextmanager
def _denied(node: Node, _store: GameStore) -> Iterator[None]:
    node.execute("ACL", "SETUSER", "default", "-rpush")
    yield
    node.execute("ACL", "SETUSER", "default", "+rpush")


@contextlib.contextmanager
def _denied_keys(node: Node, _store: GameStore) -> Iterator[None]:
    node.execute("ACL", "SETUSER", "default", "resetkeys")
    yield
    node.execute("ACL", "SETUSER", "default", "allkeys")


@contextlib.contextmanager
def _exhausted(_node: Node, store: GameStore) -> Iterator[None]:
    pool = store._pools.for_key("any")
    held = [pool.get_connection() for _ in range(_CONNECTIONS)]
    with patch.object(pool, "timeout", 0.05):
        yield
    for connection in held:
        pool.release(connection)


@contextlib.contextmanager
def _disk_error(node: Node, _store: GameStore) -> Iterator[None]:
    """Saving fails, since where the file should go there is a folder."""
    (node.folder / "dump.rdb").mkdir()
    node.execute("CONFIG", "SET", "save", "3600 100000")

    def is_failing() -> bool:
        with contextlib.suppress(redis.ResponseError):
            node.execute("BGSAVE")
        return bool(node.execute("INFO", "persistence")["rdb_last_bgsave_status"] == "err")

    wait_for(is_failing, "a failed save")
    yield
    (node.folder / "dump.rdb").rmdir()
    node.execute("CONFIG", "SET", "save", "")


def _answering(answer: str) -> Callable[[Node, GameStore], AbstractContextManager[None]]:
    """A server that answers every command with this error."""

    @contextlib.contextmanager
    def inject(_node: Node, _store: GameStore) -> Iterator[None]:
        def execute(_connection: Connection, *_commands: Any) -> Any:
            raise redis.connection.DefaultParser.parse_error(answer)

        with patch.object(Connection, "execute", execute):
            yield

    return inject


_LOADING = _answering("LOADING dataset in memory")
_CLUSTER_DOWN = _answering("CLUSTERDOWN it is")
_SLOT_MOVING = _answering("TRYAGAIN in a moment")
_NO_RPUSH = replace(failures.FORBIDDEN, detail="the storage's user lacks the right to run RPUSH")

FAULTS = (
    Fault("full", _full, failures.OUT_OF_MEMORY, reads_go_on=True),
    Fault("read-only", _read_only, failures.READ_ONLY, reads_go_on=True),
    Fault("too few replicas", _too_few_replicas, failures.TOO_FEW_REPLICAS, reads_go_on=True),
    Fault("disk error", _disk_error, failures.DISK_ERROR, reads_go_on=True),
    Fault("denied command", _denied, _NO_RPUSH, reads_go_on=True),
    Fault("denied keys", _denied_keys, failures.FORBIDDEN_KEYS, reads_go_on=False),
    Fault("busy script", _busy_script, failures.BUSY, reads_go_on=False),
    Fault("loading", _LOADING, failures.LOADING, reads_go_on=False),
    Fault("master down", _master_down, failures.NO_MASTER, reads_go_on=False),
    Fault("cluster down", _CLUSTER_DOWN, failures.NO_MASTER, reads_go_on=False),
    Fault("slot moving", _SLOT_MOVING, failures.SLOT_MOVING, reads_go_on=False),
    Fault(
        "hung",
        _hung,
        failures.TIMED_OUT,
        reads_go_on=False,
        codes=("storage-unavailable", "outcome-unknown"),
    ),
    Fault("down", _refused, failures.UNREACHABLE, reads_go_on=False),
    Fault("wrong password", _wrong_password, failures.REFUSED_LOGIN, reads_go_on=False),
    Fault("pool exhausted", _exhausted, failures.POOL_EXHAUSTED, reads_go_on=False),
)


@dataclass(frozen=True)
class Deployment:
    """The app on a server of its own."""

    node: Node
    store: GameStore
    client: FlaskClient


@contextlib.contextmanager
def deployed() -> Iterator[Deployment]:
    """A server, and the app on it, whose calls are not retried for long."""
    with lone_node("--appendonly", "yes", "--appendfsync", "always") as node:
        url = f"redis://{node.address}"
        store = GameStore.from_url(url, _CONNECTIONS, policy=_POLICY)
        with contextlib.closing(store):
            config = Config(redis_url=url, data_dir=Path("unused"), log_level="CRITICAL")
            yield Deployment(node, store, create_app(config, store).test_client())


def violations_of(fault: Fault, deployment: Deployment) -> list[str]:
    """What goes otherwise than promised while the storage has a fault, and after."""
    player = create(deployment.client, QUICK)
    player.draw()
    before = player.get()
    card = player.game["you"]["legal"]["discard"][0]
    with fault.inject(deployment.node, deployment.store):
        move = player.discard(card, idempotency_key="k")
        read = player.get()
        violations = [*_wrong_moves(fault, move), *_wrong_reads(fault, read, before)]
    again = player.discard(card, idempotency_key="k")
    if again.status_code != 200 or again.get_json()["game"]["version"] != 3:
        violations.append(
            f"afterwards the move was answered {again.status_code} {again.get_json()}"
        )
    twice = player.discard(card, idempotency_key="k")
    if twice.get_data() != again.get_data():
        violations.append("a repeated move had another answer")
    return [f"{fault.name}: {violation}" for violation in violations]


def _wrong_moves(fault: Fault, move: Any) -> Iterator[str]:
    body, failure = move.get_json(), fault.failure
    if move.status_code != 503 or body["code"] not in fault.codes:
        yield f"a move was answered {move.status_code} {body}"
        return
    if failure.detail[1:] not in body["detail"]:  # the first letter is a capital there
        yield f"the detail of a move was {body['detail']}"
    if move.headers["Retry-After"] != str(failure.retry_after):
        yield f"a move had Retry-After {move.headers['Retry-After']}"
    if move.content_type != "application/problem+json":
        yield f"a move was answered as {move.content_type}"


def _wrong_reads(fault: Fault, read: Any, before: Any) -> Iterator[str]:
    if fault.reads_go_on:
        if read.get_data() != before.get_data():
            yield f"a read was answered {read.status_code} {read.get_data()!r}"
    elif (read.status_code, read.get_json()["code"]) != (503, "storage-unavailable"):
        yield f"a read was answered {read.status_code} {read.get_data()!r}"


_DAMAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("state cut short", ("HSET", "{game}", "state", "{")),
    ("version no number", ("HSET", "{game}", "version", "x")),
    ("version with a sign", ("HSET", "{game}", "version", "+1")),
    ("version missing", ("HDEL", "{game}", "version")),
    ("state missing", ("HDEL", "{game}", "state")),
    ("meta missing", ("HDEL", "{game}", "meta")),
    ("meta of another shape", ("HSET", "{game}", "meta", "[]")),
    ("log cut short", ("RPOP", "{events}")),
    ("log too long", ("RPUSH", "{events}", "x")),
    ("log gone", ("DEL", "{events}")),
    ("log of another kind", ("SET", "{events}", "x")),
    ("game of another kind", ("SET", "{game}", "x")),
)


def damage_violations(name: str, command: tuple[str, ...], deployment: Deployment) -> list[str]:
    """What goes otherwise than promised when the keys of a game are damaged."""
    player, healthy = create(deployment.client, QUICK), create(deployment.client, QUICK)
    tag = f"{{g:{player.game['id']}}}"
    places = {"{game}": f"{tag}:game", "{events}": f"{tag}:events"}
    deployment.node.execute(*(places.get(word, word) for word in command))
    with _logged() as records:
        answer = player.draw()
    info = answer.get_json()
    violations = []
    if (answer.status_code, info["code"]) != (500, "game-damaged"):
        violations.append(f"answered {answer.status_code} {info}")
    if len(records) != 1:
        violations.append(f"logged {len(records)} times")
    if "Traceback" in answer.get_data(as_text=True):
        violations.append("the answer shows a traceback")
    if healthy.draw().status_code != 200:
        violations.append("another game cannot go on")
    return [f"{name}: {violation}" for violation in violations]


@contextlib.contextmanager
def _logged() -> Iterator[list[logging.LogRecord]]:
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    logger = logging.getLogger("service")
    level, others = logger.level, logger.handlers
    logger.handlers = [handler]  # instead of those that would print it all
    logger.setLevel(logging.ERROR)
    yield records
    logger.handlers = others
    logger.setLevel(level)


def storage_faults(rounds: int = 5) -> Outcome:
    """Every fault, so many times."""
    violations: list[str] = []
    for _ in range(rounds):
        for fault in FAULTS:
            with deployed() as deployment:
                violations += violations_of(fault, deployment)
    return Outcome(f"{len(FAULTS)} faults, {rounds} times each", violations)


def damaged_games(rounds: int = 5) -> Outcome:
    """Every kind of damage, so many times."""
    violations: list[str] = []
    with deployed() as deployment:
        for _ in range(rounds):
            for name, command in _DAMAGES:
                violations += damage_violations(name, command, deployment)
    return Outcome(f"{len(_DAMAGES)} kinds of damage, {rounds} times each", violations)


TRIALS = (
    Trial(
        "a storage with a fault is reported in words, and nothing is changed",
        "every fault of a server, a move and a read during it",
        storage_faults,
    ),
    Trial(
        "a damaged game is reported as one, logged once, and harms no other game",
        "state, version, meta and log damaged",
        damaged_games,
    ),
)
