"""What must be so in a simulated service, held against what it answers and what it keeps.

After every step each commit that was made has to be somebody's: of a request that was told so, of
one that was told that nobody knows, or of a game brought up to date for a caller. And each request
that was told of a change has to have its commit. So nothing acknowledged is lost, nothing is made
twice, and what was refused changed nothing. A *claim* is a reply that tells of a change, with its
request, until its commit is found.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from service.store.models import Commit
from tests.chaos.simulation.faulty_store import ModelStore, Written
from tests.chaos.simulation.messages import CHANGING, DEAD, Reply, Request
from tests.chaos.simulation.state import Event, Table

Exchange = tuple[Request, Reply]

_ATTENDANCE = ("seat_away", "seat_returned")
_BEGINNINGS = {
    "createGame": ("seat_joined",),
    "joinGame": ("seat_joined",),
    "leaveGame": ("seat_left",),
    "drawCard": ("card_drawn", "stock_reshuffled"),
    "discardCard": ("card_discarded",),
}


@dataclass
class Keyed:
    """All requests with one idempotency key, which are one request."""

    request: Request
    doubtful: bool = False
    version: int | None = None
    answer: Reply | None = None


@dataclass(frozen=True)
class Before:
    """What was so before a step: versions of games, keys of requests made, void tokens."""

    versions: Mapping[str, int]
    made: frozenset[str]
    void: frozenset[str]


class Truth:
    """The judge of one simulated service."""

    def __init__(self, model: ModelStore, documented: Mapping[str, Mapping[str, int]]) -> None:
        self.tables: dict[str, Table] = {}
        self.keys: dict[str, Keyed] = {}
        self.violations: list[str] = []
        self.tally: Counter[str] = Counter()
        self._model = model
        self._documented = documented
        self._read = 0
        self._doubtful: list[Request] = []

    def judge(self, exchanges: Sequence[Exchange]) -> None:
        """Note every violation that a step shows."""
        before = self._before()
        self._note(exchanges)
        claims = [each for each in exchanges if _is_claim(*each)]
        news, self._read = self._model.journal[self._read :], len(self._model.journal)
        for written in news:
            self._explain(written, claims)
        self.violations += [f"acknowledged, but not written: {request}" for request, _ in claims]
        for request, reply in exchanges:
            self._check_reply(request, reply, before)
        for table in self.tables.values():
            game_id = table.game_id
            self._violation(
                table.check(self._model.games.get(game_id), self._model.logs.get(game_id))
            )

    def _before(self) -> Before:
        tables = self.tables.values()
        return Before(
            {table.game_id: table.version for table in tables},
            frozenset(digest for digest, keyed in self.keys.items() if keyed.version is not None),
            frozenset(token for table in tables for token in table.left.values()),
        )

    def _violation(self, told: Iterable[str]) -> None:
        self.violations += told

    def _must(self, holds: bool, text: str) -> None:
        if not holds:
            self.violations.append(text)

    def _note(self, exchanges: Sequence[Exchange]) -> None:
        """Note whose outcome nobody knows."""
        for request, reply in exchanges:
            if request.operation == "deleteGame" and (reply.succeeded or reply.is_vague):
                table = self.tables[request.game_id or ""]
                table.may_vanish, table.deleted = True, table.deleted or reply.succeeded
            if request.operation not in CHANGING:
                continue
            if request.digest is not None:
                keyed = self.keys.setdefault(request.digest, Keyed(request))
                # A replay may be of this very request, its answer lost on the way to the worker.
                keyed.doubtful = keyed.doubtful or reply.is_vague or reply.replayed
            elif reply.is_vague:
                self._doubtful.append(request)

    def _explain(self, written: Written, claims: list[Exchange]) -> None:
        """Find whose commit this is."""
        commit = written.commit
        events = [json.loads(event) for event in commit.events]
        table = self.tables.setdefault(commit.game_id, Table(commit.game_id))
        self._violation(table.follow(written, events))
        keyed = self._keyed(commit)
        if keyed is not None:
            self._must(keyed.version is None, f"made twice: {keyed.request}")
            keyed.version = commit.stored.version
        claim = next((each for each in claims if _fits(*each, commit, events)), None)
        if claim is not None:
            claims.remove(claim)
            self._grant(table, *claim)
        elif events[0]["type"] in _ATTENDANCE:
            self.tally["attendances"] += 1
        else:
            request = self._doubted(keyed, commit, events)
            self._must(request is not None, f"nobody was told of {events[0]} in {commit.game_id}")
            if request is not None and request.operation == "leaveGame":
                self._void(table, request)

    def _keyed(self, commit: Commit) -> Keyed | None:
        return self.keys.get(commit.record_key.name.rpartition(":")[2])

    def _doubted(
        self, keyed: Keyed | None, commit: Commit, events: Sequence[Event]
    ) -> Request | None:
        """The request whose doubtful outcome this commit settles."""
        if keyed is not None:
            return keyed.request if keyed.doubtful else None
        for request in self._doubtful:
            if _is_like(request, commit, events):
                self._doubtful.remove(request)
                return request
        return None

    def _grant(self, table: Table, request: Request, reply: Reply) -> None:
        """Note what a guest was given."""
        if request.operation == "leaveGame":
            self._void(table, request)
        elif request.operation in ("createGame", "joinGame"):
            if "invites" in reply.fields:
                table.invites = {each["seat"]: each["code"] for each in reply.fields["invites"]}
                table.humans = 1 + len(table.invites)
            self._violation(table.give(reply.fields["seat"], reply.fields["token"]))

    def _void(self, table: Table, request: Request) -> None:
        assert request.seat is not None, "a seat leaves"
        table.void(request.seat)

    def _check_reply(self, request: Request, reply: Reply, before: Before) -> None:
        self.tally[reply.code or str(reply.status)] += 1
        if reply.status == DEAD:
            return
        if reply.status >= 400:
            self._check_problem(request, reply, before)
            return
        if not reply.replayed:
            self._must(request.token not in before.void, f"a void token is good: {request}")
        if request.operation in CHANGING:
            self._check_change(request, reply)
        elif request.operation != "deleteGame":
            self._check_reading(request, reply, before.versions[request.game_id or ""])

    def _check_problem(self, request: Request, reply: Reply, before: Before) -> None:
        code, operation = str(reply.code), request.operation
        known = self._documented[operation].get(code) == reply.status
        self._must(known, f"{operation} answers {reply.status} {code}")
        self._must(code != "internal-error", f"a failure at {request}")
        table = self.tables.get(request.game_id or "", Table(""))
        if code == "game-not-found":
            self._must(table.may_vanish, f"a game is lost to {request}")
        elif code == "invalid-token":
            was_left = request.token in table.left.values()
            self._must(was_left, f"a good token is refused: {request}")
        elif reply.status < 500 and request.digest is not None:
            self._must(request.digest not in before.made, f"made, and now {code}: {request}")
            self.keys[request.digest].doubtful = False

    def _check_change(self, request: Request, reply: Reply) -> None:
        if request.digest is None:
            self._must(not reply.replayed, f"replayed without a key: {request}")
            return
        keyed = self.keys[request.digest]
        self._must(keyed.version is not None, f"told, but not made: {request}")
        self._must(reply.version in (None, keyed.version), f"another version: {request}")
        if keyed.answer is None:
            keyed.answer = reply
            if reply.replayed:
                game_id = request.game_id or reply.fields["game"]["id"]
                self._grant_again(self.tables[game_id], request, reply)
        self._must(reply.words == keyed.answer.words, f"another answer: {request}")

    def _grant_again(self, table: Table, request: Request, reply: Reply) -> None:
        """Note what a guest is told at last; what it was to leave, it has left."""
        if request.operation != "leaveGame":
            self._grant(table, request, reply)

    def _check_reading(self, request: Request, reply: Reply, start: int) -> None:
        table = self.tables[request.game_id or ""]
        fields, what = reply.fields, f"{request}: {reply}"
        if request.operation == "getGame":
            version, viewer = reply.version or 0, "s" if request.seat is None else request.seat
            self._must(start <= version <= table.version, f"a view of another time: {what}")
            fields = fields or {"version": version, "you": request.seat}  # 304 has no body
            self._must(fields["version"] == version, f"a strange version: {what}")
            self._must(reply.etag == f'"{version}.{viewer}.1"', f"a strange tag: {what}")
            self._must((request.seat is None) == (fields["you"] is None), f"a strange view: {what}")
        elif request.operation == "listEvents":
            after, limit = request.query["after"], request.query["limit"]
            told = [event["seq"] for event in fields["events"]]
            last = min(after + limit, fields["last_seq"])
            self._must(told == list(range(after + 1, last + 1)), f"events missing: {what}")
            self._must(fields["last_seq"] <= len(table.log), f"events to come: {what}")
        elif request.operation == "getReplay":
            self._must(table.is_over or table.version > start, f"a replay too early: {what}")


def _is_claim(request: Request, reply: Reply) -> bool:
    return request.operation in CHANGING and reply.succeeded and not reply.replayed


def _fits(request: Request, reply: Reply, commit: Commit, events: Sequence[Event]) -> bool:
    """Whether a reply tells of this commit."""
    game_id = request.game_id or reply.fields["game"]["id"]
    if commit.game_id != game_id or not _is_like(request, commit, events):
        return False
    if request.digest is not None and not commit.record_key.name.endswith(request.digest):
        return False
    told = [(each["seq"], each["type"]) for each in reply.fields.get("events", [])]
    made = [(each["seq"], each["type"]) for each in events]
    return reply.version in (None, commit.stored.version) and (not told or told == made)


def _is_like(request: Request, commit: Commit, events: Sequence[Event]) -> bool:
    """Whether a request may have led to this commit."""
    if request.game_id is None:
        return commit.stored.version == 1
    first = events[0]
    return (
        request.game_id == commit.game_id
        and first["type"] in _BEGINNINGS[request.operation]
        and first.get("seat", request.seat) == request.seat
        and (commit.record_key.name == "own") == (request.digest is None)
    )
