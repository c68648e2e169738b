"""Hostile requests: each gets a documented refusal, none makes the service fail or changes a game.

Bodies that are never valid are sent by a caller who is allowed to make the call. Requests that may
be valid by chance, such as mutated bodies, queries and headers, are sent by a caller whose call
the game refuses in any case.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, product
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Config
from service.http.problems.catalogue import MEDIA_TYPE, PROBLEMS
from service.store.game_store import GameStore
from tests.chaos.access import calls
from tests.chaos.clients import corpus
from tests.chaos.clients.corpus import Body, Operation
from tests.chaos.description import operations
from tests.chaos.trial import Outcome, Trial
from tests.nodes import throwaway_server
from tests.system.launch import Launch

_ROOT = Path(__file__).parents[3]
_SLOW_SECONDS = 1.0
"""Processor time, which does not depend on other processes."""
_ALL = 10_000


def problems_with(answer: TestResponse, operation: str | None) -> Iterator[str]:
    """What is wrong with an answer; `operation` is None where the request reaches none."""
    status = answer.status_code
    if status >= 500:
        yield f"{status} {answer.get_data()!r:.200}"
    if status < 400:
        return
    body = answer.get_json(silent=True, force=True) or {}
    code = body.get("code")
    known = code in PROBLEMS
    if operation is not None:
        known = operations()[operation].problems.get(code) == status
    if answer.request.method != "HEAD" and not known:
        yield f"{status} {code} is not documented"
    if answer.content_type != MEDIA_TYPE:
        yield f"{status} as {answer.content_type}"


@dataclass
class Attack:
    """Three games of two humans that get hostile requests, and the violations.

    One game waits for its second human, one for a draw, one for a discard. `mover` and `other` have
    by game the token of the seat to move and of the other seat.
    """

    client: FlaskClient
    store: GameStore
    sent: int = 0
    slowest: float = 0.0
    violations: list[str] = field(default_factory=list)
    where: str = ""

    def __post_init__(self) -> None:
        self.games: dict[str, str] = {}
        self.mover: dict[str, str] = {}
        self.other: dict[str, str] = {}
        for state in ("waiting", "drawing", "discarding"):
            self._open(state)
        self.before = self._stored()

    def _open(self, state: str) -> None:
        body = {"seats": [{"kind": "human"}] * 2}
        created = self._send_valid(calls.post_to("/v1/games", body), "", None)
        game_id = self.games[state] = created["game"]["id"]
        invite, tokens = created["invites"][0]["code"], [created["token"]]
        if state == "waiting":
            self.invite = invite
            return
        tokens.append(
            self._send_valid(calls.post("/seats", {"invite": invite}), game_id, None)["token"]
        )
        mover = self._send_valid(calls.get(), game_id, None)["turn"]["seat"]
        self.mover[state], self.other[state] = tokens[mover], tokens[1 - mover]
        if state == "discarding":
            self._send_valid(calls.DRAW, game_id, tokens[mover])

    def _send_valid(self, call: calls.Call, game_id: str, token: str | None) -> Any:
        auth = None if token is None else f"Bearer {token}"
        answer = call.open(self.client, game_id, auth)
        assert answer.status_code < 300, answer.get_data()
        return answer.get_json()

    def _stored(self) -> list[Any]:
        """Everything that the store has of the games."""
        return [
            (self.store.read(game_id)[0], self.store.events(game_id, 0, _ALL))
            for game_id in self.games.values()
        ]

    def game_for(self, operation: str) -> str:
        """The state of the game in which an operation is allowed."""
        return {"joinGame": "waiting", "discardCard": "discarding"}.get(operation, "drawing")

    def send(
        self, what: str, operation: str | None, *, refused: bool = True, **request: Any
    ) -> None:
        """Send a request and check the answer, which is a refusal unless it may be valid."""
        started = time.process_time()
        with self.client.open(**request) as answer:
            spent = time.process_time() - started
            faults = list(problems_with(answer, operation))
            if refused and answer.status_code < 400:
                faults.append(f"{answer.status_code}: it was accepted")
        if spent > _SLOW_SECONDS:
            faults.append(f"it took {spent:.1f} s of computing")
        self.slowest = max(self.slowest, spent)
        self.sent += 1
        self.violations += [f"{self.where}{operation} {what}: {fault}" for fault in faults]

    def check_games(self, what: str) -> None:
        """Check that no game has changed since the last check."""
        if (after := self._stored()) != self.before:
            self.violations.append(f"{what}: a game changed")
            self.before = after

    def send_body(self, operation: Operation, body: Body, token: str, **more: Any) -> None:
        """Send a body to an operation on the game in which it is allowed."""
        headers = more.pop("headers", [])
        state = self.game_for(operation.name)
        self.send(
            str(body),
            operation.name,
            path=operation.path.replace("{game_id}", self.games[state]),
            method="POST",
            data=body.content,
            content_type=body.media,
            headers=[*headers, ("Authorization", f"Bearer {token}")],
            **more,
        )

    def send_hostile_bodies(self, share: int) -> None:
        """Send every `share`-th hostile body as the caller who is allowed to make the call."""
        for operation in corpus.operations(self.invite):
            hostile = corpus.bodies(operation.valid, operation.accepted_values)
            token = self.mover.get(self.game_for(operation.name), "none")
            for body in islice(hostile, 0, None, share):
                self.send_body(operation, body, token)
            if operation.name == "createGame":
                for seat in islice(corpus.fields(corpus.SEAT, corpus.SEAT_ACCEPTS), 0, None, share):
                    body = Body(b'{"seats": [%b, {"kind": "ai"}]}' % seat)
                    self.send_body(operation, body, token)
            self.check_games(operation.name)

    def send_mutations(self, count: int) -> None:
        """Send mutated bodies and hostile headers as callers whose calls the game refuses."""
        operations = corpus.operations("of no seat")
        for number in range(count):
            rng, self.where = random.Random(f"mutation {number}"), f"seed {number}: "
            operation = rng.choice(operations)
            body = corpus.mutated(operation.valid, rng)
            more = {"headers": corpus.headers(rng)} if rng.random() < 0.5 else {}
            token = self.other.get(self.game_for(operation.name), "none")
            may_be_valid = operation.name in ("createGame", "evaluateHand")
            self.send_body(operation, body, token, refused=not may_be_valid, **more)
            if number % 100 == 0:
                self.check_games(f"mutation {number} or one before")

    def send_other_hostile_parts(self, share: int) -> None:
        """Send every hostile query, host, path and method, and every `share`-th hostile header."""
        game_id = self.games["drawing"]
        auth = ("Authorization", f"Bearer {self.other['drawing']}")
        events = f"/v1/games/{game_id}/events"
        for query in corpus.QUERIES:
            environ = {"QUERY_STRING": query}
            self.send(query[:80], "listEvents", refused=False, path=events, headers=[auth],
                      environ_overrides=environ)  # fmt: skip
        for host, path in product(corpus.HOSTS, (events, "/v1/games", "/healthz", "/nothing")):
            environ = {"HTTP_HOST": host}
            self.send(f"at {host[:80]!r}", None, path=path, method="POST", data=b"{",
                      environ_overrides=environ)  # fmt: skip
        for path in corpus.PATHS:
            environ = {"PATH_INFO": unquote_to_bytes(path).decode("latin-1")}
            self.send(path[:80], None, path="/", headers=[auth], environ_overrides=environ)
        for method, path in product(corpus.METHODS, (f"/v1/games/{game_id}", events, "/v1/games")):
            if method != "DELETE" or path != f"/v1/games/{game_id}":
                self.send(f"{method[:20]} {path}", None, path=path, method=method, headers=[auth])
        self._headers(game_id, auth, share)
        self.check_games("hostile queries, hosts, paths, methods and headers")

    def _headers(self, game_id: str, auth: tuple[str, str], share: int) -> None:
        """Send hostile texts in every header, with a read and with a draw out of turn."""
        draw = {"method": "POST", "data": b'{"source": "stock"}', "content_type": corpus.JSON}
        names = (*corpus.HEADERS, "Authorization", "Content-Type")
        for name, text in islice(product(names, corpus.TEXTS), 0, None, share):
            given = [(name, text)] if name == "Authorization" else [(name, text), auth]
            path, what = f"/v1/games/{game_id}", f"{name}: {text[:60]!r}"
            self.send(what, "getGame", refused=False, path=path, headers=given)
            self.send(what, "drawCard", path=f"{path}/draw", headers=given, **draw)
        for length in corpus.CONTENT_LENGTHS:
            environ = {"CONTENT_LENGTH": length}
            self.send(f"length {length!r}", "drawCard", path=f"/v1/games/{game_id}/draw",
                      headers=[auth], environ_overrides=environ, **draw)  # fmt: skip


def hostile(mutations: int = 20_000, share: int = 1) -> Outcome:
    """Every hostile request is refused as documented, and changes nothing."""
    with throwaway_server() as server:
        store = GameStore.from_url(server.url, connections=2)
        config = Config(redis_url=server.url, data_dir=Path("unused"), log_level="CRITICAL")
        attack = Attack(create_app(config, store).test_client(use_cookies=False), store)
        attack.send_hostile_bodies(share)
        attack.send_other_hostile_parts(share)
        attack.send_mutations(mutations)
        attack.check_games("the last requests")
    summary = f"{attack.sent} requests, the slowest took {attack.slowest * 1000:.0f} ms"
    return Outcome(summary, attack.violations)


def schemathesis(examples: int = 1_000) -> Outcome:
    """Schemathesis finds no failure of the started service."""
    program = Path(sys.executable).with_name("schemathesis")
    with tempfile.TemporaryDirectory() as name:
        report = Path(name, "report.json")
        with Launch(Path(name), LOG_LEVEL="WARNING", WORKERS="2") as service:
            ended = subprocess.run(
                [
                    program,
                    *("--config-file", _ROOT / "tests/system/schemathesis/schemathesis.toml"),
                    *("run", f"{service.url()}/v1/openapi.json", "--no-color"),
                    f"--max-examples={examples}",
                    f"--report-json-path={report}",
                ],
                cwd=_ROOT,
                capture_output=True,
                text=True,
                check=False,
            )
            has_traceback = "Traceback" in service.output
        summary = json.loads(report.read_text())
    violations = [str(each) for each in (*summary["failures"], *summary["errors"])]
    violations += ["the service's log has a traceback"] if has_traceback else []
    if ended.returncode and not violations:
        violations.append(ended.stdout[-2_000:])
    return Outcome(f"{examples} examples for each operation", violations)


TRIALS = [
    Trial(
        "Hostile input is refused as documented and changes nothing.",
        "Hostile bodies for every operation; hostile queries, headers, hosts and paths; mutations",
        hostile,
    ),
    Trial(
        "No request that the API description allows makes the service fail.",
        "Schemathesis with all its checks against the started service",
        schemathesis,
    ),
]
