"""Which problem answers which error, and what of the error its answer carries."""

from __future__ import annotations

from engine import errors as engine_errors
from engine.errors import NotYourTurnError, WrongPhaseError
from service import errors
from service.errors import (
    CapacityReachedError,
    ConflictError,
    ContentEncodingError,
    ForeignTagError,
    InvalidRequestError,
    KeyExpiredError,
    QuotaExceededError,
    RefusedMoveError,
    RematchMadeError,
    StaleVersionError,
    StorageError,
)
from service.http.problems.catalogue import PROBLEMS, Problem

_CHALLENGE = 'Bearer realm="three-thirteen"'
_CODE_OF_ERROR: dict[type[Exception], str] = {
    errors.MalformedJsonError: "malformed-json",
    errors.ForeignHostError: "foreign-host",
    errors.ForeignOriginError: "foreign-origin",
    errors.TokenRequiredError: "token-required",
    errors.InvalidTokenError: "invalid-token",
    errors.NotPermittedError: "not-permitted",
    errors.UnknownInviteError: "unknown-invite",
    errors.HintsDisabledError: "hints-disabled",
    errors.GameNotFoundError: "game-not-found",
    errors.ProblemNotFoundError: "not-found",
    errors.CardImageNotFoundError: "not-found",
    KeyExpiredError: "idempotency-key-expired",
    ConflictError: "conflict",
    StaleVersionError: "stale-version",
    ForeignTagError: "stale-version",
    errors.MediaTypeError: "unsupported-media-type",
    errors.ContentEncodingError: "unsupported-media-type",
    errors.InvalidRequestError: "validation-failed",
    RematchMadeError: "rematch-made",
    errors.KeyReusedError: "idempotency-key-reused",
    QuotaExceededError: "quota-exceeded",
    CapacityReachedError: "capacity-reached",
    errors.CorruptGameError: "game-damaged",
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
_CODE_OF_STATUS = {
    400: "malformed-json",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    413: "body-too-large",
    415: "unsupported-media-type",
    422: "validation-failed",
    429: "quota-exceeded",
}
_WITH_VERSION = (
    StaleVersionError,
    ForeignTagError,
    RefusedMoveError,
    KeyExpiredError,
    RematchMadeError,
    ConflictError,
)
_REMEDY_OF_ERROR: dict[type[Exception], str] = {
    ForeignTagError: "Send the ETag of an answer unchanged, or leave If-Match out. A proxy "
    "may have changed the tag on its way.",
}
"""Errors that call for another remedy than their problem's."""


def problem_of_status(status: int | None) -> Problem:
    """The problem that answers an error of the framework, found by its HTTP status."""
    return PROBLEMS[_CODE_OF_STATUS.get(status or 0, "internal-error")]


def problem_of_error(error: Exception) -> Problem | None:
    """The problem that answers an error of the engine or the service; None if none does."""
    code = _CODE_OF_ERROR.get(type(_reason(error)))
    return None if code is None else PROBLEMS[code]


def extension_members(error: Exception) -> dict[str, object]:
    """The members beside the text that help the caller of a refused request (RFC 9457, 3.2)."""
    members: dict[str, object] = {}
    match _reason(error):
        case NotYourTurnError(expected=expected) | WrongPhaseError(expected=expected):
            members["expected"] = expected
        case RematchMadeError(rematch=rematch):
            members["rematch"] = rematch
        case InvalidRequestError(faults=faults):
            members["errors"] = [
                {"pointer": fault.pointer, "detail": fault.detail} for fault in faults
            ]
    if isinstance(error, _WITH_VERSION):
        members["version"] = error.version
    return members


def problem_body(
    problem: Problem, detail: str, error: Exception | None = None
) -> dict[str, object]:
    """The body of the answer that states a problem, its addresses without the root path."""
    return {
        "type": problem.type,
        "title": problem.title,
        "status": problem.status,
        "detail": detail,
        "code": problem.code,
        **({} if error is None else extension_members(error)),
    }


def problem_headers(problem: Problem, error: Exception | None = None) -> dict[str, str]:
    """The headers that belong to a problem, and to the error that it answers."""
    headers = {"Cache-Control": "no-store"}
    if problem.status == 401:
        parameter = ', error="invalid_token"' if problem.code == "invalid-token" else ""
        headers["WWW-Authenticate"] = _CHALLENGE + parameter
    if isinstance(error, StorageError | QuotaExceededError | CapacityReachedError):
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, ContentEncodingError):
        headers["Accept-Encoding"] = "identity"
    return headers


def detail_of_error(problem: Problem, error: Exception) -> str:
    """The `detail` of an answer: what happened, then what the caller can do."""
    return sentence(str(error), _REMEDY_OF_ERROR.get(type(error), problem.remedy))


def sentence(text: str, remedy: str) -> str:
    """A text as a sentence, and the remedy after it."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}. {remedy}"


def _reason(error: Exception) -> Exception:
    """What an error is about: the reason of a refused move, else the error itself."""
    return error.reason if isinstance(error, RefusedMoveError) else error
