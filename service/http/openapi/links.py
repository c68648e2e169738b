"""Links: from the answer of one operation to the requests that follow it.

No link can name the token: the caller sends the one that it was answered. None has a request body:
generators of clients take a link's body for a text.
"""

from __future__ import annotations

from typing import Any

_Object = dict[str, Any]
"""A JSON object of the description."""
_GAME_ID = {"game_id": "$response.body#/game/id"}
_BEST = "$response.body#/game/you/arrangement/discard"
_ENTRIES = ("createGame", "joinGame", "rematchGame")
"""The operations that give a seat."""


def add(paths: _Object) -> None:
    """Add the links to the operations of the description."""
    operations = {each["operationId"]: each for path in paths.values() for each in path.values()}
    of_game = [
        operation["operationId"]
        for path, methods in paths.items()
        if "{game_id}" in path
        for operation in methods.values()
    ]
    for name in _ENTRIES:
        _success(operations[name])["links"] = {each: _link(each) for each in of_game}
    _success(operations["drawCard"])["links"] = {
        "discardCard": {
            **_link("discardCard"),
            "description": f"The second half of the turn. The best `card` to discard is `{_BEST}`.",
        },
        "getHint": _link("getHint"),
    }
    _success(operations["discardCard"])["links"] = {
        "drawCard": {**_link("drawCard"), "description": "Your next turn, if the game goes on."},
        **{each: _link(each) for each in ("getHint", "getScores", "getReplay", "rematchGame")},
    }


def _link(operation: str) -> _Object:
    return {"operationId": operation, "parameters": dict(_GAME_ID)}


def _success(operation: _Object) -> _Object:
    responses: _Object = operation["responses"]
    return next(response for status, response in responses.items() if status.startswith("2"))
