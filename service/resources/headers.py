"""Parameters and headers that several operations document alike."""

from __future__ import annotations

from service.tokens import ID_PATTERN

GAME_ID = {
    "in": "path",
    "name": "game_id",
    "description": "The game's `id`, as createGame answered it.",
    "schema": {"type": "string", "pattern": f"^{ID_PATTERN}$"},
}
VIEW_HEADERS = {
    "ETag": {
        "description": "The view's tag: version, viewer, format.",
        "required": True,
        "schema": {"type": "string"},
        "example": '"17.0.1"',
    }
}
CHANGE_HEADERS = {
    **VIEW_HEADERS,
    "Idempotency-Replayed": {
        "description": "Set if the request was made before and this is its first answer again.",
        "schema": {"type": "string", "enum": ["true"]},
    },
}
_CHALLENGE = {
    "WWW-Authenticate": {
        "description": "How to authenticate: with a seat's token.",
        "required": True,
        "schema": {"type": "string"},
        "example": 'Bearer realm="three-thirteen"',
    }
}
_RETRY = {
    "Retry-After": {
        "description": "Seconds to wait before the next attempt.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
        "example": 2,
    }
}
PROBLEM_HEADERS = {
    "token-required": _CHALLENGE,
    "invalid-token": _CHALLENGE,
    "storage-unavailable": _RETRY,
    "outcome-unknown": _RETRY,
}
