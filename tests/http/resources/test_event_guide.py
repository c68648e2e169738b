"""docs/events.md: its examples are what the service gives, and so are the order and the table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from jsonschema_rs import Draft202012Validator

from engine.events import BODIES
from tests.clock import Clock
from tests.docs import event_guide
from tests.docs.documents import ROOT, blocks
from tests.player import Player, create

PAGE = event_guide.FILE.read_text()
SHOWN = event_guide.shown_blocks()
SPEC = json.loads((ROOT / "openapi/openapi.json").read_text())
AT_ANY_PLACE = {"seat_away", "seat_returned", "seat_left", "game_abandoned"}
AI = {"kind": "ai", "level": "easy"}


def log(player: Player, after: int = 0) -> list[dict[str, Any]]:
    page = player.get(f"/events?limit=1000&after={after}").get_json()
    assert not page["more"]
    events: list[dict[str, Any]] = page["events"]
    return events


@pytest.fixture(params=[event_guide.GAME, event_guide.EMPTY_STOCK, {"seed": "11" * 32}])
def player(client: FlaskClient, request: pytest.FixtureRequest) -> Player:
    """The human of a game that begins: with a reshuffle, with four seats and all rounds, …"""
    return create(client, request.param)


def test_the_examples_are_what_the_service_gives(client: FlaskClient, clock: Clock) -> None:
    made = event_guide.examples(client, clock)
    shown = dict(SHOWN)

    assert set(shown) == {*BODIES, "shown"}, f"{event_guide.FILE} has a section for each event"
    assert len(shown) == len(blocks(event_guide.FILE, "json")), (
        "two blocks in a section, or one outside"
    )
    for name, text in shown.items():
        advice = f"run `python -m tests.docs.event_guide --write` for {event_guide.FILE}"
        assert text == event_guide.written(made[name]) + "\n", advice


@pytest.mark.parametrize(("name", "text"), SHOWN, ids=[name for name, _ in SHOWN])
def test_an_example_is_as_the_description_says(name: str, text: str) -> None:
    schema = {"$ref": f"#/components/schemas/{'Seat' if name == 'shown' else 'Event'}"}
    validator = Draft202012Validator({**schema, "components": SPEC["components"]})
    value = json.loads(text)
    for each in value if isinstance(value, list) else [value]:
        validator.validate(each)
        assert each.get("type", "shown") == name


def order(name: str = "game") -> str:
    """The order of types that the page states, as a regular expression of types with commas."""
    (text,) = blocks(event_guide.FILE, "text")
    rules = dict(re.split(" += ", line) for line in text.splitlines())
    if name not in rules:
        return f"(?:{name},)"
    return f"(?:{re.sub(r'[a-z_]+', lambda part: order(part[0]), rules[name]).replace(' ', '')})"


def test_the_events_of_whole_games_are_in_the_stated_order(player: Player) -> None:
    player.play_to_the_end()
    types = [event["type"] + "," for event in log(player)]

    assert re.fullmatch(order(), "".join(types)), types
    assert not re.fullmatch(order(), "".join(types[1:])), types


def test_what_is_named_as_standing_anywhere_is_all_that_the_order_leaves_out() -> None:
    (text,) = blocks(event_guide.FILE, "text")

    assert set(BODIES) - set(re.findall(r"\w+", text)) == AT_ANY_PLACE
    assert all(f"`{each}`" in PAGE.partition("`+` is once")[2][:400] for each in AT_ANY_PLACE)


def steps(player: Player) -> Iterator[None]:
    """Play to the end, and stop after every answer."""
    while player.game["status"] == "playing":
        player.draw()
        yield
        player.discard()
        yield


def test_the_table_from_events_stands_as_the_view_does(player: Player) -> None:
    (program,) = blocks(event_guide.FILE, "python")
    names: dict[str, Any] = {}
    exec(compile(program, str(event_guide.FILE), "exec"), names)
    seats = player.game["seats"]
    table, known = names["new_table"](len(seats), player.game["rules"]["jokers"]), 0

    for _ in steps(player):
        for event in log(player, after=known):
            names["apply"](table, event)
            known = event["seq"]
        game = player.game
        assert table["stock"] == game["stock_count"]
        assert len(table["pile"]) == game["discard_count"]
        assert (table["pile"] or [None])[-1] == game["discard_top"]
        for own, seat in zip(table["seats"], game["seats"], strict=True):
            assert own["cards"] == seat["card_count"]
            assert own["total"] == seat["total"]
            assert sorted(own["shown"]) == sorted(seat["shown"])
            if game["status"] == "playing":
                assert own["melds"] == seat["melds"]
    assert known > 20
