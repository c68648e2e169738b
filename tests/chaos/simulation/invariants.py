"""The invariants of the service, checked after every step of a simulation.

Every commit must belong to a request that was acknowledged, to a request of unknown outcome, or to
an update of a game with overdue turns. Every acknowledged change must have its commit. So nothing
acknowledged is lost, nothing is made twice, and a refused request changes nothing. Of each seat the
newest answers under its keys come again, and exactly these.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.snapshot import load
from service.games.answers.entity_tags import VIEW_FORMAT
from service.games.rematches import MADE
from service.games.stored.meta import Meta, Reservation
from service.store.models import Commit, MoveKey, Nonce, RecordKey
from tests.chaos.simulation.faulty_store import NEWEST, ModelStore, Written
from tests.chaos.simulation.messages import CHANGING, NO_ANSWER, OPERATIONS, Answer, Request
from tests.chaos.simulation.state import Event, GameState
from tests.event_logs import logged

Exchange = tuple[Request, Answer]

_PRESENCE_EVENTS = ("seat_away", "seat_returned")
CAUSES = {
    "createGame": "seat_joined",
    "joinGame": "seat_joined",
    "leaveGame": "seat_left",
    "rematchGame": "seat_joined",  # in the game that the old one has reserved
    "drawCard": "card_drawn",
    "discardCard": "card_discarded",
}
"""The event that each changing operation is made of."""
_OF_A_SEAT = ("drawCard", "discardCard", "leaveGame")
"""The operations whose keys belong to a seat."""
_EXPIRED = "idempotency-key-expired"
_CONSEQUENCES = ("round_dealt", "went_out", "round_scored", "game_finished", "game_abandoned")
"""Events that only follow what caused them."""
_DECISIVE = {*_PRESENCE_EVENTS, *CAUSES.values(), *_CONSEQUENCES}


@dataclass
class KeyedRequest:
    """The requests with one idempotency key, which count as one request."""

    request: Request
    outcome_unknown: bool = False
    version: int | None = None
    answer: Answer | None = None


@dataclass(frozen=True)
class StateBefore:
    """The state before a step: versions of games, keys of executed requests, void tokens.

    `expired`: the keys of executed requests whose answers do not come again.
    """

    versions: Mapping[str, int]
    made: frozenset[str]
    expired: frozenset[str]
    void: frozenset[str]


class InvariantChecker:
    """Checks every step of one simulated service and collects the violations."""

    def __init__(self, model: ModelStore) -> None:
        self.games: dict[str, GameState] = {}
        self.keys: dict[str, KeyedRequest] = {}
        self.violations: list[str] = []
        self.counts: Counter[str] = Counter()
        self._model = model
        self._keys_of_seats: defaultdict[tuple[str, int | None], list[str]] = defaultdict(list)
        self._read = 0
        self._reserved: set[str] = set()
        self._unknown_outcomes: list[Request] = []

    def keyed_moves(self, game_id: str, seat: int | None) -> list[Request]:
        """The executed moves of a seat that had a key, in order."""
        return [self.keys[digest].request for digest in self._keys_of_seats[game_id, seat]]

    def check_step(self, exchanges: Sequence[Exchange]) -> None:
        """Check the answers of a step, its commits, and the stored games."""
        before = self._before()
        self._add_exchanges(exchanges)
        acknowledged = [each for each in exchanges if _acknowledges_change(*each)]
        new_commits, self._read = self._model.journal[self._read :], len(self._model.journal)
        for written in new_commits:
            self._match_commit(written, acknowledged)
        self.violations += [
            f"acknowledged, but not written: {request}" for request, _ in acknowledged
        ]
        for request, answer in exchanges:
            self._check_answer(request, answer, before)
        for state in self.games.values():
            game_id = state.game_id
            self._add_violations(
                state.check(self._model.games.get(game_id), self._model.logs.get(game_id))
            )

    def _before(self) -> StateBefore:
        games = self.games.values()
        return StateBefore(
            {state.game_id: state.version for state in games},
            frozenset(digest for digest, keyed in self.keys.items() if keyed.version is not None),
            self._expired(),
            frozenset(token for state in games for token in state.left.values()),
        )

    def _expired(self) -> frozenset[str]:
        """The keys of all executed moves but the newest of each seat."""
        return frozenset(
            digest for digests in self._keys_of_seats.values() for digest in digests[:-NEWEST]
        )

    def _add_violations(self, violations: Iterable[str]) -> None:
        self.violations += violations

    def _require(self, holds: bool, text: str) -> None:
        if not holds:
            self.violations.append(text)

    def _add_exchanges(self, exchanges: Sequence[Exchange]) -> None:
        """Store which requests have an unknown outcome, and which games may be deleted."""
        for request, answer in exchanges:
            if request.operation == "deleteGame" and (
                answer.succeeded or answer.outcome_is_unknown
            ):
                state = self.games[request.game_id or ""]
                state.may_be_deleted, state.deleted = True, state.deleted or answer.succeeded
            if request.operation not in CHANGING:
                continue
            if request.digest is not None:
                keyed = self.keys.setdefault(request.digest, KeyedRequest(request))
                # A replay may be the answer to this request itself, if the store's answer was lost.
                keyed.outcome_unknown = (
                    keyed.outcome_unknown or answer.outcome_is_unknown or answer.replayed
                )
            elif answer.outcome_is_unknown:
                self._unknown_outcomes.append(request)

    def _match_commit(self, written: Written, acknowledged: list[Exchange]) -> None:
        """Apply a commit and find the request that it belongs to."""
        commit = written.commit
        events = logged(commit.events, load(commit.stored.state).rules.aces, commit.logged)
        state = self.games.setdefault(commit.game_id, GameState(commit.game_id))
        self._add_violations(state.apply(written, events))
        if commit.key == MADE:
            self._require(commit.game_id in self._reserved, f"not reserved: {commit.game_id}")
            self.counts["rematches"] += 1
            return
        reserved = _reservation(commit)
        if reserved is not None:
            self._reserved.add(reserved.game_id)
        keyed = self._keyed(commit)
        if keyed is not None:
            self._require(keyed.version is None, f"executed twice: {keyed.request}")
            keyed.version = commit.stored.version if reserved is None else 1
            if keyed.request.operation in _OF_A_SEAT:
                keys = self._keys_of_seats[commit.game_id, keyed.request.seat]
                keys.append(str(keyed.request.digest))
        exchange = next(
            (each for each in acknowledged if _acknowledges(*each, commit, events)), None
        )
        if exchange is not None:
            acknowledged.remove(exchange)
            self._apply_answer(state, *exchange)
        elif reserved is None and _cause(events)["type"] in _PRESENCE_EVENTS:
            self.counts["presence changes"] += 1
        else:
            request = self._request_of_unknown_outcome(keyed, commit, events)
            self._require(request is not None, f"no request caused {events} {commit.game_id}")
            if request is not None and request.operation == "leaveGame":
                self._void_token(state, request)

    def _keyed(self, commit: Commit) -> KeyedRequest | None:
        return self.keys.get(_digest(commit) or "")

    def _request_of_unknown_outcome(
        self, keyed: KeyedRequest | None, commit: Commit, events: Sequence[Event]
    ) -> Request | None:
        """The request of unknown outcome that this commit belongs to."""
        if keyed is not None:
            return keyed.request if keyed.outcome_unknown else None
        for request in self._unknown_outcomes:
            if _may_have_caused(request, commit, events):
                self._unknown_outcomes.remove(request)
                return request
        return None

    def _apply_answer(self, state: GameState, request: Request, answer: Answer) -> None:
        """Apply an acknowledged change to the expected state: invites, tokens, and left seats."""
        if request.operation == "leaveGame":
            self._void_token(state, request)
        elif request.operation == "rematchGame":
            self._apply_rematch(state, answer)
        elif request.operation in ("createGame", "joinGame"):
            if "invites" in answer.fields:
                state.invites = {each["seat"]: each["code"] for each in answer.fields["invites"]}
                state.humans = 1 + len(state.invites)
            self._add_violations(state.set_token(answer.fields["seat"], answer.fields["token"]))

    def _apply_rematch(self, old: GameState, answer: Answer) -> None:
        game_id, caller = answer.fields["game"]["id"], answer.fields["seat"]
        state = self.games.setdefault(game_id, GameState(game_id))
        state.is_rematch = True
        state.invites = {seat: token for seat, token in old.tokens.items() if seat != caller}
        state.humans = len(old.tokens)
        self._add_violations(state.set_token(caller, answer.fields["token"]))

    def _void_token(self, state: GameState, request: Request) -> None:
        assert request.seat is not None, "a seat leaves"
        state.void(request.seat)

    def _check_answer(self, request: Request, answer: Answer, before: StateBefore) -> None:
        self.counts[answer.code or str(answer.status)] += 1
        if answer.status == NO_ANSWER:
            return
        if answer.status >= 400:
            self._check_problem(request, answer, before)
            return
        if not answer.replayed:
            self._require(request.token not in before.void, f"a void token was accepted: {request}")
        if request.operation in CHANGING:
            self._check_change(request, answer, before)
        elif request.operation != "deleteGame":
            self._check_read(request, answer, before.versions[request.game_id or ""])

    def _check_problem(self, request: Request, answer: Answer, before: StateBefore) -> None:
        code, operation = str(answer.code), request.operation
        known = OPERATIONS[operation].problems.get(code) == answer.status
        self._require(known, f"{operation} answers {answer.status} {code}")
        self._require(code != "internal-error", f"the service failed: {request}")
        state = self.games.get(request.game_id or "", GameState(""))
        if code == "game-not-found":
            self._require(state.may_be_deleted, f"a game was lost: {request}")
        elif code == "invalid-token":
            was_left = request.token in state.left.values()
            self._require(was_left, f"a valid token was refused: {request}")
        elif code == _EXPIRED:
            self._require(request.digest in self._expired(), f"expired too early: {request}")
            self._require(answer.fields["version"] <= state.version, f"a future game: {request}")
        elif answer.status < 500 and request.digest is not None:
            self._require(request.digest not in before.made, f"executed, but now {code}: {request}")
            self.keys[request.digest].outcome_unknown = False

    def _check_change(self, request: Request, answer: Answer, before: StateBefore) -> None:
        if request.digest is None:
            self._require(not answer.replayed, f"replayed without a key: {request}")
            return
        keyed = self.keys[request.digest]
        self._require(request.digest not in before.expired, f"answered for too long: {request}")
        self._require(keyed.version is not None, f"acknowledged, but not executed: {request}")
        self._require(
            answer.version in (None, keyed.version), f"not the version of its commit: {request}"
        )
        if keyed.answer is None:
            keyed.answer = answer
            if answer.replayed:
                game_id = request.game_id or answer.fields["game"]["id"]
                self._apply_replay(self.games[game_id], request, answer)
        self._require(
            answer.repeated_parts == keyed.answer.repeated_parts,
            f"not the recorded answer: {request}",
        )

    def _apply_replay(self, state: GameState, request: Request, answer: Answer) -> None:
        """Apply the replayed answer of a request; a seat that was left is void already."""
        if request.operation != "leaveGame":
            self._apply_answer(state, request, answer)

    def _check_read(self, request: Request, answer: Answer, start: int) -> None:
        """Check a read that began when the game had the version `start`."""
        state, what = self.games[request.game_id or ""], f"{request}: {answer}"
        match request.operation:
            case "getGame":
                self._check_view(request, answer, start)
            case "listEvents":
                self._check_events(request, answer.fields, len(state.log), what)
            case "getReplay" | "getReview":
                in_time = state.is_over or state.version > start
                self._require(in_time, f"a replay or review of a game that is not finished: {what}")

    def _check_view(self, request: Request, answer: Answer, start: int) -> None:
        state, what = self.games[request.game_id or ""], f"{request}: {answer}"
        version, viewer = answer.version or 0, "s" if request.seat is None else request.seat
        fields = answer.fields or {"version": version, "you": request.seat}  # 304 has no body
        is_spectator = fields["you"] is None
        self._require(start <= version <= state.version, f"an outdated or future view: {what}")
        self._require(fields["version"] == version, f"the ETag has another version: {what}")
        self._require(answer.etag == f'"{version}.{viewer}.{VIEW_FORMAT}"', f"a wrong ETag: {what}")
        self._require((request.seat is None) == is_spectator, f"another viewer's view: {what}")

    def _check_events(
        self, request: Request, fields: Mapping[str, Any], logged: int, what: str
    ) -> None:
        after, limit = request.query["after"], request.query["limit"]
        seqs = [event["seq"] for event in fields["events"]]
        last = min(after + limit, fields["last_seq"])
        self._require(seqs == list(range(after + 1, last + 1)), f"events are missing: {what}")
        self._require(fields["last_seq"] <= logged, f"events that are not written: {what}")


def _acknowledges_change(request: Request, answer: Answer) -> bool:
    return request.operation in CHANGING and answer.succeeded and not answer.replayed


def _acknowledges(
    request: Request, answer: Answer, commit: Commit, events: Sequence[Event]
) -> bool:
    """Whether an answer acknowledges this commit."""
    game_id = request.game_id or answer.fields["game"]["id"]
    if commit.game_id != game_id or not _may_have_caused(request, commit, events):
        return False
    if request.digest is not None and request.digest != _digest(commit):
        return False
    reserved = _reservation(commit)
    if reserved is not None:
        return bool(answer.fields["game"]["id"] == reserved.game_id)
    answered = [(each["seq"], each["type"]) for each in answer.fields.get("events", [])]
    written = [(each["seq"], each["type"]) for each in events]
    same_version = answer.version in (None, commit.stored.version)
    return same_version and (not answered or answered == written)


def _may_have_caused(request: Request, commit: Commit, events: Sequence[Event]) -> bool:
    """Whether a request can have caused this commit."""
    if request.game_id is None:
        return commit.stored.version == 1
    reserved = _reservation(commit)
    if reserved is not None or request.operation == "rematchGame":
        return (
            reserved is not None
            and request.operation == "rematchGame"
            and (request.game_id, request.seat) == (commit.game_id, reserved.seat)
            and isinstance(commit.key, Nonce) == (request.digest is None)
        )
    cause = _cause(events)
    return (
        request.game_id == commit.game_id
        and cause["type"] == CAUSES[request.operation]
        and cause["seat"] == request.seat
        and isinstance(commit.key, Nonce) == (request.digest is None)
    )


def _reservation(commit: Commit) -> Reservation | None:
    """The rematch that a commit reserves; a finished game has no later commit."""
    return Meta.parse(commit.stored).rematch


def _digest(commit: Commit) -> str | None:
    """What the record of a commit is known by, as `Request.digest` is."""
    match commit.key:
        case MoveKey(key_id=key_id):
            return key_id.hex()
        case RecordKey(name=name):
            return name.rpartition(":")[2][:24]
        case Nonce():
            return None


def _cause(events: Sequence[Event]) -> Event:
    """The event that a commit was made for; others, such as a refill of the stock, may precede."""
    return next((event for event in events if event["type"] in _DECISIVE), events[0])
