"""What the API description says beside the operations themselves, and how it is written."""

from __future__ import annotations

import json
from typing import Any

SPEC_OPTIONS: dict[str, Any] = {
    "info": {
        "summary": "Play Three-Thirteen Rummy over HTTP.",
        "description": (
            "One human against AI players, eleven rounds from three to thirteen cards, the rank "
            "that equals the hand size wild, the lowest total wins.\n\n"
            "1. **createGame** gives you a token. Send it as `Authorization: Bearer <token>`.\n"
            "2. **drawCard**, then **discardCard**: that is your turn. The answer has every "
            "event up to your next one, the AI players' moves included.\n"
            "3. When your hand melds completely after a discard you are out; the others have one "
            "last turn, the round is scored and the next one dealt.\n\n"
            "A card is its rank (`A 2 … 9 T J Q K`) and suit (`C D H S`); a joker is `JK`. "
            "Repeating a request with its `Idempotency-Key` is always safe. Every refusal is an "
            "`application/problem+json` that says what to do."
        ),
        "license": {"name": "MIT", "identifier": "MIT"},
    },
    "servers": [{"url": "/", "description": "This service"}],
    "components": {
        "securitySchemes": {
            "seatToken": {
                "type": "http",
                "scheme": "bearer",
                "description": "The token that came with a seat.",
            }
        }
    },
}

_METHODS = ("get", "post", "delete")
_GAME_OPERATIONS = (
    "getGame",
    "drawCard",
    "discardCard",
    "getScores",
    "listEvents",
    "getReplay",
    "deleteGame",
)


def completed(spec: dict[str, Any]) -> dict[str, Any]:
    """The description with answers in the order of their statuses, and links.

    The links lead from a created game to everything one can do with it.
    """
    for path in spec["paths"].values():
        for operation in (path[method] for method in _METHODS if method in path):
            operation["responses"] = dict(sorted(operation["responses"].items()))
    created = spec["paths"]["/v1/games"]["post"]["responses"]["201"]
    created["links"] = {
        operation: {
            "operationId": operation,
            "parameters": {"game_id": "$response.body#/game/id"},
        }
        for operation in _GAME_OPERATIONS
    }
    return spec


def written(spec: dict[str, Any]) -> bytes:
    """The description as the JSON text that is served and committed."""
    return (json.dumps(spec, indent=2, ensure_ascii=False) + "\n").encode()
