"""Entity tags of game views: `"<version>.<viewer>.<format>"`, viewer `s` for a spectator.

A tag names a version of a game and not the bytes of an answer. A proxy that compresses answers
makes tags weak (`W/"…"`), so a weak tag counts like the tag itself.
"""

from __future__ import annotations

import re

from service.errors import ForeignTagError, StaleVersionError

VIEW_FORMAT = 3
"""The number of the view's shape; it grows with every change of that shape."""

_TAG = re.compile(r'(?:W/)?"(?P<version>[0-9]{1,18})\.(?:s|[0-9])\.[0-9]{1,9}"')
_TAG_OR_OTHER = re.compile(r'\*|(?:W/)?"[^"]*"|[^\s,]+')


def entity_tag(version: int, seat: int | None) -> str:
    """The tag of a view for a seat, or for a spectator (None)."""
    viewer = "s" if seat is None else seat
    return f'"{version}.{viewer}.{VIEW_FORMAT}"'


def is_cached(if_none_match: str | None, tag: str) -> bool:
    """Whether the caller has the view of this tag already."""
    tags = _listed(if_none_match)
    return "*" in tags or tag in [each.removeprefix("W/") for each in tags]


def require_match(if_match: str | None, version: int) -> None:
    """Return if the header is absent or names the current version of the game.

    Raises StaleVersionError; ForeignTagError if none of the tags is one of this service's.
    """
    if if_match is None:
        return
    tags = _listed(if_match)
    versions = [int(match["version"]) for tag in tags if (match := _TAG.fullmatch(tag))]
    if "*" in tags or version in versions:
        return
    raise StaleVersionError(version) if versions else ForeignTagError(version)


def _listed(header: str | None) -> list[str]:
    return [] if header is None else _TAG_OR_OTHER.findall(header)
