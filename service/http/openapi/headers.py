"""Parameters and headers that several operations document alike."""

from __future__ import annotations

from service.games.tokens import ID_PATTERN

GAME_ID = {
    "in": "path",
    "name": "game_id",
    "description": "The game's `id`, as createGame answered it.",
    "schema": {"type": "string", "pattern": f"^{ID_PATTERN}$"},
}


def header(description: str, example: object, **schema: object) -> dict[str, object]:
    """The description of a header that an answer always has; a text unless the schema says more."""
    return {
        "description": description,
        "required": True,
        "schema": schema or {"type": "string"},
        "example": example,
    }


VIEW_HEADERS = {"ETag": header("The view's tag: version, viewer, format.", '"17.0.3"')}
CHANGE_HEADERS = {
    **VIEW_HEADERS,
    "Idempotency-Replayed": {
        "description": "Set if the request was made before and this is its first answer again.",
        "schema": {"type": "string", "enum": ["true"]},
    },
}
_CHALLENGE = {
    "WWW-Authenticate": header(
        "How to authenticate: with a seat's token.", 'Bearer realm="three-thirteen"'
    )
}
_RETRY = {
    "Retry-After": header("Seconds to wait before the next attempt.", 2, type="integer", minimum=0)
}
PROBLEM_HEADERS = {
    "unsupported-media-type": {
        "Accept-Encoding": {
            "description": "Set if the body was refused for its Content-Encoding.",
            "schema": {"type": "string", "enum": ["identity"]},
        }
    },
    "token-required": _CHALLENGE,
    "invalid-token": _CHALLENGE,
    "storage-unavailable": _RETRY,
    "outcome-unknown": _RETRY,
    "quota-exceeded": _RETRY,
    "capacity-reached": _RETRY,
}


def rate_limit_headers(name: str, quota: int) -> dict[str, object]:
    """The descriptions of what answers say of a limit, by its name and its quota."""
    return {
        "RateLimit-Policy": {
            "description": "How many calls (`q`) an address may make in how many seconds (`w`). "
            "Not there where limits are off, or the storage cannot count.",
            "schema": {"type": "string"},
            "example": f'"{name}";q={quota};w=60',
        },
        "RateLimit": {
            "description": "How many of them remain (`r`), and in how many seconds all are there "
            "again (`t`). Not there where RateLimit-Policy is not.",
            "schema": {"type": "string"},
            "example": f'"{name}";r={quota - 3};t=42',
        },
    }
