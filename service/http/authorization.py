"""Who calls: the seat token of the Authorization header."""

from __future__ import annotations

from flask import request

_SCHEME = "bearer"


def bearer_token() -> str | None:
    """The token of the request, None without an Authorization header.

    Another scheme, or a header without a token, counts as a token that no seat has.
    """
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.strip().partition(" ")
    return token.strip() if scheme.lower() == _SCHEME else ""
