"""Events: pages, streams, and calls that wait; at the HTTP surface, with bodies kept in memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.errors import StorageUnavailableError
from service.games.loaded import LoadedGame, Viewer
from service.games.stored.meta import Meta
from service.games.transactions import Transactions
from service.games.watching import watchers as watching
from service.games.watching.places import SEAT_PLACES
from service.games.watching.watcher import COMMENT_SECONDS
from service.http.use_cases import _OPEN_STREAM
from service.runtime.worker.streams import OPEN_STREAM
from service.store.game_store import GameStore
from tests.clock import Clock
from tests.nodes import wait_for
from tests.player import QUICK, Player, create, refused
from tests.sinks import Sink, Sinks, parsed

STREAM = {"Accept": "text/event-stream"}


class Watching:
    """Opens streams and waiting calls on a game, as a seat or (without a token) as a spectator."""

    def __init__(self, client: FlaskClient, player: Player, token: str | None = None) -> None:
        self.client = client
        self.path = f"{player.path}/events"
        self.auth = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.sinks = Sinks()

    def stream(self, query: str = "", **headers: str) -> TestResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._get(query, {**STREAM, **named})

    def wait(self, query: str) -> TestResponse:
        return self._get(query, {})

    def opened(self, query: str = "", **headers: str) -> Sink:
        """The body of a stream that goes on."""
        answer = self.stream(query, **headers)
        assert answer.status_code == 200, answer.get_data()
        assert "Content-Length" not in answer.headers
        return self.sinks.last

    def _get(self, query: str, headers: dict[str, str]) -> TestResponse:
        return self.client.get(
            self.path + query,
            headers={**self.auth, **headers},
            environ_overrides={OPEN_STREAM: self.sinks},
        )


@pytest.fixture
def player(client: FlaskClient) -> Player:
    return create(client, QUICK)


@pytest.fixture
def own(client: FlaskClient, player: Player) -> Watching:
    return Watching(client, player, player.token)


@pytest.fixture
def spectator(client: FlaskClient, player: Player) -> Watching:
    return Watching(client, player)


def listed(player: Player, after: int = 0, token: bool = True) -> list[dict[str, object]]:
    """What a page lists, to the seat or to a spectator."""
    path = f"{player.path}/events?after={after}&limit=1000"
    events: list[dict[str, object]] = player.client.get(
        path, headers=player.auth if token else {}
    ).get_json()["events"]
    return events


def data_of(sink: Sink) -> list[dict[str, object]]:
    """The events of a stream, after a check of their ids and types."""
    for seq, kind, data in sink.events:
        assert kind == "snapshot" or (data["seq"], data["type"]) == (seq, kind)
    return [data for _, kind, data in sink.events if kind != "snapshot"]


def test_the_name_of_what_opens_a_body_is_the_web_servers() -> None:
    assert _OPEN_STREAM == OPEN_STREAM


def test_a_stream_begins_with_the_game_and_goes_on_with_each_event(
    player: Player, own: Watching, spectator: Watching
) -> None:
    mine, theirs = own.opened(), spectator.opened()
    assert mine.received.startswith(b"retry: 1000\n\nid: 2\nevent: snapshot\ndata: {")
    assert mine.wait_for_event("snapshot") == player.get().get_json()
    assert theirs.wait_for_event("snapshot") == player.client.get(player.path).get_json()
    before = listed(player)[-1]["seq"]
    assert isinstance(before, int)
    for _ in range(5):
        player.turn()
    last = listed(player)[-1]["seq"]
    assert isinstance(last, int)
    for sink, token in ((mine, True), (theirs, False)):
        sink.wait_for_seq(last)
        assert data_of(sink) == listed(player, before, token)
    drawn = [data for data in data_of(theirs) if data["type"] == "card_drawn"]
    assert any(data["card"] is None for data in drawn)


def test_the_headers_of_a_stream_keep_it_moving(own: Watching) -> None:
    headers = own.stream().headers
    assert headers["Content-Type"] == "text/event-stream"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Accel-Buffering"] == "no"
    assert headers["Vary"] == "Accept, Authorization"


@pytest.mark.parametrize(
    ("query", "headers", "first"),
    [
        ("?after=0", {}, 1),
        ("?after=3", {}, 4),
        ("", {"Last_Event_ID": "0"}, 1),
        ("", {"Last_Event_ID": "5"}, 6),
        ("?after=1", {"Last_Event_ID": "5"}, 6),
    ],
)
def test_a_stream_goes_on_where_the_client_was(
    player: Player, own: Watching, query: str, headers: dict[str, str], first: int
) -> None:
    player.turn()
    sink = own.opened(query, **headers)
    assert data_of(sink) == listed(player, first - 1)
    assert sink.events[0][0] == first
    player.turn()
    sink.wait_for_seq(int(str(listed(player)[-1]["seq"])))
    assert data_of(sink) == listed(player, first - 1)


@pytest.mark.parametrize("position", ["1000", "9" * 400])
def test_a_client_that_has_more_than_there_is_begins_again(
    player: Player, own: Watching, position: str
) -> None:
    sink = own.opened(Last_Event_ID=position)
    assert [kind for _, kind, _ in sink.events] == ["snapshot"]
    player.turn()
    sink.wait_for_event("card_drawn")


@pytest.mark.parametrize(
    ("query", "headers", "pointers"),
    [
        ("", {"Last_Event_ID": "x"}, ["/header/Last-Event-ID"]),
        ("", {"Last_Event_ID": "-1"}, ["/header/Last-Event-ID"]),
        ("", {"Last_Event_ID": "1.0"}, ["/header/Last-Event-ID"]),
        ("", {"Last_Event_ID": ""}, ["/header/Last-Event-ID"]),
        ("", {"Last_Event_ID": "\u00b2"}, ["/header/Last-Event-ID"]),
        ("?after=-1", {}, ["/query/after"]),
        ("?after=x", {}, ["/query/after"]),
        ("?limit=5", {}, ["/query/limit"]),
        ("?wait=5&limit=5", {"Last_Event_ID": "1"}, ["/query/limit", "/query/wait"]),
        ("?wait=0", {}, ["/query/wait"]),
    ],
)
def test_a_stream_that_is_not_asked_for_rightly_is_refused(
    own: Watching, query: str, headers: dict[str, str], pointers: list[str]
) -> None:
    problem = refused(own.stream(query, **headers), 422, "validation-failed")
    assert [error["pointer"] for error in problem["errors"]] == pointers
    assert not own.sinks.opened


def test_who_may_not_read_the_game_is_told_so_before_what_else_is_wrong(
    client: FlaskClient, player: Player
) -> None:
    wrong = Watching(client, player, "of-no-seat")
    refused(wrong.stream("?limit=5"), 401, "invalid-token")
    refused(wrong.wait("?wait=5"), 401, "invalid-token")
    gone = client.get("/v1/games/none/events?limit=5", headers=STREAM)
    refused(gone, 404, "game-not-found")


def test_a_page_does_not_care_about_the_last_event_of_a_stream(player: Player) -> None:
    answer = player.get("/events", last_event_id="x")
    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    assert answer.headers["Vary"] == "Accept, Authorization"


@pytest.mark.parametrize(
    "accept", ["*/*", "application/json, text/event-stream", "text/*;q=0.1,*/*"]
)
def test_who_does_not_prefer_a_stream_gets_a_page(player: Player, accept: str) -> None:
    answer = player.get("/events", accept=accept)
    assert answer.content_type == "application/json"


def test_a_head_opens_no_stream(client: FlaskClient, own: Watching) -> None:
    answer = client.head(own.path, headers=STREAM, environ_overrides={OPEN_STREAM: own.sinks})
    assert answer.status_code == 200
    assert answer.content_type == "text/event-stream"
    assert client.head(own.path + "?wait=20").status_code == 200
    assert not own.sinks.opened


def test_without_a_web_server_that_goes_on_a_stream_ends_and_a_page_does_not_wait(
    client: FlaskClient, player: Player
) -> None:
    answer = client.get(f"{player.path}/events?after=0", headers={**player.auth, **STREAM})
    assert [data for _, _, data in parsed(answer.get_data())] == listed(player)
    page = client.get(f"{player.path}/events?after=100&wait=20")
    assert page.get_json() == {"events": [], "last_seq": 2, "more": False}


def test_a_stream_of_a_finished_game_has_the_rest_and_an_end(player: Player, own: Watching) -> None:
    sink = own.opened()
    player.play_to_the_end()
    sink.wait_for_end()
    assert sink.events[-1][1] == "game_finished"
    last = sink.events[-1][0]

    whole = own.stream("?after=0")
    assert [data for _, _, data in parsed(whole.get_data())] == listed(player)
    snapshot = own.stream()
    ((seq, kind, data),) = parsed(snapshot.get_data())
    assert (seq, kind, data) == (last, "snapshot", player.get().get_json())
    beyond = own.stream(Last_Event_ID=str(last + 1))
    assert [kind for _, kind, _ in parsed(beyond.get_data())] == ["snapshot"]
    over = own.stream(Last_Event_ID=str(last))
    assert (over.status_code, over.get_data()) == (204, b"")
    assert len(own.sinks.opened) == 1


def test_the_game_that_a_stream_begins_with_shows_a_rematch_that_is_there(
    client: FlaskClient, player: Player, own: Watching, server: redis.Redis
) -> None:
    player.play_to_the_end()
    new = client.post(player.path + "/rematch", headers=player.auth).get_json()["game"]["id"]
    server.delete(f"{{g:{new}}}:game", f"{{g:{new}}}:events", f"{{g:{new}}}:key:rematch")
    ((_, _, shown),) = parsed(own.stream().get_data())
    assert shown["rematch"] == new
    assert client.get(f"/v1/games/{new}").status_code == 200


def test_a_stream_ends_when_the_game_is_deleted(player: Player, spectator: Watching) -> None:
    sink = spectator.opened()
    assert player.client.delete(player.path, headers=player.auth).status_code == 204
    sink.wait_for_end()
    assert [kind for _, kind, _ in sink.events] == ["snapshot"]


def test_a_stream_ends_when_its_seat_is_left_and_the_others_go_on(client: FlaskClient) -> None:
    two = create(client, {"seats": [{"kind": "human"}, {"kind": "human"}, {"kind": "ai"}]})
    invite = two.created.get_json()["invites"][0]["code"]
    guest = client.post(two.path + "/seats", json={"invite": invite}).get_json()["token"]
    leaving, staying = (
        Watching(client, two, guest).opened(),
        Watching(client, two, two.token).opened(),
    )
    answer = client.post(two.path + "/leave", headers={"Authorization": f"Bearer {guest}"})
    assert answer.status_code == 204
    leaving.wait_for_end()
    assert [kind for _, kind, _ in leaving.events] == ["snapshot"]
    staying.wait_for_event("seat_left")
    assert not staying.has_ended


def test_a_call_that_waits_is_answered_with_the_next_event(player: Player, own: Watching) -> None:
    answer = own.wait("?after=2&wait=25")
    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    sink = own.sinks.last
    assert sink.received == b""
    assert json.loads(sink.farewell) == {"events": [], "last_seq": 2, "more": False}
    player.draw()
    page = json.loads(sink.wait_for_end())
    assert page == player.get("/events?after=2").get_json()
    assert [event["type"] for event in page["events"]] == ["card_drawn"]


def test_a_call_that_waits_is_answered_at_once_where_there_are_events(
    player: Player, own: Watching
) -> None:
    page = own.wait("?after=0&wait=25&limit=1").get_json()
    assert page == player.get("/events?limit=1").get_json()
    assert page["more"] is True
    assert not own.sinks.opened


def test_a_call_that_waits_for_more_than_there_can_be_is_answered_at_once(
    player: Player, own: Watching
) -> None:
    player.play_to_the_end()
    last = listed(player)[-1]["seq"]
    page = own.wait(f"?after={last}&wait=25").get_json()
    assert page == {"events": [], "last_seq": last, "more": False}
    assert not own.sinks.opened


def test_a_call_that_waits_in_vain_gets_an_empty_page(own: Watching) -> None:
    own.wait("?after=2&wait=1")
    assert json.loads(own.sinks.last.wait_for_end()) == {
        "events": [],
        "last_seq": 2,
        "more": False,
    }


@pytest.mark.parametrize("wait", ["-1", "26", "1.5", "x"])
def test_a_wait_has_its_limits(own: Watching, wait: str) -> None:
    problem = refused(own.wait(f"?wait={wait}"), 422, "validation-failed")
    assert [error["pointer"] for error in problem["errors"]] == ["/query/wait"]


def test_each_seat_has_a_few_places_of_its_own(own: Watching, spectator: Watching) -> None:
    for number in range(SEAT_PLACES):
        own.stream() if number % 2 else own.wait("?after=2&wait=25")
    for answer in (own.stream(), own.wait("?after=2&wait=25")):
        refused(answer, 429, "quota-exceeded")
        assert answer.headers["Retry-After"] == "5"
    assert len(own.sinks.opened) == SEAT_PLACES
    spectator.opened()
    own.sinks.opened[0].on_close()
    own.opened()


def test_the_web_server_may_have_no_place(own: Watching) -> None:
    own.sinks.room = 0
    for _ in range(SEAT_PLACES + 1):
        refused(own.stream(), 429, "quota-exceeded")
    own.sinks.room = 100
    for _ in range(SEAT_PLACES):
        own.opened()


def test_spectators_share_the_places_of_a_game(
    spectator: Watching, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.games.watching.places.SPECTATOR_PLACES", 3)
    for _ in range(3):
        spectator.opened()
    refused(spectator.stream(), 429, "quota-exceeded")
    Watching(client, create(client, QUICK)).opened()


@dataclass
class TwoHumans:
    """A game of two humans with a time for each turn, and its tokens by seat."""

    player: Player
    tokens: list[str]

    @classmethod
    def of(cls, client: FlaskClient) -> TwoHumans:
        seats = [{"kind": "human"}, {"kind": "human"}]
        player = create(client, {"seats": seats, "turn_seconds": 10})
        invite = player.created.get_json()["invites"][0]["code"]
        guest = client.post(player.path + "/seats", json={"invite": invite}).get_json()["token"]
        return cls(player, [player.token, guest])

    def seat_to_move(self) -> int:
        """Read as a spectator, which is no call of a seat."""
        seat = self.player.client.get(self.player.path).get_json()["turn"]["seat"]
        return int(seat)


@pytest.mark.parametrize("is_its_own_turn", [True, False])
def test_overdue_turns_are_played_while_a_seat_watches(
    client: FlaskClient, clock: Clock, is_its_own_turn: bool
) -> None:
    game = TwoHumans.of(client)
    overdue = game.seat_to_move()
    watching_seat = overdue if is_its_own_turn else 1 - overdue
    sink = Watching(client, game.player, game.tokens[watching_seat]).opened()
    clock.now += 10_001
    assert sink.wait_for_event("seat_away")["seat"] == overdue
    sink.wait_for_event("card_discarded")
    assert game.seat_to_move() == 1 - overdue
    # A stream is a call of its seat only when it is opened: the next call brings the seat back.
    assert "seat_returned" not in [kind for _, kind, _ in sink.events]
    client.get(game.player.path, headers={"Authorization": f"Bearer {game.tokens[overdue]}"})
    assert sink.wait_for_event("seat_returned")["seat"] == overdue


def test_who_has_left_the_game_causes_no_turn(
    app: Flask, client: FlaskClient, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = TwoHumans.of(client)
    overdue = game.seat_to_move()
    token = game.tokens[1 - overdue]
    sink = Watching(client, game.player, token).opened()
    transactions: Transactions = app.extensions["transactions"]
    read, has_left = transactions.read_for_watchers, threading.Event()

    def read_after_the_leave(game_id: str, settles: Callable[[Meta], bool]) -> LoadedGame[Viewer]:
        assert has_left.wait(30)
        return read(game_id, settles)

    monkeypatch.setattr(transactions, "read_for_watchers", read_after_the_leave)
    app.extensions["watchers"]._on_news(game.player.game["id"])
    left = client.post(f"{game.player.path}/leave", headers={"Authorization": f"Bearer {token}"})
    assert left.status_code == 204
    clock.now += 10_001
    has_left.set()
    sink.wait_for_end()
    assert game.seat_to_move() == overdue


def test_opening_a_stream_is_a_call_of_its_seat(client: FlaskClient, clock: Clock) -> None:
    game = TwoHumans.of(client)
    overdue = game.seat_to_move()
    clock.now += 10_001
    Watching(client, game.player, game.tokens[1 - overdue]).opened()
    sink = Watching(client, game.player, game.tokens[overdue]).opened("?after=0")
    assert {"seat_away", "seat_returned"} <= {kind for _, kind, _ in sink.events}


def test_spectators_cause_no_turn(client: FlaskClient, clock: Clock) -> None:
    game = TwoHumans.of(client)
    overdue = game.seat_to_move()
    sink = Watching(client, game.player).opened()
    clock.now += 10_001
    seat = Watching(client, game.player, game.tokens[1 - overdue])
    assert [kind for _, kind, _ in sink.events] == ["snapshot"]
    assert game.seat_to_move() == overdue
    seat.wait("?after=0&wait=25")
    sink.wait_for_event("seat_away")


def test_a_stream_gets_a_comment_every_fifteen_seconds_from_some_time_on(
    app: Flask, own: Watching, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [0.0]
    watchers: watching.Watchers = app.extensions["watchers"]
    monkeypatch.setattr(watchers, "_monotonic", lambda: times[-1])
    monkeypatch.setattr(watchers, "_jitter", lambda: 0.5)
    sink = own.opened()
    before = sink.received
    first = COMMENT_SECONDS / 2
    for number in range(3):
        late = 5 if number == 1 else 0
        times.append(first + number * COMMENT_SECONDS + late)
        wait_for(lambda: sink.received == before + b":\n\n" * len(times[1:]), "a comment")
    times.append(times[-1] + COMMENT_SECONDS - 1)
    player.draw()
    sink.wait_for_event("card_drawn")
    assert sink.received.count(b":\n\n") == 3


def test_the_comments_of_streams_that_were_opened_at_once_are_spread(
    app: Flask, spectator: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [0.0]
    watchers: watching.Watchers = app.extensions["watchers"]
    monkeypatch.setattr(watchers, "_monotonic", lambda: times[-1])
    sinks = [spectator.opened() for _ in range(100)]
    times.append(COMMENT_SECONDS / 2)
    wait_for(lambda: 20 < sum(b":\n\n" in each.received for each in sinks) < 80, "half of them")


def test_after_an_error_that_nobody_expects_the_clock_is_looked_at_again(
    own: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = []

    def fail(*_: object) -> None:
        failures.append(True)
        raise RuntimeError("nobody expects this")

    with monkeypatch.context() as patch:
        patch.setattr(watching.LongPoll, "due", fail)
        own.wait("?after=2&wait=1")
        wait_for(lambda: bool(failures), "the error")
    assert json.loads(own.sinks.last.wait_for_end())["events"] == []


def test_who_takes_nothing_any_more_is_forgotten(app: Flask, player: Player, own: Watching) -> None:
    sink = own.opened()
    sink.takes = False
    player.draw()
    watchers: watching.Watchers = app.extensions["watchers"]
    wait_for(lambda: not watchers._games, "nobody to watch")
    sink.on_close()
    assert not watchers._places._seats


def test_a_store_that_fails_for_a_while_costs_no_event(
    app: Flask, store: GameStore, player: Player, own: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = own.opened()
    failed = []

    def fail(*_: object) -> object:
        failed.append(True)
        raise StorageUnavailableError("the storage does not answer", 2)

    answer = player.draw()
    assert answer.status_code == 200
    sink.wait_for_event("card_drawn")
    with monkeypatch.context() as patch:
        patch.setattr(store, "read", fail)
        app.extensions["watchers"]._on_news(player.game["id"])
        wait_for(lambda: bool(failed), "a read that fails")
    player.discard()
    sink.wait_for_event("card_discarded")
    wait_for(lambda: data_of(sink) == listed(player, 2), "every event")


def test_while_a_read_takes_long_news_of_a_game_does_not_pile_up(
    app: Flask, player: Player, own: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    transactions: Transactions = app.extensions["transactions"]
    watchers: watching.Watchers = app.extensions["watchers"]
    read, reads, may_read = transactions.read_for_watchers, [], threading.Event()

    def read_slowly(game_id: str, settles: Callable[[Meta], bool]) -> LoadedGame[Viewer]:
        reads.append(game_id)
        assert may_read.wait(30)
        return read(game_id, settles)

    sink = own.opened()
    wait_for(lambda: not watchers._games[player.game["id"]].is_read, "a read")
    monkeypatch.setattr(transactions, "read_for_watchers", read_slowly)
    watchers._on_news(player.game["id"])
    wait_for(lambda: bool(reads), "a slow read")
    player.draw()
    for _ in range(100):
        watchers._on_news(player.game["id"])
    assert watchers._readers._work_queue.qsize() == 0
    may_read.set()
    sink.wait_for_event("card_drawn")
    wait_for(lambda: not watchers._games[player.game["id"]].is_read, "the last read")
    assert len(reads) <= 4, "one for all that came meanwhile, and for what the sources tell late"


def test_who_comes_while_an_older_state_is_read_is_not_taken_back_to_it(
    app: Flask, player: Player, own: Watching, spectator: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    transactions: Transactions = app.extensions["transactions"]
    read = transactions.read_for_watchers
    came: list[Sink] = []

    def read_and_have_another_come(
        game_id: str, settles: Callable[[Meta], bool]
    ) -> LoadedGame[Viewer]:
        loaded = read(game_id, settles)
        if not came:
            player.draw()
            came.append(spectator.opened())
        return loaded

    sink = own.opened()
    wait_for(lambda: not app.extensions["watchers"]._games[player.game["id"]].is_read, "a read")
    monkeypatch.setattr(transactions, "read_for_watchers", read_and_have_another_come)
    app.extensions["watchers"]._on_news(player.game["id"])
    wait_for(lambda: bool(came), "another watcher")
    player.discard()
    for each in (sink, came[0]):
        each.wait_for_event("card_discarded")
        assert [kind for _, kind, _ in each.events].count("snapshot") == 1
        seqs = [seq for seq, _, _ in each.events]
        assert seqs == sorted(set(seqs))


def test_watchers_of_a_damaged_game_are_ended(
    player: Player, own: Watching, server: redis.Redis, app: Flask
) -> None:
    sink = own.opened()
    server.hset(f"{{g:{player.game['id']}}}:game", "state", b"no state")
    app.extensions["watchers"]._on_news(player.game["id"])
    sink.wait_for_end()
