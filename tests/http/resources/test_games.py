"""Creating, looking, moving, deleting: what each answers when all is well."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis

from engine.players import LEVELS
from service.app import create_app
from service.config import Config
from service.store.game_store import GameStore
from tests.clock import Clock
from tests.dealer import Replayer
from tests.player import QUICK, Player, create


@pytest.fixture
def quick(client: FlaskClient) -> Player:
    return create(client, QUICK)


@pytest.mark.parametrize("body", [b"", b"{}", b"  {} "])
def test_a_game_needs_no_options(client: FlaskClient, body: bytes) -> None:
    answer = client.post("/v1/games", data=body, content_type="application/json" if body else None)
    assert answer.status_code == 201
    game = answer.get_json()["game"]
    assert [(s["kind"], s["position"], s["level"]) for s in game["seats"]] == [
        ("human", "bottom", None),
        ("ai", "left", "medium"),
        ("ai", "top", "medium"),
        ("ai", "right", "medium"),
    ]
    rules = {"jokers": 0, "aces": "low", "hints": True, "rounds": {"first": 1, "last": 11}}
    assert game["rules"] == rules
    assert (game["version"], game["seeded"], game["status"]) == (1, False, "playing")


def test_a_new_game_has_a_human_to_move(client: FlaskClient) -> None:
    for number in range(12):
        game = create(client, {"seed": f"{number:064x}"}).game
        assert (game["turn"]["seat"], game["turn"]["phase"]) == (0, "draw")
        assert game["you"]["legal"] == {"draw": ["stock", "discard"], "discard": []}


def test_the_answer_of_create_has_token_place_and_events_from_the_first(quick: Player) -> None:
    body = quick.created.get_json()
    assert set(body) == {"game", "seat", "token", "invites", "events"}
    assert (body["seat"], body["invites"]) == (0, [])
    assert len(body["token"]) == 43
    assert quick.created.headers["Location"] == quick.path
    assert quick.created.headers["ETag"] == '"1.0.3"'
    assert [event["seq"] for event in body["events"]] == list(range(1, len(body["events"]) + 1))
    assert body["events"][0]["type"] == "seat_joined"


def test_ids_and_tokens_are_never_the_same(client: FlaskClient) -> None:
    made = [create(client, QUICK) for _ in range(20)]
    assert len({player.game["id"] for player in made}) == 20
    assert len({player.token for player in made}) == 20
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", player.game["id"]) for player in made)


def test_all_options_are_taken(client: FlaskClient) -> None:
    seats = [
        {"kind": "human", "name": "Ann"},
        {"kind": "ai", "level": "medium", "name": "Łukasz 🂡"},
        {"kind": "ai"},
        {"kind": "ai"},
        {"kind": "ai", "name": None, "level": None},
    ]
    rules = {"jokers": 4, "aces": "both", "hints": False, "rounds": {"first": 2, "last": 9}}
    game = create(client, {"seats": seats, **rules, "seed": None}).game
    assert game["rules"] == rules
    assert [seat["name"] for seat in game["seats"]] == ["Ann", "Łukasz 🂡", "AI 3", "AI 4", "AI 5"]
    assert [seat["position"] for seat in game["seats"]] == [None] * 5


def test_a_whole_number_may_be_written_with_a_point(client: FlaskClient) -> None:
    body = b'{"jokers": 2.0, "turn_seconds": 6e1}'
    game = client.post("/v1/games", data=body, content_type="application/json").get_json()["game"]
    assert (game["rules"]["jokers"], game["turn_seconds"]) == (2, 60)


def test_a_seed_repeats_a_game_and_says_so(client: FlaskClient) -> None:
    first, second = create(client, QUICK), create(client, QUICK)
    assert first.game["seeded"] is True
    assert first.game["you"] == second.game["you"]
    assert first.game["commitment"] == hashlib.sha256(bytes.fromhex("11" * 32)).hexdigest()


def test_a_draw_and_a_discard_are_a_turn(quick: Player) -> None:
    drawn = quick.draw()
    assert list(drawn.get_json()) == ["game", "events"]
    assert [event["type"] for event in drawn.get_json()["events"]] == ["card_drawn"]
    assert quick.game["you"]["drawn"] == drawn.get_json()["events"][0]["card"]
    assert (quick.game["version"], quick.game["turn"]["phase"]) == (2, "discard")
    assert drawn.headers["ETag"] == '"2.0.3"'
    events = quick.discard().get_json()["events"]
    types = [(event["type"], event.get("seat")) for event in events]
    assert types[:3] == [("card_discarded", 0), ("card_drawn", 1), ("card_discarded", 1)]
    assert quick.game["turn"]["seat"] == 0
    assert quick.game["version"] == 3


def test_the_upcard_can_be_taken_and_discarded_again(quick: Player) -> None:
    top = quick.game["discard_top"]
    assert quick.draw("discard").get_json()["events"][0]["card"] == top
    assert quick.game["you"]["drawn"] == top
    assert quick.discard(top).status_code == 200


def test_go_out_false_discards_without_declaring(client: FlaskClient) -> None:
    for number in range(200):
        player = create(client, {**QUICK, "seed": f"{number:064x}"})
        player.draw()
        outs = player.game["you"]["can_go_out_with"]
        if outs:
            body = {"card": outs[0], "go_out": False}
            answer = player.post("/discard", body)
            assert "went_out" not in [
                event["type"] for event in answer.get_json()["events"] if event.get("seat") == 0
            ]
            return
    pytest.fail("no seed lets the first turn go out")


def test_reading_changes_nothing(quick: Player) -> None:
    before = quick.get().get_data()
    for path in ("/scores", "/events", "/replay", "/review", ""):
        quick.get(path)
    assert quick.get().get_data() == before


def test_a_view_shows_the_hand_to_its_seat_alone(quick: Player) -> None:
    own, spectator = quick.get().get_json(), quick.client.get(quick.path).get_json()
    assert own["you"]["hand"] == quick.game["you"]["hand"]
    assert spectator["you"] is None
    assert {**own, "you": None} == spectator


def test_a_whole_game_can_be_played_scored_and_replayed(quick: Player) -> None:
    quick.play_to_the_end()
    assert quick.game["status"] == "finished"
    assert quick.game["turn"] is None
    result = quick.game["result"]
    scores = quick.get("/scores").get_json()
    assert (scores["result"], scores["totals"]) == (result, result["totals"])
    assert [row["number"] for row in scores["rounds"]] == list(range(1, 12))
    assert "".join(row["wild_rank"] for row in scores["rounds"]) == "3456789TJQK"
    replay = quick.get("/replay").get_json()
    assert replay["secret"] == "11" * 32
    assert replay == quick.client.get(quick.path + "/replay").get_json()
    assert all(event.get("card", "") is not None for event in replay["events"])


@pytest.mark.parametrize(
    ("rounds", "first", "last"),
    [
        ({}, 1, 11),
        ({"first": 10}, 10, 11),
        ({"last": 2}, 1, 2),
        ({"first": 4, "last": 5}, 4, 5),
        ({"first": 11, "last": 11}, 11, 11),
        ({"first": 2.0, "last": 3e0}, 2, 3),
    ],
)
def test_a_game_plays_the_rounds_it_was_created_with(
    client: FlaskClient, rounds: dict[str, float], first: int, last: int
) -> None:
    player = create(client, {**QUICK, "rounds": rounds})
    stretch = {"first": first, "last": last}
    assert player.game["rules"]["rounds"] == stretch
    assert player.game["round"]["number"] == first
    assert player.game["round"]["hand_size"] == first + 2
    player.play_to_the_end()
    assert (player.game["status"], player.game["round"]["number"]) == ("finished", last)
    assert player.game["rules"]["rounds"] == stretch
    scores = player.get("/scores").get_json()
    assert [row["number"] for row in scores["rounds"]] == list(range(first, last + 1))
    wilds = "3456789TJQK"[first - 1 : last]
    assert "".join(row["wild_rank"] for row in scores["rounds"]) == wilds
    assert scores["totals"] == player.game["result"]["totals"]
    replay = player.get("/replay").get_json()
    assert replay["rules"]["rounds"] == stretch
    assert replay["events"][-1]["round"] == last
    Replayer(replay).check()


def test_a_waiting_game_knows_its_rounds(client: FlaskClient) -> None:
    seats = [{"kind": "human"}, {"kind": "human"}]
    created = client.post("/v1/games", json={"seats": seats, "rounds": {"first": 5}}).get_json()
    game = created["game"]
    assert (game["status"], game["round"]) == ("waiting", None)
    assert game["rules"]["rounds"] == {"first": 5, "last": 11}
    assert game["you"]["upcard_points"] is None
    invite = {"invite": created["invites"][0]["code"]}
    joined = client.post(f"/v1/games/{game['id']}/seats", json=invite).get_json()
    assert joined["game"]["round"]["number"] == 5


def test_the_points_after_the_upcard_are_shown_to_the_seat_that_draws(client: FlaskClient) -> None:
    for number in range(20):
        player = create(client, {**QUICK, "seed": f"{number:064x}", "rounds": {"first": 3}})
        promised = player.game["you"]["upcard_points"]
        assert promised == player.get().get_json()["you"]["upcard_points"]
        assert player.draw("discard").status_code == 200
        assert player.game["you"]["upcard_points"] is None
        assert player.game["you"]["arrangement"]["points"] == promised


def test_a_game_has_no_rematch(quick: Player) -> None:
    assert quick.game["rematch"] is None
    assert list(quick.game)[-5:] == ["result", "rematch", "created_at", "updated_at", "expires_at"]


def test_scores_of_a_new_game_are_empty(quick: Player) -> None:
    assert quick.get("/scores").get_json() == {"rounds": [], "totals": [0, 0], "result": None}


def test_a_hint_says_what_to_do_and_why(quick: Player) -> None:
    for phase, name in (("draw", "source"), ("discard", "card")):
        hint = quick.get("/hint").get_json()
        assert set(hint) == {"phase", "action", "reason", "options"}
        assert hint["phase"] == phase
        assert list(hint["action"]) == [name]
        assert hint["action"][name] in [option[name] for option in hint["options"]]
        quick.draw()
    assert {"card", "deadwood", "expected_deadwood", "improving_cards"} == set(hint["options"][0])


def test_hints_can_be_played_to_the_end(quick: Player) -> None:
    while quick.game["status"] == "playing":
        action = quick.get("/hint").get_json()["action"]
        answer = (
            quick.draw(action["source"]) if "source" in action else quick.discard(action["card"])
        )
        assert answer.status_code == 200


def test_events_are_listed_in_pages(quick: Player) -> None:
    for _ in range(8):
        quick.turn()
    whole = quick.get("/events?limit=1000").get_json()
    assert whole["more"] is False
    assert whole["last_seq"] == whole["events"][-1]["seq"] == len(whole["events"])
    paged: list[dict[str, Any]] = []
    more = True
    while more:
        page = quick.get(f"/events?after={len(paged)}&limit=7").get_json()
        paged += page["events"]
        more = page["more"]
        assert page["last_seq"] == whole["last_seq"]
    assert paged == whole["events"]
    beyond = quick.get("/events?after=100000").get_json()
    assert beyond == {"events": [], "last_seq": whole["last_seq"], "more": False}


def test_moves_answer_the_events_that_the_log_then_lists(quick: Player) -> None:
    answered = list(quick.created.get_json()["events"])
    for _ in range(5):
        answered += quick.draw().get_json()["events"]
        answered += quick.discard().get_json()["events"]
    assert quick.get("/events?limit=1000").get_json()["events"] == answered


def test_a_deleted_game_is_gone(quick: Player) -> None:
    answer = quick.client.delete(quick.path, headers=quick.auth)
    assert (answer.status_code, answer.get_data()) == (204, b"")
    for path in ("", "/scores", "/events", "/replay", "/review"):
        assert quick.get(path).status_code == 404
    assert quick.client.delete(quick.path, headers=quick.auth).status_code == 404


def test_a_game_is_kept_one_day_and_after_a_move_fourteen(
    client: FlaskClient, clock: Clock, config: Config
) -> None:
    player = create(client, QUICK)
    assert player.game["created_at"] == player.game["updated_at"] == "2027-01-15T08:00:00.000Z"
    assert player.game["expires_at"] == "2027-01-16T08:00:00.000Z"
    clock.now += 3_600_000
    player.draw()
    assert player.game["created_at"] == "2027-01-15T08:00:00.000Z"
    assert player.game["updated_at"] == "2027-01-15T09:00:00.000Z"
    assert player.game["expires_at"] == "2027-01-29T09:00:00.000Z"
    assert config.game_ttl_seconds == 14 * 86_400


def test_the_store_forgets_a_game_when_it_says_so(
    client: FlaskClient, server: Redis, redis_url: str
) -> None:
    player = create(client, QUICK)
    key = f"{{g:{player.game['id']}}}:game"
    assert 86_000 < server.ttl(key) <= 86_400
    player.draw()
    assert 13 * 86_400 < server.ttl(key) <= 14 * 86_400
    brief = create_app(Config(redis_url=redis_url, game_ttl_seconds=60, log_level="WARNING"))
    other = create(brief.test_client(), QUICK)
    assert 50 < server.ttl(f"{{g:{other.game['id']}}}:game") <= 60


def test_reading_a_game_that_is_deleted_meanwhile_finds_none(
    quick: Player, server: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick.play_to_the_end()
    read = GameStore.read

    def deleting(self: GameStore, game_id: str, record: Any = None) -> Any:
        stored = read(self, game_id, record)
        if stored[0] is not None:
            self.delete(game_id, stored[0].version)
        return stored

    for path in ("/events", "/scores", "/replay", "/review"):
        before = {
            key: (server.dump(key), server.pttl(key))
            for key in server.scan_iter(f"{{g:{quick.game['id']}}}:*")
        }
        with monkeypatch.context() as patch:
            patch.setattr(GameStore, "read", deleting)
            assert quick.get(path).status_code == 404
        for key, (blob, ttl) in before.items():
            server.restore(key, ttl, blob, replace=True)


def test_the_log_has_method_path_and_status_and_nothing_else(
    quick: Player, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="service"):
        quick.draw(idempotency_key="key-of-mine", x_request_id="my-id")
        quick.get("/events?after=3")
    logged = [entry.getMessage() for entry in caplog.records if entry.name == "service.access"]
    assert len(logged) == 2
    assert re.fullmatch(rf"POST {quick.path}/draw 200 \d+\.\d ms id=my-id", logged[0])
    assert re.fullmatch(rf"GET {quick.path}/events 200 \d+\.\d ms id=[0-9a-f]{{32}}", logged[1])


def test_a_failing_ai_player_is_logged_and_the_game_goes_on(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    quick = create(client, QUICK)

    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(LEVELS["medium"], "choose_discard", fail)
    quick.turn()
    assert quick.game["turn"]["seat"] == 0
    logged = [entry.getMessage() for entry in caplog.records if entry.name == "service.players"]
    assert any("RuntimeError" in each for each in logged)
    assert all("broken" not in each for each in logged)


def test_an_answer_without_a_body_has_no_media_type(quick: Player) -> None:
    answer = quick.client.delete(quick.path, headers=quick.auth)
    assert "Content-Type" not in answer.headers


def test_an_evaluation_arranges_exactly_the_given_cards(client: FlaskClient) -> None:
    body = {"cards": ["9H", "7H", "2C", "5D", "8H"], "wild_rank": "5"}
    answer = client.post("/v1/evaluations", json=body)
    assert answer.status_code == 200
    assert answer.get_json() == {
        "melds": [
            {
                "kind": "run",
                "cards": ["7H", "8H", "9H", "5D"],
                "stands_for": ["7H", "8H", "9H", "TH"],
            }
        ],
        "deadwood": ["2C"],
        "points": 2,
    }


def test_liveness_and_readiness(client: FlaskClient) -> None:
    assert client.get("/healthz").get_json() == {"status": "ok"}
    assert client.get("/readyz").get_json()["status"] == "ok"


def test_a_seat_shows_the_cards_that_it_took_in_the_open_and_still_holds(quick: Player) -> None:
    upcard = quick.game["discard_top"]
    taken = quick.draw("discard").get_json()["game"]
    assert taken["seats"][0]["shown"] == [upcard]
    spectated = quick.client.get(quick.path).get_json()
    assert spectated["seats"][0]["shown"] == [upcard]
    given = quick.discard(upcard).get_json()["game"]
    assert given["seats"][0]["shown"] == []
