"""Situations in which requests are refused, and a right request of every operation in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Config
from service.errors import OutcomeUnknownError, StorageUnavailableError
from service.http.openapi.example_problems import WRONG_REQUESTS
from service.store.game_store import GameStore
from service.store.models import Commit, Stale
from tests.chaos.simulation.faulty_store import ModelStore
from tests.clock import Clock
from tests.http.caller import OPERATIONS, Caller
from tests.player import QUICK, Player, create

_KEYED = ("createGame", "joinGame", "drawCard", "discardCard", "leaveGame", "rematchGame")
_LONG_KEY = "k" * 22
_SECONDS = 60
_HUMANS = {
    "seats": [{"kind": "human"}, {"kind": "human"}],
    "rounds": {"first": 1, "last": 1},
    "turn_seconds": _SECONDS,
}


Answers = Iterator[TestResponse]
"""Those to the requests of an operation in some situation; none where it has no such request."""


class FaultyStore(ModelStore):
    """A store that serves until a fault is set: whether the outcome of a change is then unknown."""

    subscription: Any = None
    outcome_unknown: bool | None = None

    def commit(self, commit: Commit) -> Any:
        return super().commit(commit) if self.outcome_unknown is None else self._fail(commit)

    def delete(self, game_id: str, expected: int) -> Any:
        return self._fail(None)

    def _fail(self, commit: Commit | None) -> Stale:
        if self.outcome_unknown:
            raise OutcomeUnknownError("the storage was lost while it wrote", 2)
        return Stale(0 if commit is None else commit.expected)


class AwayStore:
    """A store that does not answer."""

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        return self._fail

    def _fail(self, *_: object) -> NoReturn:
        raise StorageUnavailableError("the storage does not answer", 2)


class Situations:
    """The situations, each a method that makes it anew for one request."""

    def __init__(self, server: Redis, url: str) -> None:
        self.clock, self.model, self._server = Clock(), FaultyStore(), server
        self.client = self._app(GameStore.from_url(url, 2))
        self.over_model = self._app(self.model)
        self.without_storage = self._app(AwayStore())
        self.failing = self._app(FaultyStore(), fails=True)
        self._over: tuple[list[Player], str] | None = None

    def _app(self, store: Any, *, fails: bool = False) -> FlaskClient:
        app = create_app(Config(log_level="CRITICAL"), store, self.clock)
        if fails:
            app.before_request(_fail)
        return app.test_client()

    def all_answers(self, operation: str) -> Answers:
        """The answers to an operation's requests in every situation."""
        for name, method in vars(Situations).items():
            if name.startswith("with_"):
                yield from method(self, operation)

    def _game_over(self, operation: str) -> tuple[list[Player], str]:
        """A finished game, made once for all operations that only read."""
        if OPERATIONS[operation][0] != "GET":
            return self._finished()
        self._over = self._over or self._finished()
        return self._over

    def with_nothing_wrong(self, operation: str) -> Answers:
        yield Caller.of(create(self.client, QUICK)).ask(operation)

    def with_an_unknown_address(self, operation: str) -> Answers:
        yield Caller(self.client, code="none").ask(operation)

    def with_no_token(self, operation: str) -> Answers:
        caller = Caller.of(create(self.client, QUICK))
        caller.token = None
        yield caller.ask(operation)

    def with_the_token_of_no_seat(self, operation: str) -> Answers:
        yield Caller(self.client, create(self.client, QUICK).game["id"]).ask(operation)

    def with_a_foreign_host(self, operation: str) -> Answers:
        caller = Caller.of(create(self.client, QUICK))
        yield caller.ask(operation, headers={"Host": "cards.example"})

    def with_a_host_that_is_none(self, operation: str) -> Answers:
        yield Caller.of(create(self.client, QUICK)).ask(operation, headers={"Host": "a b"})

    def with_a_foreign_origin(self, operation: str) -> Answers:
        caller = Caller.of(create(self.client, QUICK))
        yield caller.ask(operation, headers={"Origin": "https://page.example"})

    def with_an_unknown_media_type_accepted(self, operation: str) -> Answers:
        yield Caller.of(create(self.client, QUICK)).ask(operation, headers={"Accept": "a/b"})

    def with_half_a_body(self, operation: str) -> Answers:
        caller = Caller.of(create(self.client, QUICK))
        yield caller.ask(operation, json=None, data=b'{"card": ', content_type="application/json")

    def with_a_text_as_body(self, operation: str) -> Answers:
        caller = Caller.of(create(self.client, QUICK))
        yield caller.ask(operation, json=None, data=b"stock", content_type="text/plain")

    def with_a_long_body(self, operation: str) -> Answers:
        caller = Caller.of(create(self.client, QUICK))
        yield caller.ask(operation, json={"source": "s" * 100_000})

    def with_wrong_values(self, operation: str) -> Answers:
        if operation not in WRONG_REQUESTS:
            return
        location, _, values = WRONG_REQUESTS[operation]
        name = {"json": "json", "query": "query_string", "headers": "headers"}[location]
        yield Caller.of(create(self.client, QUICK)).ask(operation, **{name: dict(values)})

    def with_a_draw_due(self, operation: str) -> Answers:
        if operation != "drawCard":
            yield from self.with_nothing_wrong(operation)

    def with_a_discard_due(self, operation: str) -> Answers:
        player = create(self.client, QUICK)
        player.draw()
        assert "8H" not in player.game["you"]["hand"]
        yield Caller.of(player).ask(operation)

    def with_others_awaited(self, operation: str) -> Answers:
        yield Caller.of(create(self.client, _HUMANS)).ask(operation)

    def with_the_other_to_move(self, operation: str) -> Answers:
        players, invite = self._humans()
        yield Caller.of(_to_move(players, other=True), invite=invite).ask(operation)

    def with_the_seat_of_a_guest(self, operation: str) -> Answers:
        players, _ = self._humans()
        yield Caller.of(players[1]).ask(operation)

    def with_the_game_over(self, operation: str) -> Answers:
        players, invite = self._game_over(operation)
        yield Caller.of(players[0], invite=invite).ask(operation)

    def with_a_rematch_made(self, operation: str) -> Answers:
        if operation == "rematchGame":
            players, _ = self._finished()
            assert Caller.of(players[0]).ask(operation).status_code == 201
            yield Caller.of(players[1]).ask(operation)

    def with_no_hints(self, operation: str) -> Answers:
        yield Caller.of(create(self.client, {**QUICK, "hints": False})).ask(operation)

    def with_another_version_named(self, operation: str) -> Answers:
        caller = Caller.of(create(self.client, QUICK))
        yield caller.ask(operation, headers={"If-Match": '"99.0.3"'})

    def with_the_key_of_another_request(self, operation: str) -> Answers:
        if operation not in _KEYED:
            return
        key = {"Idempotency-Key": _LONG_KEY + create(self.client, QUICK).game["id"]}
        players, invite = self._humans()
        match operation:
            case "createGame":
                Caller(self.client).ask("createGame", headers=key)
                yield Caller(self.client).ask("createGame", headers=key, json=QUICK)
            case "joinGame":
                waiting = create(self.client, _HUMANS)
                caller = Caller.of(waiting, invite=_invite(waiting), headers=key)
                assert caller.ask("joinGame").status_code == 201
                yield caller.ask("joinGame", json={"invite": caller.invite, "name": "Bo"})
            case "rematchGame":
                players, _ = self._finished()
                assert Caller.of(players[0], headers=key).ask("rematchGame").status_code == 201
                yield Caller.of(players[1], headers=key).ask("rematchGame")
            case _:
                caller = Caller.of(_to_move(players), headers=key, invite=invite)
                drawn = caller.ask("drawCard", json={"source": "discard"})
                assert drawn.status_code == 200
                yield caller.ask(operation)

    def with_a_key_of_long_ago(self, operation: str) -> Answers:
        if operation not in ("drawCard", "discardCard", "leaveGame"):
            return
        player = create(self.client, QUICK)
        for number in range(5):
            player.draw(idempotency_key=f"draw-{number}")
            player.discard(idempotency_key=f"discard-{number}")
        yield Caller.of(player).ask(operation, headers={"Idempotency-Key": "draw-0"})

    def with_a_damaged_game(self, operation: str) -> Answers:
        key = {"Idempotency-Key": _LONG_KEY + create(self.client, QUICK).game["id"]}
        player = create(self.client, QUICK, **{k.replace("-", "_"): v for k, v in key.items()})
        self._server.hset(f"{{g:{player.game['id']}}}:game", "version", "x")
        headers = key if operation == "createGame" else {}
        yield Caller.of(player).ask(operation, headers=headers)

    def with_no_storage(self, operation: str) -> Answers:
        yield Caller(self.without_storage).ask(operation)

    def with_the_storage_lost_while_it_writes(self, operation: str) -> Answers:
        for caller in self._with_fault():
            self.model.outcome_unknown = True
            yield caller.ask(operation)

    def with_other_changes_always_first(self, operation: str) -> Answers:
        for caller in self._with_fault():
            self.model.outcome_unknown = operation == "createGame"  # which nothing comes before
            yield caller.ask(operation)

    def with_a_fault_of_the_service(self, operation: str) -> Answers:
        yield Caller(self.failing).ask(operation)

    def _with_fault(self) -> Iterator[Caller]:
        """A game that waits, one with an overdue turn and one that is over, in a faulty store."""
        client, self.client = self.client, self.over_model
        for start in (self._waiting, self._humans, self._finished):
            self.model.outcome_unknown = None
            players, invite = start()
            self.clock.now += _SECONDS * 2_000
            yield Caller.of(players[0], invite=invite)
        self.client = client

    def _waiting(self) -> tuple[list[Player], str]:
        ann = create(self.client, _HUMANS)
        return [ann], _invite(ann)

    def _humans(self) -> tuple[list[Player], str]:
        """Two humans in a game that is played, and the invite of the second."""
        ann = create(self.client, _HUMANS)
        invite = _invite(ann)
        joined = self.client.post(ann.path + "/seats", json={"invite": invite})
        return [ann, Player(self.client, joined)], invite

    def _finished(self) -> tuple[list[Player], str]:
        players, invite = self._humans()
        while (game := players[0].get().get_json())["status"] == "playing":
            mover = players[game["turn"]["seat"]]
            mover.game = mover.get().get_json()
            mover.turn()
        return players, invite


def _fail() -> None:
    raise RuntimeError("a fault")


def _invite(creator: Player) -> str:
    code: str = creator.created.get_json()["invites"][0]["code"]
    return code


def _to_move(players: list[Player], *, other: bool = False) -> Player:
    """The player who is to move, or the other one."""
    seat = players[0].get().get_json()["turn"]["seat"]
    return players[1 - seat if other else seat]
