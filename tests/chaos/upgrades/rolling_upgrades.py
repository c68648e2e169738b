"""An upgrade of one instance after another fails no move, and neither does the way back.

Two instances serve one storage. One after the other is restarted so that it writes the next format,
as an upgrade to a later release does, and then back. In between both formats are written at once,
and the moves of each game are made by both instances in turn.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence

from redis import Redis

from engine.snapshot import WRITTEN_FORMATS
from tests.chaos.trial import Outcome, Trial
from tests.chaos.upgrades.instances import Instance, two_instances
from tests.chaos.upgrades.load import Load, under_load

_FEWEST_MOVES, _MOST_MOVES = 10, 30


def run(upgrades: int = 20, clients: int = 6, seed: int = 1) -> Outcome:
    """Upgrade both instances so many times and take them back, one after the other, during play."""
    rng, violations, seen = random.Random(f"upgrades {seed}"), list[str](), Counter[int]()
    older, newer = WRITTEN_FORMATS
    with two_instances(WRITE_FORMAT=str(older)) as (instances, store_url):
        store = Redis.from_url(store_url)
        with under_load([each.url for each in instances], seed, clients) as load:
            for _ in range(upgrades):
                for number in (newer, older):
                    _restart_each(rng.sample(instances, 2), number, load, rng)
                    formats = _formats(store, load)
                    seen += formats
                    if number not in formats:
                        violations.append(f"nothing was written in format {number}: {formats}")
        store.close()
    violations += load.violations()
    violations += [violation for each in instances for violation in each.violations]
    done = (
        f"{upgrades} upgrades and as many ways back, one instance after the other,"
        f" {load.summary()}; games seen in format {older}: {seen[older]}, {newer}: {seen[newer]}"
    )
    return Outcome(done, [f"seed {seed}: {each}" for each in violations])


def _restart_each(
    instances: Sequence[Instance], number: int, load: Load, rng: random.Random
) -> None:
    for each in instances:
        each.stop()
        each.start(WRITE_FORMAT=str(number))
        each.wait()
        load.wait_for_moves(rng.randint(_FEWEST_MOVES, _MOST_MOVES))


def _formats(store: Redis, load: Load) -> Counter[int]:
    """How many of the games that are or were played are stored in each format."""
    states = [
        store.hget(f"{{g:{game}}}:game", "state") for game in load.history.acknowledged_moves()
    ]
    return Counter(json.loads(state)["format"] for state in states if state)


TRIALS = (
    Trial(
        "A rolling upgrade and the way back: no move fails for clients that repeat as documented,"
        " none is lost or made twice.",
        "Two instances restarted one by one with the next WRITE_FORMAT and back, 20 times each",
        run,
    ),
)
