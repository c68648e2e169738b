"""The non-interference trial, small; and that it detects seeded leaks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from unittest import mock

import pytest
from flask import Response

from engine import game as games
from engine import table, view
from engine.events import Body, CardDiscarded
from engine.fields import JsonObject, to_json
from engine.game import Game, Step
from engine.round import Layout, Source
from tests.builders import write_cards
from tests.chaos.access import call_sets
from tests.chaos.access.calls import GAME, Call
from tests.chaos.access.instance import Leak
from tests.chaos.access.noninterference import compare
from tests.chaos.access.permitted_differences import PermittedDifferences
from tests.chaos.description import operations
from tests.scale import scaled


def test_no_answer_depends_on_what_its_caller_may_not_know() -> None:
    comparison = compare(scaled(120))
    assert comparison.violations == []
    counts = comparison.counts
    assert counts["differing"] > 0.9 * counts["pairs"]
    assert counts["answers"] > 40 * counts["pairs"]
    kinds = ("final", "ai_hands_equal", "moves", "diverged", "streamed")
    assert min(counts[name] for name in kinds) > 0
    assert min(counts[str(status)] for status in (200, 304, 401, 403, 404, 405, 409, 412)) > 0


def test_every_operation_on_a_game_is_compared() -> None:
    missing = not_sent(call_sets.every_operation())
    assert not missing, f"add to PERMISSIONS in tests/chaos/access/permissions.py: {missing}"


def test_every_read_of_a_game_is_compared_after_every_move() -> None:
    missing = not_sent(call_sets.short_reads(1), "GET")
    assert not missing, f"add to PERMISSIONS in tests/chaos/access/permissions.py: {missing}"


def not_sent(sent: Iterable[Call], *methods: str) -> list[str]:
    """The operations on a game, of these methods or of any, that no call is of."""
    compared = {(call.method, call.path.partition("?")[0]) for call in sent}
    return [
        name
        for name, operation in operations().items()
        if operation.path.startswith(GAME)
        and (not methods or operation.method in methods)
        and (operation.method, operation.path) not in compared
    ]


def changed(response: Response, change: Callable[[dict[str, object]], object]) -> None:
    """Change the JSON object in an answer, if there is one."""
    if response.get_data()[:1] == b"{":
        body = json.loads(response.get_data())
        change(body)
        response.set_data(json.dumps(body))


def layout_of(game: Game) -> Layout | None:
    return None if game.round is None else game.round.layout


def a_field_with_the_hands(response: Response, game: Game) -> None:
    if (layout := layout_of(game)) is not None:
        hands = list(map(write_cards, layout.hands))
        changed(response, lambda body: body.update(hands=hands))


def a_tag_of_the_state(response: Response, game: Game) -> None:
    if "ETag" in response.headers:
        response.headers["ETag"] = f'"{hash(game)}"'


def a_length_that_depends_on_the_stock(response: Response, game: Game) -> None:
    if (layout := layout_of(game)) is not None and response.get_data():
        response.set_data(response.get_data() + b" " * layout.stock[-1])


def an_error_that_names_the_top_of_the_stock(response: Response, game: Game) -> None:
    if (layout := layout_of(game)) is not None and response.status_code == 409:
        changed(response, lambda body: body.update(detail=f"Next comes {layout.stock[-1]}."))


def a_header_with_the_secret(response: Response, game: Game) -> None:
    response.headers["X-Debug"] = game.secret.hex()


def a_hint_that_names_the_stock(response: Response, game: Game) -> None:
    if (layout := layout_of(game)) is not None and b'"reason"' in response.get_data():
        changed(response, lambda body: body.update(reason=f"Draw the {layout.stock[0]}."))


def a_status_that_depends_on_the_secret(response: Response, game: Game) -> None:
    if response.status_code == 401 and game.secret[0] % 2:
        response.status_code = 403


LEAKS = [
    a_field_with_the_hands,
    a_tag_of_the_state,
    a_length_that_depends_on_the_stock,
    an_error_that_names_the_top_of_the_stock,
    a_header_with_the_secret,
    a_hint_that_names_the_stock,
    a_status_that_depends_on_the_secret,
]


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_a_seeded_leak_is_detected(leak: Leak) -> None:
    assert compare(6, leak, first=True).violations


def draw_that_depends_on_the_secret(game: Game) -> Step:
    """A draw of an AI player that knows the secret."""
    source = Source.STOCK if game.secret[0] % 2 else Source.DISCARD
    return games.draw(game, game.layout.seat, source)


def with_declarations(body: Body, *, to_drawer: bool) -> JsonObject:
    """The fields of an event with one that is for nobody."""
    own = to_json(body, to_drawer=to_drawer)
    return {**own, "go_out": body.go_out} if isinstance(body, CardDiscarded) else own


FAULTS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "the draws of others in the list of events": lambda: mock.patch(
        "service.games.answers.responses.redacted", lambda event, at, _: view.revealed(event, at)
    ),
    "the draws of others in a stream": lambda: mock.patch(
        "service.games.watching.current_game.redacted",
        lambda event, at, _: view.revealed(event, at),
    ),
    "whether a seat declared that it goes out": lambda: mock.patch.object(
        view, "to_json", with_declarations
    ),
    "an AI player that knows the secret": lambda: mock.patch.object(
        table, "_chosen_draw", draw_that_depends_on_the_secret
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_seeded_fault_of_the_service_is_detected(fault: str) -> None:
    with FAULTS[fault]():
        assert compare(30, first=True).violations


def event(kind: str, **fields: object) -> dict[str, object]:
    return {"type": kind, "round": 3, **fields}


DRAWN = event("card_drawn", seat=1, source="stock", card=None)
TAKEN = event("card_drawn", seat=1, source="discard", card="8H")
DISCARDED = event("card_discarded", seat=1, card="8H")
OUT = event("went_out", seat=1, hand=["8H"], melds=[])
SCORED = event("round_scored", went_out=1, stalled=False, seats=[{"points": 1}, {"points": 2}])


@pytest.mark.parametrize(
    ("one", "other", "is_permitted"),
    [
        (DRAWN, TAKEN, True),
        (DRAWN, {**DRAWN, "card": "8H"}, False),
        (TAKEN, {**TAKEN, "card": "9H"}, False),
        (DRAWN, {**DRAWN, "seat": 0}, False),
        (DISCARDED, {**DISCARDED, "card": "9H"}, True),
        (DISCARDED, {**DISCARDED, "seat": 0}, False),
        (OUT, DRAWN, True),
        (OUT, None, True),
        (DRAWN, None, False),
        (SCORED, {**SCORED, "seats": [{"points": 1}, {"points": 9}]}, True),
        (SCORED, {**SCORED, "seats": [{"points": 9}, {"points": 2}]}, False),
        (SCORED, {**SCORED, "stalled": True}, False),
        (event("stock_reshuffled", stock_count=9), TAKEN, True),
        (event("stock_reshuffled", stock_count=9), DRAWN, False),
        (event("seat_left", seat=1), event("seat_left", seat=2), False),
    ],
)
def test_events_may_differ_only_where_they_reveal_hidden_cards(
    one: dict[str, object], other: dict[str, object] | None, is_permitted: bool
) -> None:
    permitted = PermittedDifferences(viewer=0, equal_seats=frozenset({0}), equal_draws=False)
    logs = [[event("round_dealt", upcard="8H"), each] for each in (one, other) if each]
    second = logs[1] if other else logs[0][:1]
    assert (permitted.violation(logs[0], second) is None) == is_permitted


def test_a_seat_with_equal_hands_must_act_the_same_in_both_instances() -> None:
    permitted = PermittedDifferences(viewer=0, equal_seats=frozenset({0, 1}), equal_draws=True)
    for other in (TAKEN, {**DRAWN, "card": "8H"}):
        assert permitted.violation([DRAWN], [other]) is not None
    assert permitted.violation([OUT], []) is not None
    own = event("card_drawn", seat=0, source="stock", card="8H")
    assert permitted.violation([own], [{**own, "card": "9H"}]) is not None
    dealt = event("round_dealt", upcard="8H")
    assert permitted.violation([dealt, own], [dealt, {**own, "card": "9H"}]) is None
    assert permitted.violation([dealt], [dealt]) == "no event differs"
