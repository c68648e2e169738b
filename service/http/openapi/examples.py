"""Real answers for the API description: the beginning of one game, the same in every copy.

The engine plays it and `games/bodies.py` writes it, so that the examples follow every
change of either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from itertools import islice

import orjson

from engine import table
from engine.cards import Card, Rank
from engine.events import RoundScored
from engine.fields import JsonObject
from engine.game import Game, Step
from engine.options import GameOptions
from engine.players.hints import hint
from engine.round import Source
from engine.rules import TURN_SOLVES, AceMode
from engine.shuffle import choice_stream, commitment
from engine.solver.arrangement import arrange
from engine.view import advise, revealed, view
from service.games import bodies
from service.games.event_log import LoggedEvent
from service.games.meta import Meta
from service.games.new_seats import seats_of
from service.games.responses import events_body
from service.games.score_sheet import score_sheet
from service.games.watching.watcher import written_event
from service.http.replies import CSV, EVENT_STREAM, JSON, MARKDOWN
from service.http.rulebook import LANGUAGES, rulebook

HAND = ("7H", "8H", "9H", "5D", "JK", "2C")
WILD_RANK = "5"

_ID = "Zk3vQ8rT1xWn5bYc7LdMfA"
_TOKEN = "p9Xb2LwqRk7tVd3HnYc5mJf8ZsQa1GeUo4TiBx6Nr0M"  # noqa: S105 - of no game
_SECRET = hashlib.sha256(b"example 59").digest()  # you begin, and the round goes on for a while
_INVITE = "7hTq2VnLs9XfKc4RwZb6Pd1MyGa8JeUo3QiBx5Nr0Ek"
_YOU = 0
_GUEST = 1
_BEGAN = 1_767_261_600_000
_BETWEEN = 6_789
_DAY = 86_400_000


def by_operation() -> tuple[dict[str, JsonObject], dict[str, Mapping[str, object]]]:
    """Request bodies by operationId; answers by operationId, then by media type."""
    created = table.open_game(_SECRET, GameOptions(seats_of(None, seeded=False)))
    drawn, discarded = islice(_moves(created.game), 2)
    steps = (created, drawn, discarded)
    log = [logged for number, step in enumerate(steps, 1) for logged in _logged(number, step)]
    answered: dict[str, JsonObject] = {
        "createGame": {
            "seat": _YOU,
            "token": _TOKEN,
            "invites": [],
            "game": _game(1, created.game),
            "events": _events(1, created),
        },
        "getGame": _game(2, drawn.game),
        "drawCard": {"game": _game(2, drawn.game), "events": _events(2, drawn)},
        "discardCard": {"game": _game(3, discarded.game), "events": _events(3, discarded)},
        "getHint": bodies.hint_body(
            hint(view(drawn.game, _YOU), choice_stream(_SECRET, 1, _YOU, 1), TURN_SOLVES)
        ),
        "getReplay": _replay(discarded.game, log),
        "evaluateHand": bodies.arrangement_body(
            arrange(tuple(map(Card.parse, HAND)), Rank.parse(WILD_RANK), AceMode.LOW)
        ),
    }
    requests: dict[str, JsonObject] = {
        "discardCard": {"card": str(_best_discard(drawn.game))},
        "joinGame": {"invite": _INVITE, "name": "Bo"},
    }
    answered |= {"joinGame": _joined(), "rematchGame": answered["createGame"]}
    return requests, {
        **{name: {JSON: body} for name, body in answered.items()},
        "listEvents": _event_log(log),
        "getRules": _rules(),
        "getScores": _scores(discarded.game),
    }


def _event_log(log: list[LoggedEvent]) -> dict[str, object]:
    """The events so far, and the last of them as a stream has it, by media type."""
    events = events_body(log, _YOU)
    last = written_event(log[-1].event.seq, log[-1].event.body.type, orjson.dumps(events[-1]))
    page = {"events": events, "last_seq": len(log), "more": False}
    return {JSON: page, EVENT_STREAM: last.decode()}


def _rules() -> dict[str, object]:
    """The beginning of the rules, by media type."""
    rules = rulebook(LANGUAGES[0])
    beginning = replace(rules, sections=rules.sections[:1])
    return {JSON: asdict(beginning), MARKDOWN: beginning.markdown}


def _joined() -> JsonObject:
    """The answer to the second of two humans."""
    seats = seats_of([{"kind": "human", "name": "Ann"}, {"kind": "human"}], seeded=False)
    waiting = table.open_game(_SECRET, GameOptions(seats)).game
    step = table.join(waiting, _GUEST, "Bo")
    return {
        "seat": _GUEST,
        "token": _TOKEN,
        "game": bodies.game_body(view(step.game, _GUEST), _ID, 2, _meta(2, _DAY)),
        "events": events_body(_logged(2, step), _GUEST),
    }


def _moves(game: Game) -> Iterator[Step]:
    """What follows when one draws from the stock and discards what is best."""
    while True:
        drawn = table.draw(game, _YOU, Source.STOCK)
        yield drawn
        discarded = table.discard(drawn.game, _YOU, _best_discard(drawn.game))
        yield discarded
        game = discarded.game


def _best_discard(game: Game) -> Card:
    card = advise(view(game, _YOU)).discard
    assert card is not None, "a discard is due"
    return card


def _time(version: int) -> int:
    return _BEGAN + _BETWEEN * (version - 1)


def _game(version: int, game: Game) -> JsonObject:
    meta = _meta(version, _DAY if version == 1 else 14 * _DAY)
    return bodies.game_body(view(game, _YOU), _ID, version, meta)


def _meta(version: int, lifetime: int) -> Meta:
    updated = _time(version)
    return Meta(_BEGAN, updated, updated + lifetime, tokens=(), invites=())


def _logged(version: int, step: Step) -> list[LoggedEvent]:
    return [LoggedEvent(event, _time(version)) for event in step.events]


def _events(version: int, step: Step) -> list[JsonObject]:
    return events_body(_logged(version, step), _YOU)


def _scores(game: Game) -> dict[str, object]:
    """The scores when the first round is over, by media type."""
    for step in _moves(game):
        ended = [each for each in _logged(1, step) if isinstance(each.event.body, RoundScored)]
        if ended:
            rounds = events_body(ended, None)
            sheet = score_sheet((each.event for each in ended), step.game.seats)
            return {
                JSON: bodies.scores_body(rounds, step.game.totals, step.game.result),
                CSV: sheet.decode(),
            }
    raise AssertionError("every round ends")


def _replay(game: Game, log: list[LoggedEvent]) -> JsonObject:
    """A replay, cut short after the first moves."""
    return {
        "secret": _SECRET.hex(),
        "commitment": commitment(_SECRET),
        "rules": bodies.rules_body(game.rules),
        "seats": bodies.replay_seats(game.seats),
        "first_dealer": game.first_dealer,
        "rematch_of": None,
        "actions": bodies.actions_body(each.event for each in log),
        "events": [revealed(each.event, bodies.timestamp(each.at)) for each in log],
    }
