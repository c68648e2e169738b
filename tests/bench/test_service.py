"""The service's benchmark: a short run has every figure, and its figures are of the right kind."""

from __future__ import annotations

import json
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench import __main__ as bench
from bench.service import keys, page
from bench.service.batches import Sample, Spread
from bench.service.clients import Clients, UnexpectedAnswerError, request
from bench.service.parts import traffic as traffic_part
from bench.service.parts.operations import OPERATIONS, Measured
from bench.service.run import PARTS
from bench.service.servers import Address
from bench.service.size import QUICK
from bench.tables import Table
from tests.scale import scaled

ROOT = Path(__file__).parents[2]


def figures(value: Any) -> Iterator[dict[str, float]]:
    """Every spread in a run's JSON."""
    if isinstance(value, dict):
        if value.keys() == {"median", "low", "high"}:
            yield value
        for inner in value.values():
            yield from figures(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from figures(inner)


def check_operations(printed: Any) -> None:
    assert [each["operation"] for each in printed] == [each.name for each in OPERATIONS]
    for each in printed:
        assert len(each["ours"]) == len(each["floor"]) == QUICK.batches
        assert 0.1 < each["cpu_ratio"]["median"] < 20, "the two do work of one kind"


def check_storage(printed: Any) -> None:
    sizes = {part: each["median"] for part, each in printed.items()}
    assert sizes.pop("total") == sum(sizes.values())
    assert list(sizes) == list(keys.PARTS)


def check_traffic(printed: Any) -> None:
    ((flush, traffic),) = printed.items()
    assert flush == "always"
    assert [*traffic] == [*traffic_part.OPERATIONS]
    for name, costs in traffic.items():
        for cost in costs:
            assert cost["request"] > 100
            assert cost["store"]["received"] > 0
            writes = traffic_part.OPERATIONS[name].is_move or name == "createGame"
            assert (cost["store"]["written"] > 0) == writes
            assert cost["store"]["replicated"] >= cost["store"]["written"]


def check_cluster(printed: Any) -> None:
    one, three = printed
    assert [one["masters"], three["masters"]] == [1, 3]
    assert one["rate_ratio"] == {"median": 1, "low": 1, "high": 1}


def check_spread(printed: Any) -> None:
    games = [master["games"] for master in printed]
    assert len(games) == 3
    assert sum(games) == QUICK.spread_games


def check_streams(printed: Any) -> None:
    assert printed["p99_ms"].keys() == printed["memory"].keys() == {"with streams", "without"}
    assert [*printed["threads"]] == ["0", "1", str(QUICK.streams)]
    assert printed["threads"][str(QUICK.streams)] < printed["threads"]["0"] + QUICK.streams / 2
    assert printed["told_ms"] <= printed["told_last_ms"] + 1_000


CHECKS: dict[str, Callable[[Any], object]] = {
    "operations": check_operations,
    "seats": lambda printed: expect([*printed], ["2", "3", "4", "5", "6"]),
    "rounds": lambda printed: expect([*printed], ["1", "2"]),
    "storage": check_storage,
    "traffic": check_traffic,
    "process": lambda printed: expect(10 < printed["memory"] < 1_000, True),  # MB
}
"""What a part has measured, for the parts that need no servers of their own."""
CHECKS_OF_MANY_SERVERS: dict[str, Callable[[Any], object]] = {
    "experts": lambda printed: expect(0 < printed["p50_ms"] <= printed["p99_ms"], True),
    "workers": lambda printed: expect([*printed], ["1", "2"]),
    "games": lambda printed: expect(printed["10"]["memory"] > 100_000, True),  # bytes
    "commits": lambda printed: expect(
        [each["connections"] for each in printed], [*QUICK.store_connections]
    ),
    "cluster": check_cluster,
    "spread": check_spread,
    "streams": check_streams,
}
"""What the others have measured; with `WHOLE=1` each of them is tried, otherwise the first."""


def expect(found: object, expected: object) -> None:
    assert found == expected


def test_every_part_has_a_check() -> None:
    assert {*CHECKS, *CHECKS_OF_MANY_SERVERS} == {*PARTS}


@pytest.mark.trial
@pytest.mark.parametrize("checks", [CHECKS, CHECKS_OF_MANY_SERVERS], ids=["one", "many"])
def test_a_quick_run_measures_each_part(
    checks: dict[str, Callable[[Any], object]], capsys: pytest.CaptureFixture[str]
) -> None:
    names = [*checks] if checks is CHECKS or scaled(10) == 10 else [*checks][:1]
    assert bench.main(["--quick", "--json", *names]) == 0

    printed = json.loads(capsys.readouterr().out)
    assert {*printed} == {"origin", *names}
    assert all(0 < each["low"] <= each["median"] <= each["high"] for each in figures(printed))
    for name in names:
        checks[name](printed[name])


def test_a_part_that_does_not_exist_is_refused_with_those_that_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        bench.main(["operation"])

    assert "no such part: operation; the parts are operations, " in capsys.readouterr().err


def test_ratios_are_taken_within_each_pair_of_batches() -> None:
    ours = [Sample(20, 5), Sample(40, 5), Sample(60, 5)]
    floors = [Sample(10, 10), Sample(40, 5), Sample(20, 20)]
    measured = Measured(OPERATIONS[0], ours, floors)

    assert measured.cpu_ratio == Spread(2, 1, 3)
    assert measured.rate_ratio == Spread(0.5, 0.25, 1)
    assert not measured.meets_cpu
    assert not measured.meets_rate


def test_the_page_has_one_place_for_each_table(tmp_path: Path) -> None:
    path = Path(shutil.copy(ROOT / bench.PAGE, tmp_path))

    for text in ("old figures", "new figures"):
        page.write(path, {name: f"{text} of \\1 {name}" for name in PARTS})

    written = path.read_text()
    assert all(written.count(f"new figures of \\1 {name}\n") == 1 for name in PARTS)
    assert "old figures" not in written
    with pytest.raises(page.PageError):
        page.write(path, {"unknown": "a table"})


def test_a_table_is_written_as_text_and_as_markdown() -> None:
    table = Table("Title", ("what", "µs"), (("draw", "1,000"), ("a read", "9")), ("A note.",))

    assert table.text() == "Title\n\nwhat    µs\ndraw    1,000\na read  9\n\nA note."
    assert table.markdown() == (
        "| what | µs |\n| --- | --- |\n| draw | 1,000 |\n| a read | 9 |\n\nA note."
    )


def test_a_key_of_an_unknown_kind_is_named_with_the_module_that_must_know_it() -> None:
    assert keys.part_of("{g:id}:key:owner:hash") == "records"
    with pytest.raises(LookupError, match=r"\{g:id\}:novel: .* bench\.service\.keys"):
        keys.part_of("{g:id}:novel")


def _answer(connection: socket.socket, requests: int) -> None:
    """Answer so many requests, each with its own first line in two pieces; then close."""
    with closing(connection):
        for _ in range(requests):
            line = connection.recv(65_536).split(b"\r\n")[0]
            status = b"404 Not Found" if b"missing" in line else b"200 OK"
            head = b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n" % (status, len(line))
            connection.sendall(head + line[:1])
            connection.sendall(line[1:])


@contextmanager
def echo(*requests: int) -> Iterator[tuple[Address, threading.Semaphore]]:
    """A server that answers so many requests on each of its connections, one after the other.

    The semaphore has a permit for each connection that it has closed.
    """
    closed = threading.Semaphore(0)

    def serve() -> None:
        for number in requests:
            _answer(listener.accept()[0], number)
            closed.release()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[:2], closed
        thread.join()


def test_answers_come_in_the_order_of_their_requests() -> None:
    with echo(3) as (address, _), Clients(address, 1) as clients:
        answers, seconds = clients.run([request("GET", f"/{number}") for number in range(3)])

    assert [answer.body for answer in answers] == [b"GET /%d HTTP/1.1" % n for n in range(3)]
    assert all(0 < answer.seconds <= seconds for answer in answers)


def test_a_connection_that_the_server_closed_meanwhile_is_opened_again() -> None:
    with echo(1, 1) as (address, closed), Clients(address, 1) as clients:
        for _ in range(2):
            assert clients.ask(request("GET", "/")).status == 200
            assert closed.acquire(timeout=30)


def test_another_status_than_expected_ends_the_run() -> None:
    refused = pytest.raises(UnexpectedAnswerError, match="404 instead of 200: GET /missing")
    with echo(1) as (address, _), Clients(address, 1) as clients, refused:
        clients.ask(request("GET", "/missing"))
