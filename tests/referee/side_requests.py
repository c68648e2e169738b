"""Requests between the moves: reads, and requests that must be refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.dealer import all_cards, wild_rank
from tests.oracle import JOKER, check_arrangement, least_points
from tests.referee.checked_client import check_view_headers
from tests.referee.contract import EVENT_FIELDS, FORMAT, VIEWER, check_equal, check_fields, redacted
from tests.referee.session import Session


class SideRequests:
    """Reads and refused requests for one session."""

    def __init__(self, session: Session) -> None:
        self.session, self.client, self.rng = session, session.client, session.rng
        self.all: list[Callable[[], object]] = [
            self.check_spectator_view,
            self.check_view_is_unchanged,
            self.check_scores,
            self.check_event_pages,
            self.check_evaluation,
            self.check_refused_moves,
            self.check_invalid_requests,
        ]

    def maybe_send_one(self) -> None:
        """Send one of the requests now and then, more often while a hand lies open."""
        if self.session.known.phase == "finished":
            return
        if self.session.view["went_out"] is not None and self.rng.random() < 0.5:
            self.check_spectator_view()
        if self.rng.random() < 0.1:
            self.rng.choice(self.all)()

    def check_spectator_view(self) -> None:
        """A spectator sees the same game without a hand."""
        answer = self.client.send(200, "GET", self.session.path)
        check_view_headers(answer, self.session.version, "s")
        check_equal(answer.json(), {**self.session.view, "you": None}, "the spectator's view")
        self._check_conditional_reads(None, "s")

    def check_view_is_unchanged(self) -> None:
        """A read changes nothing."""
        answer = self.client.send(200, "GET", self.session.path, self.session.token)
        check_view_headers(answer, self.session.version, str(VIEWER))
        check_equal(answer.json(), self.session.view, "the view read again")
        self._check_conditional_reads(self.session.token, VIEWER)

    def _check_conditional_reads(self, token: str | None, viewer: int | str) -> None:
        current = {"If-None-Match": self.session.etag(viewer)}
        answer = self.client.send(304, "GET", self.session.path, token, headers=current)
        check_view_headers(answer, self.session.version, str(viewer))
        stale = {"If-None-Match": f'"{self.session.version - 1}.{viewer}.{FORMAT}"'}
        self.client.send(200, "GET", self.session.path, token, headers=stale)

    def check_scores(self) -> None:
        """The scores agree with the `round_scored` events."""
        token = self.rng.choice([None, self.session.token])
        rounds = [
            {
                "number": event["round"],
                "wild_rank": wild_rank(event["round"]),
                **{name: event[name] for name in EVENT_FIELDS["round_scored"]},
            }
            for event in self.session.known.scored
        ]
        scores = {
            "rounds": rounds,
            "totals": self.session.known.totals,
            "result": self.session.known.result,
        }
        answer = self.client.send(200, "GET", f"{self.session.path}/scores", token)
        check_equal(answer.json(), scores, "the scores")

    def check_event_pages(self) -> None:
        """A page of events has exactly the events that the moves answered for that range."""
        token, viewer = self.rng.choice([(None, None), (self.session.token, VIEWER)])
        last = len(self.session.known.events)
        after, limit = self.rng.randint(0, last), self.rng.choice([1, 2, 7, 1000])
        self._check_page(token, viewer, {"after": after, "limit": limit})
        self._check_page(token, viewer, {"after": max(0, last - 3)})
        self._check_page(token, viewer, {})

    def _check_page(self, token: str | None, viewer: int | None, query: dict[str, int]) -> None:
        after, limit = query.get("after", 0), query.get("limit", 100)
        page = self.client.send(
            200, "GET", f"{self.session.path}/events", token, params=query
        ).json()
        check_fields(page, ["events", "last_seq", "more"], "a page of events")
        events = self.session.known.events
        expected = [redacted(event, viewer) for event in events[after : after + limit]]
        check_equal(page["events"], expected, f"the events after {after}")
        more = after + limit < len(events)
        check_equal(page["more"], more, f"more after {after} with limit {limit}")
        last = {len(events), after + limit} if more else {len(events)}
        assert page["last_seq"] in last, f"last_seq is {page['last_seq']}, not one of {last}"

    def check_all_events(self, token: str | None, viewer: int | None) -> None:
        """The pages together have all the events."""
        limit = self.rng.choice([30, 100, 1000])
        for after in range(0, len(self.session.known.events) + 1, limit):
            self._check_page(token, viewer, {"after": after, "limit": limit})

    def check_evaluation(self) -> None:
        """A valid hand gets an arrangement with the least points; an invalid one is refused."""
        aces, wild = self.rng.choice(["low", "high", "both"]), wild_rank(self.rng.randint(1, 11))
        cards = self.rng.sample(all_cards(4), self.rng.randint(1, 14))
        body = {"cards": cards, "wild_rank": wild, "aces": aces}
        shown = self.client.send(200, "POST", "/evaluations", json=body).json()
        check_fields(shown, ["melds", "deadwood", "points"], "an evaluation")
        check_equal(shown["points"], least_points(cards, wild, aces), f"the points of {body}")
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
        self.client.expect_problem(422, "validation-failed", "POST", "/evaluations", json=bad)

    def check_refused_moves(self) -> None:
        """A refused move has the code of its first fault, and changes nothing."""
        phase = self.session.known.phase
        right, wrong = self.move_bodies() if phase == "draw" else self.move_bodies()[::-1]
        self.expect_refusal(401, "token-required", right, token=None)
        self.expect_refusal(401, "invalid-token", right, token=self.session.token[::-1] + "x")
        self.expect_refusal(409, "wrong-phase", wrong)
        stale = {"If-Match": f'"{self.session.version + 7}.{VIEWER}.{FORMAT}"'}
        self.expect_refusal(412, "stale-version", right, headers=stale)
        self.expect_refusal(412, "stale-version", wrong, headers=stale)
        if phase == "discard":
            absent = next(
                card for card in all_cards(0) if card not in self.session.view["you"]["hand"]
            )
            self.expect_refusal(409, "card-not-in-hand", ("discard", {"card": absent}))
        self.client.expect_problem(409, "game-not-finished", "GET", f"{self.session.path}/replay")
        self.check_view_is_unchanged()

    def move_bodies(self) -> tuple[tuple[str, Any], tuple[str, Any]]:
        """A draw and a discard: the operation's path and its body."""
        card = self.session.view["you"]["hand"][0]
        return ("draw", {"source": "stock"}), ("discard", {"card": card})

    def expect_refusal(
        self, status: int, code: str, move: tuple[str, Any], token: str | None = "own", **more: Any
    ) -> dict[str, Any]:
        """The problem that answers a move, which must have this status and code."""
        what, body = move
        token = self.session.token if token == "own" else token
        path = f"{self.session.path}/{what}"
        return self.client.expect_problem(
            status, code, "POST", path, token=token, json=body, **more
        )

    def check_invalid_requests(self) -> None:
        """An invalid body, media type, query or game id is refused with its own code."""
        if self.session.known.phase == "draw":
            self.expect_refusal(422, "validation-failed", ("draw", {"source": "sleeve"}))
        else:
            problem = self.expect_refusal(422, "validation-failed", ("discard", {"card": "10S"}))
            assert "10S" in str(problem), f"the problem does not name the code: {problem}"
        path = f"{self.session.path}/{self.session.known.phase}"
        more = {
            "token": self.session.token,
            "data": b"{",
            "headers": {"Content-Type": "application/json"},
        }
        self.client.expect_problem(400, "malformed-json", "POST", path, **more)
        more["headers"] = {"Content-Type": "text/plain"}
        self.client.expect_problem(415, "unsupported-media-type", "POST", path, **more)
        self.client.expect_problem(
            422, "validation-failed", "GET", f"{self.session.path}/events?limit=0"
        )
        self.client.expect_problem(404, "game-not-found", "GET", f"{self.session.path[:-4]}AAAA")
        self.client.expect_problem(
            404, "game-not-found", "POST", f"{self.session.path[:-4]}AAAA/draw", json={}
        )
