"""Seat 0 of one game over HTTP: it creates the game, draws and discards."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from typing import Any

import requests

from tests.dealer import Event
from tests.referee.checked_client import CheckedClient, check_view_headers
from tests.referee.contract import (
    DIGEST,
    FORMAT,
    RANDOM_TEXT,
    VIEWER,
    View,
    check_equal,
    check_fields,
)
from tests.referee.known_game import KnownGame
from tests.referee.view_check import ViewCheck


class Session:
    """Creates one game as seat 0 and makes its moves; the moves depend on the generator alone."""

    def __init__(
        self, client: CheckedClient, options: Mapping[str, Any], rng: random.Random
    ) -> None:
        self.client, self.options, self.rng = client, options, rng
        self.version = 0
        self.moves: list[dict[str, Any]] = []
        self.view: View = {}
        self.path = "/games"

    def create(self) -> None:
        """Create the game."""
        body = dict(self.options) or None  # an empty body makes the default game
        self.client.secrets = {self.options["seed"]} if self.options.get("seed") else set()
        answer = self.client.send(201, "POST", "/games", json=body)
        made = answer.json()
        check_fields(made, ["game", "seat", "token", "invites", "events"], "the answer to create")
        check_equal(made["seat"], VIEWER, "the creator's seat")
        check_equal(made["invites"], [], "invites")
        for name, text in (("token", made["token"]), ("id", made["game"]["id"])):
            enough = isinstance(text, str) and len(text) >= RANDOM_TEXT
            assert enough, f"the {name} {text!r} is too short for 128 random bits"
        self.token, self.path = made["token"], f"/games/{made['game']['id']}"
        self.client.secrets.add(self.token)
        location = answer.headers.get("Location", "")
        assert location.endswith(f"/v1{self.path}"), f"Location is {location!r}"
        self._check_commitment(made["game"]["commitment"])
        self.known = KnownGame(self.options, made["game"]["commitment"])
        self._take(answer, made["events"])

    def _check_commitment(self, commitment: str) -> None:
        assert DIGEST.fullmatch(commitment), f"the commitment {commitment!r} is no SHA-256"
        if self.options.get("seed") is not None:
            digest = hashlib.sha256(bytes.fromhex(self.options["seed"])).hexdigest()
            check_equal(commitment, digest, "the commitment to the seed")

    def _take(self, answer: requests.Response, events: list[Event]) -> None:
        """Check the events of one commit, and the view after it."""
        self.version += 1
        self.known.follow(events)
        before, self.view = self.view, answer.json()["game"]
        check_equal(self.view.get("version"), self.version, "version")
        check_view_headers(answer, self.version, str(VIEWER))
        ViewCheck(self.view, self.known, self.options).check()
        for name in ("id", "created_at"):
            check_equal(self.view[name], before.get(name, self.view[name]), f"{name}, which stays,")

    def _move(self, what: str, body: dict[str, Any]) -> list[Event]:
        headers = {"If-Match": self.etag()} if self.rng.random() < 0.2 else {}
        path = f"{self.path}/{what}"
        answer = self.client.send(200, "POST", path, self.token, json=body, headers=headers)
        moved = answer.json()
        check_fields(moved, ["game", "events"], f"the answer to {what}")
        self.moves.append({"seat": VIEWER, "round": self.known.number, "type": what, **body})
        events: list[Event] = moved["events"]
        self._take(answer, events)
        return events

    def etag(self, viewer: int | str = VIEWER) -> str:
        """The ETag that the current view must have."""
        return f'"{self.version}.{viewer}.{FORMAT}"'

    def draw(self) -> None:
        """Draw a card: in 3 of 10 turns at random, else from the pile where that lowers points."""
        source = self.rng.choice(["stock", "discard"])
        if self.rng.random() < 0.7:
            source = "discard" if self.known.lowers(self.known.pile[-1]) else "stock"
        refills = source == "stock" and self.known.stock == 0
        events = self._move("draw", {"source": source})
        caused = [(event["type"], event.get("seat"), event.get("source")) for event in events]
        check_equal(caused[-1:], [("card_drawn", VIEWER, source)], "what a draw caused last")
        refilled = any(kind == "stock_reshuffled" for kind, *_ in caused)
        check_equal(refilled, refills, "whether a draw refilled the stock")

    def discard(self) -> None:
        """Discard a card: mostly the advised one, and one time in five without going out."""
        you = self.view["you"]
        card = you["arrangement"]["discard"]
        if self.rng.random() < 0.15:
            card = self.rng.choice(you["legal"]["discard"])
        go_out = self.rng.choice([None, True, True, True, False])
        self.known.go_out = go_out is not False
        body = {"card": card} if go_out is None else {"card": card, "go_out": go_out}
        events = self._move("discard", body)
        self.moves[-1]["go_out"] = self.known.go_out
        first = [events[0][name] for name in ("type", "seat", "card")] if events else []
        check_equal(first, ["card_discarded", VIEWER, card], "what a discard caused first")
