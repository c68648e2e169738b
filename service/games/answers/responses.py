"""What a use case answers, before it becomes HTTP.

A change has one of three kinds of answer: the game after a move, a seat's token with the game, or
nothing at all. `respond` writes it from the version that the change makes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, assert_never

import orjson

from engine.fields import JsonObject
from engine.view import redacted, view
from service.games.answers import bodies
from service.games.answers.entity_tags import entity_tag
from service.games.loaded import Invitee, NextVersion, SeatHolder
from service.games.stored.event_log import LoggedEvent


@dataclass(frozen=True, slots=True)
class GameResponse:
    """A status, a written body, and the headers that go with them.

    `replayed`: whether the request was answered before and this is that answer again. `is_open`:
    whether the body comes later, through a sink.
    """

    status: int
    body: bytes = b""
    etag: str | None = None
    location: str | None = None
    replayed: bool = False
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Moved:
    """The game after a move, with the events that the move caused."""

    salt: ClassVar[None] = None


@dataclass(frozen=True, slots=True)
class Seated:
    """The game with the token of the seat that the caller has now.

    `invites`: the codes of the other humans' seats, by seat, for the creator; None for whoever
    joins. Token and codes are derived from `salt` and the request's key, if it has one.
    """

    token: str
    salt: bytes
    invites: dict[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """Nothing: the caller's seat is no longer theirs."""

    salt: ClassVar[None] = None


Reply = Moved | Seated | Left


def respond(reply: Reply, following: NextVersion[SeatHolder | Invitee]) -> GameResponse:
    """The answer to the caller whose change makes a version of a game."""
    match reply:
        case Moved():
            return _with_game(200, {}, following)
        case Seated(token=token, invites=None):
            return _with_game(
                201, {"seat": following.before.caller.seat, "token": token}, following
            )
        case Seated(token=token, invites=invites):
            codes = [{"seat": seat, "code": code} for seat, code in (invites or {}).items()]
            first = {"seat": following.before.caller.seat, "token": token, "invites": codes}
            return _with_game(201, first, following, f"/v1/games/{following.before.game_id}")
        case Left():
            return GameResponse(204)
        case _:
            assert_never(reply)


def _with_game(
    status: int,
    first: JsonObject,
    following: NextVersion[SeatHolder | Invitee],
    location: str | None = None,
) -> GameResponse:
    """The response with the members `first`, then the caller's view and the events as seen."""
    after, seat = following.loaded, following.before.caller.seat
    body = {
        **first,
        "game": bodies.game_body(
            view(following.step.game, seat), after.game_id, after.version, after.meta
        ),
        "events": events_body(following.events, seat),
    }
    return GameResponse(status, orjson.dumps(body), entity_tag(after.version, seat), location)


def events_body(events: Iterable[LoggedEvent], seat: int | None) -> list[JsonObject]:
    """Events as a seat, or a spectator (None), may read them."""
    return [redacted(each.event, bodies.timestamp(each.at), seat) for each in events]
