"""Games in Redis: read once, commit once.

The keys of one game share a hash tag, so that they live in one slot of a cluster:

    {g:<id>}:game          hash: version, state (a snapshot), meta (times, token hashes), and the
                           nonce of the newest commit without a client's key; of a finished game
                           also `review:<seat>`, the reviews that were asked for
    {g:<id>}:events        list: one entry an event, the one of seq n at index n - 1

and those of the idempotency records (`records.py`). Every key has a lifetime. `commit` runs one
script: it looks the client's key up, compares the version and writes all or nothing; so does a
deletion. Where the answer of a commit is lost, its key or nonce tells whether it was made; it is
sent again only to a server that has been running all the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from redis.exceptions import RedisError, ResponseError

from service.errors import CorruptGameError, OutcomeUnknownError
from service.store import readiness, records
from service.store.connections.connection import Command, Connection
from service.store.connections.failures import (
    SOON,
    NotRetriedError,
    TooFewReplicasError,
    UnconfirmedError,
)
from service.store.connections.retry import Retry, RetryPolicy
from service.store.connections.server_info import good_replicas, uptime_seconds
from service.store.connections.topologies import Pools, open_pools
from service.store.connections.url import parse
from service.store.durability import Durability, DurabilityLevel
from service.store.keys import events_key, game_key
from service.store.models import (
    AlreadyCommitted,
    Commit,
    Deleted,
    KeyExpired,
    MoveKey,
    Nonce,
    Outcome,
    Record,
    RecordKey,
    Stale,
    StoredGame,
)
from service.store.observer import StoreObserver
from service.store.scripts import commit_script, delete_script, review_script
from service.store.subscriptions.subscription import Subscription

_WAIT_MS = 600
"""How long replicas have to confirm a write; less than a connection's timeout."""
_CLOCK_STEP = 1  # second by which an uptime may be wrong, since servers count whole ones


class GameStore:
    """The games of one Redis database; safe to share between threads."""

    def __init__(
        self,
        pools: Pools,
        durability: Durability = Durability.LOCAL,
        replicas: int = 1,
        policy: RetryPolicy | None = None,
        observer: StoreObserver | None = None,
    ) -> None:
        self._pools = pools
        self._retry = Retry(pools, policy or RetryPolicy(), observer)
        self._one_attempt = Retry(pools, replace(policy or RetryPolicy(), deadline=0.0), observer)
        self._level = DurabilityLevel(durability, replicas)
        self.subscription = Subscription(pools)

    @classmethod
    def from_url(
        cls,
        url: str,
        connections: int,
        durability: Durability = Durability.LOCAL,
        replicas: int = 1,
        *,
        policy: RetryPolicy | None = None,
        observer: StoreObserver | None = None,
    ) -> GameStore:
        """A store at a URL as `url.py` knows them; connects when first used.

        `connections`: how many to each server; `replicas`: how many every master has, which is
        how many have to confirm a write. Raises StoreUrlError.
        """
        return cls(open_pools(parse(url), connections), durability, replicas, policy, observer)

    def close(self) -> None:
        """Close every connection."""
        self.subscription.close()
        self._pools.close()

    def check_ready(self) -> tuple[str, ...]:
        """Return what an operator should know, if a read and a commit would be allowed now.

        Changes nothing. Raises StorageUnavailableError.
        """
        return readiness.check(self._pools, self._retry, self._level)

    def read(
        self, game_id: str, key: RecordKey | MoveKey | None = None
    ) -> tuple[StoredGame | None, Record]:
        """A game, None if there is none, and what is stored under a client's key.

        Raises StorageUnavailableError, CorruptGameError; OutcomeUnknownError if the replicas may
        not hold what was found under the key.
        """
        game = game_key(game_id)
        read_game: Command = ("HMGET", game, "version", "state", "meta")
        if key is None:
            return _stored_game(self._read(game, read_game)[0]), None

        def operation(connection: Connection) -> tuple[Sequence[bytes | None], Record]:
            # The key is looked up last: whoever sees a move made also sees its record.
            fields, answer = connection.execute(read_game, records.lookup(game_id, key))
            record = records.found(connection, game_id, key, answer)
            if record is None:
                self._require_replicas(connection)
            elif self._level.is_confirmed:
                # The replicas can only be waited for after a write of this very connection.
                self._require_old_server(connection)
                connection.execute(records.rewriting(game_id, key, answer))
                self._await_replicas(connection)
            return fields, record

        fields, record = self._retry.read(game, operation)
        return _stored_game(fields), record

    def has_record(self, game_id: str, key: RecordKey) -> bool:
        """Whether there is a record, on the master alone: replicas are not waited for."""
        record = records.record_key(game_id, key)
        return self._read(record, records.lookup(game_id, key))[0] is not None

    def events(self, game_id: str, after: int, limit: int) -> list[bytes]:
        """Up to `limit` event records with a seq above `after`, in order."""
        if limit <= 0:
            return []
        key = events_key(game_id)
        events: list[bytes] = self._read(key, ("LRANGE", key, after, after + limit - 1))[0]
        return events

    def events_at(self, game_id: str, seqs: Sequence[int]) -> list[bytes]:
        """The event records with the given seqs, in their order, as far as they are there."""
        if not seqs:
            return []
        key = events_key(game_id)
        commands: list[Command] = [("LINDEX", key, seq - 1) for seq in seqs]
        return [event for event in self._read(key, *commands) if event is not None]

    def review(self, game_id: str, seat: int) -> bytes | None:
        """What was kept as the review of a seat; None if there is none."""
        review: bytes | None
        (review,) = self._read(game_key(game_id), review_script.lookup(game_id, seat))
        return review

    def keep_review(self, game_id: str, version: int, seat: int, review: bytes) -> bool:
        """Keep the review of a seat of a game at this version; whether it is kept.

        It can be made again, so one attempt is enough, and no replica is waited for. Raises
        StorageError.
        """

        def operation(connection: Connection) -> bool:
            return review_script.keep(connection, game_id, version, seat, review)

        return self._one_attempt.write(game_key(game_id), operation)[0]

    def delete(self, game_id: str, expected: int) -> Deleted | Stale:
        """Delete a game at its expected version, and its log; records expire by themselves.

        Raises StorageUnavailableError if nothing was deleted, OutcomeUnknownError if the
        server was lost.
        """

        def operation(connection: Connection) -> Deleted | Stale:
            self._require_old_server(connection)
            outcome = delete_script.run(connection, game_id, expected)
            self._await_replicas(connection)
            return outcome

        outcome, maybe_applied = self._retry.write(game_key(game_id), operation)
        # No game comes back under its id: what is gone was deleted by the attempt before.
        return Deleted() if maybe_applied and outcome == Stale(0) else outcome

    def commit(self, commit: Commit) -> Outcome:
        """Write a move, or say why not.

        Raises StorageUnavailableError if nothing was written, OutcomeUnknownError if the
        connection was lost and what happened could not be settled in time, CorruptGameError.
        """
        level = self._level
        arguments = commit_script.commit_arguments(
            commit, guarded=level.is_guarded, confirmed=level.is_confirmed
        )

        def operation(connection: Connection) -> Outcome:
            if connection.uncertain_for is not None:
                made = self._made_before(connection, commit)
                if made is not None:
                    return made
            outcome = commit_script.outcome_of(commit_script.run(connection, arguments))
            self._await_replicas(connection)
            return outcome

        outcome, maybe_applied = self._retry.write(game_key(commit.game_id), operation)
        if maybe_applied and isinstance(outcome, Stale) and isinstance(commit.key, Nonce):
            # The commit may have been made, and its nonce overwritten by the next one.
            raise OutcomeUnknownError("the game went on while the storage was lost", SOON)
        return outcome

    def _made_before(
        self, connection: Connection, commit: Commit
    ) -> AlreadyCommitted | KeyExpired | None:
        """What an earlier attempt wrote, by its key or nonce; None: the commit is to be sent again.

        A write may be what ended a server, so it is not sent to one that may have started since.
        Raises NotRetriedError.
        """
        made = _made(connection, commit)
        if made is not None and not self._level.is_confirmed:
            return made
        self._require_old_server(connection)
        return None

    @staticmethod
    def _require_old_server(connection: Connection) -> None:
        """Raise NotRetriedError after a lost attempt, unless the server has run since before it."""
        if connection.uncertain_for is None:
            return
        try:
            uptime = uptime_seconds(connection)
        except ResponseError as error:
            raise NotRetriedError("the server does not say for how long it has run") from error
        if uptime is None or uptime - _CLOCK_STEP <= connection.uncertain_for:
            raise NotRetriedError(f"the server has run for {uptime} s")

    def _require_replicas(self, connection: Connection) -> None:
        """Return if the master that was read has all its replicas, where that is promised.

        Otherwise one of them may have been made the master instead. Raises TooFewReplicasError.
        """
        needed = self._level.replicas
        if self._level.is_confirmed and (good_replicas(connection) or 0) < needed:
            raise TooFewReplicasError(f"fewer than {needed} replicas keep up")

    def _await_replicas(self, connection: Connection) -> None:
        """Return once every replica holds what the connection wrote, where that is promised.

        Raises UnconfirmedError.
        """
        if not self._level.is_confirmed:
            return
        needed = self._level.replicas
        try:
            count = min(connection.execute_everywhere(("WAIT", needed, _WAIT_MS)))
        except RedisError as error:  # the write before it was carried out
            raise UnconfirmedError(str(error)) from error
        if count < needed:
            raise UnconfirmedError(f"{count} of {needed} replicas confirm")

    def _read(self, key: str, *commands: Command) -> list[Any]:
        """The answers to commands that change nothing, from the master of a key."""

        def operation(connection: Connection) -> list[Any]:
            answers = connection.execute(*commands)
            self._require_replicas(connection)
            return answers

        return self._retry.read(key, operation)


def _made(connection: Connection, commit: Commit) -> AlreadyCommitted | KeyExpired | None:
    """Whether a commit was made, by what its key or its nonce has left."""
    game_id, key = commit.game_id, commit.key
    if isinstance(key, Nonce):
        (nonce,) = connection.execute(("HGET", game_key(game_id), "nonce"))
        return AlreadyCommitted(b"") if nonce == key.value else None
    (answer,) = connection.execute(records.lookup(game_id, key))
    record = records.found(connection, game_id, key, answer)
    return AlreadyCommitted(record) if isinstance(record, bytes) else record


def _stored_game(fields: Sequence[bytes | None]) -> StoredGame | None:
    version, state, meta = fields
    if version is None and state is None and meta is None:
        return None
    if version is None or state is None or meta is None:
        raise CorruptGameError("the game lacks its version, its state or its meta")
    number = commit_script.version_number(version)
    if number == 0:
        raise CorruptGameError("the version of the game is 0")
    return StoredGame(number, state, meta)
