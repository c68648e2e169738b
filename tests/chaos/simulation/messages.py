"""Requests and answers of the simulation, as values."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from flask.testing import FlaskClient

from tests.chaos.description import operations
from tests.chaos.simulation.faulty_store import WorkerKilledError

GAMES = "/v1/games"
OPERATIONS = {
    name: operation for name, operation in operations().items() if operation.path.startswith(GAMES)
}
"""Every operation on games, by its id."""
CHANGING = tuple(name for name, operation in OPERATIONS.items() if operation.method == "POST")
"""The operations that make one commit and may have an idempotency key."""
READS = tuple(name for name, operation in OPERATIONS.items() if operation.method == "GET")
NO_ANSWER = 0
"""The status where the worker was killed before it answered."""


@dataclass(frozen=True)
class Request:
    """One request; when it is sent again it is the same request."""

    operation: str
    game_id: str | None = None
    seat: int | None = None
    token: str | None = None
    body: dict[str, Any] | None = None
    key: str | None = None
    condition: str | None = None
    query: dict[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str | None:
        """What the key's record is known by: 12 bytes of a hash, in hex; None without a key."""
        return None if self.key is None else hashlib.sha256(self.key.encode()).digest()[:12].hex()

    def send(self, client: FlaskClient) -> Answer:
        """Send the request; the status is NO_ANSWER if the worker is killed."""
        operation = OPERATIONS[self.operation]
        try:
            answer = client.open(
                operation.path.replace("{game_id}", str(self.game_id)),
                method=operation.method,
                json=self.body,
                query_string=self.query,
                headers=self._headers(),
            )
        except WorkerKilledError:
            return Answer(NO_ANSWER)
        replayed = "Idempotency-Replayed" in answer.headers
        etag, location = (answer.headers.get(name) for name in ("ETag", "Location"))
        return Answer(answer.status_code, answer.get_data(), etag, location, replayed)

    def _headers(self) -> dict[str, str]:
        headers = {}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.key is not None:
            headers["Idempotency-Key"] = self.key
        if self.condition is not None:
            name = "If-None-Match" if self.operation == "getGame" else "If-Match"
            headers[name] = self.condition
        return headers

    def __str__(self) -> str:
        """The request in one line; of a key only the first characters."""
        seat = "" if self.seat is None else f" by seat {self.seat}"
        body = "" if self.body is None else " " + json.dumps(self.body)
        key = "" if self.key is None else f" key {self.key[:6]}"
        condition = "" if self.condition is None else f" if {self.condition}"
        return f"{self.operation} {str(self.game_id)[:6]}{seat}{body}{key}{condition}"


@dataclass(frozen=True)
class Answer:
    """The answer that a client gets."""

    status: int
    body: bytes = b""
    etag: str | None = None
    location: str | None = None
    replayed: bool = False

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The decoded body; empty without one."""
        decoded: dict[str, Any] = json.loads(self.body) if self.body else {}
        return decoded

    @property
    def succeeded(self) -> bool:
        return 200 <= self.status < 300

    @property
    def code(self) -> str | None:
        """The problem's code."""
        return self.fields.get("code") if self.status >= 400 else None

    @property
    def outcome_is_unknown(self) -> bool:
        """Whether the client cannot know if the request was executed."""
        return self.status == NO_ANSWER or self.code == "outcome-unknown"

    @property
    def version(self) -> int | None:
        """The version that the ETag names."""
        return None if self.etag is None else int(self.etag.strip('"').split(".")[0])

    @property
    def repeated_parts(self) -> tuple[int, bytes, str | None, str | None]:
        """The parts that must be equal in the answer to a repeated request."""
        return self.status, self.body, self.etag, self.location

    def __str__(self) -> str:
        """The answer in one line; of the body only a digest."""
        digest = hashlib.sha256(self.body).hexdigest()[:8]
        replayed = " replayed" if self.replayed else ""
        return f"{self.status or 'no answer'} {self.code or self.etag or ''}{replayed} {digest}"
