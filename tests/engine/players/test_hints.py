"""Hints against the expert itself and against counts of every unseen card."""

from __future__ import annotations

from itertools import islice

from engine.cards import Card, without
from engine.players.hints import DiscardHint, DiscardOption, DrawHint, DrawOption, hint
from engine.players.position import DrawPosition, Position
from engine.round import Discarding, Drawing, Source
from engine.solver.hands import least_points, points_after_discard
from engine.view import view
from tests.positions import MODEST, choice, positions, turn_stream
from tests.scale import scaled


def after_turn(position: Position, hand: tuple[Card, ...], drawn: Card) -> int:
    """The least points after drawing a card and the best discard, each tried."""
    return min(points_after_discard((*hand, drawn), position.wild, position.aces).values())


def unseen(position: Position) -> list[Card]:
    return [Card(index) for index, count in enumerate(position.unseen) for _ in range(count)]


def test_the_recommended_move_is_the_experts() -> None:
    for game in islice(positions(), scaled(500)):
        advice = hint(view(game, game.layout.seat), turn_stream(game), MODEST)
        match advice:
            case DrawHint(source=source):
                assert isinstance(game.round, Drawing)
                recommended = source.value
            case DiscardHint(card=card):
                assert isinstance(game.round, Discarding)
                recommended = str(card)
        assert recommended == choice(game, "expert", turn_stream(game))


def test_the_figures_of_a_draw_count_every_unseen_card() -> None:
    checked = 0
    for game in islice(positions(), scaled(500)):
        if not isinstance(game.round, Drawing):
            continue
        position = DrawPosition.of(view(game, game.layout.seat))
        options = hint(view(game, game.layout.seat), turn_stream(game), MODEST).options
        drawn = [after_turn(position, position.hand, each) for each in unseen(position)]
        assert options == (
            DrawOption(Source.STOCK, round(sum(drawn) / len(drawn), 3)),
            DrawOption(Source.DISCARD, after_turn(position, position.hand, position.upcard)),
        )
        checked += 1
    assert checked > 10


def test_the_figures_of_a_discard_count_every_unseen_card() -> None:
    checked = 0
    for game in islice(positions(), scaled(500)):
        position = Position.of(view(game, game.layout.seat))
        if isinstance(game.round, Drawing) or len(position.hand) > 9:
            continue
        advice = hint(view(game, game.layout.seat), turn_stream(game), MODEST)
        expected = [counted(position, each) for each in sorted(set(position.hand))]
        assert list(advice.options) == expected
        checked += 1
    assert checked > 5


def counted(position: Position, card: Card) -> DiscardOption:
    hand = without(position.hand, card)
    deadwood = least_points(hand, position.wild, position.aces)
    if position.final:
        return DiscardOption(card, deadwood, deadwood, 0)
    drawn = [after_turn(position, hand, each) for each in unseen(position)]
    improving = sum(least < deadwood for least in drawn)
    return DiscardOption(card, deadwood, round(sum(drawn) / len(drawn), 3), improving)


def test_every_hint_has_a_reason_in_one_plain_sentence() -> None:
    for game in islice(positions(), 300):
        reason = hint(view(game, game.layout.seat), turn_stream(game), MODEST).reason
        assert reason.endswith(".")
        assert reason.count(". ") == 0
        assert reason.startswith(("Take the ", "Draw from the stock: ", "Discard the "))
