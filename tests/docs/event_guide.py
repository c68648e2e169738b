"""The examples in `docs/events.md`, made from games that are the same each time.

Each stands in the section of its name. `python -m tests.docs.event_guide --write` writes them anew.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.store.game_store import GameStore
from tests.clock import Clock
from tests.docs.documents import ROOT
from tests.nodes import throwaway_server
from tests.player import Player, create

FILE = ROOT / "docs/events.md"
ANN, BO, CY = {"kind": "human", "name": "Ann"}, {"kind": "ai", "name": "Bo"}, {"kind": "ai"}
GAME = {"seats": [ANN, BO, CY], "seed": f"{11:064x}", "rounds": {"first": 1, "last": 2}}
EMPTY_STOCK = {
    "seats": [ANN, *[{"kind": "ai", "level": "easy"}] * 5],
    "seed": f"{6:064x}",
    "rounds": {"first": 11, "last": 11},
}
"""A game whose stock is dealt out."""
SECONDS = 30
WIDTH = 98
_SECTION = re.compile(r"^## `(?P<name>\w+)`\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"(?<=^```json\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)


def examples(client: FlaskClient, clock: Clock) -> dict[str, Any]:
    """By the name of a section its example: one event, several, or a seat."""
    player = create(client, GAME)
    answers = [player.turn()]
    clock.now += 9_000
    while player.game["status"] == "playing":
        answers.append(player.turn())
    log = _events(player)
    drawn = [event for event in log if event["type"] == "card_drawn"]
    own = next(event for event in drawn if event["seat"] == 0)
    hidden = next(event for event in drawn if event["card"] is None)
    taken = next(event for event in drawn if event["source"] == "discard")
    found = {event["type"]: event for event in reversed([*log, *_membership(client, clock)])}
    reshuffled = _first(_events(_played(client, EMPTY_STOCK)), "stock_reshuffled")
    return {
        **found,
        "card_drawn": [own, hidden, taken],
        "stock_reshuffled": reshuffled,
        "shown": answers[0]["game"]["seats"][taken["seat"]],
    }


def _membership(client: FlaskClient, clock: Clock) -> list[dict[str, Any]]:
    """The events of a human who is away, comes back and leaves."""
    player = create(client, GAME | {"turn_seconds": SECONDS})
    clock.now += (SECONDS + 1) * 1000
    player.game = player.get().get_json()
    clock.now += 5_000
    assert player.post("/leave", None).status_code == 204
    return _events(player)


def _played(client: FlaskClient, body: dict[str, Any]) -> Player:
    player = create(client, body)
    player.play_to_the_end()
    return player


def _events(player: Player) -> list[dict[str, Any]]:
    """All events as seat 0 may read them; as a spectator may once the seat has been left."""
    path = f"{player.path}/events?limit=1000"
    answer = player.get("/events?limit=1000")
    page = (answer if answer.status_code == 200 else player.client.get(path)).get_json()
    events: list[dict[str, Any]] = page["events"]
    return events


def _first(events: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(event for event in events if event["type"] == kind)


def shown_blocks() -> list[tuple[str, str]]:
    """Each block of JSON with the name of its section."""
    sections = list(_SECTION.finditer(FILE.read_text()))
    return [(each["name"], block) for each in sections for block in _BLOCK.findall(each[0])]


def written(value: Any, indent: int = 0) -> str:
    """JSON on one line where it fits, else on lines that are filled with members."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, dict | list):
        return line
    if isinstance(value, list):
        inner = ",\n".join(" " * (indent + 2) + written(each, indent + 2) for each in value)
        return f"[\n{inner}\n{' ' * indent}]"
    lines = [""]
    for name, each in value.items():
        member = f'"{name}": {written(each, indent + 1)}'
        if lines[-1] and len(lines[-1]) + indent + len(member.split("\n", 1)[0]) > WIDTH - 3:
            lines.append("")
        lines[-1] += (", " if lines[-1] else "") + member
    return "{" + f",\n{' ' * (indent + 1)}".join(lines) + "}"


def _with_examples(page: str, made: dict[str, Any]) -> str:
    def section_with_example(section: re.Match[str]) -> str:
        text = written(made[section["name"]]) + "\n" if section["name"] in made else ""
        return _BLOCK.sub(lambda _: text, section[0])

    return _SECTION.sub(section_with_example, page)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.docs.event_guide --write")
    with throwaway_server() as server:
        config = Config(redis_url=server.url, data_dir=Path("unused"), log_level="WARNING")
        time = Clock()
        app = create_app(config, GameStore.from_url(server.url, connections=4), time)
        FILE.write_text(_with_examples(FILE.read_text(), examples(app.test_client(), time)))
