"""Entity tags: what counts as the current version, and what is no tag of this service."""

from __future__ import annotations

import pytest

from service.errors import ForeignTagError, StaleVersionError
from service.games.answers.entity_tags import entity_tag, is_cached, require_match


def test_a_tag_names_version_viewer_and_format() -> None:
    assert entity_tag(17, 0) == '"17.0.3"'
    assert entity_tag(17, None) == '"17.s.3"'


@pytest.mark.parametrize(
    "if_match",
    [
        None,
        "*",
        '"17.0.3"',
        'W/"17.0.3"',
        '"17.s.3"',
        '"17.0.99"',
        '"16.0.3", "17.0.3"',
        '"none, of ours", W/"17.3.3"',
        '"16.0.3",*',
    ],
)
def test_only_the_version_of_a_tag_is_compared(if_match: str | None) -> None:
    require_match(if_match, 17)


@pytest.mark.parametrize("if_match", ['"16.0.3"', 'W/"18.0.3"', '"16.0.3", "17.0.3-gzip"'])
def test_another_version_is_stale(if_match: str) -> None:
    with pytest.raises(StaleVersionError) as stale:
        require_match(if_match, 17)
    assert stale.value.version == 17


@pytest.mark.parametrize(
    "if_match",
    [
        "",
        '"17.0.3-gzip"',
        "17.0.3",
        '"17"',
        '"17.x.3"',
        '"',
        'w/"17.0.3"',
        '"\u0661\u0667.0.1"',
        ",",
    ],
)
def test_a_header_without_a_tag_of_this_service_is_foreign(if_match: str) -> None:
    with pytest.raises(ForeignTagError) as foreign:
        require_match(if_match, 17)
    assert foreign.value.version == 17


@pytest.mark.parametrize("header", ["*", '"17.0.3"', 'W/"17.0.3"', '"a", "17.0.3"'])
def test_a_view_that_the_caller_has_is_cached(header: str) -> None:
    assert is_cached(header, '"17.0.3"')


@pytest.mark.parametrize("header", [None, "", '"17.s.3"', '"17.0.3-gzip"', '"16.0.3"', "17.0.3"])
def test_another_view_is_not_cached(header: str | None) -> None:
    assert not is_cached(header, '"17.0.3"')
