"""The examples of the API description: requests, and what the service answers to them.

Three games are played for them, the same in every copy: one with all defaults, a short one to its
end and its rematch, and one of two humans and theirs. A request and its answer have one name.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace

import orjson

from engine.cards import Card, Rank
from engine.events import RoundScored
from engine.fields import JsonObject
from engine.game import turn_randomness
from engine.players.hints import hint
from engine.review.summary import review
from engine.round import Source
from engine.rules import AceMode
from engine.shuffle import commitment
from engine.solver.arrangement import arrange
from engine.view import revealed, view
from service.games.answers import bodies
from service.games.answers.responses import events_body
from service.games.answers.score_sheet import score_sheet
from service.games.stored.event_log import LoggedEvent
from service.games.watching.watcher import written_event
from service.http.openapi.example_games import ExampleGame
from service.http.replies import CSV, EVENT_STREAM, JSON, MARKDOWN
from service.http.rulebook import LANGUAGES, rulebook

Named = dict[str, JsonObject]
"""Examples with their summaries, by name, as the description has them."""

DEFAULT = "default-56"
SHORT, AGAIN = "short-7", "short-7-again"
HUMANS, HUMANS_AGAIN = "humans-3", "humans-3-again"
"""The names of the games, from which their secrets follow: with these, rounds are short."""
_SEATS = [
    {"kind": "human", "name": "Ann"},
    {"kind": "ai", "level": "medium", "name": "Lefty"},
]
_SHORT_TABLE = {"seats": _SEATS, "jokers": 2, "aces": "both", "rounds": {"first": 1, "last": 2}}
_HUMAN_TABLE = {
    "seats": [{"kind": "human", "name": "Ann"}, {"kind": "human"}],
    "rounds": {"first": 3, "last": 4},
    "turn_seconds": 120,
}
_SEEDED = {"seed": "13" * 32}
_HANDS = {
    "wilds": ("A joker and a wild five", ["7H", "8H", "9H", "5D", "JK", "2C"], "low"),
    "aces": ("An ace above a king", ["QS", "KS", "AS", "AD", "3C"], "both"),
}
_WILD_RANK = "5"
_ANN = 0
_BO = 1


@dataclass(frozen=True, slots=True)
class Examples:
    """Request bodies by operationId; answers by operationId, then by media type."""

    requests: dict[str, Named] = field(default_factory=dict)
    answers: dict[str, dict[str, Named]] = field(default_factory=dict)

    def call(
        self, operation: str, name: str, summary: str, request: object, answer: object
    ) -> None:
        """Show a request's body and the answer to it."""
        self.request(operation, name, summary, request)
        self.answer(operation, name, summary, answer)

    def request(self, operation: str, name: str, summary: str, body: object) -> None:
        """Show the body of a request."""
        self.requests.setdefault(operation, {})[name] = {"summary": summary, "value": body}

    def answer(
        self, operation: str, name: str, summary: str, body: object, media_type: str = JSON
    ) -> None:
        """Show the body of an answer."""
        named = self.answers.setdefault(operation, {}).setdefault(media_type, {})
        named[name] = {"summary": summary, "value": body}


def by_operation() -> Examples:
    """Every example, made anew."""
    shown = Examples()
    _show_default_game(shown)
    _show_short_game(shown)
    _show_humans(shown)
    shown.request("createGame", "seeded", "The same game each time, for tests", _SEEDED)
    for name, (summary, hand, aces) in _HANDS.items():
        request = {"cards": hand, "wild_rank": _WILD_RANK, "aces": aces}
        cards = tuple(map(Card.parse, hand))
        arranged = arrange(cards, Rank.parse(_WILD_RANK), AceMode(aces))
        shown.call("evaluateHand", name, summary, request, bodies.arrangement_body(arranged))
    rules = rulebook(LANGUAGES[0])
    beginning = replace(rules, sections=rules.sections[:1])
    shown.answer("getRules", "sections", "The beginning", asdict(beginning))
    shown.answer("getRules", "document", "The beginning", beginning.markdown, MARKDOWN)
    return shown


def _show_default_game(shown: Examples) -> None:
    """Show the first round of a game against three AI players, until the human has gone out."""
    created = ExampleGame.created(DEFAULT, {})
    shown.call("createGame", "default", "All defaults: you begin", {}, created.answer)
    shown.answer("getHint", "draw", "Before the draw", _hint(created))
    pile = created.drawn(Source.DISCARD)
    drawn, discarded, *others = _first_round(created)
    shown.call("drawCard", "stock", "From the stock", {"source": "stock"}, drawn.answer)
    shown.call("drawCard", "discard", "The top discard", {"source": "discard"}, pile.answer)
    shown.answer("getGame", "seat", "With your token, after a draw", drawn.seen(_ANN))
    shown.answer("getGame", "spectator", "The same without a token", drawn.seen(None))
    shown.answer("getHint", "discard", "After the draw", _hint(drawn))
    played = _discard_of(discarded)
    shown.call("discardCard", "play", "The others then play", {"card": played}, discarded.answer)
    _show_events(shown, discarded)
    last = others[-1]
    out = {"card": _discard_of(last), "go_out": True}
    shown.call("discardCard", "go_out", "You go out: the round ends", out, last.answer)
    shown.answer("getScores", "playing", "After the first round", _scores(last))


def _show_events(shown: Examples, game: ExampleGame) -> None:
    """Show the events so far as a page, and the last of them as a stream has it."""
    events = events_body(game.log, _ANN)
    page = {"events": events, "last_seq": len(events), "more": False}
    shown.answer("listEvents", "beginning", "From the first, as your seat sees them", page)
    last = game.log[-1].event
    written = written_event(last.seq, last.body.type, orjson.dumps(events[-1])).decode()
    shown.answer("listEvents", "event", "One event of a stream", written, EVENT_STREAM)


def _show_short_game(shown: Examples) -> None:
    """Show a game of two rounds and what can be read when it is over."""
    created = ExampleGame.created(SHORT, _SHORT_TABLE)
    shown.call("createGame", "short", "Two seats, jokers, two rounds", _SHORT_TABLE, created.answer)
    *_, over = created.turns()
    shown.answer("getGame", "finished", "A game that is over", over.seen(_ANN))
    shown.answer("getScores", "finished", "When the game is over", _scores(over))
    sheet = score_sheet((each.event for each in _scored(over)), over.state.seats)
    shown.answer("getScores", "finished", "When the game is over", sheet.decode(), CSV)
    shown.answer("getReplay", "finished", "A game of two rounds", _replay(over))
    reviewed = review(over.state, [each.event for each in over.log], _ANN)
    shown.answer("getReview", "finished", "Of the human in that game", bodies.review_body(reviewed))
    again = over.rematch(_ANN, AGAIN)
    shown.answer("rematchGame", "alone", "Of the only human: it goes on at once", again.answer)


def _show_humans(shown: Examples) -> None:
    """Show how two humans come together, and again in their rematch."""
    created = ExampleGame.created(HUMANS, _HUMAN_TABLE)
    shown.call("createGame", "humans", "A second human is invited", _HUMAN_TABLE, created.answer)
    invite = created.invite(_BO)
    joined = created.joined(invite, "Bo")
    invited = {"invite": invite, "name": "Bo"}
    shown.call("joinGame", "invite", "With the invite of createGame", invited, joined.answer)
    *_, over = joined.turns()
    again = over.rematch(_BO, HUMANS_AGAIN)
    shown.answer("rematchGame", "humans", "Of Bo, the second of two humans", again.answer)
    token = over.tokens[_ANN]
    shown.call(
        "joinGame",
        "token",
        "Into the rematch, with the old token",
        {"token": token},
        again.joined(token, None, is_token=True).answer,
    )
    shown.request("rematchGame", "empty", "Nothing to choose", {})


def _first_round(created: ExampleGame) -> list[ExampleGame]:
    """The game after each of the human's moves, until the first round is scored."""
    played = []
    for game in created.turns():
        played.append(game)
        if game.state.scored:
            return played
    raise AssertionError("every round ends")


def _discard_of(game: ExampleGame) -> object:
    """The card that the human has just discarded."""
    events = game.answer["events"]
    assert isinstance(events, list)
    return events[0]["card"]


def _hint(game: ExampleGame) -> JsonObject:
    state = game.state
    advice = hint(view(state, game.mover), turn_randomness(state), state.turn_solves)
    return bodies.hint_body(advice)


def _scored(game: ExampleGame) -> list[LoggedEvent]:
    return [each for each in game.log if isinstance(each.event.body, RoundScored)]


def _scores(game: ExampleGame) -> JsonObject:
    rounds = events_body(_scored(game), None)
    return bodies.scores_body(rounds, game.state.totals, game.state.result)


def _replay(game: ExampleGame) -> JsonObject:
    state = game.state
    return {
        "secret": state.secret.hex(),
        "commitment": commitment(state.secret),
        "rules": bodies.rules_body(state.rules),
        "seats": bodies.replay_seats(state.seats),
        "first_dealer": state.first_dealer,
        "rematch_of": game.meta.rematch_of,
        "actions": bodies.actions_body(each.event for each in game.log),
        "events": [revealed(each.event, bodies.timestamp(each.at)) for each in game.log],
    }
