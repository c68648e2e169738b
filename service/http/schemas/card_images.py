"""What callers may say about the image of a card."""

from __future__ import annotations

from marshmallow import fields

from service.http.card_images.palettes import DEFAULT_COLOURS, INKS
from service.http.schemas.requests import RequestSchema, ViewHeaders
from service.http.schemas.strict_fields import QueryChoiceField


class CardImageQuery(RequestSchema):
    """How to draw a card."""

    colours = QueryChoiceField(
        *INKS,
        load_default=DEFAULT_COLOURS,
        metadata={
            "description": "How many colours the four suits have: black and red, or with 4 also "
            "green clubs and blue diamonds."
        },
    )


class CardImageHeaders(ViewHeaders):
    """What a caller may say about the images that it has already."""

    if_none_match = fields.String(
        data_key="If-None-Match",
        metadata={"description": "ETags of images you have: if one is current, the answer is 304."},
    )
