"""Whole games and parallel requests through the real server, checked by the referee."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import requests

from tests.referee.games import play_game
from tests.system.launch import Launch

PARALLEL = 20


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("service")
    with Launch(folder, LOG_LEVEL="WARNING") as service:
        yield service.url()
        assert "Traceback" not in service.output


def options_of_games() -> list[dict[str, object]]:
    """The options of ten games: the default twice, and every number of seats with all options."""
    games: list[dict[str, object]] = [{}, {}]
    for number in range(8):
        seats = [{"kind": "human", "name": "Ann"}, *[{"kind": "ai"}] * (1 + number % 5)]
        aces = ("low", "high", "both")[number % 3]
        games.append({"seats": seats, "jokers": (0, 2, 4)[number % 3], "aces": aces})
    return games


@pytest.mark.parametrize("number", range(10))
def test_every_answer_in_a_whole_game_follows_the_rules_and_the_contract(
    url: str, number: int
) -> None:
    game = play_game(url, None, options_of_games()[number], random.Random(number))
    assert game.view["status"] == "finished"


class Caller:
    """Creates a game; its methods can be called from many threads, each on its own connection."""

    def __init__(self, url: str) -> None:
        created = requests.post(f"{url}/v1/games", timeout=10).json()
        self.game = f"{url}/v1/games/{created['game']['id']}"
        self.auth = {"Authorization": f"Bearer {created['token']}"}

    def draw(self, **headers: str) -> requests.Response:
        return requests.post(
            f"{self.game}/draw",
            json={"source": "stock"},
            headers={**self.auth, **headers},
            timeout=20,
        )

    def events(self) -> list[dict[str, object]]:
        listed = requests.get(f"{self.game}/events?limit=1000", headers=self.auth, timeout=10)
        events: list[dict[str, object]] = listed.json()["events"]
        return events


def in_parallel(call: Callable[[], requests.Response], count: int) -> list[requests.Response]:
    """The answers to `count` calls that start at the same moment."""
    barrier = Barrier(count)

    def run(_: int) -> requests.Response:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_only_one_of_many_parallel_draws_of_a_seat_is_made(url: str) -> None:
    caller = Caller(url)
    drawn = len([event for event in caller.events() if event["type"] == "card_drawn"])
    statuses = Counter(answer.status_code for answer in in_parallel(caller.draw, PARALLEL))
    assert statuses[200] == 1
    assert set(statuses) <= {200, 409, 412}
    after = [event for event in caller.events() if event["type"] == "card_drawn"]
    assert len(after) == drawn + 1


def test_only_one_of_many_parallel_draws_with_the_same_if_match_is_made(url: str) -> None:
    caller = Caller(url)
    answers = in_parallel(lambda: caller.draw(**{"If-Match": '"1.0.3"'}), PARALLEL)
    assert Counter(answer.status_code for answer in answers) == {200: 1, 412: PARALLEL - 1}


@pytest.mark.parametrize("count", [2, PARALLEL])
def test_parallel_draws_with_one_key_draw_one_card_and_get_equal_answers(
    url: str, count: int
) -> None:
    caller = Caller(url)
    answers = in_parallel(lambda: caller.draw(**{"Idempotency-Key": "one"}), count)
    assert [answer.status_code for answer in answers] == [200] * count
    assert len({answer.content for answer in answers}) == 1
    assert len({answer.headers["ETag"] for answer in answers}) == 1
    replayed = [answer for answer in answers if "Idempotency-Replayed" in answer.headers]
    assert len(replayed) == count - 1
    seqs = [event["seq"] for event in caller.events()]
    assert seqs == list(range(1, len(seqs) + 1))
    assert answers[0].json()["events"][-1]["seq"] == seqs[-1]


def test_parallel_creations_with_one_key_create_one_game(url: str) -> None:
    key = f"{random.getrandbits(256):064x}"
    answers = in_parallel(
        lambda: requests.post(f"{url}/v1/games", headers={"Idempotency-Key": key}, timeout=20),
        PARALLEL,
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
