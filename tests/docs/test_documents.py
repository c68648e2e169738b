"""The pages of documentation: each link among them leads to a file, and to a heading of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.documents import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
_LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]+))?\)")
_FENCED = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)


_CODE = re.compile(r"`[^`\n]*`")


def prose(page: Path) -> str:
    return _FENCED.sub("", page.read_text())


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, anchor in _LINK.findall(_CODE.sub("", prose(page))):
        linked = (page.parent / target) if target else page
        assert linked.exists(), f"{page} links to {target}"
        if anchor:
            assert anchor in anchors(linked), f"{page} links to {target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_named_source_is_defined_and_used(page: Path) -> None:
    text = _CODE.sub("", prose(page))
    defined = set(re.findall(r"^\[([\w-]+)\]: ", text, re.MULTILINE))
    assert defined == set(re.findall(r"\]\[([\w-]+)\]", text)), page
