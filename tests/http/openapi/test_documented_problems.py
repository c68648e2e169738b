"""Each operation documents the problems that its requests get: all of them, and no other.

What its requests are refused for in all situations together is what the description has, and the
examples there are such answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from redis import Redis

from service.http.problems.catalogue import MEDIA_TYPE
from tests.http.caller import OPERATIONS, SPEC
from tests.http.openapi.situations import Situations

_FROM_OTHERS = {"quota-exceeded", "capacity-reached"}
"""What other tests hold against the description."""
_VARIABLE = re.compile(r"[A-Za-z0-9_-]{22}|\d+|'[^']*'")


@pytest.fixture(scope="module")
def situations(redis_url: str) -> Iterator[Situations]:
    with closing(Redis.from_url(redis_url)) as server:
        yield Situations(server, redis_url)


def _documented(operation: str) -> dict[str, Any]:
    """The examples of an operation's problems, by their codes."""
    responses = OPERATIONS[operation][2]["responses"].values()
    contents = [response.get("content", {}).get(MEDIA_TYPE) for response in responses]
    shown = {}
    for content in contents:
        for code, example in ({} if content is None else content["examples"]).items():
            reference = example.get("$ref", "").rpartition("/")[2]
            found = SPEC["components"]["examples"][reference] if reference else example
            shown[code] = found["value"]
    return shown


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_documented_problems_are_those_that_requests_get(
    operation: str, situations: Situations
) -> None:
    documented = _documented(operation)
    got: dict[str, list[dict[str, Any]]] = {}
    for answer in situations.all_answers(operation):
        if answer.status_code >= 400:
            assert answer.mimetype == MEDIA_TYPE
            problem = answer.get_json()
            got.setdefault(problem["code"], []).append(problem)
    missing, unexpected = got.keys() - documented.keys(), documented.keys() - got.keys()
    assert not missing, f"its problems(…) lack {sorted(missing)}"
    assert not unexpected - _FROM_OTHERS, f"no request above gets {sorted(unexpected)}"
    for code, problems in got.items():
        assert _kind(documented[code]) in [_kind(problem) for problem in problems]


def _kind(problem: dict[str, Any]) -> dict[str, Any]:
    """A problem without its numbers and names, which differ from game to game."""
    return {
        name: _VARIABLE.sub("…", value) if isinstance(value, str) else type(value)
        for name, value in problem.items()
    }
