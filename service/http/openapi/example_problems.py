"""An example of each problem: the answer to an error, as the service writes it.

Where an operation gets a problem with other members than most, it has an example of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

import marshmallow as ma

from engine.errors import (
    CardNotInHandError,
    GameFinishedError,
    GameNotFinishedError,
    GameWaitingError,
    MoveError,
    NotYourTurnError,
    SeatTakenError,
    WrongPhaseError,
)
from service import errors
from service.errors import InvalidRequestError, RefusedMoveError
from service.http.parsing import Argument
from service.http.problems.catalogue import PROBLEMS, Problem
from service.http.problems.mapping import (
    detail_of_error,
    problem_body,
    problem_of_error,
    sentence,
)
from service.http.schemas.card_images import CardImageQuery
from service.http.schemas.options import GameRequest
from service.http.schemas.requests import (
    CreateHeaders,
    DiscardRequest,
    DrawRequest,
    EvaluationRequest,
    EventsQuery,
    JoinRequest,
    KeyHeaders,
)
from service.http.schemas.reviews import ReviewQuery

_Wrong = tuple[str, type[ma.Schema], Mapping[str, object]]
"""Where wrong values stand in a request, the schema that refuses them, and the values."""

_VERSION = 17
_REMATCH = "Zk3vQ8rT1xWn5bYc7LdMfA"
_SOON = 2
WRONG_REQUESTS: dict[str, _Wrong] = {
    "createGame": (
        "json",
        GameRequest,
        {"seats": [{"kind": "human"}, {"kind": "robot"}], "jokers": 7},
    ),
    "drawCard": ("json", DrawRequest, {"source": "pocket"}),
    "discardCard": ("json", DiscardRequest, {"card": "11H"}),
    "joinGame": ("json", JoinRequest, {"name": "Bo"}),
    "leaveGame": ("headers", KeyHeaders, {"Idempotency-Key": "two words"}),
    "rematchGame": ("headers", CreateHeaders, {"Idempotency-Key": "too-short"}),
    "listEvents": ("query", EventsQuery, {"after": "-1"}),
    "getReview": ("query", ReviewQuery, {"seat": "-1"}),
    "evaluateHand": ("json", EvaluationRequest, {"cards": ["8H", "8H", "8H"], "wild_rank": "5"}),
    "getCard": ("query", CardImageQuery, {"colours": "3"}),
}
"""By operationId a request whose values are refused."""


def _refused(reason: MoveError) -> RefusedMoveError:
    return RefusedMoveError(reason, _VERSION)


_ERRORS = (
    errors.MalformedJsonError("expecting value at line 1, column 10"),
    errors.ForeignHostError("cards.example"),
    errors.TokenRequiredError("this call needs the token of a seat"),
    errors.InvalidTokenError("the token is of no seat of this game"),
    errors.ForeignOriginError("https://page.example"),
    errors.HintsDisabledError("this game was created without hints"),
    errors.NotPermittedError("only the creator may delete a game"),
    errors.UnknownInviteError("the invite is of no seat of this game"),
    errors.GameNotFoundError("no game has this id, or it has expired"),
    _refused(NotYourTurnError(0, 2)),
    _refused(WrongPhaseError("draw")),
    _refused(CardNotInHandError("8H")),
    _refused(GameWaitingError("not every human has joined")),
    _refused(GameFinishedError("the game is over")),
    GameNotFinishedError("the game is still played"),
    _refused(SeatTakenError("seat 1 has been joined")),
    errors.RematchMadeError(_REMATCH, _VERSION),
    errors.KeyExpiredError(_VERSION),
    errors.ConflictError(_VERSION),
    errors.StaleVersionError(_VERSION),
    errors.MediaTypeError("the body is text/plain"),
    errors.KeyReusedError("the key belongs to another request"),
    errors.QuotaExceededError("the 600 calls that an address may make in a minute are used up", 42),
    errors.StorageUnavailableError("the storage does not answer", _SOON),
    errors.OutcomeUnknownError("the storage was lost while it wrote", _SOON),
    errors.CapacityReachedError(91, 90, 60),
)
_OWN_ERRORS: dict[str, tuple[Exception, ...]] = {
    "drawCard": (_refused(WrongPhaseError("discard")),),
    "getCard": (errors.CardImageNotFoundError("11H"),),
    "listEvents": (errors.QuotaExceededError("too many watch this game in this place", _SOON),),
    "getProblem": (errors.ProblemNotFoundError("no problem has the code 'no-luck'"),),
}


def by_code() -> dict[str, dict[str, object]]:
    """The example of each problem, by its code."""
    told = {problem.code: _without_error(problem) for problem in PROBLEMS.values()}
    return told | _answers((*_ERRORS, _fault_of("drawCard")))


def of_operation(name: str) -> dict[str, dict[str, object]]:
    """The examples, by their codes, of the problems that an operation gets in its own way."""
    faults = (_fault_of(name),) if name in WRONG_REQUESTS else ()
    return _answers((*_OWN_ERRORS.get(name, ()), *faults))


def _answers(answered: tuple[Exception, ...]) -> dict[str, dict[str, object]]:
    told = {}
    for error in answered:
        problem = problem_of_error(error)
        assert problem is not None, f"no problem answers {error!r}"
        told[problem.code] = problem_body(problem, detail_of_error(problem, error), error)
    return told


def _without_error(problem: Problem) -> dict[str, object]:
    """The answer where no error of the service's own is the cause."""
    return problem_body(problem, sentence(problem.title, problem.remedy))


def _fault_of(operation: str) -> InvalidRequestError:
    location, schema, values = WRONG_REQUESTS[operation]
    try:
        Argument.of(location, schema()).load(values)
    except InvalidRequestError as error:
        return error
    raise AssertionError(f"the example of a wrong request for {operation} is right")
