"""Play whole games over HTTP and check every answer against the contract.

The referee is a second implementation of the rules: it shares no code with the engine, and it
knows only what seat 0 may know.

    Session        creates a game as seat 0, draws and discards
    CheckedClient  sends the requests and checks what is promised of any answer
    KnownGame      follows the events and computes the state that every view must show
    ViewCheck      compares a view with that state
    check_reviews  compares the reviews of the end with the events
    SideRequests   reads, and requests that must be refused, between the moves

At the end the replay is played again from the secret. A broken promise is an AssertionError that
names it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.dealer import Event, Replayer
from tests.referee.checked_client import CheckedClient
from tests.referee.contract import REPLAY_FIELDS, VIEWER, View, check_equal, check_fields, redacted
from tests.referee.review_check import check_reviews
from tests.referee.session import Session
from tests.referee.side_requests import SideRequests


@dataclass(frozen=True, slots=True)
class RefereedGame:
    """A game that was played and checked: its last view and events for seat 0, and its replay."""

    game_id: str
    options: Mapping[str, Any]
    view: View
    events: list[Event]
    replay: dict[str, Any]
    requests: int
    seconds: float


class Referee:
    """Plays one game as seat 0 and checks every answer."""

    def __init__(
        self, client: CheckedClient, options: Mapping[str, Any], rng: random.Random
    ) -> None:
        self.client = client
        self.session = Session(client, options, rng)
        self.side_requests = SideRequests(self.session)

    def play(self) -> None:
        """Create a game, play it to its end and check everything on the way."""
        self.session.create()
        self.side_requests.maybe_send_one()
        for send in self.side_requests.all:
            send()
        while self.session.known.phase != "finished":
            self.session.draw()
            self.side_requests.maybe_send_one()
            self.session.discard()
            self.side_requests.maybe_send_one()
        self.check_end()

    def check_end(self) -> None:
        """A finished game shows everything to everyone and accepts no more moves."""
        self.client.secrets = {self.session.token}
        self.side_requests.check_view_is_unchanged()
        self.side_requests.check_spectator_view()
        self.side_requests.check_scores()
        self.side_requests.check_all_events(self.session.token, VIEWER)
        self.side_requests.check_all_events(None, None)
        self._check_replay()
        check_reviews(self.client, self.session, self.replay)
        for move in self.side_requests.move_bodies():
            self.side_requests.expect_refusal(409, "game-finished", move)
        self.side_requests.check_view_is_unchanged()

    def _check_replay(self) -> None:
        path = f"{self.session.path}/replay"
        self.replay: dict[str, Any] = self.client.send(200, "GET", path, self.session.token).json()
        check_equal(
            self.client.send(200, "GET", path).json(), self.replay, "the spectator's replay"
        )
        check_fields(self.replay, REPLAY_FIELDS, "the replay")
        check_equal(
            self.replay["commitment"],
            self.session.known.commitment,
            "the commitment of the replay",
        )
        for name in ("jokers", "aces", "rounds"):
            check_equal(
                self.replay["rules"][name],
                self.session.view["rules"][name],
                f"{name} of the replay",
            )
        seen = [redacted(event, VIEWER) for event in self.replay["events"]]
        check_equal(seen, self.session.known.events, "the replay's events as seat 0 saw them")
        check_equal(self.replay["secret"], seen[-1]["secret"], "the secret of the replay")
        if self.session.options.get("seed") is not None:
            check_equal(
                self.replay["secret"],
                self.session.options["seed"].lower(),
                "the secret of a seeded game",
            )
        ours = [action for action in self.replay["actions"] if action["seat"] == VIEWER]
        check_equal(ours, self.session.moves, "our actions in the replay")
        Replayer(self.replay).check()

    def delete(self) -> None:
        """The creator alone can delete the game; then it is gone for every caller."""
        self.client.expect_problem(401, "token-required", "DELETE", self.session.path)
        self.client.send(204, "DELETE", self.session.path, self.session.token)
        for more in ({}, {"token": self.session.token}):
            self.client.expect_problem(404, "game-not-found", "GET", self.session.path, **more)


def play_game(
    base_url: str,
    seed: str | None,
    options: Mapping[str, Any],
    rng: random.Random,
    *,
    delete: bool = True,
) -> RefereedGame:
    """Play one game to its end as seat 0, check every answer, then delete the game.

    `options` is the body of createGame without its seed (64 hex digits). The requests depend on
    `rng` and the answers alone, so a seeded game can be repeated exactly.
    """
    body = dict(options) if seed is None else {**options, "seed": seed}
    client, started = CheckedClient(base_url), time.perf_counter()
    referee = Referee(client, body, rng)
    session = referee.session
    try:
        referee.play()
        if delete:
            referee.delete()
    except Exception as error:
        error.add_note(f"after request {client.sent}: {client.last}; {body}; {session.path}")
        raise
    finally:
        client.session.close()
    seconds, view, events = time.perf_counter() - started, session.view, session.known.events
    return RefereedGame(view["id"], body, view, events, referee.replay, client.sent, seconds)
