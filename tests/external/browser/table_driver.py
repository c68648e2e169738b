"""Drives the table at `/play` as a player does: by what it shows, and by nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page, expect

ROOT = Path(__file__).parents[3]
AXE = ROOT / "tools/node_modules/axe-core/axe.min.js"
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1440, "height": 900}
_MILLISECONDS = 30_000.0
_KEPT = "three-thirteen/"
_KEEP = """(texts) => {
    for (const [name, text] of Object.entries(texts)) {
        if (localStorage.getItem(name) === null) localStorage.setItem(name, text);
    }
}"""
_STILL = """() => Promise.all(document.getAnimations()
    .filter((each) => each.effect.getComputedTiming().iterations !== Infinity)
    .map((each) => each.finished.catch(() => {})))"""
_SHIFTS = """() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shifts.push(entry.value);
    }).observe({ type: "layout-shift", buffered: true });
}"""


class Table:
    """A page with the table, all that it asked for, and all that it complained of."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.asked: set[str] = set()
        self.paths: set[str] = set()
        self.complaints: list[str] = []
        page.set_default_timeout(_MILLISECONDS)
        expect.set_options(timeout=_MILLISECONDS)
        page.on("request", self._ask)
        page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    @classmethod
    def opened(
        cls,
        browser: Browser,
        url: str,
        *,
        size: dict[str, int] = DESK,
        theme: str = "light",
        settings: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        fragment: str = "",
        **context: Any,
    ) -> Self:
        """A page of its own, with settings and options that a player chose before."""
        kept = {"settings": {"speed": "instant", **(settings or {})}, "options": options or {}}
        place = browser.new_context(viewport=size, color_scheme=theme, **context)  # type: ignore[arg-type]
        texts = {f"{_KEPT}{name}": json.dumps(value) for name, value in kept.items()}
        place.add_init_script(f"({_KEEP})({json.dumps(texts)})")
        table = cls(place.new_page(), url)
        table.page.goto(f"{url}/play#{fragment}")
        return table

    def _ask(self, request: Any) -> None:
        parts = urlsplit(request.url)
        self.asked.add(f"{parts.scheme}://{parts.netloc}")
        self.paths.add(parts.path)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def stock(self) -> Locator:
        return self.button("Draw from the stock")

    @property
    def cards(self) -> Locator:
        return self.page.locator("[data-card]")

    @property
    def round(self) -> int:
        return int(self.page.locator("[data-round]").inner_text())

    def hand(self) -> list[str]:
        """The codes of the hand's cards, as they lie."""
        return self.cards.evaluate_all("cards => cards.map((card) => card.dataset.card)")

    def totals(self) -> list[int]:
        """The totals in the order of the seats."""
        script = """seats => seats.map((seat) => [+seat.dataset.seat,
            +seat.querySelector("[data-total]").textContent])"""
        return [total for _, total in sorted(self.page.locator("[data-seat]").evaluate_all(script))]

    def deal(self) -> None:
        self.button("Play").click()
        self.await_choice()

    def await_choice(self) -> str:
        """Wait until there is something to do: `draw`, `discard`, `next` or `end`."""
        first = self.page.locator(
            ".stock:enabled, .table[data-due=discard], dialog.round-end, dialog.game-end"
        ).first
        first.wait_for(state="attached")
        if self.page.locator("dialog.game-end").count():
            return "end"
        if self.page.locator("dialog.round-end").count():
            return "next"
        return "draw" if self.stock.is_enabled() else "discard"

    def play(self, until: Callable[[Self], bool] = lambda _: False) -> None:
        """Play by taps alone until the game is over, or until something is seen."""
        while not until(self) and self.step() != "end":
            pass

    def step(self) -> str:
        """Do what is to be done, by taps; tell what that was."""
        match due := self.start_step():
            case "next":
                self.page.locator("dialog").wait_for(state="detached")
            case "draw" | "discard":
                self.page.locator(f".table:not([data-due={due}])").wait_for()
        return due

    def start_step(self) -> str:
        """Do it, but do not wait for what comes of it."""
        due = self.await_choice()
        match due:
            case "next":
                self.button("Next round").click()
            case "draw":
                self.stock.click()
            case "discard":
                self.discard()
        return due

    def discard(self) -> None:
        """Discard the last card, or go out."""
        out = self.button("Go out")
        if out.is_enabled():
            out.click()
        else:
            self.cards.last.click()
            self.button("Discard").click()

    def session(self) -> dict[str, Any]:
        """The game's id and token, as the page keeps them."""
        script = f"""() => Object.entries(localStorage)
            .filter(([name]) => name.startsWith("{_KEPT}game/")).map(([, text]) => JSON.parse(text))
            .sort((one, other) => other.at - one.at)[0]"""
        found: dict[str, Any] = self.page.evaluate(script)
        return found

    def violations(self) -> list[str]:
        """What axe-core finds on the page as it is."""
        self.page.evaluate(AXE.read_text())
        self.page.evaluate(_STILL)  # colours in the middle of a transition are nobody's
        found = self.page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        return [
            f"{each['id']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
            for each in found["violations"]
        ]

    def watch_shifts(self) -> None:
        self.page.evaluate(_SHIFTS)

    def shifts(self) -> float:
        total: float = self.page.evaluate("window.shifts.reduce((sum, each) => sum + each, 0)")
        return total
