"""The operations of the API description, and a caller that sends a right request of each."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.cli import api_description
from tests.player import Player

SPEC: dict[str, Any] = json.loads(api_description())
OPERATIONS = {
    stated["operationId"]: (method.upper(), path, stated)
    for path, methods in SPEC["paths"].items()
    for method, stated in methods.items()
}
_BODIES = {
    "createGame": {},
    "joinGame": {"invite": "of no seat"},
    "drawCard": {"source": "stock"},
    "discardCard": {"card": "8H"},
    "rematchGame": {},
    "evaluateHand": {"cards": ["8H"], "wild_rank": "5"},
}


@dataclass
class Caller:
    """A client with a game that its requests name, the token of a seat, and an invite."""

    client: FlaskClient
    game_id: str = "A" * 22
    token: str | None = "of-no-seat"
    invite: str = "of no seat"
    code: str = "JK"
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, player: Player, **more: Any) -> Caller:
        return cls(player.client, player.game["id"], player.token, **more)

    def ask(self, operation: str, **changed: Any) -> TestResponse:
        """Send a request of an operation, which is right but for what is `changed`."""
        method, path, _ = OPERATIONS[operation]
        path = path.replace("{game_id}", self.game_id)
        path = path.replace("{code}.svg", f"{self.code}.svg")
        path = path.replace("{code}", "conflict" if self.code == "JK" else self.code)
        body = _BODIES.get(operation)
        if operation == "joinGame":
            body = {"invite": self.invite}
        token = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        headers = {**token, **self.headers, **changed.pop("headers", {})}
        sent = {"json": body} | changed
        return self.client.open(path, method=method, headers=headers, **sent)
