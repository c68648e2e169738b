"""Shapes as SVG text, in units of the card, which is 250 wide and 350 high.

There is no style and no id in them: so they show under any Content-Security-Policy, and many
images can stand in one page.
"""

from __future__ import annotations

WIDTH = 250
HEIGHT = 350


def filled(outline: str, fill: str, place: str = "") -> str:
    """A shape without a line around it."""
    return f'<path{place} fill="{fill}" d="{outline}"/>'


def stroked(line: str, stroke: str, width: float, place: str = "") -> str:
    """A line with round ends and corners."""
    return (
        f'<path{place} fill="none" stroke="{stroke}" stroke-width="{width:g}" '
        f'stroke-linecap="round" stroke-linejoin="round" d="{line}"/>'
    )


def outlined(outline: str, fill: str, stroke: str, width: float = 5) -> str:
    """A shape with a line around it."""
    return (
        f'<path fill="{fill}" stroke="{stroke}" stroke-width="{width:g}" '
        f'stroke-linejoin="round" d="{outline}"/>'
    )


def at(x: float, y: float, scale: float = 1) -> str:
    """The attribute that moves the origin of a shape to a point, and scales the shape there."""
    scaling = "" if scale == 1 else f"scale({scale:g})"
    return f' transform="translate({x:g} {y:g}){scaling}"'


def circles(radius: float, *centres: tuple[float, float]) -> str:
    """The outline of circles of one radius."""
    half = f"a{radius:g} {radius:g} 0 1 1"
    return "".join(
        f"M{x - radius:g} {y:g}{half} {2 * radius:g} 0{half} {-2 * radius:g} 0Z" for x, y in centres
    )
