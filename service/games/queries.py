"""What callers can read of a game: the view, scores, a hint, the events, the replay, reviews."""

from __future__ import annotations

import orjson

from engine.errors import GameNotFinishedError, MoveError
from engine.game import Status, require_turn, turn_randomness
from engine.players.hints import hint
from engine.shuffle import commitment
from engine.view import revealed, view
from service.errors import Fault, HintsDisabledError, InvalidRequestError, RefusedMoveError
from service.games.answers import bodies
from service.games.answers.entity_tags import entity_tag, is_cached
from service.games.answers.responses import GameResponse, events_body
from service.games.answers.score_sheet import score_sheet
from service.games.repository import GameRepository
from service.games.reviews import Reviews
from service.games.transactions import Transactions


class Queries:
    """The reading use cases; each raises what the caller is refused for, and StorageError."""

    def __init__(self, transactions: Transactions, repository: GameRepository) -> None:
        self._transactions = transactions
        self._repository = repository
        self._reviews = Reviews(repository)

    def require_access(self, game_id: str, token: str | None, *, needs_token: bool) -> None:
        """Return if the game exists and the token is one of its seats', or is not needed."""
        if needs_token:
            self._transactions.read_as_seat_holder(game_id, token)
        else:
            self._transactions.read(game_id, token)

    def view(self, game_id: str, token: str | None, if_none_match: str | None) -> GameResponse:
        """The game as the caller sees it, or 304 where the caller has that view already."""
        loaded = self._transactions.read(game_id, token)
        seat = loaded.caller.seat
        tag = entity_tag(loaded.version, seat)
        if is_cached(if_none_match, tag):
            return GameResponse(304, etag=tag)
        self._transactions.complete_rematch(loaded)
        seen = view(loaded.game(), seat)
        body = bodies.game_body(seen, game_id, loaded.version, loaded.meta)
        return GameResponse(200, orjson.dumps(body), tag)

    def scores(self, game_id: str, token: str | None) -> GameResponse:
        """The rounds that are over, and the totals."""
        game = self._transactions.read(game_id, token).game()
        rounds = events_body(self._repository.scored_rounds(game_id, game), None)
        return _ok(bodies.scores_body(rounds, game.totals, game.result))

    def score_sheet(self, game_id: str, token: str | None) -> GameResponse:
        """The rounds that are over, as CSV."""
        game = self._transactions.read(game_id, token).game()
        scored = self._repository.scored_rounds(game_id, game)
        return GameResponse(200, score_sheet((each.event for each in scored), game.seats))

    def hint(self, game_id: str, token: str | None) -> GameResponse:
        """What the strongest player would do in the caller's place."""
        loaded = self._transactions.read_as_seat_holder(game_id, token)
        game, seat = loaded.game(), loaded.caller.seat
        if not game.rules.hints:
            raise HintsDisabledError("this game was created without hints")
        try:
            require_turn(game, seat)
        except MoveError as error:
            raise RefusedMoveError(error, loaded.version) from error
        return _ok(
            bodies.hint_body(hint(view(game, seat), turn_randomness(game), game.turn_solves))
        )

    def events(self, game_id: str, token: str | None, after: int, limit: int) -> GameResponse:
        """Up to `limit` events after the given seq, as the caller may read them."""
        loaded = self._transactions.read(game_id, token)
        game = loaded.game()
        events = self._repository.events(game_id, game, after, limit)
        more = after + len(events) < game.seq
        seen = events_body(events, loaded.caller.seat)
        return _ok({"events": seen, "last_seq": game.seq, "more": more})

    def replay(self, game_id: str, token: str | None) -> GameResponse:
        """Everything about a finished game; raises GameNotFinishedError before."""
        loaded = self._transactions.read(game_id, token)
        game = loaded.game()
        if game.status is not Status.FINISHED:
            raise GameNotFinishedError("the game is still played")
        log = self._repository.events(game_id, game, 0, game.seq)
        return _ok(
            {
                "secret": game.secret.hex(),
                "commitment": commitment(game.secret),
                "rules": bodies.rules_body(game.rules),
                "seats": bodies.replay_seats(game.seats),
                "first_dealer": game.first_dealer,
                "rematch_of": loaded.meta.rematch_of,
                "actions": bodies.actions_body(each.event for each in log),
                "events": [revealed(each.event, bodies.timestamp(each.at)) for each in log],
            }
        )

    def review(self, game_id: str, token: str | None, seat: int) -> GameResponse:
        """The review of a seat of a finished game.

        Raises InvalidRequestError where the seat is not there, GameNotFinishedError.
        """
        loaded = self._transactions.read(game_id, token)
        game = loaded.game()
        last = len(game.seats) - 1
        if seat > last:
            raise InvalidRequestError(Fault("/query/seat", f"The last seat is {last}."))
        if game.status is not Status.FINISHED:
            raise GameNotFinishedError("the game is still played")
        return GameResponse(200, self._reviews.body(loaded, seat))


def _ok(body: object) -> GameResponse:
    return GameResponse(200, orjson.dumps(body))
