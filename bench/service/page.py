"""The page that holds the figures: each table stands between two marks, and is written there.

<!-- figures: operations -->
…
<!-- end of figures -->
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_END = "<!-- end of figures -->"


class PageError(Exception):
    """The page has no place for a table."""


def write(path: Path, tables: Mapping[str, str]) -> None:
    """Put each table, as Markdown, in its place on a page; raises PageError and OSError."""
    text = path.read_text(encoding="utf-8")
    for name, table in tables.items():
        text = _filled(text, name, table)
    path.write_text(text, encoding="utf-8")


def _filled(text: str, name: str, table: str) -> str:
    begin = f"<!-- figures: {name} -->"
    pattern = re.compile(f"{re.escape(begin)}\n.*?{re.escape(_END)}", re.DOTALL)
    filled, places = pattern.subn(lambda _: f"{begin}\n{table}\n{_END}", text)
    if places != 1:
        raise PageError(f"the page has {places} places for {name}, not one: {begin} … {_END}")
    return filled
