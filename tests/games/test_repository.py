"""What is read from the log of a game, and when it is incomplete."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest
import redis

from engine import table
from engine.events import Event, WentOut
from engine.options import GameOptions
from engine.rules import AceMode
from service.errors import CorruptGameError, GameNotFoundError
from service.games.changes import Create, Leave
from service.games.idempotency import Idempotency
from service.games.repository import GameRepository
from service.games.stored.event_log import LoggedEvent, pack
from service.games.transactions import Transactions
from tests.builders import default_table, meld, secret
from tests.event_logs import older_entry


@pytest.fixture
def created(transactions: Transactions) -> dict[str, Any]:
    options = GameOptions(default_table(), seeded=True)
    answer = transactions.run(Create(options, Idempotency(None, b"create"), secret(5)))
    assert answer.status == 201
    return orjson.loads(answer.body)


@pytest.fixture
def name(created: dict[str, Any]) -> str:
    return created["game"]["id"]


def log(name: str) -> str:
    return f"{{g:{name}}}:events"


def test_events_are_read_by_their_seq(
    repository: GameRepository, transactions: Transactions, name: str
) -> None:
    game = transactions.read(name, None).game()
    assert game.seq == len(table.open_game(secret(5), GameOptions(default_table())).events) > 3
    assert [logged.event.seq for logged in repository.events(name, game, 1, 2)] == [2, 3]
    assert len(repository.events(name, game, 0, 1000)) == game.seq
    assert repository.events(name, game, game.seq, 10) == []
    assert repository.scored_rounds(name, game) == []


def test_a_log_that_lacks_events_is_damage_unless_the_game_is_gone(
    repository: GameRepository, transactions: Transactions, server: redis.Redis, name: str
) -> None:
    game = transactions.read(name, None).game()
    server.rpop(log(name))
    with pytest.raises(CorruptGameError, match=r"^the log lacks events$") as raised:
        repository.events(name, game, 0, game.seq)
    assert raised.value.game_id == name
    assert repository.delete(transactions.read(name, None))
    with pytest.raises(GameNotFoundError):
        repository.events(name, game, 0, game.seq)


def test_a_game_that_an_older_version_began_is_played_on(
    repository: GameRepository,
    transactions: Transactions,
    server: redis.Redis,
    created: dict[str, Any],
    name: str,
) -> None:
    game = transactions.read(name, None).game()
    begun = repository.events(name, game, 0, game.seq)
    for place, logged in enumerate(begun):
        server.lset(log(name), place, older_entry(logged))
    assert repository.events(name, game, 0, game.seq) == begun
    leave = Leave(game_id=name, token=created["token"], idempotency=Idempotency(None, b"leave"))
    assert transactions.run(leave).status == 204
    assert [entry[:1] == b"{" for entry in server.lrange(log(name), 0, -1)] == [
        *[True] * len(begun),
        *[False] * 2,
    ]
    over = transactions.read(name, None).game()
    events = repository.events(name, over, 0, over.seq)
    assert events[: len(begun)] == begun
    assert [logged.event.body.type for logged in events[len(begun) :]] == [
        "seat_left",
        "game_abandoned",
    ]


def test_a_damaged_event_and_another_one_where_a_round_was_scored_are_damage(
    repository: GameRepository, transactions: Transactions, server: redis.Redis, name: str
) -> None:
    game = transactions.read(name, None).game()
    torn = replace(game, scored=(1,))
    with pytest.raises(CorruptGameError, match=r"^the log has another event where") as raised:
        repository.scored_rounds(name, torn)
    assert raised.value.game_id == name
    server.lset(log(name), 0, b"x")
    with pytest.raises(CorruptGameError, match=r"^an event is damaged: ValidationError$"):
        repository.scored_rounds(name, torn)


def test_the_ace_mode_of_the_game_says_what_the_cards_of_a_meld_stand_for(
    repository: GameRepository, transactions: Transactions, server: redis.Redis, name: str
) -> None:
    game = transactions.read(name, None).game()
    game = replace(game, rules=replace(game.rules, aces=AceMode.HIGH))
    run = meld("QS KS AS", "3", "high")
    out = LoggedEvent(Event(1, 1, WentOut(0, run.cards, (run,))), 0)
    server.lset(log(name), 0, pack(out))
    assert repository.events(name, game, 0, 1) == [out]
