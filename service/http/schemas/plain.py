"""Plain values, taken without the general machinery of marshmallow.

`Schema.load` costs ten to fifty µs, much of a whole request. A `PlainLoader` is made once from a
schema. It takes the values that need no conversion but looking them up, and the schema's own
validators judge them. What it does not take, it declines: then the schema loads it, and says what
is wrong with it. So it never decides that a request is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import marshmallow as ma
from marshmallow import fields, validate

from service.http.schemas.strict_fields import CardField, FlagField, RankField, WholeField

_Field = fields.Field[Any]
_List = fields.List[Any]
_Loaded = dict[str, Any]
_Take = Callable[[Any], object]
"""Takes a value as a field would load it, or raises one of `_DECLINED`."""
_DECLINED = (LookupError, TypeError, ma.ValidationError)


@dataclass(frozen=True, slots=True)
class _Member:
    """A field: its name in the request and in the loaded values, and what is there without it."""

    key: str
    name: str
    take: _Take
    required: bool
    default: object

    @classmethod
    def of(cls, name: str, field: _Field) -> Self:
        key = name if field.data_key is None else field.data_key
        required = field.required or callable(field.load_default)
        return cls(key, field.attribute or name, _taking(field), required, field.load_default)


@dataclass(frozen=True, slots=True)
class PlainLoader:
    """The members of a schema's objects, and what `validates` hooks of it check, by name."""

    members: tuple[_Member, ...]
    checks: tuple[tuple[str, _Take], ...]

    @classmethod
    def of(cls, schema: ma.Schema) -> Self:
        """The loader of a schema; it declines everything if the schema has hooks of other kinds."""
        hooks = {kind for kind, methods in schema._hooks.items() if methods}  # noqa: SLF001
        if not hooks <= {"validates"} or type(schema).handle_error is not ma.Schema.handle_error:
            return cls((_NOWHERE,), ())
        members = (_Member.of(name, field) for name, field in schema.load_fields.items())
        return cls(tuple(members), tuple(_checks(schema)))

    def load(self, given: object) -> _Loaded | None:
        """What the schema's `load` gives, or None for everything that is not plain."""
        if type(given) is not dict:
            return None
        loaded: _Loaded = {}
        taken = 0
        try:
            for member in self.members:
                if member.key in given:
                    loaded[member.name] = member.take(given[member.key])
                    taken += 1
                elif member.required:
                    return None
                elif member.default is not ma.missing:
                    loaded[member.name] = member.default
            for name, check in self.checks:
                if name in loaded:
                    check(loaded[name])
        except _DECLINED:
            return None
        return loaded if taken == len(given) else None


def _checks(schema: ma.Schema) -> Iterator[tuple[str, _Take]]:
    for method, _, options in schema._hooks["validates"]:  # noqa: SLF001
        for name in options["field_names"]:
            yield schema.fields[name].attribute or name, getattr(schema, method)


def _taking(field: _Field) -> _Take:
    """What takes the plain values of a field."""
    if field.pre_load or field.post_load:
        return _decline
    take = _taking_values(field)
    return _or_none(take) if field.allow_none else take


def _taking_values(field: _Field) -> _Take:
    texts = _all_texts(field)
    if texts is not None:
        return _table(field, texts).__getitem__
    if type(field) in {fields.Integer, WholeField}:
        return _validated(int, field)
    if type(field) is fields.String:
        return _validated(str, field)
    if type(field) is FlagField:
        return _validated(bool, field)
    if type(field) is fields.List:
        return _list(field)
    return _decline


def _all_texts(field: _Field) -> tuple[str, ...] | None:
    """Every text that a field may take, if these are few; each of them is loaded beforehand."""
    if isinstance(field, CardField | RankField):
        return field.TEXTS
    if type(field) is fields.String:
        for validator in field.validators:
            if type(validator) is validate.OneOf:
                return tuple(validator.choices)
    return None


def _table(field: _Field, texts: tuple[str, ...]) -> dict[str, object]:
    table = {}
    for text in texts:
        try:
            table[text] = field.deserialize(text)
        except ma.ValidationError:
            continue
    return table


def _validated(kind: type, field: _Field) -> _Take:
    validators = tuple(field.validators)

    def take(value: object) -> object:
        if type(value) is not kind:
            raise TypeError
        for validator in validators:
            validator(value)
        return value

    return take


def _list(field: _List) -> _Take:
    validators, take_item = tuple(field.validators), _taking(field.inner)

    def take(value: object) -> object:
        if type(value) is not list:
            raise TypeError
        items = list(map(take_item, value))
        for validator in validators:
            validator(items)
        return items

    return take


def _or_none(take: _Take) -> _Take:
    return lambda value: None if value is None else take(value)


def _decline(value: object) -> object:
    raise TypeError(f"{type(value)} is for the schema")


_NOWHERE = _Member("", "", _decline, required=True, default=None)
"""A member that is in no object as it should be."""
