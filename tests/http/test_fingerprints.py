"""What a repeated request is recognised by: the same in every version, for records outlive one."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from flask import Flask

from service.games.answers.responses import GameResponse

GAME = "/v1/games/Zk3vQ8rT1xWn5bYc7LdMfA"


class Recorder:
    """Stands in for the changing use cases; keeps the fingerprint of what it is asked."""

    fingerprint = b""

    def run(self, change: Any) -> GameResponse:
        self.fingerprint = change.idempotency.fingerprint
        return GameResponse(204)


CREATED = {
    "aces": "low",
    "hints": True,
    "jokers": 2,
    "seats": None,
    "seed": None,
    "turn_seconds": None,
}


@pytest.mark.parametrize(
    ("path", "body", "operation", "text"),
    [
        (GAME + "/draw", {"source": "stock"}, "drawCard", '{"source": "stock"}'),
        (GAME + "/discard", {"card": "8H"}, "discardCard", '{"card": "8H", "go_out": true}'),
        (
            GAME + "/discard",
            {"go_out": False, "card": "JK"},
            "discardCard",
            '{"card": "JK", "go_out": false}',
        ),
        (
            GAME + "/seats",
            {"invite": "i", "name": "Zoë"},
            "joinGame",
            '{"invite": "i", "name": "Zo\\u00eb"}',
        ),
        (GAME + "/leave", None, "leaveGame", "{}"),
        ("/v1/games", {"jokers": 2}, "createGame", json.dumps(CREATED)),
        ("/v1/games", {"jokers": 2, "rounds": {}}, "createGame", json.dumps(CREATED)),
        (
            "/v1/games",
            {"jokers": 2, "rounds": {"last": 3}},
            "createGame",
            json.dumps(CREATED | {"rounds": {"first": 1, "last": 3}}, sort_keys=True),
        ),
    ],
)
def test_the_fingerprint_of_a_request_is_the_hash_of_its_values(
    app: Flask, path: str, body: object, operation: str, text: str
) -> None:
    recorder = app.extensions["transactions"] = Recorder()
    assert app.test_client().post(path, json=body).status_code == 204
    hashed = f'["{operation}", "{path}", {text}]'
    assert recorder.fingerprint == hashlib.sha256(hashed.encode()).digest()
