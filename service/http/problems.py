"""Every refusal as an answer: one table of problems, and how errors find theirs.

The table makes the answers themselves (application/problem+json, RFC 9457), the enum in the
OpenAPI document, and the pages `GET /v1/problems` and `GET /v1/problems/{code}`.
It is what makes this module longer than the others: statuses of errors stand nowhere else.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from engine import errors as engine_errors
from engine.errors import EngineError, NotYourTurnError, WrongPhaseError
from service import errors, strict_json
from service.errors import (
    ConflictError,
    ForeignTagError,
    InvalidRequestError,
    RefusedMoveError,
    ServiceError,
    StaleVersionError,
    StorageError,
)

MEDIA_TYPE = "application/problem+json"
_LOG = logging.getLogger("service.problems")


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of refusal: its code, HTTP status, title, and what the caller can do about it."""

    code: str
    status: int
    title: str
    remedy: str

    @property
    def type(self) -> str:
        """The problem's URI, relative to the service; it answers with this description."""
        return f"/v1/problems/{self.code}"


_TABLE = (
    Problem(
        "malformed-json",
        400,
        "The body is not acceptable JSON",
        "Send one JSON object in UTF-8, without repeated names, deep nesting or huge numbers.",
    ),
    Problem(
        "foreign-host",
        400,
        "The host is not served here",
        "Call the service by a host name it knows; its operator adds names with ALLOWED_HOSTS.",
    ),
    Problem(
        "token-required",
        401,
        "A seat token is needed",
        "Send the token that came with the seat: `Authorization: Bearer <token>`.",
    ),
    Problem(
        "invalid-token",
        401,
        "The token is of no seat of this game",
        "Use the token that this game's creation gave, or none to look on as a spectator.",
    ),
    Problem(
        "hints-disabled",
        403,
        "This game has no hints",
        'Create the game with `"hints": true` to be able to ask for hints.',
    ),
    Problem(
        "not-permitted",
        403,
        "This seat may not do that",
        "Only the creator may delete a game, and not while others are playing it.",
    ),
    Problem(
        "unknown-invite",
        403,
        "The invite is of no seat of this game",
        "Ask the game's creator for the invite of a free seat.",
    ),
    Problem(
        "not-found",
        404,
        "There is nothing at this address",
        "See the API description at /v1/openapi.json or /v1/docs.",
    ),
    Problem(
        "game-not-found",
        404,
        "There is no such game",
        "Check the id; a game is forgotten some days after its last move. Create a new one.",
    ),
    Problem(
        "method-not-allowed",
        405,
        "The address does not know this method",
        "Use one of the methods that the Allow header names.",
    ),
    Problem(
        "not-acceptable",
        406,
        "The answer is not available in a form you accept",
        "Accept application/json.",
    ),
    Problem(
        "not-your-turn",
        409,
        "Another seat is to move",
        "Wait until it is your turn; `expected` names the seat that is to move.",
    ),
    Problem(
        "wrong-phase",
        409,
        "The turn is in its other phase",
        "Make the move that `expected` names: a turn is one draw, then one discard.",
    ),
    Problem(
        "card-not-in-hand",
        409,
        "The hand does not hold this card",
        "Discard one of the cards that the view lists under you.legal.discard.",
    ),
    Problem(
        "game-waiting",
        409,
        "The game waits for players",
        "Wait until every human seat has been joined.",
    ),
    Problem("game-finished", 409, "The game is over", "Create a new game to play on."),
    Problem(
        "game-not-finished",
        409,
        "The game is still played",
        "Ask again when the game's status is finished.",
    ),
    Problem(
        "seat-taken",
        409,
        "The invite has been used",
        "Ask the game's creator for the invite of another seat.",
    ),
    Problem(
        "conflict",
        409,
        "The game changed while the move was judged",
        "Read the game again and repeat the call if the move still makes sense.",
    ),
    Problem(
        "stale-version",
        412,
        "The game is at another version",
        "Read the game again: `version` is the current one. Then repeat the call with its ETag.",
    ),
    Problem(
        "body-too-large",
        413,
        "The body is too large",
        "Send less: every request of this API fits into a few kilobytes.",
    ),
    Problem(
        "unsupported-media-type",
        415,
        "The body is not declared as JSON",
        "Send the body with `Content-Type: application/json`.",
    ),
    Problem(
        "validation-failed",
        422,
        "The request has unacceptable values",
        "Mend what `errors` lists: each entry names the place and what is wrong there.",
    ),
    Problem(
        "idempotency-key-reused",
        422,
        "The Idempotency-Key belongs to another request",
        "Use a new key for a new request; repeat a request unchanged with its own key.",
    ),
    Problem(
        "quota-exceeded",
        429,
        "Too many requests",
        "Wait as long as Retry-After says, then repeat the call.",
    ),
    Problem(
        "internal-error",
        500,
        "The service failed",
        "Repeat the call later; report it with the X-Request-Id of the answer.",
    ),
    Problem(
        "storage-unavailable",
        503,
        "The storage cannot be reached",
        "Nothing was changed. Repeat the call after the time that Retry-After names.",
    ),
    Problem(
        "outcome-unknown",
        503,
        "It is not known whether the move was made",
        "Repeat the call unchanged with its Idempotency-Key, or read the game again.",
    ),
)
PROBLEMS = {problem.code: problem for problem in _TABLE}
"""Every problem by its code, in the order of their statuses."""

_BY_ERROR: dict[type[Exception], str] = {
    errors.MalformedJsonError: "malformed-json",
    errors.ForeignHostError: "foreign-host",
    errors.TokenRequiredError: "token-required",
    errors.InvalidTokenError: "invalid-token",
    errors.NotPermittedError: "not-permitted",
    errors.UnknownInviteError: "unknown-invite",
    errors.HintsDisabledError: "hints-disabled",
    errors.GameNotFoundError: "game-not-found",
    errors.ProblemNotFoundError: "not-found",
    errors.ConflictError: "conflict",
    errors.StaleVersionError: "stale-version",
    errors.ForeignTagError: "stale-version",
    errors.MediaTypeError: "unsupported-media-type",
    errors.InvalidRequestError: "validation-failed",
    errors.KeyReusedError: "idempotency-key-reused",
    errors.StorageUnavailableError: "storage-unavailable",
    errors.OutcomeUnknownError: "outcome-unknown",
    engine_errors.NotYourTurnError: "not-your-turn",
    engine_errors.WrongPhaseError: "wrong-phase",
    engine_errors.CardNotInHandError: "card-not-in-hand",
    engine_errors.GameWaitingError: "game-waiting",
    engine_errors.SeatTakenError: "seat-taken",
    engine_errors.GameFinishedError: "game-finished",
    engine_errors.GameNotFinishedError: "game-not-finished",
}
_BY_STATUS = {
    400: "malformed-json",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    413: "body-too-large",
    415: "unsupported-media-type",
    422: "validation-failed",
}
_CHALLENGE = 'Bearer realm="three-thirteen"'


def problem(code: str) -> Problem:
    """The problem of a code; raises ProblemNotFoundError."""
    if code not in PROBLEMS:
        raise errors.ProblemNotFoundError(f"no problem has the code {code!r}")
    return PROBLEMS[code]


def register(app: Flask) -> None:
    """Let every error that leaves a view be answered as a problem."""
    app.register_error_handler(ServiceError, _answer_error)
    app.register_error_handler(EngineError, _answer_error)
    app.register_error_handler(HTTPException, answer_http)
    app.register_error_handler(Exception, _answer_unexpected)


def answer(kind: Problem, detail: str, **helps: Any) -> Response:
    """The answer that states a problem, with the fields that help to mend it."""
    fields = {
        "type": kind.type,
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "code": kind.code,
        **helps,
    }
    response = Response(strict_json.write(fields), status=kind.status, content_type=MEDIA_TYPE)
    response.headers["Cache-Control"] = "no-store"
    if kind.status == 401:
        error = ', error="invalid_token"' if kind.code == "invalid-token" else ""
        response.headers["WWW-Authenticate"] = _CHALLENGE + error
    return response


def answer_http(error: HTTPException) -> Response:
    """The answer to an error that Flask or werkzeug raised, its headers kept."""
    kind = PROBLEMS[_BY_STATUS.get(error.code or 500, "internal-error")]
    response = answer(kind, _sentence(kind.title, kind.remedy))
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def _answer_error(error: Exception) -> Response:
    """The answer to an error of the engine or the service, found by its class."""
    reason = error.reason if isinstance(error, RefusedMoveError) else error
    code = _BY_ERROR.get(type(reason))
    if code is None:
        return _answer_unexpected(error)
    kind = PROBLEMS[code]
    remedy = _OWN_REMEDIES.get(type(error), kind.remedy)
    response = answer(kind, _sentence(str(error), remedy), **_helps(reason), **_version(error))
    if isinstance(error, StorageError):
        _LOG.error("%s: %s (%.200s)", code, error, error.__cause__)
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def _answer_unexpected(error: Exception) -> Response:
    _LOG.exception("unexpected error", exc_info=error)
    kind = PROBLEMS["internal-error"]
    return answer(kind, kind.remedy)


def _sentence(text: str, remedy: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}. {remedy}"


_OWN_REMEDIES: dict[type[Exception], str] = {
    ForeignTagError: "Send the ETag of an answer unchanged, or leave If-Match out. A proxy may "
    "have changed the tag on its way.",
}


_HELPS: dict[type[Exception], Callable[[Any], dict[str, Any]]] = {
    NotYourTurnError: lambda error: {"expected": error.expected},
    WrongPhaseError: lambda error: {"expected": error.expected},
    InvalidRequestError: lambda error: {
        "errors": [{"pointer": fault.pointer, "detail": fault.detail} for fault in error.faults]
    },
}


def _version(error: Exception) -> dict[str, int]:
    """The game's current version, where the refusal depends on it."""
    if isinstance(error, (StaleVersionError, ForeignTagError, RefusedMoveError, ConflictError)):
        return {"version": error.version}
    return {}


def _helps(error: Exception) -> dict[str, Any]:
    """The fields beside the text that help to mend the error."""
    helps = _HELPS.get(type(error))
    return {} if helps is None else helps(error)
