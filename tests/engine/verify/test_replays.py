"""The verifier accepts games as the engine plays them, and finds what was changed in them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from functools import partial
from typing import Any

import pytest

from engine import table
from engine.options import GameOptions
from engine.seats import HumanSeat
from engine.verify.game import problems
from engine.verify.replay import read
from tests import replays, tampering
from tests.builders import ANN, ai, secret
from tests.replays import Replay, abandoned, finished, replay_of, stalled
from tests.scale import scaled
from tests.tampering import CHANGES, all_tampered, swapped_shuffles


def found(replay: Replay) -> list[str]:
    return problems(read(json.dumps(replay)))


def test_finished_games_are_accepted() -> None:
    kinds: Counter[str] = Counter()
    for number in range(scaled(100)):
        replay = finished(number)
        assert found(replay) == [], number
        kinds.update(event["type"] for event in replay["events"])
    assert set(kinds) >= {"seat_away", "seat_left", "seat_returned", "went_out", "game_finished"}


def test_abandoned_games_are_accepted() -> None:
    ends = Counter()
    for number in range(scaled(100)):
        replay = abandoned(number)
        assert found(replay) == [], number
        ends[replay["events"][-1]["type"]] += 1
    assert ends["game_abandoned"] > ends["game_finished"]


def test_games_with_stalled_rounds_and_refills_are_accepted() -> None:
    kinds: Counter[str] = Counter()
    for number in range(scaled(30)):
        assert found(stalled(number)) == [], number
        kinds.update(event["type"] for event in stalled(number)["events"])
    assert kinds["stock_reshuffled"] > 11
    assert not kinds["went_out"]


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found(name: str) -> None:
    changed = all_tampered(name, scaled(20))
    assert changed
    assert all(map(found, changed))


@pytest.mark.long
@pytest.mark.parametrize("number", range(scaled(30)))
def test_a_game_of_another_shuffle_is_found(number: int) -> None:
    play = (
        partial(stalled.__wrapped__, 1)
        if number % 3 == 1
        else partial(finished.__wrapped__, number)
    )
    with swapped_shuffles(number):
        assert len(found(play())) == 1
    assert found(play()) == []


def test_a_wrong_commitment_is_told_beside_the_first_contradiction() -> None:
    replay = {**finished(1), "commitment": "0" * 64, "first_dealer": None}
    digest = hashlib.sha256(bytes.fromhex(replay["secret"])).hexdigest()
    assert found(replay)[0] == f"the commitment should be {digest}, but is {'0' * 64}"
    assert found(replay)[1].startswith("before the first deal: the first dealer should be ")


def test_a_contradiction_says_where_it_is_and_what_should_be() -> None:
    replay = tampering.copy.deepcopy(finished(1))
    event = next(each for each in replay["events"] if each["type"] == "card_drawn")
    event["card"], card = "JK", event["card"]
    (problem,) = found(replay)
    what = f"event {event['seq']} (card_drawn), card"
    assert problem == f'round 1, action 1: {what} should be "{card}", but is "JK"'


def test_the_first_dealer_of_a_rematch_goes_on_from_the_game_before() -> None:
    with swapped_shuffles(2):
        replay = finished.__wrapped__(1)
    assert found(replay) != []
    assert found({**replay, "rematch_of": None}) != []
    assert found({**replay, "rematch_of": "Zk3vQ8rT1xWn5bYc7LdMfA"}) == []
    no_seat = {**replay, "rematch_of": "Zk3vQ8rT1xWn5bYc7LdMfA", "first_dealer": 6}
    assert found(no_seat) == ["before the first deal: the first dealer is 6, which is no seat"]


@pytest.mark.parametrize(("first", "last"), [(1, 1), (1, 4), (3, 7), (11, 11)])
def test_a_stretch_of_rounds_is_a_game(first: int, last: int) -> None:
    replay = _stretch(stalled(0), first, last)
    assert len(replay["seats"]) == 2
    assert found(replay) == []
    del replay["rules"]["rounds"]
    assert found(replay) != []


def _stretch(replay: Replay, first: int, last: int) -> Replay:
    """Some rounds of a game, in the first of which the same seat deals as in round 1."""
    assert (first - 1) % len(replay["seats"]) == 0
    part = json.loads(json.dumps(replay))
    rounds = range(first, last + 1)
    end = {**part["events"][-1], "round": last}
    part["events"] = [each for each in part["events"][:-1] if each["round"] in {None, *rounds}]
    part["events"].append(end)
    part["actions"] = [each for each in part["actions"] if each["round"] in rounds]
    part["rules"]["rounds"] = {"first": first, "last": last}
    tampering.renumber(part)
    tampering.add_up(part)
    return dict(part)


def waiting(*others: HumanSeat) -> Any:
    return table.open_game(secret(1), GameOptions((ANN, ai(), *others)))


def test_a_game_that_is_abandoned_before_everybody_came_is_accepted() -> None:
    opened = waiting(HumanSeat("Bo", joined=False))
    step = opened.followed_by(table.leave(opened.game, 0))
    replay = replay_of(step.game, step.events)
    assert [event["round"] for event in replay["events"]] == [None] * 3
    assert found(replay) == []
    replay["seats"][2].update(kind="ai", level="hard")
    assert found(replay) == []  # whether an AI player or nobody was there, nothing says
    replay["seats"][0].update(kind="human", level=None)
    assert found(replay) == ["seats: seat 0 is not played by whom the events say"]


def with_events(number: int, *changes: tuple[int, dict[str, object]]) -> Replay:
    """The replay of a game of two humans with events of seats put in, each at a place."""
    replay = json.loads(json.dumps(stalled(number)))
    for place, event in changes:
        before = replay["events"][place]
        replay["events"].insert(place, {"at": "", "round": before["round"], **event})
    tampering.renumber(replay)
    return dict(replay)


AWAY, BACK = ({"type": kind, "seat": 1} for kind in ("seat_away", "seat_returned"))


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ([AWAY], None),
        ([BACK, AWAY], None),
        ([AWAY, BACK, AWAY], None),
        ([BACK], "seat_returned: seat 1 was not away"),
        ([AWAY, AWAY], "seat_away: no human in seat 1 is to move"),
        ([{**AWAY, "seat": 0}], "seat_away: no human in seat 0 is to move"),
        ([{**AWAY, "seat": 2}], "an event names a seat that is not there"),
        ([{**AWAY, "seat": True}], "an event names a seat that is not there"),
        ([{"type": "seat_joined", "seat": 1}], "seat 1 joins when it is not awaited"),
        ([{"type": "seat_left", "seat": 1}], "seats: seat 1 is not played by whom the events say"),
    ],
)
def test_seats_are_away_in_their_turn_and_come_back_once(
    events: list[dict[str, object]], problem: str | None
) -> None:
    replay = stalled(0)
    turn = next(place for place, e in enumerate(replay["events"]) if e["type"] == "card_drawn")
    if replay["events"][turn]["seat"] == 0:
        turn += 2
    told = found(with_events(0, *((turn, event) for event in events)))
    assert [each.endswith(problem or "") for each in told] == ([True] if problem else [])


def test_a_human_who_left_is_not_away_and_does_not_leave_again() -> None:
    replay = stalled(0)
    left = {"type": "seat_left", "seat": 1}
    turn = next(place for place, e in enumerate(replay["events"]) if e["type"] == "card_drawn")
    for kind in ("seat_left", "seat_away", "seat_returned"):
        (told,) = found(with_events(0, (turn, {"type": kind, "seat": 1}), (turn, left)))
        assert told.endswith(f"{kind}: the human of seat 1 is not there")


def test_the_last_human_who_leaves_ends_the_game() -> None:
    left = [{"type": "seat_left", "seat": seat} for seat in (0, 1)]
    (told,) = found(with_events(0, *((20, event) for event in left)))
    assert "should be game_abandoned" in told


def test_nothing_is_dealt_before_every_human_has_come() -> None:
    replay = json.loads(json.dumps(finished(2)))
    joined = tampering.events_of(replay, "seat_joined")
    for event in (joined[-1], joined[0]):
        changed = json.loads(json.dumps(replay))
        changed["events"].remove(event)
        tampering.renumber(changed)
        assert found(changed)[0].startswith("before the first deal: ")


def test_a_number_gives_the_same_game_each_time() -> None:
    assert replays.finished.__wrapped__(3) == finished(3)
