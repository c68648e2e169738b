"""A person who plays fast never meets a limit as they are by default."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace

from service.app import create_app
from service.config import Config
from service.http.rate_limits import limiter
from service.store import call_counts
from service.store.connections.topologies import open_pools
from service.store.connections.url import parse
from service.store.game_store import GameStore
from tests.player import QUICK, create
from tests.scale import scaled

_MOVE_SECONDS = 0.1


@dataclass
class Time:
    """The clock of the counts, at the beginning of a minute; a move takes its time there."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def test_ten_moves_a_second_with_a_hint_each_turn_and_a_review_each_game_are_never_refused(
    config: Config, store: GameStore, redis_url: str
) -> None:
    """Whole games, one after the other; in full about a minute of the player's time."""
    time = Time()
    app = create_app(replace(config, ai_turn_solves=100), store)
    with closing(open_pools(parse(redis_url), 4)) as pools:
        limiter.install(app, Config(), call_counts.URI, {"pools": pools, "clock": time})
        for _ in range(scaled(10)):
            player = create(app.test_client(), QUICK)
            while player.game["status"] == "playing":
                hint = player.get("/hint")
                assert hint.status_code == 200
                assert "RateLimit" in hint.headers
                player.turn()
                time.now += 2 * _MOVE_SECONDS
            review = player.get("/review?seat=0")
            assert review.status_code == 200
            assert review.headers["RateLimit-Policy"] == '"review";q=60;w=60'
        assert time.now > Time().now + scaled(40)
