"""A client that plays whole games over HTTP and holds every answer against the contract.

The referee knows what seat 0 may know and nothing more. Its `Ledger` follows the events and says
what every view must then show; the `Wire` sends requests and checks what is promised of any answer;
the `Referee` chooses moves, asks in between what else may be asked, and ends with the replay.
A broken promise is an AssertionError that says which.
"""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import requests

from tests.dealer import ROUNDS, TURNS, Event, Replayer, all_cards, hand_size, result, wild_rank
from tests.oracle import (
    JOKER,
    check_arrangement,
    check_card,
    every_card_melds,
    going_out_discards,
    least_points,
    points_after_discard,
    sorted_hand,
)

VIEWER = 0  # the creator's seat, the only human one
FORMAT = 1  # the number of the view's shape in every ETag
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
DIGEST = re.compile(r"[0-9a-f]{64}")
RANDOM_TEXT = 22  # characters that hold 128 random bits

POSITIONS: dict[int, list[str | None]] = {
    2: ["bottom", "top"],
    3: ["bottom", "left", "right"],
    4: ["bottom", "left", "top", "right"],
    5: [None] * 5,
    6: [None] * 6,
}
EVENT_FIELDS = {
    "seat_joined": {"seat", "name"},
    "round_dealt": {"dealer", "hand_size", "wild_rank", "upcard"},
    "card_drawn": {"seat", "source", "card"},
    "card_discarded": {"seat", "card"},
    "stock_reshuffled": {"stock_count"},
    "went_out": {"seat", "hand", "melds"},
    "round_scored": {"went_out", "stalled", "seats"},
    "game_finished": {"winner", "tied", "totals", "secret"},
}
VIEW_FIELDS = {
    *("id", "version", "status", "seeded", "commitment", "rules", "round", "turn", "went_out"),
    *("stock_count", "discard_top", "discard_count", "seats", "you", "result", "turn_seconds"),
    *("created_at", "updated_at", "expires_at"),
}
SEAT_FIELDS = {
    *("seat", "position", "kind", "name", "level", "away"),
    *("card_count", "total", "hand", "melds"),
}
YOU_FIELDS = {"seat", "hand", "drawn", "arrangement", "legal", "can_go_out_with"}
ROW_FIELDS = {"seat", "hand", "melds", "deadwood", "points", "total"}
REPLAY_FIELDS = {"secret", "commitment", "rules", "seats", "first_dealer", "actions", "events"}
PROBLEM_FIELDS = {"type", "title", "status", "detail", "code"}

View = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One refereed game: its last view and events as seat 0 saw them, and its replay."""

    game_id: str
    options: Mapping[str, Any]
    view: View
    events: list[Event]
    replay: dict[str, Any]
    requests: int
    seconds: float


def same(actual: object, expected: object, what: str) -> None:
    """Assert equality, and that true is not taken for one."""
    alike = actual == expected and type(actual) is type(expected)
    assert alike, f"{what} should be {expected!r} but is {actual!r}"


def check_fields(thing: Any, names: Iterable[str], what: str) -> None:
    """Assert that an object has exactly these fields."""
    assert isinstance(thing, dict), f"{what} is no object: {thing!r}"
    missing, extra = set(names) - set(thing), set(thing) - set(names)
    assert not missing | extra, f"{what} lacks {sorted(missing)}, adds {sorted(extra)}"


def check_time(text: Any, what: str) -> None:
    """Assert RFC 3339 in UTC."""
    assert TIME.fullmatch(str(text)), f"{what} is no UTC time: {text!r}"


def check_distinct(cards: Sequence[str], expected: Collection[str], what: str) -> None:
    """Assert that cards are exactly these, each listed once, in whatever order."""
    listed = Counter(cards) == Counter(set(expected))
    assert listed, f"{what} should list {sorted(set(expected))} but lists {cards}"


def redacted(event: Event, viewer: int | None) -> Event:
    """An event as a seat, or a spectator, may see it."""
    hidden = event["type"] == "card_drawn" and event["source"] == "stock"
    return {**event, "card": None} if hidden and event["seat"] != viewer else event


def seats_of(options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the options say of each seat."""
    default = [{"kind": "human"}, {"kind": "ai"}, {"kind": "ai"}, {"kind": "ai"}]
    return list(options.get("seats") or default)


class Ledger:
    """What seat 0 can know of a game, kept from its events, each of them held to the rules."""

    def __init__(self, options: Mapping[str, Any], commitment: str) -> None:
        self.commitment = commitment
        self.jokers: int = options.get("jokers", 0)
        self.aces: str = options.get("aces", "low")
        seats = seats_of(options)
        self.seats = len(seats)
        self.to_join = [seat for seat, player in enumerate(seats) if player["kind"] == "human"]
        self.names: dict[int, Any] = {}
        self.events: list[Event] = []
        self.scored: list[Event] = []
        self.totals = [0] * self.seats
        self.result: dict[str, Any] | None = None
        self.number = 0
        self.dealer: int | None = None
        self.phase = "joining"
        self.go_out = True  # what the viewer's next discard says

    @property
    def wild(self) -> str:
        """The round's wild rank."""
        return wild_rank(self.number)

    @property
    def is_over(self) -> bool:
        """Whether the round ends before the next turn: everybody had one more, or it stalls."""
        if self.out is None:
            return self.turns[self.turn] >= TURNS
        return self.turn == self.out

    def copies(self, card: str) -> int:
        """How many of a card there are."""
        return self.jokers if card == JOKER else 2

    def follow(self, events: Sequence[Event]) -> None:
        """Hold each event of an answer against the rules, then against what went before."""
        for event in events:
            self._check_shape(event)
            getattr(self, f"_{event['type']}")(event)
            self.events.append(event)
            if self.number:
                self.check_conservation()
        if self.phase == "discarded":
            self._begin_turn()

    def _check_shape(self, event: Event) -> None:
        kind = event.get("type")
        assert kind in EVENT_FIELDS, f"an event of type {kind!r}"
        check_fields(event, {"seq", "at", "type", "round"} | EVENT_FIELDS[kind], f"event {event}")
        same(event["seq"], len(self.events) + 1, f"the seq of {event}")
        check_time(event["at"], f"the time of {event}")
        number = {"seat_joined": None, "round_dealt": self.number + 1}.get(kind, self.number)
        same(event["round"], number, f"the round of {event}")

    def _expect(self, event: Event, *phases: str) -> None:
        assert self.phase in phases, f"in phase {self.phase!r} comes {event}"

    def _seat_joined(self, event: Event) -> None:
        self._expect(event, "joining")
        same(event["seat"], self.to_join.pop(0), "the next seat to join")
        self.names[event["seat"]] = event["name"]
        self.phase = "joining" if self.to_join else "dealing"

    def _round_dealt(self, event: Event) -> None:
        self._expect(event, "dealing")
        self.number += 1
        same(event["hand_size"], hand_size(self.number), f"hand_size of round {self.number}")
        same(event["wild_rank"], self.wild, f"wild_rank of round {self.number}")
        first = event["dealer"] if self.dealer is None else (self.dealer + 1) % self.seats
        same(event["dealer"], first, "the dealer")
        assert first in range(self.seats), f"seat {first} cannot deal"
        check_card(event["upcard"])
        self._deal(event["dealer"], event["upcard"])

    def _deal(self, dealer: int, upcard: str) -> None:
        size = hand_size(self.number)
        self.dealer, self.turn = dealer, (dealer + 1) % self.seats
        self.counts, self.turns = [size] * self.seats, [0] * self.seats
        self.stock = len(all_cards(self.jokers)) - size * self.seats - 1
        self.pile = [upcard]
        self.known: list[Counter[str]] = [Counter() for _ in range(self.seats)]
        self.own: list[str] | None = None  # until the next view shows it
        self.drawn: str | None = None
        self.out: int | None = None
        self.shown: Event | None = None
        self.must_declare = False
        self.phase = "draw"

    def _begin_turn(self) -> None:
        assert not self.is_over, f"round {self.number} should have been scored"
        assert not self.must_declare, "going out was not announced"
        self.phase = "draw"

    def _stock_reshuffled(self, event: Event) -> None:
        if self.phase == "discarded":
            self._begin_turn()
        self._expect(event, "draw")
        same(self.stock, 0, "the stock that is refilled")
        same(event["stock_count"], len(self.pile) - 1, "stock_count after a refill")
        assert event["stock_count"] > 0, "the refilled stock is empty"
        self.stock, self.pile = event["stock_count"], self.pile[-1:]
        self.phase = "refilled"

    def _card_drawn(self, event: Event) -> None:
        if self.phase == "discarded":
            self._begin_turn()
        self._expect(event, "draw", "refilled")
        seat, source = event["seat"], event["source"]
        same(seat, self.turn, "the seat that draws")
        assert source in ("stock", "discard"), f"there is no source {source!r}"
        assert self.phase == "draw" or source == "stock", "a refill without a draw from the stock"
        if source == "stock":
            self._draw_stock(event)
        else:
            self._draw_discard(event)
        self.counts[seat] += 1
        self.turns[seat] += 1
        self.phase = "discard"

    def _draw_stock(self, event: Event) -> None:
        assert self.stock > 0, f"the stock is empty, but there is {event}"
        self.stock -= 1
        if event["seat"] == VIEWER:
            check_card(event["card"])
            self._take(event["card"])
        else:
            same(event["card"], None, "another seat's card from the stock")

    def _draw_discard(self, event: Event) -> None:
        assert self.pile, "the discard pile is empty"
        same(event["card"], self.pile.pop(), "the card taken from the discard pile")
        if event["seat"] == VIEWER:
            self._take(event["card"])
        else:
            self.known[event["seat"]][event["card"]] += 1

    def _take(self, card: str) -> None:
        assert self.own is not None, "seat 0 drew before it saw its hand"
        self.own.append(card)
        self.drawn = card

    def _card_discarded(self, event: Event) -> None:
        self._expect(event, "discard")
        seat, card = event["seat"], event["card"]
        same(seat, self.turn, "the seat that discards")
        check_card(card)
        if seat == VIEWER:
            self._give(card)
        elif self.known[seat][card]:
            self.known[seat][card] -= 1
        self.pile.append(card)
        self.counts[seat] -= 1
        self.turn = (seat + 1) % self.seats
        self.phase = "discarded"

    def _give(self, card: str) -> None:
        assert self.own is not None, "seat 0 discarded before it saw its hand"
        assert card in self.own, f"seat 0 discarded {card} out of {self.own}"
        self.own.remove(card)
        self.drawn = None
        free = self.out is None and self.go_out
        self.must_declare = free and every_card_melds(self.own, self.wild, self.aces)

    def _went_out(self, event: Event) -> None:
        self._expect(event, "discarded")
        seat, hand = event["seat"], event["hand"]
        same(self.out, None, "the seat that went out before")
        same(seat, (self.turn - 1) % self.seats, "the seat that goes out")
        self._check_hand(seat, hand)
        check_arrangement(hand, event["melds"], [], 0, self.wild, self.aces)
        assert seat != VIEWER or self.must_declare, "seat 0 went out without saying so"
        self.known[seat] = Counter(hand)
        self.out, self.shown, self.must_declare = seat, event, False

    def _check_hand(self, seat: int, hand: list[str]) -> None:
        """Assert that a hand laid open is whole, in order and holds what it must hold."""
        what = f"the hand of seat {seat} in round {self.number}"
        same(hand, sorted_hand(hand), what)
        same(len(hand), hand_size(self.number), f"the size of {what}")
        assert self.known[seat] <= Counter(hand), f"{what} {hand} lacks some of {self.known[seat]}"
        if seat == VIEWER and self.own is not None:
            same(hand, sorted_hand(self.own), what)

    def _round_scored(self, event: Event) -> None:
        self._expect(event, "discarded")
        assert self.is_over, f"round {self.number} was scored before its end"
        assert not self.must_declare, "going out was not announced"
        same(event["went_out"], self.out, "who went out")
        same(event["stalled"], self.out is None, "stalled")
        same(len(event["seats"]), self.seats, "the number of hands scored")
        for seat, row in enumerate(event["seats"]):
            self._score(seat, row)
        self._check_whole(event["seats"])
        self.scored.append(event)
        self.phase = "dealing" if self.number < ROUNDS else "finishing"

    def _score(self, seat: int, row: dict[str, Any]) -> None:
        check_fields(row, ROW_FIELDS, f"a row of round {self.number}")
        same(row["seat"], seat, "the seat of a row")
        self._check_hand(seat, row["hand"])
        least = least_points(row["hand"], self.wild, self.aces)
        same(row["points"], least, f"the points of {row['hand']}")
        self._check_arranged(row)
        self.totals[seat] += least
        same(row["total"], self.totals[seat], f"the total of seat {seat}")
        if self.shown and seat == self.out:
            same(row["hand"], self.shown["hand"], "the hand that went out")
            same(row["melds"], self.shown["melds"], "the melds that went out")

    def _check_arranged(self, row: dict[str, Any]) -> None:
        check_arrangement(
            row["hand"], row["melds"], row["deadwood"], row["points"], self.wild, self.aces
        )

    def _check_whole(self, rows: list[dict[str, Any]]) -> None:
        """Assert that the hands laid open, the pile and the stock are all the cards there are."""
        seen = Counter(self.pile) + Counter(card for row in rows for card in row["hand"])
        self._check_copies(seen)
        same(seen.total() + self.stock, len(all_cards(self.jokers)), "the number of all cards")

    def _game_finished(self, event: Event) -> None:
        self._expect(event, "finishing")
        self.result = result(self.totals)
        for name, value in self.result.items():
            same(event[name], value, name)
        secret = event["secret"]
        assert DIGEST.fullmatch(secret), f"the secret {secret!r} is not 64 hex digits"
        digest = hashlib.sha256(bytes.fromhex(secret)).hexdigest()
        same(digest, self.commitment, "the SHA-256 of the secret")
        self.phase = "finished"

    def check_conservation(self) -> None:
        """Assert that no card seen is there more often than it exists."""
        others = (cards for seat, cards in enumerate(self.known) if seat != VIEWER)
        self._check_copies(sum(others, Counter(self.pile) + Counter(self.own or [])))
        assert self.stock >= 0, "the stock has fewer than no cards"

    def _check_copies(self, seen: Counter[str]) -> None:
        many = [card for card in seen if seen[card] > self.copies(card)]
        assert not many, f"too many of {many} in round {self.number}"

    def learn(self, hand: list[str]) -> None:
        """Take the newly dealt hand from the first view of the round."""
        for card in hand:
            check_card(card)
        self.own = list(hand)
        self.check_conservation()

    def lowers(self, card: str) -> bool:
        """Whether the viewer's least points fall by taking this card and discarding the best."""
        assert self.own is not None
        now = least_points(self.own, self.wild, self.aces)
        after = points_after_discard([*self.own, card], self.wild, self.aces)
        return min((after[other] for other in after if other != card), default=now) < now


class ViewCheck:
    """Holds one view of seat 0 against the ledger."""

    def __init__(self, view: View, ledger: Ledger, options: Mapping[str, Any]) -> None:
        self.view, self.ledger, self.options = view, ledger, options
        self.is_finished = ledger.result is not None

    def check(self) -> None:
        """Assert that everything in the view is as the ledger has it, and that no more is there."""
        check_fields(self.view, VIEW_FIELDS, "the view")
        same(self.view["status"], "finished" if self.is_finished else "playing", "status")
        same(self.view["result"], self.ledger.result, "result")
        self._check_game()
        self._check_table()
        self._check_turn()
        for seat, shown in enumerate(self.view["seats"]):
            self._check_seat(seat, shown)
        same(len(self.view["seats"]), self.ledger.seats, "the number of seats")
        self._check_you(self.view["you"])

    def _check_game(self) -> None:
        seeded = self.options.get("seed") is not None
        same(self.view["seeded"], seeded, "seeded")
        same(self.view["commitment"], self.ledger.commitment, "commitment")
        hints = self.options.get("hints", True)
        rules = {"jokers": self.ledger.jokers, "aces": self.ledger.aces, "hints": hints}
        same(self.view["rules"], rules, "rules")
        for name in ("created_at", "updated_at", "expires_at"):
            check_time(self.view[name], name)

    def _check_table(self) -> None:
        ledger = self.ledger
        dealt = {
            "number": ledger.number,
            "hand_size": hand_size(ledger.number),
            "wild_rank": ledger.wild,
            "dealer": ledger.dealer,
        }
        same(self.view["round"], dealt, "round")
        same(self.view["stock_count"], ledger.stock, "stock_count")
        same(self.view["discard_count"], len(ledger.pile), "discard_count")
        same(self.view["discard_top"], ledger.pile[-1] if ledger.pile else None, "discard_top")

    def _check_turn(self) -> None:
        ledger, went_out = self.ledger, self.view["went_out"]
        if self.is_finished:
            same(self.view["turn"], None, "turn of a finished game")
            assert went_out in (None, ledger.out), f"went_out of a finished game is {went_out}"
            return
        same(went_out, ledger.out, "went_out")
        final = ledger.out is not None
        turn = {"seat": VIEWER, "phase": ledger.phase, "final": final, "deadline": None}
        same(self.view["turn"], turn, "turn: a human has to move, so it")
        same(self.view["turn"]["final"], final, "final")

    def _check_seat(self, seat: int, shown: dict[str, Any]) -> None:
        what = f"of seat {seat}"
        check_fields(shown, SEAT_FIELDS, f"the view {what}")
        player = seats_of(self.options)[seat]
        is_ai = player["kind"] == "ai"
        same(shown["seat"], seat, "the number of a seat")
        same(shown["position"], POSITIONS[self.ledger.seats][seat], f"position {what}")
        same(shown["kind"], player["kind"], f"kind {what}")
        same(shown["level"], player.get("level", "medium") if is_ai else None, f"level {what}")
        same(shown["name"], self._name(seat, shown["name"]), f"name {what}")
        if not is_ai:
            same(self.ledger.names[seat], shown["name"], f"the name with which came seat {seat}")
        same(shown["away"], False, f"away {what}")
        same(shown["card_count"], self.ledger.counts[seat], f"card_count {what}")
        same(shown["total"], self.ledger.totals[seat], f"total {what}")
        self._check_shown(seat, shown)

    def _name(self, seat: int, shown: Any) -> Any:
        """The name a seat must have; where nobody gave one, that of the first view."""
        return seats_of(self.options)[seat].get("name") or self.ledger.names.setdefault(seat, shown)

    def _check_shown(self, seat: int, shown: dict[str, Any]) -> None:
        event = None if self.is_finished or seat != self.ledger.out else self.ledger.shown
        for name in ("hand", "melds"):
            same(shown[name], event[name] if event else None, f"{name} shown of seat {seat}")

    def _check_you(self, you: dict[str, Any]) -> None:
        check_fields(you, YOU_FIELDS, "you")
        same(you["seat"], VIEWER, "the seat of you")
        if self.ledger.own is None:
            self.ledger.learn(you["hand"])
        same(you["hand"], sorted_hand(self.ledger.own or []), "the own hand")
        same(len(you["hand"]), self.ledger.counts[VIEWER], "the size of the own hand")
        same(you["drawn"], self.ledger.drawn, "drawn")
        self._check_legal(you)
        self._check_best(you["hand"], you["arrangement"])

    def _check_legal(self, you: dict[str, Any]) -> None:
        phase, ledger = self.ledger.phase, self.ledger
        discards = phase == "discard"
        check_fields(you["legal"], ["draw", "discard"], "legal")
        draws = ["stock", "discard"] if phase == "draw" else []
        check_distinct(you["legal"]["draw"], draws, "legal.draw")
        check_distinct(you["legal"]["discard"], you["hand"] if discards else [], "legal.discard")
        out = going_out_discards(you["hand"], ledger.wild, ledger.aces) if discards else set()
        check_distinct(you["can_go_out_with"], out, "can_go_out_with")

    def _check_best(self, hand: list[str], shown: dict[str, Any]) -> None:
        check_fields(shown, ["discard", "melds", "deadwood", "points"], "arrangement")
        wild, aces, discard = self.ledger.wild, self.ledger.aces, shown["discard"]
        kept = list(hand)
        if self.ledger.phase == "discard":
            after = points_after_discard(hand, wild, aces)
            assert discard in after, f"arrangement discards {discard} out of {hand}"
            kept.remove(discard)
            same(shown["points"], min(after.values()), f"the points of {hand} after a discard")
        else:
            same(discard, None, "the discard of an arrangement before a draw")
            same(shown["points"], least_points(hand, wild, aces), f"the points of {hand}")
        check_arrangement(kept, shown["melds"], shown["deadwood"], shown["points"], wild, aces)


class Wire:
    """Sends requests and checks what is promised of every answer."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url.rstrip("/").removesuffix("/v1")
        self.session = requests.Session()
        self.session.trust_env = False  # no proxy, and no .netrc in place of a token
        self.last = "nothing yet"
        self.sent = 0
        self.hidden: set[str] = set()  # texts that no answer may hold

    def send(
        self, expect: int, method: str, path: str, token: str | None = None, **more: Any
    ) -> requests.Response:
        """Send one request and return its answer, which must have the expected status."""
        headers = dict(more.pop("headers", {}))
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        headers |= self._request_id()
        self.sent += 1
        self.last = f"{method} {path} {more}"
        answer = self.session.request(
            method, f"{self.base_url}/v1{path}", headers=headers, timeout=120, **more
        )
        status = f"{self.last} gave {answer.status_code}, not {expect}: {answer.text[:500]}"
        assert answer.status_code == expect, status
        self._check_request_id(headers.get("X-Request-Id"), answer)
        self._check_body(answer)
        self._check_hidden(answer)
        return answer

    def _request_id(self) -> dict[str, str]:
        """Now and then an id of our own, now and then one that the service must replace."""
        ours = {1: f"referee_{self.sent}-x", 2: "not an id!"}.get(self.sent % 8)
        return {"X-Request-Id": ours} if ours else {}

    def _check_request_id(self, ours: str | None, answer: requests.Response) -> None:
        theirs = answer.headers.get("X-Request-Id", "")
        assert REQUEST_ID.fullmatch(theirs), f"{self.last} has the X-Request-Id {theirs!r}"
        if ours and REQUEST_ID.fullmatch(ours):
            same(theirs, ours, "X-Request-Id")

    def _check_body(self, answer: requests.Response) -> None:
        if answer.status_code in (204, 304):
            same(answer.content, b"", "the body of an answer without content")
            return
        refused = answer.status_code >= 400
        kind = answer.headers.get("Content-Type", "").split(";")[0]
        same(kind, f"application/{'problem+' if refused else ''}json", f"the type of {self.last}")
        assert isinstance(answer.json(), dict), f"{self.last} answers no object"

    def _check_hidden(self, answer: requests.Response) -> None:
        if '"game_finished"' not in answer.text:
            seen = f"{answer.text} {answer.headers}"
            leaks = [text for text in self.hidden if text in seen]
            assert not leaks, f"{self.last} shows what is secret: {leaks}"

    def refuse(self, status: int, code: str, method: str, path: str, **more: Any) -> dict[str, Any]:
        """Send a request that must fail, and return its problem."""
        answer = self.send(status, method, path, **more)
        problem: dict[str, Any] = answer.json()
        lacking = PROBLEM_FIELDS - set(problem)
        assert not lacking, f"the problem {problem} lacks {sorted(lacking)}"
        same(problem["code"], code, f"the code of {problem}")
        same(problem["status"], status, f"the status of {problem}")
        if status == 401:
            assert "WWW-Authenticate" in answer.headers, "a 401 without WWW-Authenticate"
        return problem


def check_view_headers(answer: requests.Response, version: int, viewer: str) -> None:
    """Assert what is promised of every answer that holds a view."""
    same(answer.headers.get("ETag"), f'"{version}.{viewer}.{FORMAT}"', "ETag")
    same(names_in(answer, "Cache-Control"), {"private", "no-cache"}, "Cache-Control")
    assert "authorization" in names_in(answer, "Vary"), "Vary does not name Authorization"


def names_in(answer: requests.Response, header: str) -> set[str]:
    """The members of a header that is a list."""
    return {name.strip().lower() for name in answer.headers.get(header, "").split(",")}


class Referee:
    """Plays one game as seat 0."""

    def __init__(self, wire: Wire, options: Mapping[str, Any], rng: random.Random) -> None:
        self.wire, self.options, self.rng = wire, options, rng
        self.version = 0
        self.moves: list[dict[str, Any]] = []
        self.view: View = {}
        self.path = "/games"
        self.looks: list[Callable[[], object]] = [
            self.look_as_spectator,
            self.look_again,
            self.look_at_scores,
            self.look_at_events,
            self.evaluate,
            self.try_refused_moves,
            self.try_bad_requests,
        ]

    def play(self) -> None:
        """Create a game, play it to its end and check everything on the way."""
        self.create()
        for look in self.looks:
            look()
        while self.ledger.phase != "finished":
            self.draw()
            self.discard()
        self.check_end()

    def create(self) -> None:
        """Create the game."""
        body = dict(self.options) or None  # an empty body makes the default game
        self.wire.hidden = {self.options["seed"]} if self.options.get("seed") else set()
        answer = self.wire.send(201, "POST", "/games", json=body)
        made = answer.json()
        check_fields(made, ["game", "seat", "token", "invites", "events"], "the answer to create")
        same(made["seat"], VIEWER, "the creator's seat")
        same(made["invites"], [], "invites")
        for name, text in (("token", made["token"]), ("id", made["game"]["id"])):
            enough = isinstance(text, str) and len(text) >= RANDOM_TEXT
            assert enough, f"the {name} {text!r} is too short for 128 random bits"
        self.token, self.path = made["token"], f"/games/{made['game']['id']}"
        self.wire.hidden.add(self.token)
        location = answer.headers.get("Location", "")
        assert location.endswith(f"/v1{self.path}"), f"Location is {location!r}"
        self._check_commitment(made["game"]["commitment"])
        self.ledger = Ledger(self.options, made["game"]["commitment"])
        self._take(answer, made["events"])
        self.look_around()

    def _check_commitment(self, commitment: str) -> None:
        assert DIGEST.fullmatch(commitment), f"the commitment {commitment!r} is no SHA-256"
        if self.options.get("seed") is not None:
            digest = hashlib.sha256(bytes.fromhex(self.options["seed"])).hexdigest()
            same(commitment, digest, "the commitment to the seed")

    def _take(self, answer: requests.Response, events: list[Event]) -> None:
        """Follow what a commit caused and check the view it leads to."""
        self.version += 1
        self.ledger.follow(events)
        before, self.view = self.view, answer.json()["game"]
        same(self.view.get("version"), self.version, "version")
        check_view_headers(answer, self.version, str(VIEWER))
        ViewCheck(self.view, self.ledger, self.options).check()
        for name in ("id", "created_at"):
            same(self.view[name], before.get(name, self.view[name]), f"{name}, which stays,")

    def _move(self, what: str, body: dict[str, Any]) -> list[Event]:
        headers = {"If-Match": self.etag()} if self.rng.random() < 0.2 else {}
        path = f"{self.path}/{what}"
        answer = self.wire.send(200, "POST", path, self.token, json=body, headers=headers)
        moved = answer.json()
        check_fields(moved, ["game", "events"], f"the answer to {what}")
        self.moves.append({"seat": VIEWER, "round": self.ledger.number, "type": what, **body})
        events: list[Event] = moved["events"]
        self._take(answer, events)
        return events

    def etag(self, viewer: int | str = VIEWER) -> str:
        """The ETag that the current view must have."""
        return f'"{self.version}.{viewer}.{FORMAT}"'

    def draw(self) -> None:
        """Draw a card, sometimes at random, sometimes for a reason."""
        source = self.rng.choice(["stock", "discard"])
        if self.rng.random() < 0.7:
            source = "discard" if self.ledger.lowers(self.ledger.pile[-1]) else "stock"
        refills = source == "stock" and self.ledger.stock == 0
        events = self._move("draw", {"source": source})
        caused = [(event["type"], event.get("seat"), event.get("source")) for event in events]
        refill = [("stock_reshuffled", None, None)] if refills else []
        same(caused, [*refill, ("card_drawn", VIEWER, source)], "what a draw caused")
        self.look_around()

    def discard(self) -> None:
        """Discard a card, mostly the one advised, and now and then without going out."""
        you = self.view["you"]
        card = you["arrangement"]["discard"]
        if self.rng.random() < 0.15:
            card = self.rng.choice(you["legal"]["discard"])
        go_out = self.rng.choice([None, True, True, True, False])
        self.ledger.go_out = go_out is not False
        body = {"card": card} if go_out is None else {"card": card, "go_out": go_out}
        events = self._move("discard", body)
        self.moves[-1]["go_out"] = self.ledger.go_out
        first = [events[0][name] for name in ("type", "seat", "card")] if events else []
        same(first, ["card_discarded", VIEWER, card], "what a discard caused first")
        self.look_around()

    def look_around(self) -> None:
        """Ask for something else now and then, more often while a hand lies open."""
        if self.ledger.phase == "finished":
            return
        if self.view["went_out"] is not None and self.rng.random() < 0.5:
            self.look_as_spectator()
        if self.rng.random() < 0.1:
            self.rng.choice(self.looks)()

    def look_as_spectator(self) -> None:
        """A spectator sees the same game without a hand."""
        answer = self.wire.send(200, "GET", self.path)
        check_view_headers(answer, self.version, "s")
        same(answer.json(), {**self.view, "you": None}, "the spectator's view")
        self._look_unchanged(None, "s")

    def look_again(self) -> None:
        """Reading changes nothing."""
        answer = self.wire.send(200, "GET", self.path, self.token)
        check_view_headers(answer, self.version, str(VIEWER))
        same(answer.json(), self.view, "the view read again")
        self._look_unchanged(self.token, VIEWER)

    def _look_unchanged(self, token: str | None, viewer: int | str) -> None:
        known = {"If-None-Match": self.etag(viewer)}
        answer = self.wire.send(304, "GET", self.path, token, headers=known)
        check_view_headers(answer, self.version, str(viewer))
        stale = {"If-None-Match": f'"{self.version - 1}.{viewer}.{FORMAT}"'}
        self.wire.send(200, "GET", self.path, token, headers=stale)

    def look_at_scores(self) -> None:
        """The scores are what the rounds ended with."""
        token = self.rng.choice([None, self.token])
        rounds = [
            {
                "number": event["round"],
                "wild_rank": wild_rank(event["round"]),
                **{name: event[name] for name in EVENT_FIELDS["round_scored"]},
            }
            for event in self.ledger.scored
        ]
        scores = {"rounds": rounds, "totals": self.ledger.totals, "result": self.ledger.result}
        answer = self.wire.send(200, "GET", f"{self.path}/scores", token)
        same(answer.json(), scores, "the scores")

    def look_at_events(self) -> None:
        """Any page of the events is that part of what the moves answered."""
        token, viewer = self.rng.choice([(None, None), (self.token, VIEWER)])
        last = len(self.ledger.events)
        after, limit = self.rng.randint(0, last), self.rng.choice([1, 2, 7, 1000])
        self._check_page(token, viewer, {"after": after, "limit": limit})
        self._check_page(token, viewer, {"after": max(0, last - 3)})
        self._check_page(token, viewer, {})

    def _check_page(self, token: str | None, viewer: int | None, query: dict[str, int]) -> None:
        after, limit = query.get("after", 0), query.get("limit", 100)
        page = self.wire.send(200, "GET", f"{self.path}/events", token, params=query).json()
        check_fields(page, ["events", "last_seq", "more"], "a page of events")
        events = self.ledger.events
        expected = [redacted(event, viewer) for event in events[after : after + limit]]
        same(page["events"], expected, f"the events after {after}")
        more = after + limit < len(events)
        same(page["more"], more, f"more after {after} with limit {limit}")
        last = {len(events), after + limit} if more else {len(events)}
        assert page["last_seq"] in last, f"last_seq is {page['last_seq']}, not one of {last}"

    def read_all_events(self, token: str | None, viewer: int | None) -> None:
        """The pages one after another are all the events."""
        limit = self.rng.choice([30, 100, 1000])
        for after in range(0, len(self.ledger.events) + 1, limit):
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
        phase = self.ledger.phase
        right, wrong = self._bodies() if phase == "draw" else self._bodies()[::-1]
        self._refuse_move(401, "token-required", right, token=None)
        self._refuse_move(401, "invalid-token", right, token=self.token[::-1] + "x")
        self._refuse_move(409, "wrong-phase", wrong)
        stale = {"If-Match": f'"{self.version + 7}.{VIEWER}.{FORMAT}"'}
        self._refuse_move(412, "stale-version", right, headers=stale)
        self._refuse_move(412, "stale-version", wrong, headers=stale)
        if phase == "discard":
            absent = next(card for card in all_cards(0) if card not in self.view["you"]["hand"])
            self._refuse_move(409, "card-not-in-hand", ("discard", {"card": absent}))
        self.wire.refuse(409, "game-not-finished", "GET", f"{self.path}/replay")
        self.look_again()

    def _bodies(self) -> tuple[tuple[str, Any], tuple[str, Any]]:
        card = self.view["you"]["hand"][0]
        return ("draw", {"source": "stock"}), ("discard", {"card": card})

    def _refuse_move(
        self, status: int, code: str, move: tuple[str, Any], token: str | None = "own", **more: Any
    ) -> dict[str, Any]:
        what, body = move
        token = self.token if token == "own" else token
        path = f"{self.path}/{what}"
        return self.wire.refuse(status, code, "POST", path, token=token, json=body, **more)

    def try_bad_requests(self) -> None:
        """What is no move at all is refused as such."""
        if self.ledger.phase == "draw":
            self._refuse_move(422, "validation-failed", ("draw", {"source": "sleeve"}))
        else:
            problem = self._refuse_move(422, "validation-failed", ("discard", {"card": "10S"}))
            assert "10S" in str(problem), f"the problem does not name the code: {problem}"
        path = f"{self.path}/{self.ledger.phase}"
        more = {"token": self.token, "data": b"{", "headers": {"Content-Type": "application/json"}}
        self.wire.refuse(400, "malformed-json", "POST", path, **more)
        more["headers"] = {"Content-Type": "text/plain"}
        self.wire.refuse(415, "unsupported-media-type", "POST", path, **more)
        self.wire.refuse(422, "validation-failed", "GET", f"{self.path}/events?limit=0")
        self.wire.refuse(404, "game-not-found", "GET", f"{self.path[:-4]}AAAA")
        self.wire.refuse(404, "game-not-found", "POST", f"{self.path[:-4]}AAAA/draw", json={})

    def check_end(self) -> None:
        """A finished game shows everything to everyone and takes no more moves."""
        self.wire.hidden = {self.token}
        self.look_again()
        self.look_as_spectator()
        self.look_at_scores()
        self.read_all_events(self.token, VIEWER)
        self.read_all_events(None, None)
        self._check_replay()
        for move in self._bodies():
            self._refuse_move(409, "game-finished", move)
        self.look_again()

    def _check_replay(self) -> None:
        path = f"{self.path}/replay"
        self.replay: dict[str, Any] = self.wire.send(200, "GET", path, self.token).json()
        same(self.wire.send(200, "GET", path).json(), self.replay, "the spectator's replay")
        check_fields(self.replay, REPLAY_FIELDS, "the replay")
        same(self.replay["commitment"], self.ledger.commitment, "the commitment of the replay")
        for name in ("jokers", "aces"):
            same(self.replay["rules"][name], self.view["rules"][name], f"{name} of the replay")
        seen = [redacted(event, VIEWER) for event in self.replay["events"]]
        same(seen, self.ledger.events, "the replay's events as seat 0 saw them")
        same(self.replay["secret"], seen[-1]["secret"], "the secret of the replay")
        if self.options.get("seed") is not None:
            same(self.replay["secret"], self.options["seed"].lower(), "the secret of a seeded game")
        ours = [action for action in self.replay["actions"] if action["seat"] == VIEWER]
        same(ours, self.moves, "our actions in the replay")
        Replayer(self.replay).check()

    def delete(self) -> None:
        """The creator, and nobody else, deletes the game for good."""
        self.wire.refuse(401, "token-required", "DELETE", self.path)
        self.wire.send(204, "DELETE", self.path, self.token)
        for more in ({}, {"token": self.token}):
            self.wire.refuse(404, "game-not-found", "GET", self.path, **more)


def play_game(
    base_url: str,
    seed_hex_or_none: str | None,
    options: Mapping[str, Any],
    chooser_rng: random.Random,
    *,
    delete: bool = True,
) -> GameRecord:
    """Play one game to its end as seat 0, check every answer, then delete the game.

    `options` is the body of createGame without its seed. The moves and the questions in between
    depend on `chooser_rng` and the answers alone, so a seeded game can be played again as it was.
    """
    body = dict(options) if seed_hex_or_none is None else {**options, "seed": seed_hex_or_none}
    wire, started = Wire(base_url), time.perf_counter()
    referee = Referee(wire, body, chooser_rng)
    try:
        referee.play()
        if delete:
            referee.delete()
    except Exception as error:
        error.add_note(f"after request {wire.sent}: {wire.last}; options {body}; {referee.path}")
        raise
    finally:
        wire.session.close()
    seconds = time.perf_counter() - started
    return GameRecord(
        referee.view["id"],
        body,
        referee.view,
        referee.ledger.events,
        referee.replay,
        wire.sent,
        seconds,
    )
