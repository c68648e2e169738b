"""A client that plays whole games over HTTP and holds every answer against the contract.

The referee knows what seat 0 may know and nothing more. Its `Ledger` follows the events and says
what every view must then show; the `Wire` sends requests and checks what is promised of any answer;
the `Referee` chooses moves, asks in between what else may be asked, and ends with the replay.
A broken promise is an AssertionError that says which.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.dealer import Event, Replayer
from tests.referee.contract import REPLAY_FIELDS, VIEWER, View, check_fields, redacted, same
from tests.referee.session import Session
from tests.referee.side_requests import SideRequests
from tests.referee.wire import Wire


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One refereed game: its last view and events as seat 0 saw them, and its replay."""

    game_id: str
    options: Mapping[str, Any]
    view: View
    events: list[Event]
    replay: dict[str, Any]
    requests: int
    seconds: float


class Referee:
    """Plays one game as seat 0 and checks every answer."""

    def __init__(self, wire: Wire, options: Mapping[str, Any], rng: random.Random) -> None:
        self.wire = wire
        self.session = Session(wire, options, rng)
        self.side_requests = SideRequests(self.session)

    def play(self) -> None:
        """Create a game, play it to its end and check everything on the way."""
        self.session.create()
        self.side_requests.look_around()
        for look in self.side_requests.looks:
            look()
        while self.session.ledger.phase != "finished":
            self.session.draw()
            self.side_requests.look_around()
            self.session.discard()
            self.side_requests.look_around()
        self.check_end()

    def check_end(self) -> None:
        """A finished game shows everything to everyone and takes no more moves."""
        self.wire.hidden = {self.session.token}
        self.side_requests.look_again()
        self.side_requests.look_as_spectator()
        self.side_requests.look_at_scores()
        self.side_requests.read_all_events(self.session.token, VIEWER)
        self.side_requests.read_all_events(None, None)
        self._check_replay()
        for move in self.side_requests._bodies():
            self.side_requests._refuse_move(409, "game-finished", move)
        self.side_requests.look_again()

    def _check_replay(self) -> None:
        path = f"{self.session.path}/replay"
        self.replay: dict[str, Any] = self.wire.send(200, "GET", path, self.session.token).json()
        same(self.wire.send(200, "GET", path).json(), self.replay, "the spectator's replay")
        check_fields(self.replay, REPLAY_FIELDS, "the replay")
        same(
            self.replay["commitment"],
            self.session.ledger.commitment,
            "the commitment of the replay",
        )
        for name in ("jokers", "aces"):
            same(
                self.replay["rules"][name],
                self.session.view["rules"][name],
                f"{name} of the replay",
            )
        seen = [redacted(event, VIEWER) for event in self.replay["events"]]
        same(seen, self.session.ledger.events, "the replay's events as seat 0 saw them")
        same(self.replay["secret"], seen[-1]["secret"], "the secret of the replay")
        if self.session.options.get("seed") is not None:
            same(
                self.replay["secret"],
                self.session.options["seed"].lower(),
                "the secret of a seeded game",
            )
        ours = [action for action in self.replay["actions"] if action["seat"] == VIEWER]
        same(ours, self.session.moves, "our actions in the replay")
        Replayer(self.replay).check()

    def delete(self) -> None:
        """The creator, and nobody else, deletes the game for good."""
        self.wire.refuse(401, "token-required", "DELETE", self.session.path)
        self.wire.send(204, "DELETE", self.session.path, self.session.token)
        for more in ({}, {"token": self.session.token}):
            self.wire.refuse(404, "game-not-found", "GET", self.session.path, **more)


def play_game(
    base_url: str,
    seed_hex_or_none: str | None,
    options: Mapping[str, Any],
    chooser_rng: random.Random,
    *,
    delete: bool = True,
) -> GameRecord:
    """Play one game to its end as seat 0, check every answer, then delete the game.

    `options` is the body of createGame without its seed. The moves and the questions in between
    depend on `chooser_rng` and the answers alone, so a seeded game can be played again as it was.
    """
    body = dict(options) if seed_hex_or_none is None else {**options, "seed": seed_hex_or_none}
    wire, started = Wire(base_url), time.perf_counter()
    referee = Referee(wire, body, chooser_rng)
    try:
        referee.play()
        if delete:
            referee.delete()
    except Exception as error:
        error.add_note(
            f"after request {wire.sent}: {wire.last}; options {body}; {referee.session.path}"
        )
        raise
    finally:
        wire.session.close()
    seconds = time.perf_counter() - started
    return GameRecord(
        referee.session.view["id"],
        body,
        referee.session.view,
        referee.session.ledger.events,
        referee.replay,
        wire.sent,
        seconds,
    )
