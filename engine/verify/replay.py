"""A replay, read from JSON: the shape is checked here, the truth of it elsewhere."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NoReturn

JsonObject = dict[str, object]
ROUNDS = 11
MIN_SEATS = 2
MAX_SEATS = 6
_JOKERS = (0, 2, 4)
_ACES = ("low", "high", "both")
_HEX = re.compile("[0-9a-f]{64}")
_GAME_ID = re.compile("[A-Za-z0-9_-]{22}")


class NotAReplayError(Exception):
    """A text that is no replay; the message says why."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What getReplay answers. `rounds`: the first and the last round of the game."""

    secret: bytes
    commitment: str
    jokers: int
    aces: str
    rounds: tuple[int, int]
    seats: list[JsonObject]
    first_dealer: object
    is_rematch: bool
    actions: list[JsonObject]
    events: list[JsonObject]


def read(text: str | bytes) -> Replay:
    """The replay that a JSON text is; raises NotAReplayError."""
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise NotAReplayError(f"it is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise NotAReplayError("it is not a JSON object")
    rules = _object(value, "rules")
    seats = _objects(value, "seats")
    if not MIN_SEATS <= len(seats) <= MAX_SEATS:
        raise NotAReplayError(f"a game has {MIN_SEATS} to {MAX_SEATS} seats, not {len(seats)}")
    return Replay(
        secret=bytes.fromhex(_hex(value, "secret")),
        commitment=_hex(value, "commitment"),
        jokers=_jokers(rules),
        aces=_aces(rules),
        rounds=_rounds(rules),
        seats=seats,
        first_dealer=value.get("first_dealer"),
        is_rematch=_is_rematch(value),
        actions=_objects(value, "actions"),
        events=_objects(value, "events"),
    )


def _is_rematch(value: JsonObject) -> bool:
    game = value.get("rematch_of")
    if game is not None and not (isinstance(game, str) and _GAME_ID.fullmatch(game)):
        raise NotAReplayError("'rematch_of' is neither null nor the id of a game")
    return game is not None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _object(value: JsonObject, name: str) -> JsonObject:
    member = value.get(name)
    if not isinstance(member, dict):
        raise NotAReplayError(f"{name!r} is not an object")
    return member


def _objects(value: JsonObject, name: str) -> list[JsonObject]:
    member = value.get(name)
    if not isinstance(member, list) or not all(isinstance(each, dict) for each in member):
        raise NotAReplayError(f"{name!r} is not a list of objects")
    return member


def _hex(value: JsonObject, name: str) -> str:
    member = value.get(name)
    if not isinstance(member, str) or not _HEX.fullmatch(member):
        raise NotAReplayError(f"{name!r} is not 64 hex digits in lower case")
    return member


def _jokers(rules: JsonObject) -> int:
    jokers = rules.get("jokers")
    if type(jokers) is not int or jokers not in _JOKERS:
        raise NotAReplayError("'rules' has a number of jokers that no game has")
    return jokers


def _aces(rules: JsonObject) -> str:
    aces = rules.get("aces")
    if not isinstance(aces, str) or aces not in _ACES:
        raise NotAReplayError("'rules' has an ace mode that no game has")
    return aces


def _rounds(rules: JsonObject) -> tuple[int, int]:
    """The stretch of rounds; a replay without `rounds` is of a whole game."""
    if "rounds" not in rules:
        return 1, ROUNDS
    rounds = _object(rules, "rounds")
    first, last = rounds.get("first"), rounds.get("last")
    if type(first) is not int or type(last) is not int or not 1 <= first <= last <= ROUNDS:
        raise NotAReplayError(f"'rounds' is not a stretch of the rounds 1 to {ROUNDS}")
    return first, last
