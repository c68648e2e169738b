"""The catalogue of problems: every error has a code, and every code is answered and documented."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import errors as engine_errors
from engine.errors import EngineError, NotYourTurnError
from service import errors
from service.errors import (
    Fault,
    InvalidRequestError,
    RefusedMoveError,
    ServiceError,
    StaleVersionError,
)
from service.http.openapi.blueprint import Blueprint
from service.http.parsing import Token
from service.http.problems import catalogue, mapping
from service.http.problems.catalogue import MEDIA_TYPE, PROBLEMS
from service.http.problems.mapping import extension_members, problem_of_error, problem_of_status

SPEC = Path(__file__).parents[3] / "openapi/openapi.json"
GUIDE = Path(__file__).parents[3] / "docs/integrate.md"
NEVER_LEAVE_A_VIEW = {
    # Texts of a request that are read by the schemas.
    engine_errors.CardCodeError,
    engine_errors.RankCodeError,
    engine_errors.InvalidTableError,
    # Faults of the service itself.
    engine_errors.IllegalMeldError,
    engine_errors.SnapshotError,
    engine_errors.ReplayError,
    # A call that passes.
    errors.UncountedCallError,
}
UNDOCUMENTED = {
    "method-not-allowed",  # for no operation has the method
}
CONTRACT = {
    400: "malformed-json foreign-host",
    401: "token-required invalid-token",
    403: "foreign-origin hints-disabled not-permitted unknown-invite",
    404: "not-found game-not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    409: "not-your-turn wrong-phase card-not-in-hand game-waiting game-finished "
    "game-not-finished seat-taken rematch-made idempotency-key-expired conflict",
    412: "stale-version",
    413: "body-too-large",
    415: "unsupported-media-type",
    422: "validation-failed idempotency-key-reused",
    429: "quota-exceeded",
    500: "internal-error game-damaged",
    503: "storage-unavailable outcome-unknown capacity-reached",
}


def leaves(kind: type[Exception]) -> Iterator[type[Exception]]:
    """Every class of errors that is raised: those below which there is none."""
    below = kind.__subclasses__()
    if not below:
        yield kind
    for each in below:
        yield from leaves(each)


def raised() -> set[type[Exception]]:
    """Every error of the engine and the service, but those of the tests."""
    modules = {errors.__name__, engine_errors.__name__}
    kinds = {*leaves(EngineError), *leaves(ServiceError)}
    return {kind for kind in kinds if kind.__module__ in modules}


def names(kinds: set[type[Exception]]) -> list[str]:
    return sorted(kind.__name__ for kind in kinds)


def test_every_error_has_a_problem_unless_it_leaves_no_view() -> None:
    mapped = {*mapping._CODE_OF_ERROR, RefusedMoveError}
    missing = names(raised() - mapped - NEVER_LEAVE_A_VIEW)
    assert not missing, f"name the problem that answers {missing} in {mapping.__file__}"
    unexpected = names(NEVER_LEAVE_A_VIEW - (raised() - mapped))
    assert not unexpected, f"have a problem, or are not raised: {unexpected}"


def test_every_problem_answers_some_error() -> None:
    answering = {*mapping._CODE_OF_ERROR.values(), *mapping._CODE_OF_STATUS.values()}
    unused = set(PROBLEMS) - answering - {"internal-error"}  # which answers all others
    assert not unused, f"{mapping.__file__} never answers {sorted(unused)}"
    assert "internal-error" not in answering
    unknown = answering - set(PROBLEMS)
    assert not unknown, f"PROBLEMS in {catalogue.__file__} lacks {sorted(unknown)}"


def test_every_problem_is_documented_by_an_operation() -> None:
    paths = json.loads(SPEC.read_text())["paths"].values()
    responses = [each["responses"].values() for path in paths for each in path.values()]
    contents = [one.get("content", {}) for group in responses for one in group]
    documented = {
        code
        for content in contents
        for code in content.get(MEDIA_TYPE, {"examples": ()})["examples"]
    }
    missing, unexpected = set(PROBLEMS) - documented - UNDOCUMENTED, UNDOCUMENTED & documented
    assert not missing, f"no operation has it in its problems(…): {sorted(missing)}"
    assert not unexpected, f"an operation documents {sorted(unexpected)}"
    assert set(PROBLEMS) >= UNDOCUMENTED


def test_the_guide_says_once_what_to_do_about_each_problem() -> None:
    table = "".join(re.findall(r"^\| \*\*.*$", GUIDE.read_text(), re.MULTILINE))
    members = {"detail", "errors", "rematch"}
    named = [code for code in re.findall(r"`([a-z-]+)`", table) if code not in members]
    missing, unknown = set(PROBLEMS) - set(named), set(named) - set(PROBLEMS)
    assert not missing, f"write into the table of errors in {GUIDE}: {sorted(missing)}"
    assert not unknown, f"{GUIDE} lists what is no problem: {sorted(unknown)}"
    assert len(named) == len(set(named)), f"{GUIDE} names a problem twice"


def test_the_table_has_every_code_of_the_contract_with_its_status() -> None:
    contract = [(status, code) for status, codes in CONTRACT.items() for code in codes.split()]
    made = [(problem.status, problem.code) for problem in PROBLEMS.values()]
    assert not set(made) - set(contract), (
        f"CONTRACT in {__file__} lacks {set(made) - set(contract)}"
    )
    assert not set(contract) - set(made), f"PROBLEMS lacks {set(contract) - set(made)}"
    assert made == contract, "the order differs"


def test_an_operation_with_a_problem_that_does_not_exist_is_named() -> None:
    decorate = Blueprint("drinks", __name__).operation("pourTea", Token.IGNORED, "no-tea")
    with pytest.raises(ValueError, match=r"pourTea: .*'no-tea'"):
        decorate(lambda: None)


def test_an_error_that_nobody_maps_has_no_problem() -> None:
    assert problem_of_error(ValueError()) is None
    assert problem_of_status(418).code == "internal-error"
    assert problem_of_status(None).code == "internal-error"


@pytest.mark.parametrize(
    ("error", "members"),
    [
        (NotYourTurnError(0, 2), {"expected": 2}),
        (engine_errors.WrongPhaseError("draw"), {"expected": "draw"}),
        (StaleVersionError(7), {"version": 7}),
        (
            InvalidRequestError(Fault("/a", "b"), Fault("", "c")),
            {"errors": [{"pointer": "/a", "detail": "b"}, {"pointer": "", "detail": "c"}]},
        ),
        (errors.ConflictError(7), {"version": 7}),
        (errors.KeyExpiredError(7), {"version": 7}),
        (errors.ForeignTagError(7), {"version": 7}),
        (RefusedMoveError(NotYourTurnError(0, 2), 7), {"expected": 2, "version": 7}),
        (errors.KeyReusedError("x"), {}),
    ],
)
def test_an_error_says_what_helps(error: Exception, members: dict[str, object]) -> None:
    assert extension_members(error) == members


def test_a_refused_move_has_the_problem_of_its_reason() -> None:
    reason = NotYourTurnError(0, 2)
    assert problem_of_error(RefusedMoveError(reason, 7)) is problem_of_error(reason)
    assert problem_of_error(reason) is PROBLEMS["not-your-turn"]
