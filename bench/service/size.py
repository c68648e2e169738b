"""How much is measured: the full form for the figures, the quick one for their shape."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The amounts of a run.

    A batch has so many `requests` of as many games, by so many `clients`; a figure is the median
    of so many `batches`. Games are spread over the rounds 1 to `last_round`. `expert_games`,
    `seat_games`, `round_games`: how many games are played at a time for these tables;
    `round_turns`: turns of each round that are measured. For the tables of a cluster:
    `append_fsync` and `cluster_workers`, which settings are compared; `cluster_games`, the games of
    a batch; `spread_games`, how many games the masters share; `store_connections` and
    `store_moves`, the connections to one master and the moves of a batch. For the table of streams:
    how many `streams` on how many `watched_games`, of which a `crowd` watches one; `timed_moves`,
    the moves of a batch beside them; `told_moves`, the moves of a game that is watched.
    """

    batches: int = 7
    requests: int = 300
    clients: int = 4
    last_round: int = 11
    expert_games: int = 80
    more_workers: tuple[int, ...] = (2, 4)
    clients_of_workers: int = 16
    stored_games: tuple[int, ...] = (100, 10_000, 100_000)
    seat_games: int = 66
    round_games: int = 60
    round_turns: int = 3
    whole_games: int = 5
    append_fsync: tuple[str, ...] = ("always", "everysec")
    cluster_workers: tuple[int, ...] = (1, 2)
    cluster_games: int = 100
    spread_games: int = 3_000
    store_connections: tuple[int, ...] = (1, 4, 16, 64, 256)
    store_moves: int = 800
    streams: int = 2_000
    watched_games: int = 250
    crowd: int = 300
    timed_moves: int = 200
    told_moves: int = 60
    starts: int = 5


FULL = Size()
QUICK = Size(
    batches=2,
    requests=8,
    last_round=2,
    expert_games=4,
    more_workers=(2,),
    clients_of_workers=4,
    stored_games=(10,),
    seat_games=4,
    round_games=4,
    round_turns=1,
    whole_games=1,
    append_fsync=("always",),
    cluster_workers=(1,),
    cluster_games=8,
    spread_games=30,
    store_connections=(1, 4),
    store_moves=8,
    streams=30,
    watched_games=4,
    crowd=10,
    timed_moves=8,
    told_moves=4,
    starts=1,
)
