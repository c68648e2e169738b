"""The traces of the running service: a whole game, as a collector gets it."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import requests

from tests.nodes import wait_for
from tests.otlp import attributes, collector
from tests.system.launch import Launch

TRACE = "0af7651916cd43dd8448eb211c80319c"
SHORT = {
    "seats": [{"kind": "human"}, {"kind": "ai", "level": "easy"}],
    "rounds": {"first": 1, "last": 1},
}


def play(url: str) -> int:
    """Play a short game in one trace, and return how many requests that were."""
    session = requests.Session()
    session.headers["traceparent"] = f"00-{TRACE}-b7ad6b7169203331-01"
    created = session.post(f"{url}/v1/games", json=SHORT, timeout=30).json()
    session.headers["Authorization"] = f"Bearer {created['token']}"
    game, count = created["game"], 1
    place = f"{url}/v1/games/{game['id']}"
    while game["status"] == "playing":
        drawn = session.post(f"{place}/draw", json={"source": "stock"}, timeout=30).json()["game"]
        card = drawn["you"]["arrangement"]["discard"]
        game = session.post(f"{place}/discard", json={"card": card}, timeout=30).json()["game"]
        count += 2
    return count


def test_a_collector_gets_every_request_of_a_game_also_those_before_a_stop(tmp_path: Path) -> None:
    with (
        collector() as collected,
        Launch(tmp_path, LOG_FORMAT="json", OTEL_EXPORTER_OTLP_ENDPOINT=collected.url) as service,
    ):
        url = service.url()
        count = play(url)
        wait_for(lambda: len(collected.spans) > 0, "the first spans")
        count += play(url)
        service.send(signal.SIGTERM)
        assert service.ended() == 0

        in_trace = [each for each in collected.spans if each.trace_id.hex() == TRACE]
        requested = [each for each in in_trace if each.name.endswith(("Game", "Card"))]
        assert len(requested) == count
        assert collected.services == {"three-thirteen"}
        own = {each.span_id for each in requested}
        parts = [each for each in in_trace if each.parent_span_id in own]
        assert {each.name for each in parts} == {"AI choice", "storage read", "storage write"}
        assert len(parts) + len(requested) == len(in_trace)
        seats = {attributes(each)["three_thirteen.seat"] for each in requested}
        assert seats == {0}
        traced = re.findall(rf'"operation":"\w+".*"trace_id":"{TRACE}"', service.output)
        assert len(traced) == count


def test_a_service_that_cannot_trace_says_so_and_serves(tmp_path: Path) -> None:
    with Launch(tmp_path, OTEL_TRACES_EXPORTER="zipkin") as service:
        service.said(r"nothing is traced: OTEL_TRACES_EXPORTER is 'zipkin'")
        assert requests.get(f"{service.url()}/readyz", timeout=10).status_code == 200
