"""getReview over HTTP: made once, kept with its game, and never trusted when it is damaged."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Config
from service.games import reviews
from service.store.game_store import GameStore
from tests.clock import Clock
from tests.player import QUICK, Player, create, refused

SHORT = {**QUICK, "rounds": {"first": 2, "last": 3}}
KEPT = "review:0"


@pytest.fixture
def over(client: FlaskClient) -> Player:
    """A finished game of two rounds."""
    player = create(client, SHORT)
    player.play_to_the_end()
    return player


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seats whose reviews were made, in order."""
    seats: list[int] = []
    review = reviews.review

    def noted(game: Any, events: Any, seat: int) -> Any:
        seats.append(seat)
        return review(game, events, seat)

    monkeypatch.setattr(reviews, "review", noted)
    return seats


def game_key(player: Player) -> str:
    return f"{{g:{player.game['id']}}}:game"


def body(answer: TestResponse) -> dict[str, Any]:
    assert answer.status_code == 200, answer.get_data()
    read: dict[str, Any] = answer.get_json()
    return read


def test_a_review_is_open_to_everybody_and_private_to_caches(over: Player) -> None:
    answer = over.get("/review?seat=1")
    assert answer.get_data() == over.client.get(f"{over.path}/review?seat=1").get_data()
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["Vary"] == "Authorization"
    assert body(answer)["seat"] == 1


def test_the_creators_seat_is_reviewed_unless_another_is_named(over: Player) -> None:
    assert over.get("/review").get_data() == over.get("/review?seat=0").get_data()
    assert body(over.get("/review"))["seat"] == 0


def test_a_review_tells_of_the_moves_and_the_scores(over: Player) -> None:
    for seat in range(2):
        review = body(over.get(f"/review?seat={seat}"))
        actions = [
            each for each in over.get("/replay").get_json()["actions"] if each["seat"] == seat
        ]
        assert [(move["round"], move["type"]) for move in review["moves"]] == [
            (action["round"], action["type"]) for action in actions
        ]
        scores = over.get("/scores").get_json()["rounds"]
        assert [(each["number"], each["points"]) for each in review["rounds"]] == [
            (each["number"], each["seats"][seat]["points"]) for each in scores
        ]


@pytest.mark.parametrize("seat", ["2", "5"])
def test_a_seat_that_is_not_there_is_named(over: Player, seat: str) -> None:
    problem = refused(over.get(f"/review?seat={seat}"), 422, "validation-failed")
    assert problem["errors"] == [{"pointer": "/query/seat", "detail": "The last seat is 1."}]


@pytest.mark.parametrize("query", ["seat=6", "seat=-1", "seat=x", "seat=", "seat=0&more=1"])
def test_no_other_query_is_taken(over: Player, query: str) -> None:
    problem = refused(over.get(f"/review?{query}"), 422, "validation-failed")
    (fault,) = problem["errors"]
    assert fault["pointer"] == ("/query/more" if "more" in query else "/query/seat")


def test_a_game_that_is_played_has_no_review(client: FlaskClient, made: list[int]) -> None:
    player = create(client, SHORT)
    refused(player.get("/review"), 409, "game-not-finished")
    refused(player.get("/review?seat=3"), 422, "validation-failed")
    assert made == []


def test_an_abandoned_game_is_reviewed_as_far_as_it_was_played(client: FlaskClient) -> None:
    player = create(client, SHORT)
    player.turn()
    assert player.post("/leave", None).status_code == 204
    review = body(client.get(f"{player.path}/review"))
    assert [(each["number"], each["points"]) for each in review["rounds"]][-1][1] is None
    assert len(review["moves"]) >= 2


def test_a_review_is_made_once_for_each_seat(over: Player, made: list[int]) -> None:
    answers = {over.get(f"/review?seat={seat}").get_data() for seat in (0, 1, 0, 1)}
    assert len(answers) == 2
    assert made == [0, 1]


def test_a_review_that_many_ask_for_at_once_is_made_once(
    over: Player, made: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, callers = threading.Event(), 8
    flight = reviews.SingleFlight.run

    def counted(self: reviews.SingleFlight, key: Any, make: Any) -> bytes:
        def slow() -> bytes:
            assert begun.wait(10)
            return bytes(make())

        with lock:
            waiting.append(key)
            if len(waiting) == callers:
                begun.set()
        return flight(self, key, slow)

    lock, waiting = threading.Lock(), []  # type: ignore[var-annotated]
    monkeypatch.setattr(reviews.SingleFlight, "run", counted)
    app = over.client.application
    with ThreadPoolExecutor(callers) as pool:
        asked = [
            pool.submit(app.test_client().get, f"{over.path}/review?seat=0") for _ in range(callers)
        ]
        answers = {each.result().get_data() for each in asked}
    assert len(answers) == 1
    assert made == [0]


def test_a_review_lives_as_long_as_its_game(over: Player, server: Redis, made: list[int]) -> None:
    over.get("/review")
    ttl = server.pttl(game_key(over))
    assert server.hexists(game_key(over), KEPT)
    assert over.post("/rematch", None).status_code == 201
    assert server.pttl(game_key(over)) >= ttl - 60_000
    over.get("/review")
    assert made == [0]
    assert over.client.delete(over.path, headers=over.auth).status_code == 204
    assert list(server.scan_iter(f"{{g:{over.game['id']}}}:game")) == []


def damaged(kept: bytes) -> list[bytes]:
    """The kept review cut short, empty, and with one bit changed in each of its parts."""
    changed = [
        kept[:place] + bytes([kept[place] ^ 1]) + kept[place + 1 :]
        for place in (0, 15, 16, len(kept) // 2, len(kept) - 1)
    ]
    return [b"", kept[:10], kept[:16], kept[:-1], kept + b"x", b"{}", *changed]


def test_a_damaged_review_is_made_again(over: Player, server: Redis, made: list[int]) -> None:
    good = over.get("/review").get_data()
    kept = server.hget(game_key(over), KEPT)
    for number, bad in enumerate(damaged(kept), 2):
        server.hset(game_key(over), KEPT, bad)
        assert over.get("/review").get_data() == good
        assert made == [0] * number
        assert server.hget(game_key(over), KEPT) == kept


def test_a_review_of_another_seat_or_game_is_made_again(
    client: FlaskClient, over: Player, server: Redis, made: list[int]
) -> None:
    other = create(client, {**SHORT, "seed": "22" * 32})
    other.play_to_the_end()
    for player, seat in ((over, 1), (other, 0)):
        foreign = player.get(f"/review?seat={seat}").get_data()
        server.hset(game_key(over), KEPT, server.hget(game_key(player), f"review:{seat}"))
        assert over.get("/review").get_data() != foreign
    assert made == [1, 0, 0, 0]


def test_a_review_of_an_older_format_is_made_again(
    over: Player, made: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    over.get("/review")
    monkeypatch.setattr(reviews, "FORMAT", reviews.FORMAT + 1)
    over.get("/review")
    assert made == [0, 0]


def test_a_store_that_refuses_writes_still_gets_the_answer(
    over: Player, server: Redis, made: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    server.config_set("min-replicas-to-write", 1)
    try:
        refused_to_keep = over.get("/review").get_data()
    finally:
        server.config_set("min-replicas-to-write", 0)
    assert not server.hexists(game_key(over), KEPT)
    assert f"a review of game {over.game['id']} is not kept" in caplog.text
    assert over.get("/review").get_data() == refused_to_keep
    assert over.get("/review").get_data() == refused_to_keep
    assert made == [0, 0]


def test_a_game_that_changes_meanwhile_keeps_no_review(
    over: Player, server: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = reviews.review

    def overtaken(*arguments: Any) -> Any:
        server.hincrby(game_key(over), "version", 1)
        return review(*arguments)

    monkeypatch.setattr(reviews, "review", overtaken)
    assert over.get("/review").status_code == 200
    assert not server.hexists(game_key(over), KEPT)


def test_a_game_that_is_deleted_meanwhile_leaves_nothing(
    over: Player, server: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = reviews.review

    def deleted(*arguments: Any) -> Any:
        server.delete(game_key(over))
        return review(*arguments)

    monkeypatch.setattr(reviews, "review", deleted)
    assert over.get("/review").status_code == 200
    assert not server.exists(game_key(over))


def test_a_log_that_does_not_repeat_the_game_is_damage(over: Player, server: Redis) -> None:
    log = f"{{g:{over.game['id']}}}:events"
    drawn = next(place for place in range(9) if server.lindex(log, place)[1] == 6)
    server.lset(log, drawn, server.lindex(log, drawn + 2))
    refused(over.get("/review"), 500, "game-damaged")
    assert not server.hexists(game_key(over), KEPT)


class Key:
    """A key that notes when it is found to be there already."""

    def __init__(self, found: threading.Event) -> None:
        self.found = found

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        self.found.set()
        return True


def test_who_waits_for_a_review_that_fails_is_told_so() -> None:
    flights, begun, found = reviews.SingleFlight(), threading.Event(), threading.Event()

    def fail() -> bytes:
        begun.set()
        assert found.wait(10)
        raise ValueError("no review")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(flights.run, Key(found), fail)
        assert begun.wait(10)
        second = pool.submit(flights.run, Key(found), lambda: b"never made")
        for each in (first, second):
            with pytest.raises(ValueError, match="no review"):
                each.result(10)
    assert flights.run(Key(found), lambda: b"made later") == b"made later"


def test_another_worker_has_the_review_that_one_has_made(
    over: Player, store: GameStore, config: Config, clock: Clock, made: list[int]
) -> None:
    first = over.get("/review").get_data()
    other = create_app(config, store, clock).test_client()
    assert other.get(f"{over.path}/review").get_data() == first
    assert made == [0]
