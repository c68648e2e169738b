"""The rules of the game, to read."""

from __future__ import annotations

from flask import Response, request
from werkzeug.datastructures import Accept, LanguageAccept
from werkzeug.http import parse_accept_header

from service.games.answers.entity_tags import is_cached
from service.http.accept import preferred_type
from service.http.openapi.blueprint import Blueprint
from service.http.openapi.headers import header
from service.http.operations import Resource
from service.http.parsing import Token
from service.http.replies import JSON, MARKDOWN, json_reply, markdown_reply
from service.http.rulebook import LANGUAGES, rulebook
from service.http.schemas.rules import RulesHeaders, RulesReply

blueprint = Blueprint(
    "rules", __name__, url_prefix="/v1/rules", description="The rules of the game, to read."
)
_VARY = "Accept, Accept-Language"
_CACHE = "public, max-age=3600"
_KNOWN_HEADERS = {
    "ETag": header("The tag of this text.", '"f2ca1bb6c7e907d06dafe4687e579fce76b37e4e"'),
    "Vary": header("The text depends on these.", _VARY),
    "Cache-Control": header("Anyone may keep the text for an hour.", _CACHE),
}
_HEADERS = {
    "Content-Language": header("The language's tag.", "en"),
    **_KNOWN_HEADERS,
}


@blueprint.route("")
class RulesResource(Resource):
    """The rules."""

    @blueprint.operation("getRules", Token.IGNORED)
    @blueprint.arguments(RulesHeaders, location="headers")
    @blueprint.alt_response(304, description="You have this text already.", headers=_KNOWN_HEADERS)
    @blueprint.response(200, RulesReply, description="The rules.", headers=_HEADERS)
    @blueprint.text_response(MARKDOWN, "The rules.", _HEADERS)
    def get(self, headers: dict[str, str]) -> Response:
        """Read the rules of the game.

        In English, German, Turkish, Vietnamese or Hindi, as `Accept-Language` prefers. JSON has
        the rules in sections, whose ids are the same in every language; `Accept: text/markdown`
        gets them as one document. The options of createGame are explained, and which of them go
        beyond the classic game.
        """
        rules = rulebook(_language(headers.get("accept_language")))
        is_markdown = preferred_type(request, (JSON, MARKDOWN)) == MARKDOWN
        reply = markdown_reply(rules.markdown) if is_markdown else json_reply(rules)
        return _cacheable(reply, rules.language, headers.get("if_none_match"))


def _cacheable(reply: Response, language: str, if_none_match: str | None) -> Response:
    """A reply with what caches need to know, without a body for a caller who has it already.

    werkzeug's `make_conditional` would also answer 412, with the rules, to an `If-Match`.
    """
    reply.headers["Content-Language"] = language
    reply.headers["Vary"] = _VARY
    reply.headers["Cache-Control"] = _CACHE
    reply.add_etag()
    if is_cached(if_none_match, reply.headers["ETag"]):
        reply.status_code = 304
    return reply


def _language(stated: str | None) -> str:
    """The language that a caller prefers: the first one it names of those it weighs most.

    werkzeug's own choice among languages would prefer `en` to `de` for `de-AT, en;q=0.5`, as it
    looks for whole tags first; here regions are left out before.
    """
    ranges = parse_accept_header(stated, LanguageAccept)
    accepted = Accept([(tag.partition("-")[0], weight) for tag, weight in ranges])
    return accepted.best_match(sorted(LANGUAGES, key=accepted.find), LANGUAGES[0])
