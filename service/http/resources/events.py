"""The operation that lists events, waits for them, or goes on with them."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from service.http.accept import preferred_type
from service.http.openapi.blueprint import READ_PROBLEMS, Blueprint
from service.http.openapi.headers import GAME_ID, header
from service.http.operations import Resource
from service.http.parsing import Token, bearer_token, stream_start
from service.http.replies import EVENT_STREAM, JSON, game_reply, stream_reply
from service.http.schemas.replies import EventPage
from service.http.schemas.requests import DEFAULT_LIMIT, EventsQuery, StreamHeaders
from service.http.use_cases import open_sink, queries, watchers

blueprint = Blueprint("events", __name__, url_prefix="/v1/games", description="Follow a game.")

_VARY = "Accept, Authorization"
_HEADERS = {"Vary": header("The answer depends on these.", _VARY)}


@blueprint.route("/<game_id>/events", parameters=[GAME_ID])
class EventsResource(Resource):
    """The event log."""

    @blueprint.operation(
        "listEvents", Token.OPTIONAL, *READ_PROBLEMS, "validation-failed", "quota-exceeded"
    )
    @blueprint.arguments(StreamHeaders, location="headers")
    @blueprint.arguments(EventsQuery, location="query")
    @blueprint.alt_response(204, description="The stream of a game that is over has ended.")
    @blueprint.response(200, EventPage, description="Events, oldest first.", headers=_HEADERS)
    @blueprint.text_response(EVENT_STREAM, "Events, oldest first, as they happen.", _HEADERS)
    def get(self, headers: dict[str, str], query: dict[str, Any], game_id: str) -> Response:
        """List events, or follow them.

        In order, each as you may see it: the card of another seat's draw from the stock is null.

        The answer is a page: the events after `after`, at most `limit`. With `wait` it comes as
        soon as there is an event, or empty when the time is over. To go on, send the last seq that
        you have.

        With `Accept: text/event-stream` it is a stream: each event as it happens, its `id` the
        seq, its `event` the type, its `data` the object that a page lists. It goes on where
        `Last-Event-ID` or `after` says; without them it begins with a `snapshot`, the game as
        getGame shows it. It ends with the game. Browsers read it by `fetch`, which can send the
        token. Each seat may have 4 streams and waiting calls at once.
        """
        token = bearer_token()
        if preferred_type(request, (JSON, EVENT_STREAM)) == EVENT_STREAM:
            start = stream_start(headers, query)
            return stream_reply(watchers().stream(game_id, token, start, open_sink()))
        after, limit = query.get("after", 0), query.get("limit", DEFAULT_LIMIT)
        if wait := query.get("wait", 0):
            page = watchers().next_page(game_id, token, after, limit, wait, open_sink())
        else:
            page = queries().events(game_id, token, after, limit)
        return game_reply(page, vary=_VARY)
