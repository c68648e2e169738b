"""The bodies of answers: plain values, written field by field from what a viewer may see.

Every value here is made from a `View`, from events that the view has let through, or from the
events of a finished game; the schemas describe the same shapes, and the tests hold the two against
each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import assert_never

from engine.cards import CODES, Card
from engine.events import CardDiscarded, CardDrawn, Event
from engine.fields import JsonObject, codes, meld_json
from engine.game import Result
from engine.melds import Arrangement, Meld
from engine.players.hints import DiscardHint, DiscardOption, DrawHint, DrawOption, Hint
from engine.review.summary import Review, ReviewedMove, total_loss, total_luck
from engine.round import Phase, Source
from engine.rules import Rules, wild_rank
from engine.seats import AiSeat, Seat
from engine.view import OwnView, RoundView, SeatView, TurnView, View, advise, position
from service.games.stored.meta import Meta


@lru_cache(maxsize=256)
def timestamp(milliseconds: int) -> str:
    """A time as RFC 3339 in UTC, to the millisecond.

    Remembered, since an answer repeats the time of a commit for each of its events.
    """
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{_minute(minutes)}:{rest // 1000:02}.{rest % 1000:03}Z"


@lru_cache(maxsize=256)
def _minute(minutes: int) -> str:
    """The first part of a time, which nearby times share."""
    return datetime.fromtimestamp(minutes * 60, UTC).isoformat(timespec="minutes")[:16]


def game_body(seen: View, game_id: str, version: int, meta: Meta) -> JsonObject:
    """A view as a plain value, with what the service knows of the game beside it."""
    return {
        "id": game_id,
        "version": version,
        "status": seen.status.value,
        "seeded": seen.seeded,
        "commitment": seen.commitment,
        "rules": rules_body(seen.rules),
        "turn_seconds": seen.turn_seconds,
        "round": None if seen.round is None else _round_body(seen.round),
        "turn": None if seen.turn is None else _turn_body(seen.turn),
        "went_out": seen.went_out,
        "stock_count": seen.stock_count,
        "discard_top": CODES[seen.pile[-1]] if seen.pile else None,
        "discard_count": len(seen.pile),
        "seats": list(map(_seat_body, seen.seats)),
        "you": None if seen.you is None else _own_body(seen, seen.you),
        "result": result_body(seen.result),
        "rematch": None if meta.rematch is None else meta.rematch.game_id,
        "created_at": timestamp(meta.created_at),
        "updated_at": timestamp(meta.updated_at),
        "expires_at": timestamp(meta.expires_at),
    }


def _round_body(dealt: RoundView) -> JsonObject:
    return {
        "number": dealt.number,
        "hand_size": dealt.hand_size,
        "wild_rank": dealt.wild.code,
        "dealer": dealt.dealer,
    }


def _turn_body(turn: TurnView) -> JsonObject:
    return {
        "seat": turn.seat,
        "phase": turn.phase.value,
        "final": turn.final,
        "deadline": None if turn.deadline is None else timestamp(turn.deadline),
    }


def rules_body(rules: Rules) -> JsonObject:
    """A game's options."""
    return {
        "jokers": rules.jokers,
        "aces": rules.aces.value,
        "hints": rules.hints,
        "rounds": {"first": rules.rounds.first, "last": rules.rounds.last},
    }


def result_body(result: Result | None) -> JsonObject | None:
    """A game's result; None until it is over."""
    if result is None:
        return None
    return {
        "winner": result.winner,
        "tied": list(result.tied),
        "totals": list(result.totals),
    }


def arrangement_body(arrangement: Arrangement) -> JsonObject:
    """An arrangement: its melds, its deadwood, the points of that."""
    return {
        "melds": _meld_bodies(arrangement.melds),
        "deadwood": codes(arrangement.deadwood),
        "points": arrangement.points,
    }


def _meld_bodies(melds: tuple[Meld, ...]) -> list[JsonObject]:
    return list(map(meld_json, melds))


def _seat_body(seat: SeatView) -> JsonObject:
    return {
        "seat": seat.seat,
        "position": seat.position,
        "kind": seat.kind.value,
        "name": seat.name,
        "level": seat.level,
        "joined": seat.joined,
        "away": seat.away,
        "card_count": seat.card_count,
        "shown": codes(seat.shown),
        "total": seat.total,
        "hand": None if seat.hand is None else codes(seat.hand),
        "melds": None if seat.melds is None else _meld_bodies(seat.melds),
    }


def _own_body(seen: View, own: OwnView) -> JsonObject:
    advice = advise(seen)
    discard = None if advice.discard is None else CODES[advice.discard]
    return {
        "seat": own.seat,
        "hand": None if own.hand is None else codes(own.hand),
        "drawn": None if own.drawn is None else CODES[own.drawn],
        "upcard_points": advice.upcard_points,
        "arrangement": {"discard": discard, **arrangement_body(advice.arrangement)},
        "legal": {
            "draw": [source.value for source in own.draws],
            "discard": codes(own.discards),
        },
        "can_go_out_with": codes(advice.goes_out),
    }


def hint_body(hint: Hint) -> JsonObject:
    """Advice: what to do, why, and the figures of every move."""
    match hint:
        case DrawHint():
            return {
                "phase": Phase.DRAW.value,
                "action": {"source": hint.source.value},
                "reason": hint.reason,
                "options": list(map(_draw_option_body, hint.options)),
            }
        case DiscardHint():
            return {
                "phase": Phase.DISCARD.value,
                "action": {"card": str(hint.card)},
                "reason": hint.reason,
                "options": list(map(_discard_option_body, hint.options)),
            }
        case _:
            assert_never(hint)


def _draw_option_body(option: DrawOption) -> JsonObject:
    return {"source": option.source.value, "expected_deadwood": option.expected}


def _discard_option_body(option: DiscardOption) -> JsonObject:
    return {
        "card": str(option.card),
        "deadwood": option.deadwood,
        "expected_deadwood": option.expected,
        "improving_cards": option.improving,
    }


def scores_body(
    scored: Sequence[JsonObject], totals: tuple[int, ...], result: Result | None
) -> JsonObject:
    """The rounds that are over, from their round_scored events, with the totals."""
    return {
        "rounds": list(map(_score_body, scored)),
        "totals": list(totals),
        "result": result_body(result),
    }


def _score_body(scored: JsonObject) -> JsonObject:
    number = scored["round"]
    assert isinstance(number, int), "a scored round has a number"
    return {
        "number": number,
        "wild_rank": wild_rank(number).code,
        "went_out": scored["went_out"],
        "stalled": scored["stalled"],
        "seats": scored["seats"],
    }


def review_body(review: Review) -> JsonObject:
    """The review of a seat: figures in points, to hundredths."""
    return {
        "seat": review.seat,
        "accuracy": review.accuracy,
        **_sums_body(review.moves),
        "rounds": [
            {"number": number, "points": points, **_sums_body(review.of_round(number))}
            for number, points in review.points.items()
        ],
        "moves": list(map(_reviewed_move_body, review.moves)),
    }


def _sums_body(moves: tuple[ReviewedMove, ...]) -> JsonObject:
    return {"loss": total_loss(moves) / 100, "luck": total_luck(moves) / 100}


def _reviewed_move_body(move: ReviewedMove) -> JsonObject:
    return {
        "seq": move.seq,
        "round": move.round,
        "type": "draw" if isinstance(move.played, Source) else "discard",
        "played": _choice_body(move.played),
        "best": _choice_body(move.best),
        "loss": move.loss / 100,
        "luck": None if move.luck is None else move.luck / 100,
    }


def _choice_body(choice: Source | Card) -> JsonObject:
    return {"source": choice.value} if isinstance(choice, Source) else {"card": CODES[choice]}


def replay_seats(seats: tuple[Seat, ...]) -> list[JsonObject]:
    """Who played a finished game."""
    return [
        {
            "seat": number,
            "position": position(number, len(seats)),
            "kind": seat.kind.value,
            "name": seat.name,
            "level": seat.level if isinstance(seat, AiSeat) else None,
        }
        for number, seat in enumerate(seats)
    ]


def actions_body(events: Iterable[Event]) -> list[JsonObject]:
    """The moves of a finished game, from all its events, in order."""
    return [action for event in events if (action := _action(event)) is not None]


def _action(event: Event) -> JsonObject | None:
    match event.body:
        case CardDrawn(seat=seat, source=source):
            return {"seat": seat, "round": event.round, "type": "draw", "source": source.value}
        case CardDiscarded(seat=seat, card=card, go_out=go_out):
            move = {"type": "discard", "card": CODES[card], "go_out": go_out}
            return {"seat": seat, "round": event.round, **move}
        case _:
            return None
