"""Tables of figures, as aligned text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings; the notes below say what was measured, and how."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """The table for a terminal."""
        return "\n".join([self.title, "", aligned([self.headings, *self.rows]), "", *self.notes])

    def markdown(self) -> str:
        """The table for a page, without its title."""
        lines = [self.headings, ("---",) * len(self.headings), *self.rows]
        return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", *self.notes])


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Cells as text, each column as wide as its longest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def verdict(met: bool | None) -> str:
    """Whether a goal is met, in words; nothing where there is no goal."""
    return {None: "", True: "met", False: "NOT MET"}[met]
