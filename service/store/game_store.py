"""Games in Redis: read once, commit once.

The keys of one game share a hash tag, so that they live in one slot of a cluster:

    {g:<id>}:game          hash: version, state (a snapshot), meta (times, token hashes)
    {g:<id>}:events        list: one JSON record an event, the one of seq n at index n - 1
    {g:<id>}:key:<name>    string: an idempotency record, a nonce line before it

Every key has a lifetime. `commit` runs one script: it looks the record up, compares the version
and writes everything, or nothing. It is never retried blindly: its record makes running it
again harmless, so a connection lost in between is settled by running it once more.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from redis.exceptions import InvalidResponse, NoScriptError, RedisError, ResponseError

from service.errors import CorruptGameError, OutcomeUnknownError
from service.store.durability import Durability
from service.store.failures import SOON, UnconfirmedError, UnfollowedError
from service.store.models import AlreadyCommitted, Commit, Committed, RecordKey, Stale, StoredGame
from service.store.retry import Command, Errands, Line
from service.store.topologies import Servers, servers

_WAIT_MS = 600
"""How long replicas have to confirm a write; less than a connection's patience."""
_SCRIPT = (files("service.store") / "commit.lua").read_text("utf-8")
_SHA = hashlib.sha1(_SCRIPT.encode(), usedforsecurity=False).hexdigest()
_NONCE_END = b"\n"
_GOOD_REPLICAS = re.compile(rb"min_slaves_good_slaves:(\d+)")
"""What a server says of itself that refuses writes where replicas are missing or behind."""


class GameStore:
    """The games of one Redis database; safe to share between threads."""

    def __init__(self, where: Servers, durability: Durability, replicas: int) -> None:
        self._servers = where
        self._errands = Errands(where)
        self._durability = durability
        self._replicas = replicas

    @classmethod
    def from_url(
        cls,
        url: str,
        connections: int,
        durability: Durability = Durability.LOCAL,
        replicas: int = 1,
    ) -> GameStore:
        """A store at a URL as `addresses.py` knows them; connects when first used.

        `replicas`: how many every master has, which is how many have to confirm a write.
        """
        return cls(servers(url, connections), durability, replicas)

    def close(self) -> None:
        """Close every connection."""
        self._servers.close()

    def ping(self) -> None:
        """Return if a server answers that is set up for what was promised and can keep it.

        Raises StorageUnavailableError.
        """
        self._errands.anywhere(self._greet)

    def read(
        self, game_id: str, record: RecordKey | None = None
    ) -> tuple[StoredGame | None, bytes | None]:
        """A game, None if there is none, and the record under a key, None likewise.

        Raises StorageUnavailableError; OutcomeUnknownError if the replicas may not hold the
        record.
        """
        game = _game_key(game_id)
        # The record is read last, so that whoever finds a move made finds its record, too.
        reading: Command = ("HMGET", game, "version", "state", "meta")
        if record is None:
            return _stored(self._read(game, reading)[0]), None
        key = _record_key(game_id, record)

        def talk(line: Line) -> list[Any]:
            fields, kept = line.tell(reading, ("GET", key))
            if kept is None:
                self._look_back(line)
            elif self._confirms:
                # A write of this connection's own, after which it can wait for the replicas.
                line.tell(("SET", key, kept, "XX", "KEEPTTL"))
                self._confirm(line)
            return [fields, kept]

        fields, kept = self._errands.read(game, talk)
        return _stored(fields), None if kept is None else _record(kept)

    def events(self, game_id: str, after: int, limit: int) -> list[bytes]:
        """Up to `limit` event records with a seq above `after`, in order."""
        if limit <= 0:
            return []
        key = _events_key(game_id)
        found: list[bytes] = self._read(key, ("LRANGE", key, after, after + limit - 1))[0]
        return found

    def events_at(self, game_id: str, seqs: Sequence[int]) -> list[bytes]:
        """The event records with the given seqs, in their order, as far as they are there."""
        if not seqs:
            return []
        key = _events_key(game_id)
        commands: list[Command] = [("LINDEX", key, seq - 1) for seq in seqs]
        return [event for event in self._read(key, *commands) if event is not None]

    def delete(self, game_id: str) -> None:
        """Delete a game and its log; records of its moves expire by themselves.

        Raises StorageUnavailableError if nothing was deleted, OutcomeUnknownError if the
        server was lost.
        """
        game = _game_key(game_id)

        def talk(line: Line) -> None:
            line.tell(("UNLINK", game, _events_key(game_id)))
            self._confirm(line)

        self._errands.write(game, talk)

    def commit(self, commit: Commit) -> Committed | AlreadyCommitted | Stale:
        """Write a move, or say why not.

        Raises StorageUnavailableError if nothing was written, OutcomeUnknownError if the
        connection was lost and what happened could not be settled in time.
        """
        arguments = _arguments(commit, guarded=self._is_guarded, confirms=self._confirms)

        def talk(line: Line) -> Committed | AlreadyCommitted | Stale:
            outcome = _outcome(_run_script(line, arguments))
            self._confirm(line)
            return outcome

        outcome, doubtful = self._errands.write(_game_key(commit.game_id), talk)
        if doubtful and isinstance(outcome, Stale) and commit.record_key.nonce:
            # Our own record may have been written and overwritten since: who can tell?
            raise OutcomeUnknownError("the game went on while the storage was lost", SOON)
        return outcome

    @property
    def _is_guarded(self) -> bool:
        return self._durability is not Durability.LOCAL

    @property
    def _confirms(self) -> bool:
        return self._durability is Durability.ACKNOWLEDGED

    def _greet(self, line: Line) -> None:
        line.tell(("PING",))
        if not self._is_guarded:
            return
        good = self._good_replicas(line)
        if good is None:
            raise ResponseError("UNGUARDED min-replicas-to-write is not set")
        if good < (self._replicas if self._confirms else 1):
            raise UnfollowedError(f"{good} replicas keep up")

    @staticmethod
    def _good_replicas(line: Line) -> int | None:
        """How many replicas keep up with a server, None where it does not count them."""
        found = _GOOD_REPLICAS.search(line.tell(("INFO", "replication"))[0])
        return None if found is None else int(found[1])

    def _look_back(self, line: Line) -> None:
        """Return if a master that was read still has all its replicas behind it.

        Otherwise one of them may have been made the master instead. Raises UnfollowedError.
        """
        if self._confirms and (self._good_replicas(line) or 0) < self._replicas:
            raise UnfollowedError(f"fewer than {self._replicas} replicas keep up")

    def _read(self, key: str, *commands: Command) -> list[Any]:
        """The answers to commands that change nothing, from the one master of a key."""

        def talk(line: Line) -> list[Any]:
            answers = line.tell(*commands)
            self._look_back(line)
            return answers

        return self._errands.read(key, talk)

    def _confirm(self, line: Line) -> None:
        """Return once every replica holds what the connection wrote, if that is promised.

        Raises UnconfirmedError.
        """
        if not self._confirms:
            return
        try:
            count = line.tell(("WAIT", self._replicas, _WAIT_MS))[0]
        except RedisError as error:  # what came before it was carried out
            raise UnconfirmedError(str(error)) from error
        if count < self._replicas:
            raise UnconfirmedError(f"{count} of {self._replicas} replicas confirm")


def _run_script(line: Line, arguments: Sequence[bytes | str | int]) -> list[bytes]:
    answer: list[bytes]
    try:
        (answer,) = line.tell(("EVALSHA", _SHA, *arguments))
    except NoScriptError:
        (answer,) = line.tell(("EVAL", _SCRIPT, *arguments))
    return answer


def _arguments(commit: Commit, *, guarded: bool, confirms: bool) -> list[bytes | str | int]:
    keys = (
        _game_key(commit.game_id),
        _events_key(commit.game_id),
        _record_key(commit.game_id, commit.record_key),
    )
    nonce = commit.record_key.nonce.encode()
    mark = nonce + _NONCE_END
    stored = commit.stored
    return [
        len(keys),
        *keys,
        commit.expected,
        stored.version,
        stored.state,
        stored.meta,
        mark if nonce else b"",
        mark + commit.record,
        commit.record_ttl * 1000,
        commit.game_ttl * 1000,
        int(guarded),
        int(confirms),
        commit.logged,
        *commit.events,
    ]


def _outcome(answer: list[bytes]) -> Committed | AlreadyCommitted | Stale:
    match answer:
        case [b"kept", record]:
            return AlreadyCommitted(_record(record))
        case [b"stale", version]:
            return Stale(int(version))
        case [b"done", _]:
            return Committed()
    raise InvalidResponse("the script gave no answer of its own")


def _record(kept: bytes) -> bytes:
    return kept.partition(_NONCE_END)[2]


def _stored(fields: list[bytes | None]) -> StoredGame | None:
    version, state, meta = fields
    if version is None or state is None or meta is None:
        return None
    try:
        return StoredGame(int(version), state, meta)
    except ValueError as error:
        raise CorruptGameError("the version is not a number") from error


def _game_key(game_id: str) -> str:
    return f"{{g:{game_id}}}:game"


def _events_key(game_id: str) -> str:
    return f"{{g:{game_id}}}:events"


def _record_key(game_id: str, key: RecordKey) -> str:
    return f"{{g:{game_id}}}:key:{key.name}"
