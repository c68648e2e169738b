"""Changes on a real store: who is let in, what is decided again, what is written."""

from __future__ import annotations

import logging
import zlib
from dataclasses import dataclass, field, replace

import msgspec
import orjson
import pytest

from engine import table
from engine.game import Game, Step
from engine.options import GameOptions
from engine.round import Source
from engine.seats import HumanSeat
from engine.snapshot import dump, load
from service.errors import (
    ConflictError,
    CorruptGameError,
    ForeignTagError,
    GameNotFoundError,
    InvalidTokenError,
    KeyExpiredError,
    KeyReusedError,
    NotPermittedError,
    RefusedMoveError,
    StaleVersionError,
    TokenRequiredError,
)
from service.games.answers.responses import Moved, Seated
from service.games.change import Change, Decision
from service.games.changes import Create, Draw, Join, Leave
from service.games.idempotency import Idempotency, move_key
from service.games.loaded import LoadedGame, SeatHolder, Spectator
from service.games.repository import GameRepository
from service.games.stored.event_log import LoggedEvent, pack
from service.games.stored.meta import Meta
from service.games.tokens import game_id, token_hash
from service.games.transactions import ATTEMPTS, Transactions
from service.store.models import Commit, Committed, Deleted, MoveKey, Nonce, RecordKey, StoredGame
from tests.builders import ANN, secret
from tests.clock import Clock
from tests.games.conftest import DAY, LIFETIMES, ObservedStore, first_commit

BEA = HumanSeat("Bea")
WITHOUT_KEY = Idempotency(None, b"draw")
WITH_KEY = Idempotency("a key", b"draw")
TURN = 60_000


@pytest.fixture
def name(observed: ObservedStore, clock: Clock) -> str:
    return stored_game(observed, clock)


def stored_game(observed: ObservedStore, clock: Clock, *, turn_seconds: int | None = None) -> str:
    """The id of a game of Ann (seat 0, to move) and Bea, whose tokens are their names."""
    step = table.open_game(
        secret(3), GameOptions((ANN, BEA), turn_seconds=turn_seconds), now=clock.now
    )
    assert step.game.layout.seat == 0
    hashes = (token_hash("Ann"), token_hash("Bea"))
    meta = Meta(clock.now, clock.now, clock.now, hashes, (None, None))
    stamped = meta.stamped(step.game, clock.now, LIFETIMES)
    return first_commit(observed, step.game, stamped, step.events)


@dataclass(slots=True)
class Recorder(Change[SeatHolder]):
    """A draw from the stock by whoever has the token, which notes what it was decided on."""

    change: Draw
    decided: list[LoadedGame[SeatHolder]] = field(default_factory=list)
    faults: tuple[str, ...] = ()
    token: str | None = None

    def __post_init__(self) -> None:
        self.game_id, self.idempotency = self.change.game_id, self.change.idempotency

    def key(self, now: int) -> RecordKey | MoveKey | None:
        return self.change.key(now)

    def identify(self, stored: StoredGame | None) -> LoadedGame[SeatHolder]:
        return self.change.identify(stored)

    def decide(self, current: LoadedGame[SeatHolder], now: int) -> Decision:
        self.decided.append(current)
        decision = self.change.decide(current, now)
        step = replace(decision.step, faults=self.faults)
        reply = Moved() if self.token is None else Seated(self.token, b"s" * 32)
        return replace(decision, step=step, reply=reply)


def draw(
    name: str,
    idempotency: Idempotency = WITH_KEY,
    token: str | None = "Ann",
    if_match: str | None = None,
) -> Draw:
    return Draw(
        game_id=name, token=token, idempotency=idempotency, source=Source.STOCK, if_match=if_match
    )


def game_of(observed: ObservedStore, name: str) -> Game:
    stored, _ = observed.store.read(name)
    assert stored is not None
    return load(stored.state)


@pytest.mark.parametrize("name", [game_id("nobody made this one"), "none", "x" * 23])
def test_a_game_that_does_not_exist_is_not_found(transactions: Transactions, name: str) -> None:
    with pytest.raises(GameNotFoundError, match=r"^no game has this id, or it has expired$"):
        transactions.read_as_seat_holder(name, "Ann")
    with pytest.raises(GameNotFoundError):
        transactions.run(draw(name))


def test_the_store_is_not_asked_for_a_text_that_is_no_id(
    repository: GameRepository, observed: ObservedStore
) -> None:
    assert repository.load("none", RecordKey("create")) == (None, None)
    assert observed.reads == 0


def test_a_caller_without_a_token_is_a_spectator_unless_a_token_is_needed(
    transactions: Transactions, observed: ObservedStore, clock: Clock, name: str
) -> None:
    loaded = transactions.read(name, None)
    assert (loaded.game_id, loaded.caller, loaded.version) == (name, Spectator(), 1)
    assert loaded.stored == observed.store.read(name)[0]
    assert loaded.meta.created_at == clock.now
    with pytest.raises(TokenRequiredError, match=r"^this call needs the token of a seat$"):
        transactions.read_as_seat_holder(name, None)


def test_a_token_shows_its_own_seat(transactions: Transactions, name: str) -> None:
    for seat, token in enumerate(("Ann", "Bea")):
        loaded = transactions.read(name, token)
        assert (loaded.game_id, loaded.caller) == (name, SeatHolder(seat))
        assert loaded.meta == Meta.parse(loaded.stored)
    with pytest.raises(InvalidTokenError, match=r"^the token is of no seat of this game$"):
        transactions.read(name, "Eve")


def test_a_damaged_game_is_refused_by_its_id(transactions: Transactions, name: str) -> None:
    loaded = transactions.read(name, None)
    damaged = replace(loaded, stored=StoredGame(1, b"nonsense", b""))
    with pytest.raises(CorruptGameError, match=r"^the stored game is damaged") as unreadable:
        damaged.game()
    void = replace(loaded, meta=loaded.meta.with_token(1, None))
    with pytest.raises(CorruptGameError, match=r"^the tokens do not fit the seats$") as torn:
        void.game()
    assert unreadable.value.game_id == torn.value.game_id == name


def test_a_commit_holds_all_that_a_step_made(
    transactions: Transactions, observed: ObservedStore, clock: Clock, name: str
) -> None:
    before = game_of(observed, name)
    clock.now += 5
    response = transactions.run(draw(name))
    step = table.draw(before, 0, Source.STOCK, clock.now)
    (commit,) = observed.commits
    *fields, body = msgspec.msgpack.decode(commit.record)
    assert fields == [b"draw", 200, '"2.0.3"', None, None]
    assert zlib.decompress(body) == response.body
    meta = Meta.parse(commit.stored)
    assert (meta.played, meta.updated_at) == (True, clock.now)
    assert meta.expires_at == clock.now + 14 * DAY * 1000
    assert commit == Commit(
        game_id=name,
        expected=1,
        stored=StoredGame(2, dump(step.game), meta.dump()),
        events=[pack(LoggedEvent(step.events[0], clock.now))],
        logged=3,
        key=move_key("Ann", WITH_KEY, clock.now),
        record=commit.record,
        record_ttl=DAY,
        game_ttl=14 * DAY,
    )
    assert game_of(observed, name) == step.game
    assert (response.status, response.etag) == (200, '"2.0.3"')
    assert orjson.loads(response.body)["game"]["you"]["drawn"] is not None


def test_a_game_that_nobody_has_played_is_stored_for_a_shorter_time(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    transactions.run(Leave(game_id=name, token="Bea", idempotency=WITHOUT_KEY))
    assert observed.commits[-1].game_ttl == DAY


def test_a_record_holds_no_token_that_its_answer_shows(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    response = transactions.run(Recorder(draw(name), token="of the answer"))
    assert orjson.loads(response.body)["token"] == "of the answer"
    content = observed.store.read(name, observed.commits[0].key)[1]
    assert isinstance(content, bytes)
    *_, salt, body = msgspec.msgpack.decode(content)
    assert salt == b"s" * 32
    assert orjson.loads(zlib.decompress(body))["token"] is None


@pytest.mark.parametrize("idempotency", [WITH_KEY, WITHOUT_KEY])
def test_a_commit_that_turns_out_to_be_made_is_answered_as_made(
    transactions: Transactions, observed: ObservedStore, name: str, idempotency: Idempotency
) -> None:
    observed.before = [observed.store.commit]
    response = transactions.run(draw(name, idempotency))
    assert (response.status, response.etag) == (200, '"2.0.3"')
    assert response.replayed is (idempotency.key is not None)
    assert transactions.read(name, None).version == 2


def test_a_repeated_request_gets_its_first_answer_and_is_not_decided(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    first = transactions.run(draw(name))
    again = Recorder(draw(name))
    assert transactions.run(again) == replace(first, replayed=True)
    assert first.replayed is False
    assert again.decided == []
    assert len(observed.commits) == 1
    with pytest.raises(KeyReusedError):
        transactions.run(draw(name, Idempotency("a key", b"discard")))
    with pytest.raises(InvalidTokenError):
        transactions.run(draw(name, token="Eve"))


def test_a_key_whose_answer_made_room_while_its_request_was_decided_is_expired(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    def commit_first(commit: Commit) -> None:
        """Commit the same request, and then eight more moves of the same seat."""
        assert observed.store.commit(commit) == Committed()
        for number in range(8):
            version = commit.stored.version + 1
            commit = replace(
                commit,
                expected=version - 1,
                stored=replace(commit.stored, version=version),
                events=[],
                logged=commit.logged + len(commit.events),
                key=move_key("Ann", Idempotency(f"key {number}", b"draw"), 0),
            )
            assert observed.store.commit(commit) == Committed()

    observed.before = [commit_first]
    change = Recorder(draw(name))
    with pytest.raises(KeyExpiredError) as expired:
        transactions.run(change)
    assert expired.value.version == 10
    assert len(change.decided) == 1


def test_leaving_can_be_repeated_with_the_void_token_and_nothing_else_can(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    leave = Leave(game_id=name, token="Bea", idempotency=Idempotency("one", b"leave"))
    assert (transactions.run(leave).status, transactions.run(leave).replayed) == (204, True)
    assert len(observed.commits) == 1
    with pytest.raises(InvalidTokenError):
        transactions.run(replace(leave, idempotency=Idempotency("another", b"leave")))
    with pytest.raises(InvalidTokenError):
        transactions.run(draw(name, Idempotency("one", b"leave"), token="Bea"))
    assert observed.store.delete(name, 2) == Deleted()
    with pytest.raises(GameNotFoundError):
        transactions.run(leave)


def test_a_key_belongs_to_its_owner(transactions: Transactions, name: str) -> None:
    transactions.run(draw(name))
    other = Recorder(draw(name, token="Bea"))
    with pytest.raises(RefusedMoveError, match=r"^it is the turn of seat 0, not of seat 1$"):
        transactions.run(other)
    assert [loaded.caller for loaded in other.decided] == [SeatHolder(1)]


def test_requests_without_a_key_are_each_decided(transactions: Transactions, name: str) -> None:
    assert transactions.run(draw(name, WITHOUT_KEY)).replayed is False
    with pytest.raises(RefusedMoveError, match=r"^the phase is discard$") as refused:
        transactions.run(draw(name, WITHOUT_KEY))
    assert refused.value.version == 2


def test_if_match_is_judged_on_the_current_version(transactions: Transactions, name: str) -> None:
    with pytest.raises(StaleVersionError) as stale:
        transactions.run(draw(name, if_match='"2.0.3"'))
    assert stale.value.version == 1
    with pytest.raises(ForeignTagError):
        transactions.run(draw(name, if_match='"1.0.3-gzip"'))
    assert transactions.run(draw(name, if_match='W/"1.0.3"')).status == 200


def test_a_change_is_decided_again_on_the_game_that_was_committed_first(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    observed.before = [observed.overtake] * (ATTEMPTS - 1)
    change = Recorder(draw(name))
    assert transactions.run(change).status == 200
    assert [loaded.version for loaded in change.decided] == list(range(1, ATTEMPTS + 1))
    assert transactions.read(name, None).version == ATTEMPTS + 1


def test_a_change_is_given_up_when_others_are_always_committed_first(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    observed.before = [observed.overtake] * ATTEMPTS
    change = Recorder(draw(name))
    with pytest.raises(
        ConflictError, match="other changes were committed first again and again"
    ) as conflict:
        transactions.run(change)
    assert conflict.value.version == ATTEMPTS
    assert len(change.decided) == ATTEMPTS
    assert observed.store.read(name, observed.commits[0].key)[1] is None


@pytest.mark.parametrize("played", [False, True])
def test_overdue_turns_are_applied_for_a_seats_holder(
    transactions: Transactions, observed: ObservedStore, clock: Clock, played: bool
) -> None:
    name = stored_game(observed, clock, turn_seconds=60)
    if played:
        transactions.run(draw(name))
        observed.commits.clear()
    before = transactions.read(name, "Bea")
    clock.now += TURN
    loaded = transactions.read(name, "Bea")
    step = table.apply_overdue_turns(before.game(), 1, clock.now)
    assert step is not None
    assert (loaded.game_id, loaded.caller) == (name, SeatHolder(1))
    assert loaded.version == before.version + 1
    assert loaded.game() == step.game
    assert loaded.stored == observed.store.read(name)[0]
    assert loaded.meta == Meta.parse(loaded.stored)
    assert (loaded.meta.updated_at, loaded.meta.away) == (clock.now, (0,))
    lifetime = LIFETIMES.of(played=played)
    assert loaded.meta.expires_at == clock.now + 1000 * lifetime
    (commit,) = observed.commits
    assert (commit.expected, commit.game_ttl) == (before.version, lifetime)
    assert isinstance(commit.key, Nonce)
    assert (len(commit.key.value), commit.record) == (12, b"")
    assert len(commit.events) == len(step.events)
    assert commit.logged == before.game().seq


def test_a_seat_that_was_away_is_back_when_its_holder_calls(
    transactions: Transactions, observed: ObservedStore, clock: Clock
) -> None:
    name = stored_game(observed, clock, turn_seconds=60)
    clock.now += TURN
    assert transactions.read(name, "Bea").meta.away == (0,)
    assert transactions.read(name, "Ann").meta.away == ()
    assert transactions.read(name, "Ann").version == 3


def test_spectators_and_callers_in_time_cause_no_turns(
    transactions: Transactions, observed: ObservedStore, clock: Clock
) -> None:
    name = stored_game(observed, clock, turn_seconds=60)
    clock.now += TURN - 1
    assert transactions.read(name, "Bea").version == 1
    clock.now += 1
    assert transactions.read(name, None).version == 1
    assert observed.commits == []


def test_a_deadline_that_only_the_meta_has_causes_no_turns(
    repository: GameRepository, transactions: Transactions, clock: Clock, name: str
) -> None:
    loaded = transactions.read_as_seat_holder(name, "Ann")
    following = repository.next_version(loaded, Step(loaded.game(), ()), loaded.meta, clock.now)
    early = msgspec.structs.replace(following.meta, deadline=clock.now)
    written = replace(following, stored=replace(following.stored, meta=early.dump()))
    assert repository.commit(written) == Committed()
    assert transactions.read(name, "Ann").version == 2


def test_overdue_turns_are_applied_again_when_others_are_committed_first(
    transactions: Transactions, observed: ObservedStore, clock: Clock
) -> None:
    name = stored_game(observed, clock, turn_seconds=60)
    clock.now += TURN
    observed.before = [observed.overtake] * (ATTEMPTS - 1)
    assert transactions.read(name, "Bea").version == ATTEMPTS + 1
    assert len(observed.commits) == ATTEMPTS


def test_overdue_turns_are_given_up_when_others_are_always_committed_first(
    transactions: Transactions, observed: ObservedStore, clock: Clock
) -> None:
    name = stored_game(observed, clock, turn_seconds=60)
    clock.now += TURN
    observed.before = [observed.overtake] * ATTEMPTS
    with pytest.raises(ConflictError) as conflict:
        transactions.read(name, "Bea")
    assert conflict.value.version == ATTEMPTS
    assert len(observed.commits) == ATTEMPTS


def test_a_change_is_decided_on_the_game_after_its_overdue_turns(
    transactions: Transactions, observed: ObservedStore, clock: Clock
) -> None:
    name = stored_game(observed, clock, turn_seconds=60)
    clock.now += TURN
    change = Recorder(draw(name, token="Bea"))
    transactions.run(change)
    assert [(each.version, each.game().layout.seat) for each in change.decided] == [(2, 1)]
    assert [commit.expected for commit in observed.commits] == [1, 2]


def test_only_the_creator_deletes_and_not_while_other_humans_play(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    with pytest.raises(NotPermittedError, match=r"^only the creator may delete a game$"):
        transactions.delete(name, "Bea")
    with pytest.raises(NotPermittedError, match=r"^other humans are playing this game$"):
        transactions.delete(name, "Ann")
    transactions.run(Leave(game_id=name, token="Bea", idempotency=WITHOUT_KEY))
    assert transactions.delete(name, "Ann").status == 204
    assert observed.store.read(name) == (None, None)


def test_a_game_that_a_last_human_joins_before_its_deletion_is_not_deleted(
    transactions: Transactions, observed: ObservedStore
) -> None:
    options = GameOptions((ANN, replace(BEA, joined=False)))
    created = orjson.loads(transactions.run(Create(options, WITHOUT_KEY)).body)
    name, invite = created["game"]["id"], created["invites"][0]["code"]
    join = Join(game_id=name, invite=invite, name=None, idempotency=WITHOUT_KEY)
    observed.before_deletion = [lambda: transactions.run(join)]
    with pytest.raises(NotPermittedError, match=r"^other humans are playing this game$"):
        transactions.delete(name, created["token"])
    assert transactions.read(name, None).version == 2


def test_a_deletion_is_judged_again_on_the_game_that_was_committed_first(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    transactions.run(Leave(game_id=name, token="Bea", idempotency=WITHOUT_KEY))
    observed.before_deletion = [lambda: transactions.run(draw(name, WITHOUT_KEY))]
    assert transactions.delete(name, "Ann").status == 204
    assert observed.store.read(name) == (None, None)


def test_a_deletion_is_given_up_when_others_are_always_committed_first(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    transactions.run(Leave(game_id=name, token="Bea", idempotency=WITHOUT_KEY))
    (last,) = observed.commits

    def overtake() -> None:
        stored, _ = observed.store.read(name)
        assert stored is not None
        logged = last.logged + len(last.events)
        observed.overtake(replace(last, expected=stored.version, logged=logged))

    observed.before_deletion = [overtake] * ATTEMPTS
    with pytest.raises(ConflictError) as conflict:
        transactions.delete(name, "Ann")
    assert conflict.value.version == ATTEMPTS + 1
    assert observed.store.read(name)[0] is not None


def test_a_game_that_is_deleted_by_two_is_gone_for_the_second(
    transactions: Transactions, observed: ObservedStore, name: str
) -> None:
    transactions.run(Leave(game_id=name, token="Bea", idempotency=WITHOUT_KEY))
    observed.before_deletion = [lambda: observed.store.delete(name, 2)]
    with pytest.raises(GameNotFoundError):
        transactions.delete(name, "Ann")


def test_faults_of_ai_players_are_logged_once_they_are_committed(
    transactions: Transactions,
    observed: ObservedStore,
    name: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    faulty = Recorder(draw(name), faults=("seat 1: one", "seat 1: two"))
    observed.before = [observed.overtake]
    with caplog.at_level(logging.ERROR, logger="service.players"):
        transactions.run(faulty)
    assert len(faulty.decided) == 2
    assert [(entry.levelname, entry.getMessage()) for entry in caplog.records] == [
        ("ERROR", f"an AI player failed in game {name}, seat 1: one"),
        ("ERROR", f"an AI player failed in game {name}, seat 1: two"),
    ]
