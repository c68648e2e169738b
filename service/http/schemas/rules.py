"""The rules of the game: what a reader may say, and what is answered."""

from __future__ import annotations

from marshmallow import fields

from service.http.rulebook import LANGUAGES
from service.http.schemas.requests import ViewHeaders
from service.http.schemas.views import ReplySchema, text_field


class RulesHeaders(ViewHeaders):
    """Which language a reader prefers, and which text it has already."""

    accept_language = fields.String(
        data_key="Accept-Language",
        metadata={
            "description": "The languages you read, with weights if you like: "
            f"{', '.join(f'`{tag}`' for tag in LANGUAGES)} are there. Regions do not matter. Any "
            "other language gives English, never a refusal.",
            "example": "de-AT, en;q=0.5",
        },
    )
    if_none_match = fields.String(
        data_key="If-None-Match",
        metadata={"description": "ETags of rules you have: if one is current, the answer is 304."},
    )


class RulesSection(ReplySchema):
    """One part of the rules."""

    id = text_field("The section's id, the same in every language.")
    title = text_field("The heading.")
    text = text_field("The text below the heading, in Markdown.")


class RulesReply(ReplySchema):
    """The rules of the game in one language."""

    language = text_field("The language's tag, as in `Content-Language`.")
    title = text_field("The title.")
    sections = fields.List(
        fields.Nested(RulesSection),
        metadata={"description": "The same sections in the same order in every language."},
    )
