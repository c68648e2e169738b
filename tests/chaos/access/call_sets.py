"""The calls of which an answer could show what its caller may not know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.cards import CARDS
from engine.game import Game
from engine.round import Drawing
from service.games.answers.entity_tags import VIEW_FORMAT
from tests.chaos.access import positions
from tests.chaos.access.calls import (
    DELETE,
    DRAW,
    GAME,
    LEAVE,
    REMATCH,
    Call,
    get,
    post,
    stream,
)
from tests.chaos.access.permissions import PERMISSIONS

_NO_INVITE = "of no seat"


def every_operation() -> Iterator[Call]:
    """Every operation on a game, each with the request of the table of permissions."""
    calls = (operation.call(_NO_INVITE) for operation in PERMISSIONS.values())
    yield from (call for call in calls if call.path.startswith(GAME))


def short_reads(after: int) -> Iterator[Call]:
    """Every read of a game; of its events those after `after`."""
    events = f"{GAME}/events"
    for call in every_operation():
        if call.method == "GET" and not call.path.startswith(events):
            yield call
    yield get(f"/events?after={after}&limit=1000")
    yield stream()
    yield stream(f"?after={after}")
    yield get(f"/events?after={after}&wait=1")


def all_reads_and_refusals(
    version: int, viewer: str, last: int, cards: Iterable[str]
) -> Iterator[Call]:
    """Every read, and requests that are refused in every state of a game.

    `viewer` is the seat as entity tags name it; the `cards` are for discards that are invalid.
    """
    tag = f'"{version}.{viewer}.{VIEW_FORMAT}"'
    yield from short_reads(0)
    yield from (get(If_None_Match=tags) for tags in (tag, "*", '"1.0.0"'))
    yield Call(method="HEAD")
    yield from (get(f"/events?after={after}&limit=3") for after in (max(0, last - 2), last + 5))
    yield from (get(f"/events?{query}") for query in ("limit=0", "after=x", "before=1", "wait=x"))
    yield from (stream(Last_Event_ID=str(seq)) for seq in (0, last, last + 5))
    yield from (stream(query) for query in ("?limit=5", "?wait=1", "?after=x"))
    yield stream(Last_Event_ID="x")
    yield get(f"/events?after={last}&wait=1")
    yield get(Accept="text/html")
    yield get(Host="evil.example")
    yield get("/stock")
    yield Call(method="PUT")
    yield from _refused_moves(cards)
    yield post("/seats", {"invite": _NO_INVITE})
    yield post("/seats", {"token": _NO_INVITE})
    yield post("/seats", {"invite": _NO_INVITE, "token": _NO_INVITE})
    yield post("/seats", {"name": "Bo"})
    yield REMATCH.but(Idempotency_Key="two words")
    yield LEAVE.but(Idempotency_Key="two words")


def _refused_moves(cards: Iterable[str]) -> Iterator[Call]:
    yield post("/draw", {"source": "pile"})
    yield post("/draw", b'{"source":')
    yield post("/draw", b" " * 20_000)
    yield Call(f"{GAME}/draw", "POST", b'{"source": "stock"}', (("Content-Type", "text/plain"),))
    yield DRAW.but(If_Match='"0.0.3"')
    yield DRAW.but(Idempotency_Key="two words")
    yield from (post("/discard", {"card": card}, If_Match='"0.0.3"') for card in ("8H", "1J"))
    yield from (post("/discard", {"card": card, "go_out": "yes"}) for card in cards)


def refused(game: Game, viewer: int | None) -> Iterator[Call]:
    """Calls that are valid, but that this viewer may not make in the state of the game."""
    others = set(game.humans) - {0}
    if viewer is None:
        yield from (call for call in every_operation() if call.method != "GET")
    elif game.round is None or game.layout.seat != viewer:
        yield from (DRAW, post("/discard", {"card": "8H"}))
    elif isinstance(game.round, Drawing):
        hidden = (*game.layout.pile, *game.layout.stock)[-1]
        yield post("/discard", {"card": str(hidden)})
    else:
        yield DRAW
        for card in sorted(set(CARDS) - set(game.layout.hand)):
            yield post("/discard", {"card": str(card)})
    if others and (viewer or game.round is not None):
        yield DELETE
    yield from (post("/seats", {"invite": positions.invite(seat)}) for seat in sorted(others))
