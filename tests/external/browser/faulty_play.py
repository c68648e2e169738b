"""Games at a table that others play, too, and what can befall them: faults, and a second person."""

from __future__ import annotations

import os
import random
import secrets
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests

from tests.external.browser.faulty_proxy import FaultyProxy
from tests.external.browser.table_driver import Table
from tests.external.deploy.proxies import free_port
from tests.system.launch import Launch

_FAULTS = ("service", "net", "offline", "reload", "stream", "answer")
_SECONDS = 60.0


class Killed:
    """A service that is killed and started again, at the same port with the same data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = str(free_port())
        self._launch = Launch(folder, PORT=self._port)
        self.url = self._launch.url()

    def kill(self) -> None:
        """Kill all of its processes, so that none of them can finish anything."""
        for pid in self._launch.pids():
            os.kill(pid, signal.SIGKILL)
        self._launch.__exit__()

    def start(self) -> None:
        self._launch = Launch(self._folder, PORT=self._port)
        self._launch.url()

    def close(self) -> None:
        self._launch.__exit__()


class Seat:
    """A seat by its token, past the proxy: what the service tells it, and moves of its own."""

    def __init__(
        self, url: str, game: str, token: str, chance: random.Random | None = None
    ) -> None:
        self._chance = chance or random.Random()
        self.game = game
        self._place = f"{url}/v1/games/{game}"
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.moves: list[tuple[str, str]] = []

    def view(self) -> dict[str, Any]:
        found: dict[str, Any] = self._answer(lambda: self._get(""))
        return found

    def own_moves(self) -> list[tuple[str, str]]:
        """The seat's draws and discards, from the events."""
        seat = self.view()["you"]["seat"]
        events = self._answer(lambda: self._get("/events?limit=1000"))["events"]
        assert [each["seq"] for each in events] == list(range(1, len(events) + 1))
        return [
            ("draw", each["source"]) if each["type"] == "card_drawn" else ("discard", each["card"])
            for each in events
            if each.get("seat") == seat and each["type"] in ("card_drawn", "card_discarded")
        ]

    def play(self, count: int) -> None:
        """Make moves as long as the turn is this seat's."""
        for _ in range(count):
            view = self.view()
            if view["turn"] and view["turn"]["seat"] == view["you"]["seat"]:
                self._move(view)

    def leave(self) -> None:
        requests.post(f"{self._place}/leave", headers=self._headers, timeout=30).raise_for_status()

    def _move(self, view: dict[str, Any]) -> None:
        """Make a move, as often as it takes until it is answered."""
        path, body = chosen(view, self._chance)
        headers = {**self._headers, "Idempotency-Key": secrets.token_urlsafe(18)}
        place = f"{self._place}/{path}"
        self._answer(lambda: requests.post(place, json=body, headers=headers, timeout=30))
        self.moves.append((path, *body.values()))

    def _get(self, path: str) -> requests.Response:
        return requests.get(self._place + path, headers=self._headers, timeout=30)

    def _answer(self, call: Callable[[], requests.Response]) -> Any:
        deadline = time.monotonic() + _SECONDS
        while True:
            try:
                answer = call()
                if answer.status_code < 500:
                    assert answer.ok, answer.text
                    return answer.json()
            except requests.RequestException:
                pass
            assert time.monotonic() < deadline
            time.sleep(0.05)


def chosen(view: dict[str, Any], chance: random.Random) -> tuple[str, dict[str, str]]:
    """Some legal move; where the hand can go out, it often does."""
    you = view["you"]
    if view["turn"]["phase"] == "draw":
        return "draw", {"source": chance.choice(you["legal"]["draw"])}
    out = you["can_go_out_with"]
    cards = out if out and chance.random() < 0.7 else you["legal"]["discard"]
    return "discard", {"card": chance.choice(cards)}


class Driver:
    """Plays at a table by random taps, remembers each of them, and causes faults beside them."""

    def __init__(
        self, table: Table, seat: Seat, proxy: FaultyProxy, service: Killed, chance: random.Random
    ) -> None:
        self.table = table
        self.seat = seat
        self.moves: list[tuple[str, str]] = []
        self._proxy = proxy
        self._service = service
        self._chance = chance

    def planned(self) -> Callable[[], None]:
        """Choose a move; what is returned makes it by taps, and waits for nothing."""
        path, body = chosen(self.seat.view(), self._chance)
        page = self.table.page

        def tap() -> None:
            if path == "draw":
                page.locator(f"[data-pile={body['source']}]:enabled").click()
            else:
                page.locator(f".hand [data-card='{body['card']}']").first.click()
                self.table.button("Discard").click()
            self.moves.append((path, *body.values()))

        return tap

    def fault(self, kind: str, during: Callable[[], None]) -> None:
        """Cause a fault; `during` is done while it lasts, or just before it."""
        before = kind == "reload" or self._chance.random() < 0.5
        if before:
            during()
            self._pause(0.15)
        match kind:
            case "service":
                self._service.kill()
            case "net":
                self._proxy.cut()
            case "offline":
                self.table.page.context.set_offline(True)
            case "reload":
                self.table.page.reload()
            case "stream":
                self._proxy.cut_streams()
            case "answer":
                self._proxy.loses_answers = True
        if not before:
            during()
        self._pause(1)
        self._mend(kind)

    def _mend(self, kind: str) -> None:
        match kind:
            case "service":
                self._service.start()
            case "net":
                self._proxy.mend()
            case "offline":
                self.table.page.context.set_offline(False)
            case "answer":
                self._proxy.loses_answers = False

    def _pause(self, seconds: float) -> None:
        self.table.page.wait_for_timeout(1000 * self._chance.uniform(0, seconds))


def faults(chance: random.Random) -> list[str]:
    """The faults of one game: one of each kind, in any order."""
    return chance.sample(_FAULTS, len(_FAULTS))


def seat_of(table: Table, url: str) -> Seat:
    kept = table.session()
    return Seat(url, kept["id"], kept["token"])
