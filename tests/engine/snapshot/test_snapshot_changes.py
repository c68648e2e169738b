"""A stored game that was changed anywhere is refused, or it is a game that plays to its end."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import table
from engine.errors import SnapshotError
from engine.game import Game, Status
from engine.round import Drawing, Source
from engine.seats import HumanSeat, has_joined, is_away
from engine.snapshot import dump, load
from engine.solver.arrangement import best_discard
from engine.view import advise, view
from tests.engine.snapshot.snapshots import STORED, STORED_4, as_format_3, plain, written
from tests.scale import scaled

FEW_SOLVES = 300  # so that a game is soon over
OTHER_TYPES: tuple[object, ...] = (None, True, 7.5, "x", [], {})
NULLABLE = {"round", "turn_seconds", "deadline", "out"}

Path = tuple[str | int, ...]


def paths(value: object, path: Path = ()) -> Iterator[Path]:
    """Every place in a JSON value but the whole."""
    inner = enumerate(value) if isinstance(value, list) else ()
    for step, each in value.items() if isinstance(value, dict) else inner:
        yield (*path, step)
        yield from paths(each, (*path, step))


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize("name", STORED)
def test_whatever_is_deleted_is_missed(name: str) -> None:
    for path in paths(plain(name)):
        value = plain(name)
        del at(value, path[:-1])[path[-1]]
        for form in (value, as_format_3(value)):
            with pytest.raises(SnapshotError):
                load(written(form))
    for path in paths(plain(name, STORED_4)):
        value = plain(name, STORED_4)
        del at(value, path[:-1])[path[-1]]
        with pytest.raises(SnapshotError):
            load(written(value))


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("stored", [STORED, STORED_4], ids=["2 and 3", "4"])
def test_nothing_may_have_another_type(name: str, stored: Mapping[str, str]) -> None:
    for path in paths(plain(name, stored)):
        for other in OTHER_TYPES:
            value = plain(name, stored)
            if type(at(value, path)) is type(other) or (other is None and path[-1] in NULLABLE):
                continue
            at(value, path[:-1])[path[-1]] = other
            for form in (value, as_format_3(value)):
                with pytest.raises(SnapshotError):
                    load(written(form))


@st.composite
def changed_games(draw: st.DrawFn) -> bytes:
    value = plain(draw(st.sampled_from(sorted(STORED))), draw(st.sampled_from([STORED, STORED_4])))
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        path = draw(st.sampled_from(list(paths(value))))
        draw(st.sampled_from(CHANGES))(draw, value, path)
    return written(draw(st.sampled_from([value, as_format_3(value)])))


def delete(_: st.DrawFn, value: Any, path: Path) -> None:
    del at(value, path[:-1])[path[-1]]


def put_any(draw: st.DrawFn, value: Any, path: Path) -> None:
    at(value, path[:-1])[path[-1]] = draw(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=5), inner, max_size=3)
            ),
            max_leaves=4,
        )
    )


def put_another(draw: st.DrawFn, value: Any, path: Path) -> None:
    """What stands at some other place."""
    other = at(value, draw(st.sampled_from(list(paths(value)))))
    at(value, path[:-1])[path[-1]] = copy.deepcopy(other)


def put_near(draw: st.DrawFn, value: Any, path: Path) -> None:
    """A value of the same type that is a little different."""
    match at(value, path):
        case bool(flag):
            near: object = not flag
        case int(number):
            near = number + draw(st.integers(-5, 5))
        case str(text) if " " in text:
            near = " ".join(draw(st.permutations(text.split())))
        case str(text):
            cut = draw(st.integers(0, len(text)))
            near = text[:cut] + draw(st.text(max_size=2)) + text[cut + 1 :]
        case list(items):
            near = draw(st.permutations(items))
        case same:
            near = same
    at(value, path[:-1])[path[-1]] = near


def add(draw: st.DrawFn, value: Any, path: Path) -> None:
    """A member that nobody knows, or an item once more."""
    match at(value, path[:-1]):
        case dict(members):
            members[draw(st.text(max_size=3))] = copy.deepcopy(members[path[-1]])
        case items:
            items.insert(path[-1], copy.deepcopy(items[path[-1]]))


def swap_cards(draw: st.DrawFn, value: Any, _: Path) -> None:
    """Two cards change places, and hands are sorted again."""
    if not value.get("round"):
        return
    places = [path for path in paths(value) if path[0] == "round" and is_pile(at(value, path))]
    if not places:
        return
    ends = [draw(st.sampled_from(places)) for _ in range(2)]
    picks = [draw(st.integers(0, len(at(value, path).split()) - 1)) for path in ends]
    codes = [at(value, path).split()[pick] for path, pick in zip(ends, picks, strict=True)]
    for path, pick, code in zip(ends, picks, reversed(codes), strict=True):
        cards = at(value, path).split()
        cards[min(pick, len(cards) - 1)] = code
        at(value, path[:-1])[path[-1]] = " ".join(cards)


def is_pile(value: object) -> bool:
    return isinstance(value, str) and " " in value


CHANGES = (delete, put_any, put_another, put_near, put_near, put_near, add, swap_cards)


@pytest.mark.long
@settings(
    max_examples=scaled(3000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(changed_games())
def test_a_changed_game_is_refused_or_plays_to_its_end(blob: bytes) -> None:
    try:
        game = load(blob)
    except SnapshotError:
        return
    assert load(dump(game)) == game
    over = played(replace(game, turn_solves=min(game.turn_solves, FEW_SOLVES)))
    assert load(dump(over)) == over


@pytest.mark.parametrize("name", STORED)
def test_a_stored_game_plays_to_its_end(name: str) -> None:
    over = played(load(STORED[name].encode()))
    assert over.abandoned or over.result is not None
    assert load(dump(over)) == over


def played(game: Game) -> Game:
    """The game at its end, each viewer having looked at every state before."""
    for seat, each in enumerate(game.seats):
        if game.status is Status.WAITING and not has_joined(each):
            game = table.join(game, seat, "New", now=0).game
    while game.status is Status.PLAYING:
        look(game)
        game = moved(game)
    look(game)
    return game


def look(game: Game) -> None:
    view(game, None)
    for seat in range(len(game.seats)):
        advise(view(game, seat))


def moved(game: Game) -> Game:
    layout = game.layout
    mover = game.seats[layout.seat]
    assert isinstance(mover, HumanSeat)
    assert not is_away(mover)
    if isinstance(game.round, Drawing):
        return table.draw(game, layout.seat, Source.STOCK).game
    card, _ = best_discard(layout.hand, layout.wild, layout.aces)
    return table.discard(game, layout.seat, card).game
