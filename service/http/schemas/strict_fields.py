"""Fields that take what the API description says and nothing that merely looks like it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from engine.cards import CODES, RANK_CODES, SUIT_CODES, Card, Rank
from engine.errors import CardCodeError, RankCodeError

CARD_PATTERN = f"^([{RANK_CODES}][{SUIT_CODES}]|JK)$"


class Pattern(validate.Validator):
    """A pattern for the whole text: to Python alone, `$` would let one more line end follow."""

    def __init__(self, pattern: str, error: str) -> None:
        """Keep the pattern under the name that the description is made from."""
        self.regex = re.compile(pattern)
        self._error = error

    def __call__(self, value: str) -> str:
        """Return the value, or raise a ValidationError."""
        if self.regex.fullmatch(value) is None:
            raise ma.ValidationError(self._error)
        return value


class WholeField(fields.Integer):
    """A whole number of a range, both ends included; every refusal says which."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        """Refuse numbers outside the range."""
        words = f"Must be a whole number from {low} to {high}."
        super().__init__(
            strict=True,
            validate=validate.Range(low, high, error=words),
            error_messages={"invalid": words, "too_large": words},
            **kwargs,
        )


class QueryNumberField(WholeField):
    """A whole number in a query, in plain digits: no sign, spaces, underscores or other scripts."""

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, object] | None, **kwargs: object
    ) -> Any:
        if not (isinstance(value, str) and value.isascii() and value.isdigit()):
            raise self.make_error("invalid", input=value)
        try:
            number = int(value)
        except ValueError as error:  # more digits than Python converts
            raise self.make_error("invalid", input=value) from error
        return super()._deserialize(number, attr, data, **kwargs)


class QueryChoiceField(fields.Integer):
    """One of a few whole numbers in a query, written in no other way."""

    def __init__(self, *choices: int, **kwargs: Any) -> None:
        """Refuse every other text, naming the choices."""
        words = f"Must be one of: {', '.join(map(str, choices))}."
        self._choices = {str(choice): choice for choice in choices}
        super().__init__(
            validate=validate.OneOf(choices, error=words),
            error_messages={"invalid": words},
            **kwargs,
        )

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, object] | None, **kwargs: object
    ) -> Any:
        if not isinstance(value, str) or value not in self._choices:
            raise self.make_error("invalid", input=value)
        return self._choices[value]


class CardField(fields.String):
    """A card code, read as a card."""

    TEXTS = CODES

    def __init__(self, **kwargs: Any) -> None:
        """Document the code's pattern."""
        described = {"pattern": CARD_PATTERN, "example": "8H", **kwargs.pop("metadata", {})}
        super().__init__(metadata=described, **kwargs)

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, object] | None, **kwargs: object
    ) -> Any:
        code = super()._deserialize(value, attr, data, **kwargs)
        try:
            return Card.parse(code)
        except CardCodeError as error:
            raise ma.ValidationError(str(error)) from error


class RankField(fields.String):
    """A rank code, read as a rank."""

    TEXTS = tuple(RANK_CODES)

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, object] | None, **kwargs: object
    ) -> Any:
        code = super()._deserialize(value, attr, data, **kwargs)
        try:
            return Rank.parse(code)
        except RankCodeError as error:
            raise ma.ValidationError(str(error)) from error


class FlagField(fields.Boolean):
    """true or false, and nothing that merely looks like it."""

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, object] | None, **kwargs: object
    ) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value
