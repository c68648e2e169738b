"""A storage in every condition that it can get into: the documented problem, and nothing changed.

Each `Harm` brings a real server into one condition and mends it again. Where no server can be
brought there on command, one stands in that gives the server's own words.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import redis
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.store import retry
from service.store.game_store import Store
from tests.chaos.trial import Outcome, Trial
from tests.nodes import Node, lone_node, wait_for
from tests.player import QUICK, create

_DEADLINE_SECONDS = 0.3
_CONNECTIONS = 4
_SOON, _LATER = "2", "15"


@dataclass(frozen=True)
class Harm:
    """A condition: how a server gets into it, what is said then, and whether reads go on."""

    name: str
    done_to: Callable[[Node, Store], AbstractContextManager[None]]
    words: str
    reads: bool
    retry_after: str = _SOON
    codes: tuple[str, ...] = ("storage-unavailable",)


@contextlib.contextmanager
def _set(node: Node, name: str, value: str, after: str) -> Iterator[None]:
    node.ask("CONFIG", "SET", name, value)
    yield
    node.ask("CONFIG", "SET", name, after)


def _full(node: Node, _store: Store) -> AbstractContextManager[None]:
    return _set(node, "maxmemory", "1", "0")


def _too_few_replicas(node: Node, _store: Store) -> AbstractContextManager[None]:
    return _set(node, "min-replicas-to-write", "1", "0")


@contextlib.contextmanager
def _read_only(node: Node, _store: Store) -> Iterator[None]:
    node.ask("REPLICAOF", "127.0.0.1", 1)
    yield
    node.ask("REPLICAOF", "NO", "ONE")


@contextlib.contextmanager
def _master_down(node: Node, store: Store) -> Iterator[None]:
    with _set(node, "replica-serve-stale-data", "no", "yes"), _read_only(node, store):
        yield


@contextlib.contextmanager
def _busy_script(node: Node, _store: Store) -> Iterator[None]:
    def spin() -> None:
        with contextlib.suppress(redis.RedisError):
            node.ask("EVAL", "while true do end", 0)

    def is_busy() -> bool:
        try:
            node.ask("GET", "x")
        except redis.ResponseError as error:
            return str(error).startswith("BUSY")
        return False

    with _set(node, "busy-reply-threshold", "1", "5000"):
        spinning = threading.Thread(target=spin)
        spinning.start()
        wait_for(is_busy, "a busy script")
        yield
        node.ask("SCRIPT", "KILL")
        spinning.join()


@contextlib.contextmanager
def _hung(node: Node, _store: Store) -> Iterator[None]:
    node.freeze()
    yield
    node.thaw()


@contextlib.contextmanager
def _refused(node: Node, _store: Store) -> Iterator[None]:
    node.kill()
    yield
    node.start()


@contextlib.contextmanager
def _wrong_password(node: Node, _store: Store) -> Iterator[None]:
    node.ask("CONFIG", "SET", "requirepass", "another")
    node.ask_as("another", "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    yield
    node.ask_as("another", "CONFIG", "SET", "requirepass", "")


@contextlib.contextmanager
def _exhausted(_node: Node, store: Store) -> Iterator[None]:
    (pool,) = store._servers.all()
    held = [pool.get_connection() for _ in range(_CONNECTIONS)]
    with patch.object(pool, "timeout", 0.05):
        yield
    for connection in held:
        pool.release(connection)


@contextlib.contextmanager
def _disk_error(node: Node, _store: Store) -> Iterator[None]:
    """Saving fails, since where the file should go there is a folder."""
    (node.folder / "dump.rdb").mkdir()
    node.ask("CONFIG", "SET", "save", "3600 100000")

    def is_failing() -> bool:
        with contextlib.suppress(redis.ResponseError):
            node.ask("BGSAVE")
        return bool(node.ask("INFO", "persistence")["rdb_last_bgsave_status"] == "err")

    wait_for(is_failing, "a failed save")
    yield
    (node.folder / "dump.rdb").rmdir()
    node.ask("CONFIG", "SET", "save", "")


def _saying(words: str) -> Callable[[Node, Store], AbstractContextManager[None]]:
    """A server that answers every command with these words."""

    @contextlib.contextmanager
    def harm(_node: Node, _store: Store) -> Iterator[None]:
        def tell(_line: retry.Line, *_commands: Any) -> Any:
            reader = redis.connection.DefaultParser(socket_read_size=1)
            raise reader.parse_error(words)

        with patch.object(retry.Line, "tell", tell):
            yield

    return harm


HARMS = (
    Harm("full", _full, "storage is full", reads=True, retry_after=_LATER),
    Harm("read-only", _read_only, "read-only", reads=True),
    Harm("too few replicas", _too_few_replicas, "too few replicas", reads=True),
    Harm("busy script", _busy_script, "long script", reads=False),
    Harm("loading", _saying("LOADING dataset in memory"), "still reading", reads=False),
    Harm("master down", _master_down, "choosing a new master", reads=False),
    Harm("cluster down", _saying("CLUSTERDOWN it is"), "choosing a new master", reads=False),
    Harm("slot moving", _saying("TRYAGAIN in a moment"), "moving its data", reads=False),
    Harm(
        "hung",
        _hung,
        "",
        reads=False,
        codes=("storage-unavailable", "outcome-unknown"),
    ),
    Harm("refused", _refused, "does not answer", reads=False),
    Harm("wrong password", _wrong_password, "password", reads=False, retry_after=_LATER),
    Harm("pool exhausted", _exhausted, "connection to the storage is in use", reads=False),
    Harm("disk error", _disk_error, "its disk", reads=True, retry_after=_LATER),
)


@dataclass(frozen=True)
class Bench:
    """The service over a server of its own."""

    node: Node
    store: Store
    client: FlaskClient


@contextlib.contextmanager
def bench() -> Iterator[Bench]:
    """A server, and the app on it, impatient."""
    with (
        lone_node("--appendonly", "yes") as node,
        patch.object(retry, "DEADLINE", _DEADLINE_SECONDS),
    ):
        url = f"redis://{node.address}"
        with contextlib.closing(Store.from_url(url, _CONNECTIONS)) as store:
            config = Config(redis_url=url, data_dir=Path("unused"), log_level="CRITICAL")
            yield Bench(node, store, create_app(config, store).test_client())


def breaches_of(harm: Harm, bench: Bench) -> list[str]:
    """What goes otherwise than promised while a storage is harmed, and after."""
    player = create(bench.client, QUICK)
    player.draw()
    before = player.get()
    card = player.game["you"]["legal"]["discard"][0]
    with harm.done_to(bench.node, bench.store):
        move = player.discard(card, idempotency_key="k")
        read = player.get()
        found = [*_misanswered(harm, move), *_misread(harm, read, before)]
    again = player.discard(card, idempotency_key="k")
    if again.status_code != 200 or again.get_json()["game"]["version"] != 3:
        found.append(f"afterwards the move was answered {again.status_code} {again.get_json()}")
    twice = player.discard(card, idempotency_key="k")
    if twice.get_data() != again.get_data():
        found.append("a repeated move had another answer")
    return [f"{harm.name}: {breach}" for breach in found]


def _misanswered(harm: Harm, move: Any) -> Iterator[str]:
    told = move.get_json()
    if move.status_code != 503 or told["code"] not in harm.codes:
        yield f"a move was answered {move.status_code} {told}"
    elif harm.words not in told["detail"] or move.headers["Retry-After"] != harm.retry_after:
        yield f"a move was told {told['detail']}, Retry-After {move.headers['Retry-After']}"
    elif move.content_type != "application/problem+json":
        yield f"a move was answered as {move.content_type}"


def _misread(harm: Harm, read: Any, before: Any) -> Iterator[str]:
    if harm.reads and read.get_data() != before.get_data():
        yield f"a read was answered {read.status_code} {read.get_data()!r}"
    if not harm.reads and (read.status_code, read.get_json()["code"]) != (
        503,
        "storage-unavailable",
    ):
        yield f"a read was answered {read.status_code} {read.get_data()!r}"


_DAMAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("state cut short", ("HSET", "{game}", "state", "{")),
    ("version no number", ("HSET", "{game}", "version", "x")),
    ("meta gone", ("HSET", "{game}", "meta", "[]")),
    ("log gone", ("DEL", "{events}")),
    ("log of another kind", ("SET", "{events}", "x")),
    ("game of another kind", ("SET", "{game}", "x")),
)


def damage_breaches(name: str, words: tuple[str, ...], bench: Bench) -> list[str]:
    """What goes otherwise than promised when what is kept of a game is damaged."""
    player, healthy = create(bench.client, QUICK), create(bench.client, QUICK)
    tag = f"{{g:{player.game['id']}}}"
    places = {"{game}": f"{tag}:game", "{events}": f"{tag}:events"}
    bench.node.ask(*(places.get(word, word) for word in words))
    with _logged() as records:
        answer = player.draw()
    told = answer.get_json()
    found = []
    if (answer.status_code, told["code"]) != (500, "game-damaged"):
        found.append(f"answered {answer.status_code} {told}")
    if len(records) != 1:
        found.append(f"logged {len(records)} times")
    if "Traceback" in answer.get_data(as_text=True):
        found.append("the answer shows a traceback")
    if healthy.draw().status_code != 200:
        found.append("another game cannot go on")
    return [f"{name}: {breach}" for breach in found]


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


def storage_conditions(rounds: int = 5) -> Outcome:
    """Every condition, so many times."""
    breaches: list[str] = []
    for _ in range(rounds):
        for harm in HARMS:
            with bench() as place:
                breaches += breaches_of(harm, place)
    return Outcome(f"{len(HARMS)} conditions, {rounds} times each", breaches)


def damaged_games(rounds: int = 5) -> Outcome:
    """Every kind of damage, so many times."""
    breaches: list[str] = []
    with bench() as place:
        for _ in range(rounds):
            for name, words in _DAMAGES:
                breaches += damage_breaches(name, words, place)
    return Outcome(f"{len(_DAMAGES)} kinds of damage, {rounds} times each", breaches)


TRIALS = (
    Trial(
        "A storage that fails is told in words, and changes nothing",
        "every condition of a server, a move and a read in it",
        storage_conditions,
    ),
    Trial(
        "A damaged game is reported as one, logged once, and harms no other",
        "state, version, meta and log damaged",
        damaged_games,
    ),
)
