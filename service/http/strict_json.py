"""Strict JSON: what the body of a request may hold.

Beyond the grammar, `parse` refuses what trips up programs further in: repeated member names,
deep nesting, very long numbers, numbers beyond a float, lone surrogates, NaN and Infinity.

A plain body, as nearly all are, is read by orjson, which is some twenty times as quick. It does
not see repeated names and has numbers of its own: so it counts only where there can be neither.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

import orjson

from service.errors import MalformedJsonError

MAX_DEPTH = 16
MAX_DIGITS = 18
# A string that never ends matches, too: else each quote would be tried anew, in square time.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)


def parse(body: bytes) -> Any:
    """The value of a JSON text in UTF-8; raises MalformedJsonError."""
    plain = plain_object(body)
    return parse_any(body) if plain is None else plain


def plain_object(body: bytes) -> dict[str, object] | None:
    """The object that a text is, if it is certain that `parse_any` gives the same; else None.

    That is an object of texts, truth values, nulls and lists of these, with each member once.
    """
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if type(value) is not dict or body.count(b":") != len(value):  # one colon for each member
        return None
    for member in value.values():
        kinds = set(map(type, member)) if type(member) is list else {type(member)}
        if not kinds <= _PLAIN:
            return None
    return value


def parse_any(body: bytes) -> Any:
    """The value of any JSON text in UTF-8; raises MalformedJsonError."""
    try:
        text = body.decode("utf-8")
        _check_depth(text)
        value = _DECODER.decode(text)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise MalformedJsonError("a string holds half of a surrogate pair") from error
    except UnicodeDecodeError as error:
        raise MalformedJsonError("the body is not UTF-8 text") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise MalformedJsonError(f"{error.msg} at {where}") from error
    except RecursionError as error:
        raise MalformedJsonError(_TOO_DEEP) from error
    return value


_PLAIN = {str, bool, type(None)}
_TOO_DEEP = f"arrays and objects may nest {MAX_DEPTH} deep"


def _check_depth(text: str) -> None:
    depth = 0
    for sign in re.findall(r"[\[\]{}]", _STRING.sub("", text)):
        depth += 1 if sign in "[{" else -1
        if depth > MAX_DEPTH:
            raise MalformedJsonError(_TOO_DEEP)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise MalformedJsonError("an object names a member twice")
    return members


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise MalformedJsonError(f"a number may have {MAX_DIGITS} digits")
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise MalformedJsonError("a number is too large")
    # JSON knows one kind of number: 2.0 is 2.
    return int(number) if number.is_integer() and abs(number) < 10**MAX_DIGITS else number


def _constant(name: str) -> NoReturn:
    raise MalformedJsonError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members,
    parse_int=_whole,
    parse_float=_fraction,
    parse_constant=_constant,
)
