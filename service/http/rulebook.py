"""The rules of the game in words: one Markdown file for each language, in the folder `rules`.

A file has a title (`# …`) and sections (`## … {#id}`), whose ids are the same in every language.
The Markdown that is served is without the ids, because plain Markdown would show them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Self

LANGUAGES = ("en", "de", "tr", "vi", "hi")
"""The language tags (RFC 5646) of the files; the first serves whoever reads none of them."""
_HEADING = re.compile(r"^## (.+) \{#([a-z-]+)\}\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the rules; `text` is Markdown without the heading."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules in one language."""

    language: str
    title: str
    sections: tuple[Section, ...]

    @classmethod
    def parse(cls, language: str, text: str) -> Self:
        """The rules that the text of a file holds."""
        start, *parts = _HEADING.split(text)
        headings = zip(parts[0::3], parts[1::3], parts[2::3], strict=True)
        sections = [Section(name, title, body.strip()) for title, name, body in headings]
        return cls(language, start.strip().removeprefix("# "), tuple(sections))

    @property
    def markdown(self) -> str:
        """The rules as one Markdown document."""
        sections = [f"## {section.title}\n\n{section.text}" for section in self.sections]
        return "\n\n".join([f"# {self.title}", *sections]) + "\n"


@cache
def rulebook(language: str) -> Rulebook:
    """The rules in one of `LANGUAGES`, read once."""
    text = (files("service.http") / "rules" / f"{language}.md").read_text("utf-8")
    return Rulebook.parse(language, text)
