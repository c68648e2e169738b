"""The images of the cards."""

from __future__ import annotations

from flask import Response

from engine.cards import RANK_CODES, SUIT_CODES
from service.http.card_images.images import BACK_CODE, card_image
from service.http.card_images.palettes import DEFAULT_COLOURS
from service.http.openapi.blueprint import Blueprint
from service.http.openapi.headers import header
from service.http.operations import Resource
from service.http.parsing import Token
from service.http.replies import IMMUTABLE, SVG, image_reply
from service.http.schemas.card_images import CardImageHeaders, CardImageQuery

blueprint = Blueprint(
    "cards", __name__, url_prefix="/v1/cards", description="An image of every card."
)
_CODE = {
    "in": "path",
    "name": "code",
    "description": "A card as games name it, the joker included; or `back`.",
    "schema": {"type": "string", "pattern": f"^([{RANK_CODES}][{SUIT_CODES}]|JK|{BACK_CODE})$"},
    "example": "JC",
}
_EXAMPLE = card_image("8H", DEFAULT_COLOURS)
_HEADERS = {
    "ETag": header("The image's tag.", _EXAMPLE.etag),
    "Cache-Control": header("An image may be kept for a year.", IMMUTABLE),
}


@blueprint.route("/<code>.svg", parameters=[_CODE])
class CardResource(Resource):
    """One image."""

    @blueprint.operation("getCard", Token.IGNORED, "not-found", "validation-failed")
    @blueprint.arguments(CardImageHeaders, location="headers")
    @blueprint.arguments(CardImageQuery, location="query")
    @blueprint.alt_response(304, description="You have this image already.", headers=_HEADERS)
    @blueprint.response(
        200,
        {"type": "string"},
        content_type=SVG,
        description="The image, five to seven, sharp at any size.",
        example=_EXAMPLE.svg.decode(),
        headers=_HEADERS,
    )
    def get(self, headers: dict[str, str], query: dict[str, int], code: str) -> Response:
        """Look at a card.

        An SVG to show in a page as it is: the index stands in the upper left corner, and its
        `title` names the card. It needs no game and never changes.
        """
        return image_reply(card_image(code, query["colours"]), headers.get("if_none_match"))
