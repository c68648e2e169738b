"""Games of any mix: random levels, seats and options, to see whether a round ever stalls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import engine
from bench.tournament.deals import Lineup, play, secret_of
from engine.players import LEVELS
from engine.rules import JOKER_CHOICES, MAX_SEATS, MIN_SEATS, ROUNDS, AceMode, Rules
from engine.shuffle import Stream


@dataclass(frozen=True, slots=True)
class MixedGame:
    """One game of the mix; `stalled` has the numbers of its stalled rounds."""

    number: int
    lineup: Lineup
    jokers: int
    aces: str
    stalled: tuple[int, ...]


def play_mixed(number: int) -> MixedGame:
    """The game of a number: everything about it follows from the number."""
    secret = secret_of("mix", number)
    random = Stream(secret, "mix")
    seats = MIN_SEATS + random.uniform(MAX_SEATS - MIN_SEATS + 1)
    levels = tuple(LEVELS)
    lineup = tuple(levels[random.uniform(len(levels))] for _ in range(seats))
    jokers = JOKER_CHOICES[random.uniform(len(JOKER_CHOICES))]
    aces = tuple(AceMode)[random.uniform(len(AceMode))]
    outcome = play(secret, Rules(jokers, aces), lineup)
    return MixedGame(number, lineup, jokers, aces.value, outcome.stalled)


def record(games: Sequence[MixedGame]) -> dict[str, object]:
    """The mix as JSON holds it, the games with stalled rounds one by one."""
    stalled = [game for game in games if game.stalled]
    return {
        "games": len(games),
        "rounds": len(games) * ROUNDS,
        "levels": list(LEVELS),
        "form": engine.form,
        "stalled_rounds": sum(len(game.stalled) for game in stalled),
        "stalled_games": [asdict(game) for game in stalled],
    }


def report(games: Sequence[MixedGame]) -> str:
    """The mix as text."""
    rounds = sum(len(game.stalled) for game in games)
    levels = ", ".join(LEVELS)
    lines = [
        f"{len(games)} games of {levels} in any mix, 2 to 6 seats, all options:",
        f"{rounds} of {len(games) * ROUNDS} rounds stalled; engine form: {engine.form}.",
    ]
    for game in games:
        if game.stalled:
            table = ", ".join(game.lineup)
            lines.append(
                f"  game {game.number}: {table}; {game.jokers} jokers, aces {game.aces};"
                f" rounds {', '.join(map(str, game.stalled))}"
            )
    return "\n".join(lines)
