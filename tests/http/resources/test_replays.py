"""What getReplay answers is what the verifier accepts."""

from __future__ import annotations

from flask.testing import FlaskClient

from engine.verify.game import problems
from engine.verify.replay import read
from tests.clock import Clock
from tests.player import QUICK, Player, create

TWO_HUMANS = {
    "seats": [{"kind": "human"}, {"kind": "ai", "level": "easy"}, {"kind": "human"}],
    "jokers": 2,
    "aces": "both",
    "turn_seconds": 10,
}


def found(player: Player) -> list[str]:
    return problems(read(player.get("/replay").get_data()))


def joined(player: Player) -> Player:
    """The human who takes the game's other seat."""
    (invite,) = player.created.get_json()["invites"]
    path = f"{player.path}/seats"
    return Player(player.client, player.client.post(path, json={"invite": invite["code"]}))


def types(player: Player) -> set[str]:
    return {event["type"] for event in player.get("/replay").get_json()["events"]}


def test_a_game_that_was_played_to_its_end(client: FlaskClient) -> None:
    player = create(client, QUICK)
    player.play_to_the_end()

    assert found(player) == []


def test_a_game_in_which_one_human_was_away_and_one_left(client: FlaskClient, clock: Clock) -> None:
    player = create(client, TWO_HUMANS)
    guest = joined(player)
    clock.now += 11_000
    for each in (player, guest):
        each.game = each.get().get_json()
    assert guest.post("/leave", None).status_code == 204
    player.game = player.get().get_json()
    player.play_to_the_end()

    assert types(player) >= {"seat_left", "seat_away", "seat_returned", "game_finished"}
    assert found(player) == []


def test_a_game_that_everybody_left(client: FlaskClient) -> None:
    player = create(client, TWO_HUMANS)
    joined(player).post("/leave", None)
    player.game = player.get().get_json()
    player.turn()
    player.post("/leave", None)
    replay = client.get(f"{player.path}/replay").get_data()

    assert b"game_abandoned" in replay
    assert problems(read(replay)) == []


def test_a_game_that_its_creator_left_before_anybody_came(client: FlaskClient) -> None:
    player = create(client, TWO_HUMANS)
    player.post("/leave", None)
    replay = client.get(f"{player.path}/replay").get_data()

    assert b"round_dealt" not in replay
    assert problems(read(replay)) == []
