"""The command `python -m engine.verify`: says of a replay whether its secret gives this game."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from engine.verify.game import problems
from engine.verify.replay import NotAReplayError, Replay, read

VERIFIED, REFUTED, UNREADABLE = range(3)
DESCRIPTION = "Deal a finished game again from its secret, and compare all of its replay."
EPILOG = "Exit status: 0 all fits, 1 something does not, 2 this is no replay."
REPLAY = "a file with the answer of getReplay; - reads it from stdin"
_NOT_CHECKED = (
    "not checked: that each arrangement leaves the fewest possible points, and who made a move"
)


def main(arguments: list[str] | None = None) -> int:
    """Carry out the command line; exit codes as `verify` returns them."""
    parser = argparse.ArgumentParser(
        prog="python -m engine.verify", description=DESCRIPTION, epilog=EPILOG
    )
    parser.add_argument("replay", help=REPLAY)
    return verify(parser.parse_args(arguments).replay)


def verify(name: str) -> int:
    """Verify the replay in a file, or on stdin (`-`); 0 all fits, 1 something does not, 2 none."""
    try:
        replay = read(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes())
        found = problems(replay)
    except (OSError, NotAReplayError, RecursionError) as error:
        sys.stderr.write(f"not a replay: {error}\n")
        return UNREADABLE
    for line in found or _summary(replay):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write("REFUTED\n" if found else "VERIFIED\n")
    return REFUTED if found else VERIFIED


def _summary(replay: Replay) -> list[str]:
    """What was checked, a line each."""
    counted = Counter(str(event["type"]) for event in replay.events)
    end = "finished" if counted["game_finished"] else "abandoned"
    return [
        f"commitment   {replay.commitment} (compare it with the one you were shown at the start)",
        f"first dealer seat {replay.first_dealer}" + (" (of a rematch)" * replay.is_rematch),
        f"shuffles     {counted['round_dealt']} deals, {counted['stock_reshuffled']} refills",
        f"moves        {counted['card_drawn']} draws, {counted['card_discarded']} discards",
        f"rounds       {counted['round_scored']} scored, {counted['went_out']} with a seat out",
        f"events       {len(replay.events)}, none left out, none added; the game is {end}",
        _NOT_CHECKED,
    ]


if __name__ == "__main__":
    sys.exit(main())
