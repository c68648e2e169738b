"""What seat 0 asks for between its moves: reads, and requests that are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.dealer import all_cards, wild_rank
from tests.oracle import JOKER, check_arrangement, least_points
from tests.referee.contract import EVENT_FIELDS, FORMAT, VIEWER, check_fields, redacted, same
from tests.referee.session import Session
from tests.referee.wire import check_view_headers


class SideRequests:
    """Reads and refused requests of one session."""

    def __init__(self, session: Session) -> None:
        self.session, self.wire, self.rng = session, session.wire, session.rng
        self.looks: list[Callable[[], object]] = [
            self.look_as_spectator,
            self.look_again,
            self.look_at_scores,
            self.look_at_events,
            self.evaluate,
            self.try_refused_moves,
            self.try_bad_requests,
        ]

    def look_around(self) -> None:
        """Ask for something else now and then, more often while a hand lies open."""
        if self.session.ledger.phase == "finished":
            return
        if self.session.view["went_out"] is not None and self.rng.random() < 0.5:
            self.look_as_spectator()
        if self.rng.random() < 0.1:
            self.rng.choice(self.looks)()

    def look_as_spectator(self) -> None:
        """A spectator sees the same game without a hand."""
        answer = self.wire.send(200, "GET", self.session.path)
        check_view_headers(answer, self.session.version, "s")
        same(answer.json(), {**self.session.view, "you": None}, "the spectator's view")
        self._look_unchanged(None, "s")

    def look_again(self) -> None:
        """Reading changes nothing."""
        answer = self.wire.send(200, "GET", self.session.path, self.session.token)
        check_view_headers(answer, self.session.version, str(VIEWER))
        same(answer.json(), self.session.view, "the view read again")
        self._look_unchanged(self.session.token, VIEWER)

    def _look_unchanged(self, token: str | None, viewer: int | str) -> None:
        known = {"If-None-Match": self.session.etag(viewer)}
        answer = self.wire.send(304, "GET", self.session.path, token, headers=known)
        check_view_headers(answer, self.session.version, str(viewer))
        stale = {"If-None-Match": f'"{self.session.version - 1}.{viewer}.{FORMAT}"'}
        self.wire.send(200, "GET", self.session.path, token, headers=stale)

    def look_at_scores(self) -> None:
        """The scores are what the rounds ended with."""
        token = self.rng.choice([None, self.session.token])
        rounds = [
            {
                "number": event["round"],
                "wild_rank": wild_rank(event["round"]),
                **{name: event[name] for name in EVENT_FIELDS["round_scored"]},
            }
            for event in self.session.ledger.scored
        ]
        scores = {
            "rounds": rounds,
            "totals": self.session.ledger.totals,
            "result": self.session.ledger.result,
        }
        answer = self.wire.send(200, "GET", f"{self.session.path}/scores", token)
        same(answer.json(), scores, "the scores")

    def look_at_events(self) -> None:
        """Any page of the events is that part of what the moves answered."""
        token, viewer = self.rng.choice([(None, None), (self.session.token, VIEWER)])
        last = len(self.session.ledger.events)
        after, limit = self.rng.randint(0, last), self.rng.choice([1, 2, 7, 1000])
        self._check_page(token, viewer, {"after": after, "limit": limit})
        self._check_page(token, viewer, {"after": max(0, last - 3)})
        self._check_page(token, viewer, {})

    def _check_page(self, token: str | None, viewer: int | None, query: dict[str, int]) -> None:
        after, limit = query.get("after", 0), query.get("limit", 100)
        page = self.wire.send(200, "GET", f"{self.session.path}/events", token, params=query).json()
        check_fields(page, ["events", "last_seq", "more"], "a page of events")
        events = self.session.ledger.events
        expected = [redacted(event, viewer) for event in events[after : after + limit]]
        same(page["events"], expected, f"the events after {after}")
        more = after + limit < len(events)
        same(page["more"], more, f"more after {after} with limit {limit}")
        last = {len(events), after + limit} if more else {len(events)}
        assert page["last_seq"] in last, f"last_seq is {page['last_seq']}, not one of {last}"

    def read_all_events(self, token: str | None, viewer: int | None) -> None:
        """The pages one after another are all the events."""
        limit = self.rng.choice([30, 100, 1000])
        for after in range(0, len(self.session.ledger.events) + 1, limit):
            self._check_page(token, viewer, {"after": after, "limit": limit})

    def evaluate(self) -> None:
        """Any hand is arranged with the least points; what is no hand is refused."""
        aces, wild = self.rng.choice(["low", "high", "both"]), wild_rank(self.rng.randint(1, 11))
        cards = self.rng.sample(all_cards(4), self.rng.randint(1, 14))
        body = {"cards": cards, "wild_rank": wild, "aces": aces}
        shown = self.wire.send(200, "POST", "/evaluations", json=body).json()
        check_fields(shown, ["melds", "deadwood", "points"], "an evaluation")
        same(shown["points"], least_points(cards, wild, aces), f"the points of {body}")
        check_arrangement(cards, shown["melds"], shown["deadwood"], shown["points"], wild, aces)
        wrong: list[dict[str, Any]] = [
            {"cards": ["7H"] * 3},
            {"cards": [JOKER] * 5},
            {"cards": all_cards(0)[:15]},
            {"cards": []},
            {"cards": ["10S"]},
            {"wild_rank": "2"},
            {"aces": "wild"},
        ]
        bad = body | self.rng.choice(wrong)
        self.wire.refuse(422, "validation-failed", "POST", "/evaluations", json=bad)

    def try_refused_moves(self) -> None:
        """A refused move says why, in the order of judgement, and changes nothing."""
        phase = self.session.ledger.phase
        right, wrong = self._bodies() if phase == "draw" else self._bodies()[::-1]
        self._refuse_move(401, "token-required", right, token=None)
        self._refuse_move(401, "invalid-token", right, token=self.session.token[::-1] + "x")
        self._refuse_move(409, "wrong-phase", wrong)
        stale = {"If-Match": f'"{self.session.version + 7}.{VIEWER}.{FORMAT}"'}
        self._refuse_move(412, "stale-version", right, headers=stale)
        self._refuse_move(412, "stale-version", wrong, headers=stale)
        if phase == "discard":
            absent = next(
                card for card in all_cards(0) if card not in self.session.view["you"]["hand"]
            )
            self._refuse_move(409, "card-not-in-hand", ("discard", {"card": absent}))
        self.wire.refuse(409, "game-not-finished", "GET", f"{self.session.path}/replay")
        self.look_again()

    def _bodies(self) -> tuple[tuple[str, Any], tuple[str, Any]]:
        card = self.session.view["you"]["hand"][0]
        return ("draw", {"source": "stock"}), ("discard", {"card": card})

    def _refuse_move(
        self, status: int, code: str, move: tuple[str, Any], token: str | None = "own", **more: Any
    ) -> dict[str, Any]:
        what, body = move
        token = self.session.token if token == "own" else token
        path = f"{self.session.path}/{what}"
        return self.wire.refuse(status, code, "POST", path, token=token, json=body, **more)

    def try_bad_requests(self) -> None:
        """What is no move at all is refused as such."""
        if self.session.ledger.phase == "draw":
            self._refuse_move(422, "validation-failed", ("draw", {"source": "sleeve"}))
        else:
            problem = self._refuse_move(422, "validation-failed", ("discard", {"card": "10S"}))
            assert "10S" in str(problem), f"the problem does not name the code: {problem}"
        path = f"{self.session.path}/{self.session.ledger.phase}"
        more = {
            "token": self.session.token,
            "data": b"{",
            "headers": {"Content-Type": "application/json"},
        }
        self.wire.refuse(400, "malformed-json", "POST", path, **more)
        more["headers"] = {"Content-Type": "text/plain"}
        self.wire.refuse(415, "unsupported-media-type", "POST", path, **more)
        self.wire.refuse(422, "validation-failed", "GET", f"{self.session.path}/events?limit=0")
        self.wire.refuse(404, "game-not-found", "GET", f"{self.session.path[:-4]}AAAA")
        self.wire.refuse(
            404, "game-not-found", "POST", f"{self.session.path[:-4]}AAAA/draw", json={}
        )
