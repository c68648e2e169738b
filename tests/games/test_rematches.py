"""Rematches on a real store whose second commit fails: one game in the end, and no dead id."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import orjson
import pytest

from engine.game import Game, Status
from engine.rules import AceMode, Rules
from engine.seats import AiSeat, HumanSeat, Level
from engine.snapshot import load
from service.errors import (
    GameNotFoundError,
    OutcomeUnknownError,
    RefusedMoveError,
    RematchMadeError,
    StorageUnavailableError,
)
from service.games.answers.responses import GameResponse
from service.games.changes import Join, Rematch
from service.games.idempotency import Idempotency
from service.games.queries import Queries
from service.games.rematches import MADE
from service.games.repository import GameRepository
from service.games.stored.meta import Meta
from service.games.tokens import token_hash
from service.games.transactions import Transactions
from service.store.models import Commit, Deleted
from tests.builders import ANN, secret
from tests.clock import Clock
from tests.games.conftest import DAY, ObservedStore, first_commit
from tests.playout import Playout

BEA = HumanSeat("Bea")
RULES = Rules(2, AceMode.BOTH)
LEFTY = AiSeat("Lefty", Level.EASY)
WITHOUT_KEY = Idempotency(None, b"rematch")
WITH_KEY = Idempotency("a random key of a client", b"rematch")


class WorkerKilledError(BaseException):
    """The worker died."""


@dataclass
class Finished:
    """A finished game of Ann (seat 0), Bea and an AI player; tokens are names."""

    transactions: Transactions
    queries: Queries
    observed: ObservedStore
    game: Game
    name: str

    def rematch(self, key: Idempotency = WITHOUT_KEY, token: str = "Ann") -> GameResponse:
        return self.transactions.run(Rematch(game_id=self.name, token=token, idempotency=key))

    def view(self, token: str | None = None) -> dict[str, object]:
        body: dict[str, object] = orjson.loads(self.queries.view(self.name, token, None).body)
        return body

    def join(self, name: str, token: str) -> GameResponse:
        join = Join(game_id=name, invite=token, name=None, idempotency=WITHOUT_KEY, is_token=True)
        return self.transactions.run(join)

    def reserved_id(self) -> str:
        stored, _ = self.observed.store.read(self.name)
        assert stored is not None
        rematch = Meta.parse(stored).rematch
        assert rematch is not None
        return rematch.game_id

    def die_between(self, key: Idempotency = WITHOUT_KEY) -> str:
        """Ask for a rematch and die after its first commit; the id that is reserved."""
        self.fail(WorkerKilledError())
        with pytest.raises(WorkerKilledError):
            self.rematch(key)
        reserved = self.reserved_id()
        assert self.observed.store.read(reserved) == (None, None)
        return reserved

    def fail(self, error: BaseException) -> None:
        """Let the commit after the next one fail."""

        def failing(_: Commit) -> None:
            raise error

        self.observed.before = [lambda _: None, failing]


@pytest.fixture
def finished(
    transactions: Transactions,
    repository: GameRepository,
    observed: ObservedStore,
    clock: Clock,
) -> Finished:
    playout = Playout(secret(3), RULES, (ANN, BEA, LEFTY), random.Random(3), skill=1.0)
    *_, game = playout.states()
    hashes = (token_hash("Ann"), token_hash("Bea"), None)
    meta = Meta(clock.now, clock.now, clock.now, hashes, (None,) * 3, played=True)
    name = first_commit(observed, game, meta, playout.events)
    queries = Queries(transactions, repository)
    return Finished(transactions, queries, observed, game, name)


def test_an_undisturbed_rematch_is_two_commits(finished: Finished, clock: Clock) -> None:
    clock.now += 5
    answer = orjson.loads(finished.rematch().body)
    old, new = finished.observed.commits
    assert (old.game_id, old.expected, old.events, old.game_ttl) == (finished.name, 1, [], 14 * DAY)
    assert load(old.stored.state) == finished.game
    assert (new.game_id, new.expected, new.key) == (answer["game"]["id"], 0, MADE)
    assert (new.game_ttl, new.record_ttl) == (DAY, DAY + 3600)
    game, meta = load(new.stored.state), Meta.parse(new.stored)
    assert game.seats == (ANN, HumanSeat("Bea", joined=False), LEFTY)
    assert (game.rules, game.turn_seconds, game.turn_solves, game.seeded) == (
        *(RULES, None, finished.game.turn_solves),
        False,
    )
    assert game.secret != finished.game.secret
    assert game.first_dealer == (finished.game.first_dealer + 1) % 3
    assert meta.tokens == (token_hash(answer["token"]), None, None)
    assert meta.invites == (token_hash("Ann"), token_hash("Bea"), None)
    assert (meta.rematch_of, meta.created_at, meta.played) == (finished.name, clock.now, False)


def test_after_a_death_between_the_commits_the_same_key_has_the_answer_that_was_due(
    finished: Finished, clock: Clock
) -> None:
    reserved = finished.die_between(WITH_KEY)
    clock.now += 60_000
    first, again = finished.rematch(WITH_KEY), finished.rematch(WITH_KEY)
    assert (first.status, first.replayed, first) == (201, True, again)
    body = orjson.loads(first.body)
    assert (body["game"]["id"], first.location) == (reserved, f"/v1/games/{reserved}")
    seen = finished.queries.view(reserved, body["token"], None)
    assert orjson.loads(seen.body) == body["game"]
    assert seen.etag == first.etag
    assert len([each for each in finished.observed.commits if each.game_id == reserved]) == 2


def test_after_a_death_between_the_commits_a_view_of_the_old_game_makes_the_new_one(
    finished: Finished,
) -> None:
    reserved = finished.die_between()
    for token in (None, "Bea"):
        assert finished.view(token)["rematch"] == reserved
    assert finished.observed.store.read(reserved)[0] is not None
    assert finished.join(reserved, "Bea").status == 201
    with pytest.raises(RefusedMoveError, match="seat 0 has been joined"):
        finished.join(reserved, "Ann")


def test_after_a_death_between_the_commits_a_second_rematch_makes_the_first(
    finished: Finished,
) -> None:
    reserved = finished.die_between()
    with pytest.raises(RematchMadeError) as made:
        finished.rematch(token="Bea")
    assert (made.value.rematch, made.value.version) == (reserved, 2)
    assert finished.join(reserved, "Bea").status == 201


def test_whoever_completes_a_rematch_makes_the_same_game(finished: Finished, clock: Clock) -> None:
    """The answer that is recorded with the first commit shows the game that another makes."""
    reserved = finished.die_between(WITH_KEY)
    clock.now += 60_000
    finished.view()
    assert finished.join(reserved, "Bea").status == 201
    body = orjson.loads(finished.rematch(WITH_KEY).body)
    joined = orjson.loads(finished.queries.view(reserved, body["token"], None).body)
    for name in ("id", "commitment", "created_at", "rules"):
        assert joined[name] == body["game"][name]
    assert joined["version"] == 2


@pytest.mark.parametrize("is_applied", [False, True])
def test_a_failure_of_the_second_commit_leaves_the_outcome_unknown(
    finished: Finished, is_applied: bool
) -> None:
    def fail(commit: Commit) -> None:
        if is_applied:
            finished.observed.store.commit(commit)
        raise StorageUnavailableError("away", 2)

    finished.observed.before = [lambda _: None, fail]
    with pytest.raises(OutcomeUnknownError, match="away"):
        finished.rematch(WITH_KEY)
    answer = finished.rematch(WITH_KEY)
    body = orjson.loads(answer.body)
    assert finished.queries.view(body["game"]["id"], body["token"], None).etag == answer.etag


def test_a_rematch_that_another_completes_first_is_answered_as_made(finished: Finished) -> None:
    finished.observed.before = [lambda _: None, finished.observed.store.commit]
    body = orjson.loads(finished.rematch().body)
    assert finished.queries.view(body["game"]["id"], body["token"], None).status == 200


@pytest.mark.parametrize("key", [WITHOUT_KEY, WITH_KEY])
def test_a_reservation_that_turns_out_to_be_made_is_completed(
    finished: Finished, key: Idempotency
) -> None:
    finished.observed.before = [finished.observed.store.commit]
    answer = finished.rematch(key)
    body = orjson.loads(answer.body)
    assert answer.replayed is (key.key is not None)
    assert finished.queries.view(body["game"]["id"], body["token"], None).etag == answer.etag


def test_equal_requests_of_which_one_dies_have_the_values_of_the_first(
    finished: Finished,
) -> None:
    """The second has decided by other values when it finds the commit of the first made."""

    def rival(_: Commit) -> None:
        finished.die_between(WITH_KEY)

    finished.observed.before = [rival]
    answer = finished.rematch(WITH_KEY)
    body = orjson.loads(answer.body)
    assert answer.replayed
    assert finished.queries.view(body["game"]["id"], body["token"], None).etag == answer.etag


def test_a_rematch_that_was_deleted_is_not_made_again(finished: Finished, clock: Clock) -> None:
    body = orjson.loads(finished.rematch(WITH_KEY).body)
    reserved = body["game"]["id"]
    assert finished.transactions.delete(reserved, body["token"]).status == 204
    clock.now += DAY * 1000 - 1
    assert finished.view()["rematch"] == reserved
    with pytest.raises(RematchMadeError):
        finished.rematch()
    assert finished.observed.store.read(reserved) == (None, None)


def test_a_reservation_is_of_no_use_once_its_game_would_have_expired(
    finished: Finished, clock: Clock
) -> None:
    reserved = finished.die_between()
    clock.now += DAY * 1000
    assert finished.view()["rematch"] == reserved
    assert finished.observed.store.read(reserved) == (None, None)
    with pytest.raises(GameNotFoundError):
        finished.join(reserved, "Bea")


def test_an_old_game_that_is_deleted_between_the_commits_still_has_its_rematch(
    finished: Finished,
) -> None:
    def delete(_: Commit) -> None:
        assert finished.observed.store.delete(finished.name, 2) == Deleted()

    finished.observed.before = [lambda _: None, delete]
    body = orjson.loads(finished.rematch().body)
    assert finished.queries.view(body["game"]["id"], body["token"], None).status == 200
    assert finished.join(body["game"]["id"], "Bea").status == 201


def test_other_reads_of_the_old_game_ask_for_no_rematch(finished: Finished) -> None:
    finished.rematch()
    finished.observed.reads = 0
    finished.queries.scores(finished.name, None)
    assert finished.observed.reads == 1
    tag = finished.queries.view(finished.name, None, None).etag
    finished.observed.reads = 0
    assert finished.queries.view(finished.name, None, tag).status == 304
    assert finished.observed.reads == 1
    assert finished.game.status is Status.FINISHED


@pytest.mark.parametrize("is_executed", [False, True])
@pytest.mark.parametrize("number", range(5))
def test_a_death_at_any_call_of_the_store_ends_in_one_rematch(
    finished: Finished, monkeypatch: pytest.MonkeyPatch, number: int, is_executed: bool
) -> None:
    """The worker dies at one call of the store or just after; then the request is repeated."""
    left = number
    calls = {
        name: getattr(finished.observed.store, name) for name in ("read", "has_record", "commit")
    }

    def dying(name: str) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            nonlocal left
            left -= 1
            if left >= 0 or left < -1:
                return calls[name](*arguments)
            if is_executed:
                calls[name](*arguments)
            raise WorkerKilledError

        return call

    for name in calls:
        monkeypatch.setattr(finished.observed.store, name, dying(name))
    with suppress(WorkerKilledError):
        finished.rematch(WITH_KEY)
    with suppress(WorkerKilledError):
        finished.view()
    answer = finished.rematch(WITH_KEY)
    assert left < -1
    body = orjson.loads(answer.body)
    assert answer == replace(finished.rematch(WITH_KEY), replayed=answer.replayed)
    assert finished.view()["rematch"] == body["game"]["id"] == finished.reserved_id()
    seen = finished.queries.view(body["game"]["id"], body["token"], None)
    assert (orjson.loads(seen.body), seen.etag) == (body["game"], answer.etag)
    made = {each.game_id for each in finished.observed.commits}
    assert made == {finished.name, body["game"]["id"]}
