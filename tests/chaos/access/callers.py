"""Who may do what: every operation, by every caller, in every state of a game.

    PERMISSIONS -> for each cell a game in that state -> every form of the caller -> compare

The answer must be the one of the table; a refusal and a read must not change what is stored; and
an answer must not show more of the game than the caller may see.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Config
from service.http.problems.catalogue import MEDIA_TYPE
from service.http.replies import EVENT_STREAM
from service.store.game_store import GameStore
from tests.chaos.access.calls import GAME, Call
from tests.chaos.access.human_game import LEFT, MOVER, HumanGame
from tests.chaos.access.permissions import CALLERS, PERMISSIONS, STATES
from tests.chaos.trial import Outcome, Trial
from tests.nodes import throwaway_server
from tests.sinks import parsed

_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_WRONG_SCHEMES = (
    "Basic {}",
    "Token {}",
    "{}",
    "Bearer: {}",
    'Bearer "{}"',
    "Bearer",
    "",
    "Bearer {0} {0}",
)


def headers_of(caller: str, game: HumanGame, other: HumanGame) -> Iterator[dict[str, str]]:
    """The headers of every form in which a caller identifies itself."""
    seat, token = game.seat_of(caller), game.tokens[MOVER]
    if caller == "nobody":
        yield {}
        yield {"Cookie": f"token={token}", "X-Authorization": f"Bearer {token}"}
    elif seat is not None:
        yield {"Authorization": f"Bearer {game.tokens[seat]}"}
    else:
        for wrong in (other.tokens[MOVER], game.tokens[LEFT], *_altered(token, game.rng)):
            yield {"Authorization": f"Bearer {wrong}"}
        for scheme in _WRONG_SCHEMES:
            yield {"Authorization": scheme.format(token)}


def _altered(token: str, rng: random.Random) -> tuple[str, str, str]:
    """The token with one character replaced, removed and added."""
    place = rng.randrange(len(token))
    character = rng.choice(_CHARACTERS.replace(token[place], ""))
    return token[:place] + character + token[place + 1 :], token[:-1], token + "A"


@dataclass
class PermissionCheck:
    """Checks every cell of the table for one state."""

    client: FlaskClient
    store: GameStore
    state: str
    rng: random.Random
    count: int = 0
    violations: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.other = HumanGame(self.client, self.store, "waiting", self.rng)
        self.game: HumanGame | None = None

    def run(self) -> None:
        """Check every operation by every caller; deletion comes last."""
        for operation in sorted(PERMISSIONS, key=lambda name: name == "deleteGame"):
            for caller in CALLERS:
                self._check_cell(operation, caller)

    def _check_cell(self, operation: str, caller: str) -> None:
        row = PERMISSIONS[operation]
        game = self._unchanged_game()
        for headers in headers_of(caller, game, self.other):
            for call in row.calls(game.invites[0]):
                keyed = call
                if caller == "key":
                    keyed = game.with_used_key(operation, call)
                    self.game = None if game.use_key_for_rematch(operation) else game
                sent = replace(keyed, headers=(*keyed.headers, *headers.items()))
                found = self._violations(
                    game, sent, row.outcomes[caller][STATES.index(self.state)], game.seat_of(caller)
                )
                where = f"{operation} by {caller} {headers} in a game that is {self.state}, {sent}"
                self.violations += [f"{where}: {violation}" for violation in found]
                self.count += 1

    def _unchanged_game(self) -> HumanGame:
        """The game; a new one if a call has changed it."""
        if self.game is None:
            self.game = HumanGame(self.client, self.store, self.state, self.rng)
        return self.game

    def _violations(
        self, game: HumanGame, call: Call, expected: str, seat: int | None
    ) -> Iterator[str]:
        """What is wrong with the answer to a call, and with its effect on the game."""
        before = game.stored()
        answer = call.open(self.client, game.game_id)
        body = answer.get_json(silent=True, force=True) or {}
        got = str(answer.status_code) if answer.status_code < 400 else body.get("code")
        if got != expected:
            yield f"{got} instead of {expected}"
        if "Idempotency-Replayed" in answer.headers:
            yield "the answer is the recorded one of another seat"
        if answer.status_code >= 400 and answer.content_type != MEDIA_TYPE:
            yield f"the media type is {answer.content_type}, not {MEDIA_TYPE}"
        if game.stored() != before:
            self.game = None
            if answer.status_code >= 400 or call.method == "GET":
                yield "the game changed"
        if answer.status_code < 300 and call.path.startswith(GAME):
            for shown in _objects(answer, body):
                yield from hidden_cards_shown(shown, seat)


def _objects(answer: TestResponse, body: dict[str, Any]) -> list[dict[str, Any]]:
    """What a success shows: its body, or of a stream the game and the events."""
    if answer.content_type != EVENT_STREAM:
        return [body]
    sent = list(parsed(answer.get_data()))
    return [data if kind == "snapshot" else {"events": [data]} for _, kind, data in sent]


def hidden_cards_shown(body: dict[str, Any], seat: int | None) -> Iterator[str]:
    """What an answer shows that this seat (None: a spectator) may not see during the game."""
    game = body.get("game", body)
    if "seats" in game and game.get("status"):
        own = game["you"] and game["you"]["seat"]
        if own != seat:
            yield f"the view is seat {own}'s"
        for each in game["seats"]:
            if each["hand"] is not None and each["seat"] != game["went_out"]:
                yield f"the hand of seat {each['seat']} is shown"
    for event in body.get("events", []):
        drawn = event["type"] == "card_drawn" and event["source"] == "stock"
        if drawn and event["seat"] != seat and event["card"] is not None and "secret" not in body:
            yield f"the draw of seat {event['seat']} is shown"


def callers(rounds: int = 40, states: Sequence[str] = STATES) -> Outcome:
    """Every cell of the table has the outcome of the contract, and no other effect."""
    count, violations = 0, []
    with throwaway_server() as server:
        store = GameStore.from_url(server.url, connections=2)
        config = Config(redis_url=server.url, data_dir=Path("unused"), log_level="CRITICAL")
        client = create_app(config, store).test_client(use_cookies=False)
        for seed in range(rounds):
            for state in states:
                check = PermissionCheck(
                    client, store, state, random.Random(f"callers {seed} {state}")
                )
                check.run()
                count += check.count
                violations += [f"seed {seed}: {violation}" for violation in check.violations]
    cells = len(PERMISSIONS) * len(CALLERS) * len(states)
    return Outcome(f"{rounds} times {cells} cells, {count} calls", violations)


TRIALS = [
    Trial(
        "Every caller may do what the contract allows, and nothing else.",
        "Every operation by every caller in every state of a game, against a table written by hand",
        callers,
    )
]
