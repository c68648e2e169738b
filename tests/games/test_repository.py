"""The ledger on a real store: who is found, what is judged anew, what one commit says."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import orjson
import pytest

from engine import table
from engine.events import record
from engine.game import Game, Step
from engine.round import Source
from engine.rules import Rules
from engine.seats import Seat, SeatKind
from engine.snapshot import dump, load
from service.config import Config
from service.errors import (
    ConflictError,
    CorruptGameError,
    GameNotFoundError,
    InvalidTokenError,
    KeyReusedError,
    TokenRequiredError,
)
from service.games import repository as ledgers
from service.games.bodies import Answer, timestamp
from service.games.records import Meta, record_key
from service.games.repository import ATTEMPTS, Change, Found, Ledger, seat_holder
from service.games.tokens import Idempotency, game_id, token_hash
from service.store.game_store import Store
from service.store.models import Commit, Done, Kept, RecordKey, Stale, Stored
from tests.builders import ANN, secret
from tests.clock import Clock

BEA = Seat(SeatKind.HUMAN, "Bea")
KEYLESS = Idempotency(None, "draw")
KEYED = Idempotency("a key", "draw")
TURN = 60_000
DAY = 86_400
OWNER = "seat:ann"


@dataclass
class Watched:
    """The store, with every commit noted and something done before or after some of them."""

    store: Store
    commits: list[Commit] = field(default_factory=list)
    before: list[Callable[[Commit], object]] = field(default_factory=list)
    reads: int = 0

    def read(self, name: str, key: RecordKey | None = None) -> Any:
        self.reads += 1
        return self.store.read(name, key)

    def commit(self, commit: Commit) -> Done | Kept | Stale:
        self.commits.append(commit)
        if self.before:
            self.before.pop(0)(commit)
        return self.store.commit(commit)

    def overtake(self, commit: Commit) -> None:
        """Write another version of the game, that is otherwise the same, before this one."""
        stored, _ = self.store.read(commit.game_id)
        assert stored is not None
        rival = replace(
            commit,
            stored=replace(stored, version=stored.version + 1),
            events=[],
            record_key=RecordKey("rival", str(stored.version)),
        )
        assert self.store.commit(rival) == Done()


@pytest.fixture
def watched(store: Store) -> Watched:
    return Watched(store)


@pytest.fixture
def ledger(watched: Watched, config: Config, clock: Clock) -> Ledger:
    return Ledger(watched, config, clock)  # type: ignore[arg-type]


def opened(ledger: Ledger, clock: Clock, *, turn_seconds: int | None = None) -> str:
    """A game of Ann (seat 0, to move) and Bea, whose tokens are their names; its id."""
    now = clock()
    step = table.open_game(secret(3), Rules(), (ANN, BEA), turn_seconds=turn_seconds, now=now)
    assert step.game.layout.seat == 0
    hashes = (token_hash("Ann"), token_hash("Bea"))
    meta = Meta(now, now, now, hashes, (None, None)).after(step.game, now, DAY)
    found = Found(game_id(None), Stored(0, b"", b""), meta, 0)
    answer = ledger.commit(found, Change(step, meta, Answer(201)), RecordKey("own", "1"), KEYLESS)
    assert answer == Answer(201)
    ledger.store.commits.clear()  # type: ignore[attr-defined]
    ledger.store.reads = 0  # type: ignore[attr-defined]
    return found.game_id


def drawing(ledger: Ledger, judged: list[Found] | None = None) -> Callable[[Found], Change]:
    """A judge that lets Ann draw; notes what it judged."""

    def judge(found: Found) -> Change:
        if judged is not None:
            judged.append(found)
        assert found.seat is not None
        step = table.draw(found.game(), found.seat, Source.STOCK, ledger.now())
        meta = replace(found.meta, played=True).after(step.game, ledger.now(), 14 * DAY)
        return Change(step, meta, Answer(200, b"drawn", etag='"2.0.1"'))

    return judge


def forbidden(_: Found) -> Change:
    pytest.fail("the request was judged")


def draw(ledger: Ledger, name: str, idempotency: Idempotency, **options: Any) -> Answer:
    judge = options.pop("judge", drawing(ledger))
    identify = seat_holder(options.pop("token", "Ann"), needs_token=True)
    return ledger.change(name, OWNER, idempotency, identify, judge, **options)


def game_of(ledger: Ledger, name: str) -> Game:
    stored, _ = ledger.store.read(name)
    assert stored is not None
    return load(stored.state)


@pytest.mark.parametrize("name", [game_id("nobody made this one"), "none", "x" * 23])
def test_a_game_that_is_not_there_is_not_found(ledger: Ledger, name: str) -> None:
    with pytest.raises(GameNotFoundError, match=r"^no game has this id, or it has expired$"):
        ledger.find(name, "Ann", needs_token=True)
    with pytest.raises(GameNotFoundError):
        draw(ledger, name, KEYED, judge=forbidden)


def test_the_store_is_not_asked_for_what_is_no_id(ledger: Ledger, watched: Watched) -> None:
    assert ledger.kept("none", RecordKey("own")) is None
    assert watched.reads == 0


def test_who_has_no_token_is_a_spectator_unless_one_is_needed(ledger: Ledger, clock: Clock) -> None:
    name = opened(ledger, clock)
    found = ledger.find(name, None)
    assert (found.game_id, found.seat, found.version) == (name, None, 1)
    assert found.stored == ledger.store.read(name)[0]
    assert found.meta.created_at == clock.now
    with pytest.raises(TokenRequiredError, match=r"^this call needs the token of a seat$"):
        ledger.find(name, None, needs_token=True)


def test_a_token_finds_its_own_seat(ledger: Ledger, clock: Clock) -> None:
    name = opened(ledger, clock)
    for seat, token in enumerate(("Ann", "Bea")):
        found = ledger.find(name, token)
        assert (found.game_id, found.seat) == (name, seat)
        assert found.meta == Meta.read(found.stored)
    with pytest.raises(InvalidTokenError, match=r"^the token is of no seat of this game$"):
        ledger.find(name, "Eve")


def test_a_game_that_cannot_be_read_is_named(ledger: Ledger, clock: Clock) -> None:
    name = opened(ledger, clock)
    found = replace(ledger.find(name, None), stored=Stored(1, b"nonsense", b""))
    with pytest.raises(CorruptGameError, match=f"^game {name}: the stored game is damaged"):
        found.game()


def test_a_game_is_kept_longer_once_it_is_played(store: Store, config: Config) -> None:
    ledger = Ledger(store, config)
    assert (ledger.lifetime(played=False), ledger.lifetime(played=True)) == (DAY, 14 * DAY)
    brief = Ledger(store, replace(config, game_ttl_seconds=60))
    assert (brief.lifetime(played=False), brief.lifetime(played=True)) == (60, 60)


def test_the_clock_gives_milliseconds(
    store: Store, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1_800_000_000_123_456_789)
    assert ledgers.clock() == Ledger(store, config).now() == 1_800_000_000_123


def test_a_commit_holds_all_that_a_step_made(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock)
    before = ledger.find(name, "Ann")
    clock.now += 5
    change = drawing(ledger)(before)
    key = record_key(OWNER, KEYED)
    assert ledger.commit(before, change, key, KEYED) == change.answer
    (commit,) = watched.commits
    assert orjson.loads(commit.record) == {
        "fingerprint": "draw",
        "status": 200,
        "etag": '"2.0.1"',
        "location": None,
        "salt": None,
        "body": "drawn",
    }
    assert commit == Commit(
        game_id=name,
        expected=1,
        stored=Stored(2, dump(change.step.game), change.meta.write()),
        events=[orjson.dumps(record(change.step.events[0], timestamp(clock.now)))],
        logged=3,
        record_key=key,
        record=commit.record,
        record_ttl=DAY,
        game_ttl=14 * DAY,
    )
    assert game_of(ledger, name) == change.step.game


def test_a_game_that_nobody_has_played_is_written_for_a_shorter_time(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    found = ledger.find(opened(ledger, clock), "Ann")
    change = drawing(ledger)(found)
    unplayed = replace(change, meta=replace(change.meta, played=False))
    ledger.commit(found, unplayed, RecordKey("own", "2"), KEYLESS)
    assert watched.commits[-1].game_ttl == DAY


def test_a_commit_on_a_game_that_has_changed_has_no_answer(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock)
    found = ledger.find(name, "Ann")
    watched.before = [watched.overtake]
    change = drawing(ledger)(found)
    assert ledger.commit(found, change, record_key(OWNER, KEYED), KEYED) is None
    assert ledger.kept(name, record_key(OWNER, KEYED)) is None


def test_a_record_shows_no_token_that_its_answer_shows(ledger: Ledger, clock: Clock) -> None:
    name = opened(ledger, clock)
    found = ledger.find(name, "Ann")
    body = orjson.dumps({"seat": 0, "token": "of the answer"})
    change = replace(drawing(ledger)(found), answer=Answer(201, body), salt=b"s" * 32)
    key = record_key(OWNER, KEYED)
    assert ledger.commit(found, change, key, KEYED) == change.answer
    kept = ledger.kept(name, key)
    assert kept is not None
    assert orjson.loads(kept)["salt"] == "73" * 32
    assert b"of the answer" not in kept


@pytest.mark.parametrize("idempotency", [KEYED, KEYLESS])
def test_a_commit_that_turns_out_to_be_made_is_answered_as_made(
    ledger: Ledger, watched: Watched, clock: Clock, idempotency: Idempotency
) -> None:
    name = opened(ledger, clock)
    watched.before = [watched.store.commit]
    answer = draw(ledger, name, idempotency)
    assert answer == Answer(200, b"drawn", etag='"2.0.1"', replayed=idempotency.key is not None)
    assert ledger.find(name, None).version == 2


def test_a_repeated_request_has_its_first_answer_and_is_not_judged(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock)
    first = draw(ledger, name, KEYED)
    again = draw(ledger, name, KEYED, judge=forbidden)
    assert (first.replayed, again) == (False, replace(first, replayed=True))
    assert len(watched.commits) == 1
    with pytest.raises(KeyReusedError):
        draw(ledger, name, Idempotency("a key", "discard"), judge=forbidden)
    with pytest.raises(InvalidTokenError):
        draw(ledger, name, KEYED, token="Eve", judge=forbidden)


def test_a_key_belongs_to_its_owner(ledger: Ledger, clock: Clock) -> None:
    name = opened(ledger, clock)
    draw(ledger, name, KEYED)
    judged: list[Found] = []

    def judge(found: Found) -> Change:
        judged.append(found)
        return Change(Step(found.game(), ()), found.meta, Answer(200))

    identify = seat_holder("Bea", needs_token=True)
    ledger.change(name, "seat:bea", KEYED, identify, judge)
    assert [found.seat for found in judged] == [1]


def test_requests_without_a_key_are_each_judged(ledger: Ledger, clock: Clock) -> None:
    name = opened(ledger, clock)
    assert draw(ledger, name, KEYLESS).replayed is False

    def judge(found: Found) -> Change:
        return Change(Step(found.game(), ()), found.meta, Answer(200, b"second"))

    assert draw(ledger, name, KEYLESS, judge=judge) == Answer(200, b"second")


def test_a_change_is_judged_anew_on_the_game_that_was_quicker(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock)
    watched.before = [watched.overtake] * (ATTEMPTS - 1)
    judged: list[Found] = []
    assert draw(ledger, name, KEYED, judge=drawing(ledger, judged)).status == 200
    assert [found.version for found in judged] == list(range(1, ATTEMPTS + 1))
    assert ledger.find(name, None).version == ATTEMPTS + 1


def test_a_change_that_others_always_overtake_is_given_up(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock)
    watched.before = [watched.overtake] * ATTEMPTS
    judged: list[Found] = []
    with pytest.raises(ConflictError, match=r"^other calls were quicker again and again$"):
        draw(ledger, name, KEYED, judge=drawing(ledger, judged))
    assert len(judged) == ATTEMPTS
    assert ledger.kept(name, record_key(OWNER, KEYED)) is None


@pytest.mark.parametrize("played", [False, True])
def test_a_caller_finds_the_game_brought_up_to_date(
    ledger: Ledger, watched: Watched, clock: Clock, played: bool
) -> None:
    name = opened(ledger, clock, turn_seconds=60)
    if played:
        draw(ledger, name, KEYED)
        watched.commits.clear()
    before = ledger.find(name, "Bea")
    clock.now += TURN
    found = ledger.find(name, "Bea")
    step = table.attend(before.game(), 1, clock.now)
    assert step is not None
    assert (found.game_id, found.seat, found.version) == (name, 1, before.version + 1)
    assert found.game() == step.game
    assert found.stored == ledger.store.read(name)[0]
    assert found.meta == Meta.read(found.stored)
    assert (found.meta.updated_at, found.meta.away) == (clock.now, (0,))
    lifetime = 14 * DAY if played else DAY
    assert found.meta.expires_at == clock.now + 1000 * lifetime
    (commit,) = watched.commits
    assert (commit.expected, commit.game_ttl, commit.record) == (before.version, lifetime, b"{}")
    assert commit.record_key.name == "own"
    assert commit.record_key.nonce
    assert len(commit.events) == len(step.events)
    assert commit.logged == before.game().seq


def test_a_seat_that_was_away_is_back_when_its_holder_calls(ledger: Ledger, clock: Clock) -> None:
    name = opened(ledger, clock, turn_seconds=60)
    clock.now += TURN
    assert ledger.find(name, "Bea").meta.away == (0,)
    assert ledger.find(name, "Ann").meta.away == ()
    assert ledger.find(name, "Ann").version == 3


def test_spectators_and_games_in_time_bring_nothing_about(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock, turn_seconds=60)
    clock.now += TURN - 1
    assert ledger.find(name, "Bea").version == 1
    clock.now += 1
    assert ledger.find(name, None).version == 1
    assert watched.commits == []


def test_a_meta_that_says_too_much_brings_nothing_about(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock)
    found = ledger.find(name, "Ann")
    early = replace(found.meta, deadline=clock.now)
    ledger.commit(
        found, Change(Step(found.game(), ()), early, Answer(200)), RecordKey("own", "2"), KEYLESS
    )
    assert ledger.find(name, "Ann").version == 2
    assert len(watched.commits) == 1


def test_bringing_up_to_date_is_tried_again_when_others_are_quicker(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock, turn_seconds=60)
    clock.now += TURN
    watched.before = [watched.overtake] * (ATTEMPTS - 1)
    assert ledger.find(name, "Bea").version == ATTEMPTS + 1
    assert len(watched.commits) == ATTEMPTS


def test_bringing_up_to_date_is_given_up_when_others_are_always_quicker(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock, turn_seconds=60)
    clock.now += TURN
    watched.before = [watched.overtake] * ATTEMPTS
    with pytest.raises(ConflictError, match=r"^other calls were quicker again and again$"):
        ledger.find(name, "Bea")
    assert len(watched.commits) == ATTEMPTS


def test_a_change_is_judged_on_the_game_brought_up_to_date(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock, turn_seconds=60)
    clock.now += TURN
    judged: list[Found] = []
    draw(ledger, name, KEYED, token="Bea", judge=drawing(ledger, judged))
    assert [(found.version, found.game().layout.seat) for found in judged] == [(2, 1)]
    assert [commit.expected for commit in watched.commits] == [1, 2]


def test_a_change_that_only_holds_an_invite_is_judged_on_the_game_as_it_is(
    ledger: Ledger, watched: Watched, clock: Clock
) -> None:
    name = opened(ledger, clock, turn_seconds=60)
    clock.now += TURN
    judged: list[Found] = []
    draw(ledger, name, KEYED, judge=drawing(ledger, judged), attends=False)
    assert [(found.version, found.seat) for found in judged] == [(1, 0)]
    assert len(watched.commits) == 1


def test_what_ai_players_did_wrong_is_logged_once_it_counts(
    ledger: Ledger, watched: Watched, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    found = ledger.find(opened(ledger, clock), "Ann")
    change = drawing(ledger)(found)
    faulty = replace(change, step=replace(change.step, faults=("seat 1: one", "seat 1: two")))
    watched.before = [watched.overtake]
    with caplog.at_level(logging.ERROR, logger="service.players"):
        assert ledger.commit(found, faulty, record_key(OWNER, KEYED), KEYED) is None
        assert caplog.records == []  # these turns are played anew
        current = ledger.find(found.game_id, "Ann")
        assert ledger.commit(current, faulty, record_key(OWNER, KEYED), KEYED) is not None
    assert [(entry.levelname, entry.getMessage()) for entry in caplog.records] == [
        ("ERROR", f"an AI player failed in game {found.game_id}, seat 1: one"),
        ("ERROR", f"an AI player failed in game {found.game_id}, seat 1: two"),
    ]
