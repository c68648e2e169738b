"""What the API description cannot tell Schemathesis: which token goes with which game, what makes
a game fit for a call, and which refusals of well-formed requests are right.

Loaded by Schemathesis, in its own process.
"""
# ruff: noqa: ARG001 - the signatures are Schemathesis's

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

import requests
import schemathesis
from hypothesis import strategies as st
from schemathesis import AuthContext, Case, CheckContext, HookContext, Response
from schemathesis.core.failures import Failure

from engine.rules import MAX_SEATS, MIN_SEATS

NEW = "a-new-game------------"
FINISHED = "a-finished-game-------"
_TOKEN = "Bearer of-the-game"
_SEED = "13" * 32
_KEY = re.compile(r"[\x21-\x7e]{22,255}")
_CARD = re.compile(r"[A23456789TJQK][CDHS]|JK")
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_RULES = (
    # No card more often than the game has it; a schema cannot count equal items.
    re.compile(r"/cards: (?:..) is there \d+ times, not \d\."),
    # The first seat is the creator's, a seeded game has no other human, only AI have a level.
    re.compile(r"/seats/0/kind: seat 0 is the creator's: it must be human"),
    re.compile(r"/seats/\d/kind: a seeded game has one human: .*"),
    re.compile(r"/seats/\d/level: only an AI player has a level"),
    # Nor can a schema compare two numbers.
    re.compile(r"/rounds: The first round must not come after the last one\."),
    # A schema that says so would give generated clients two types for one body.
    re.compile(r": Send exactly one of invite and token\."),
)
_STATES = {
    "stale-version",  # If-Match names a version that the game has not
    "idempotency-key-reused",  # the key came with another request before
}


@dataclass
class Game:
    """A game that is known with its token; `hand` and `tag` are of the view last seen."""

    id: str
    token: str
    hand: list[str]
    tag: str
    invites: list[str]

    def saw(self, view: dict[str, Any]) -> None:
        """Remember a view."""
        self.hand = view["you"]["hand"] or []
        self.tag = f'"{view["version"]}.0.3"'


_games: dict[str, Game] = {}
_numbers = count()


def _ask(url: str, method: str, path: str, token: str | None = None, **body: Any) -> Any:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = requests.request(method, url + path, json=body, headers=headers, timeout=30)
    answer.raise_for_status()
    return answer.json()


def _learn(answered: dict[str, Any]) -> Game:
    """Remember a game from the answer of its creation."""
    invites = [invite["code"] for invite in answered.get("invites", [])]
    game = Game(answered["game"]["id"], answered["token"], [], "", invites)
    game.saw(answered["game"])
    return _games.setdefault(game.id, game)


def _waiting_game(url: str) -> Game:
    return _learn(_ask(url, "POST", "/v1/games", seats=[{"kind": "human"}] * 2))


def _new_game(url: str, *, drawn: bool) -> Game:
    game = _learn(_ask(url, "POST", "/v1/games", seed=_SEED))
    if drawn:
        path = f"/v1/games/{game.id}/draw"
        game.saw(_ask(url, "POST", path, game.token, source="stock")["game"])
    return game


@cache
def _finished_game(url: str) -> Game:
    """A game played to its end, the same for all calls that only read."""
    return _played_to_the_end(url)


def _played_to_the_end(url: str) -> Game:
    table = [{"kind": "human"}, {"kind": "ai"}]
    answered = _ask(url, "POST", "/v1/games", seats=table, seed=_SEED)
    game, seen = _learn(answered), answered["game"]
    while seen["status"] == "playing":
        path = f"/v1/games/{game.id}"
        seen = _ask(url, "POST", f"{path}/draw", game.token, source="stock")["game"]
        card = seen["you"]["arrangement"]["discard"]
        seen = _ask(url, "POST", f"{path}/discard", game.token, card=card)["game"]
    return game


def _operation(case: Case) -> str:
    name: str = case.operation.definition.raw["operationId"]
    return name


def _game_for(case: Case, placeholder: str) -> Game:
    url = case.operation.base_url.rstrip("/")
    name = _operation(case)
    if name == "joinGame":
        return _waiting_game(url)
    if name == "rematchGame" and placeholder == FINISHED:
        return _played_to_the_end(url)
    reads = placeholder == FINISHED and name not in ("deleteGame", "leaveGame")
    if reads or name in ("getReplay", "getReview"):
        return _finished_game(url)
    return _new_game(url, drawn=name == "discardCard")


@schemathesis.auth(refresh_interval=None, retry_on=[])
class SeatToken:
    """A stand-in for the token of the game that the request will name."""

    def get(self, case: Case, context: AuthContext) -> str | None:
        return _TOKEN if "{game_id}" in case.operation.path else None

    def set(self, case: Case, data: str, context: AuthContext) -> None:
        case.headers["Authorization"] = data


@schemathesis.hook
def before_generate_case(context: HookContext, strategy: st.SearchStrategy[Case]) -> Any:
    """Send a request id with every request, so that no operation is without anything to vary."""
    texts = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=70)

    def with_id(case: Case, text: str) -> Case:
        case.headers["X-Request-Id"] = text
        return case

    return st.builds(with_id, strategy, texts)


@schemathesis.hook
def before_call(context: HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    """Put a real game, its token and its cards in the place of what stands for them."""
    parameters = case.path_parameters or {}
    if parameters.get("game_id") in (NEW, FINISHED):
        parameters["game_id"] = _game_for(case, parameters["game_id"]).id
    game = _games.get(parameters.get("game_id", ""))
    if case.headers.get("Authorization") == _TOKEN:
        _authorize(case, game)
    if game is not None:
        _fit(case, game)
    _choose_seat(case)
    _make_repeatable(case)
    _wait_shortly(case)


def _wait_shortly(case: Case) -> None:
    """Let a call that waits for events be answered before the caller gives up."""
    wait = (case.query or {}).get("wait")
    if str(wait).isascii() and str(wait).isdigit() and 1 < int(wait) <= 25:
        case.query["wait"] = 1


def _choose_seat(case: Case) -> None:
    """Let a query name one of the first two seats, which every game has."""
    seat = str((case.query or {}).get("seat"))
    if seat.isascii() and seat.isdigit() and int(seat) < MAX_SEATS:
        case.query["seat"] = int(seat) % MIN_SEATS


def _authorize(case: Case, game: Game | None) -> None:
    """Send the game's token; with some request ids none, with some that of no game."""
    match len(case.headers.get("X-Request-Id", "")) % 8:
        case 6:
            del case.headers["Authorization"]
        case 7:
            case.headers["Authorization"] = "Bearer of-no-game"
        case _:
            token = "of-no-game" if game is None else game.token
            case.headers["Authorization"] = f"Bearer {token}"


def _seat_one_human(seats: object) -> None:
    """Let a human and AI players sit where the rules want them, if each sits at all."""
    for number, seat in enumerate(seats if isinstance(seats, list) else []):
        if isinstance(seat, dict) and seat.get("kind") in ("human", "ai"):
            seat["kind"] = "ai" if number else "human"
            if not number and seat.get("level") == "medium":
                seat["level"] = None


def _send_one_invite(body: dict[str, Any]) -> None:
    """Let a join have an invite or a token, where nothing else is wrong with either."""
    given = [body[name] for name in ("invite", "token") if name in body]
    if not given:
        body["invite"] = "of no seat"
    elif len(given) == 2 and all(isinstance(each, str) and 0 < len(each) <= 100 for each in given):
        del body["token"]


def _make_repeatable(case: Case) -> None:
    """Let nothing but the request decide the answer, as Hypothesis gives up what varies.

    So a new game is dealt from a seed of ours, and a key is never one that was used before.
    """
    name, fits = _operation(case), len(case.headers.get("X-Request-Id", "")) % 4 != 3
    if name == "createGame" and isinstance(case.body, dict):
        case.body.setdefault("seed", _SEED)
        if fits:
            _seat_one_human(case.body.get("seats"))
    if name == "joinGame" and isinstance(case.body, dict) and fits:
        _send_one_invite(case.body)
    key = case.headers.get("Idempotency-Key")
    if isinstance(key, str) and _KEY.fullmatch(key):
        case.headers["Idempotency-Key"] = f"{next(_numbers)}-{key}"[:255]


def _fit(case: Case, game: Game) -> None:
    """Let some values stand for what fits the game, as others seldom do.

    A red card or a joker is one of the hand, a tag of even length the current one, as is an
    invite of such length.
    """
    invite = case.body.get("invite") if isinstance(case.body, dict) else None
    if isinstance(invite, str) and len(invite) % 2 == 0 and game.invites:
        case.body["invite"] = game.invites[0]
    card = case.body.get("card") if isinstance(case.body, dict) else None
    if isinstance(card, str) and _CARD.fullmatch(card) and card[1] in "HDK" and game.hand:
        case.body["card"] = game.hand["A23456789TJQK".find(card[0]) % len(game.hand)]
    for name in ("If-Match", "If-None-Match"):
        tag = case.headers.get(name)
        if isinstance(tag, str) and len(tag) % 2 == 0:
            case.headers[name] = game.tag


@schemathesis.hook
def after_call(context: HookContext, case: Case, response: Response) -> None:
    """Remember games and hands."""
    if response.request.method != "POST":
        return
    if response.status_code == 201:
        _learn(response.json())
    elif response.status_code == 200 and _operation(case) in ("drawCard", "discardCard"):
        seen = response.json()["game"]
        _games[seen["id"]].saw(seen)


@schemathesis.hook
def filter_failure(context: HookContext, failure: Failure, case: Case, response: Response) -> bool:
    """Drop complaints about refusals that are right, though no schema can say so."""
    if failure.code == "ST401" and _operation(case) == "deleteGame":
        # After the deletion that began the check nobody's token is asked for: the game is gone.
        return "got `404 Not Found`" not in failure.message
    if failure.code != "ST202":
        return True
    problem = response.json()
    if problem["code"] == "validation-failed":
        return not all(_is_a_rule(fault) for fault in problem["errors"])
    return problem["code"] not in _STATES


def _is_a_rule(fault: dict[str, str]) -> bool:
    text = f"{fault['pointer']}: {fault['detail']}"
    return any(rule.fullmatch(text) for rule in _RULES)


@schemathesis.check
def a_refusal_has_a_code_that_the_operation_documents(
    ctx: CheckContext, response: Response, case: Case
) -> None:
    stated = case.operation.definition.raw["responses"].get(str(response.status_code), {})
    content = stated.get("content", {}).get("application/problem+json")
    if content is not None and case.method.upper() == case.operation.method.upper():
        assert response.json()["code"] in content["examples"]


@schemathesis.check
def the_request_id_comes_back_or_is_replaced(
    ctx: CheckContext, response: Response, case: Case
) -> None:
    sent = case.headers.get("X-Request-Id", "")
    (got,) = response.headers["x-request-id"]
    assert _REQUEST_ID.fullmatch(got)
    assert got == sent or not _REQUEST_ID.fullmatch(sent)


@schemathesis.check
def a_repeated_request_has_its_first_answer_again(
    ctx: CheckContext, response: Response, case: Case
) -> None:
    sent = response.request
    made = sent.method == "POST" and response.status_code in (200, 201)
    if made and "Idempotency-Key" in sent.headers:
        with requests.Session() as session:
            again = session.send(sent, timeout=30)
        assert again.headers["Idempotency-Replayed"] == "true"
        assert (again.status_code, again.content) == (response.status_code, response.content)
        assert again.headers["ETag"] == response.headers["etag"][0]
