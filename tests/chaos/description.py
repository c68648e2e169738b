"""The committed API description, as the trials read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from service.http.problems.catalogue import MEDIA_TYPE

_PATH = Path(__file__).parents[2] / "openapi/openapi.json"


@dataclass(frozen=True)
class DescribedOperation:
    """An operation of the API; `problems` has the status of each documented problem by its code."""

    method: str
    path: str
    has_body: bool
    problems: Mapping[str, int]


@cache
def operations() -> dict[str, DescribedOperation]:
    """Every operation by its id, in the order of the description."""
    return {
        stated["operationId"]: DescribedOperation(
            method.upper(),
            path,
            "requestBody" in stated,
            {
                code: int(status)
                for status, answer in stated["responses"].items()
                for code in answer.get("content", {}).get(MEDIA_TYPE, {}).get("examples", ())
            },
        )
        for path, methods in json.loads(_PATH.read_text())["paths"].items()
        for method, stated in methods.items()
    }
