"""What is read from the log of a game, and when it is incomplete."""

from __future__ import annotations

import pytest
import redis

from engine import table
from engine.options import GameOptions
from service.errors import CorruptGameError, GameNotFoundError
from service.games.changes import Create
from service.games.idempotency import Idempotency
from service.games.repository import GameRepository
from service.games.transactions import Transactions
from tests.builders import default_table, secret


@pytest.fixture
def name(transactions: Transactions) -> str:
    options = GameOptions(default_table(), seeded=True)
    create = Create(options, Idempotency(None, "create"), secret(5))
    assert transactions.run(create).status == 201
    return create.game_id


def test_events_are_read_by_their_seq(
    repository: GameRepository, transactions: Transactions, name: str
) -> None:
    game = transactions.read(name, None).game()
    assert game.seq == len(table.open_game(secret(5), GameOptions(default_table())).events) > 3
    assert [event["seq"] for event in repository.events(name, game, 1, 2)] == [2, 3]
    assert len(repository.events(name, game, 0, 1000)) == game.seq
    assert repository.events(name, game, game.seq, 10) == []
    assert repository.scored_rounds(name, game) == []


def test_a_log_that_lacks_events_is_damage_unless_the_game_is_gone(
    repository: GameRepository, transactions: Transactions, server: redis.Redis, name: str
) -> None:
    game = transactions.read(name, None).game()
    server.rpop(f"{{g:{name}}}:events")
    with pytest.raises(CorruptGameError, match=r"^the log lacks events$") as raised:
        repository.events(name, game, 0, game.seq)
    assert raised.value.game_id == name
    repository.delete(name)
    with pytest.raises(GameNotFoundError):
        repository.events(name, game, 0, game.seq)
