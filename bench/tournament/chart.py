"""The chart of strength that the README shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.peers import peer
from bench.tournament.figures import Figures

_INK = "#1f2933"
_BAR = "#2f7d5b"
_EVEN = "#c2410c"


def draw_strength(contests: Sequence[Figures], path: Path) -> None:
    """Write an SVG with the win share of each level at a table of one field, with intervals."""
    matplotlib = peer("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "three-thirteen", "font.size": 11})
    figure, axes = peer("matplotlib.pyplot").subplots(figsize=(7.5, 0.7 * len(contests) + 1.5))
    names = [one.candidate for one in contests]
    shares = [100 * one.win_share.mean for one in contests]
    below = [100 * (one.win_share.mean - one.win_share.low) for one in contests]
    above = [100 * (one.win_share.high - one.win_share.mean) for one in contests]
    axes.barh(names, shares, xerr=[below, above], color=_BAR, ecolor=_INK, capsize=4, height=0.6)
    for place, (share, more) in enumerate(zip(shares, above, strict=True)):
        axes.text(share + more + 0.8, place, f"{share:.0f} %", va="center", color=_INK)
    seats = contests[0].seats
    even = 100 / seats
    axes.axvline(even, color=_EVEN, linestyle="--", linewidth=1.2)
    axes.annotate(
        f"{even:.0f} %: an equal share",
        (even, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(4, 4),
        textcoords="offset points",
        color=_EVEN,
        fontsize=9,
    )
    axes.set_xlim(0, max(60.0, 8 + max(map(sum, zip(shares, above, strict=True)))))
    axes.set_xlabel(
        f"games won, % (with 95 % interval) against {seats - 1} {contests[0].field} players\n"
        f"{contests[0].deals:,} deals, each played from every seat"
    )
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None})
