"""The metrics of the running service: where they are shown, and what a dead worker leaves."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import pytest
import requests
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from service.metrics import Metrics
from tests.nodes import wait_for
from tests.system.launch import Launch, create_game

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CREATED = "three_thirteen_games_created_total"
STREAMS = "three_thirteen_streams_open"


class Scraper:
    """Reads the metrics of a service."""

    def __init__(self, service: Launch) -> None:
        self.service_url = service.url()
        self.url = service.said(r"metrics at (http://\S+)")[1]

    def sum(self, name: str) -> float:
        text = requests.get(self.url, timeout=10).text
        samples = [
            sample for family in text_string_to_metric_families(text) for sample in family.samples
        ]
        return sum(sample.value for sample in samples if sample.name == name)


def test_what_dead_workers_have_counted_stays_and_what_they_had_open_goes(tmp_path: Path) -> None:
    with Launch(tmp_path, METRICS_PORT="0") as service:
        scraper = Scraper(service)
        games = [create_game(scraper.service_url) for _ in range(8)]
        wait_for(lambda: scraper.sum(CREATED) == 8, "eight games")
        stream = requests.get(
            f"{games[0]}/events", headers={"Accept": "text/event-stream"}, stream=True, timeout=10
        )
        wait_for(lambda: scraper.sum(STREAMS) == 1, "an open stream")
        before = service.workers()

        for pid in before:
            os.kill(pid, signal.SIGKILL)

        wait_for(lambda: not set(service.workers()) & set(before), "new workers")
        wait_for(lambda: scraper.sum(STREAMS) == 0, "no open stream")
        assert scraper.sum(CREATED) == 8
        create_game(scraper.service_url)
        wait_for(lambda: scraper.sum(CREATED) == 9, "nine games")
        stream.close()


def test_the_metrics_have_a_port_of_their_own_and_end_with_the_service(tmp_path: Path) -> None:
    with Launch(tmp_path, METRICS_PORT="0") as service:
        scraper = Scraper(service)
        assert scraper.url.startswith("http://127.0.0.1:")
        assert requests.get(f"{scraper.service_url}/metrics", timeout=10).status_code == 404
        elsewhere = scraper.url.removesuffix("/metrics")
        assert requests.get(elsewhere, timeout=10).status_code == 404
        folder = _folder(service)
        assert any(folder.iterdir())

        service.send(signal.SIGTERM)

        assert service.ended() == 0
        assert not folder.exists()
        with pytest.raises(requests.ConnectionError):
            requests.get(scraper.url, timeout=10)


def _folder(service: Launch) -> Path:
    environ = Path(f"/proc/{service.member('metrics_process')}/environ").read_bytes().decode()
    found = re.search(r"PROMETHEUS_MULTIPROC_DIR=([^\0]+)", environ)
    assert found is not None
    return Path(found[1])


def test_the_process_that_shows_them_is_started_again(tmp_path: Path) -> None:
    with Launch(tmp_path, METRICS_PORT="0") as service:
        scraper = Scraper(service)
        os.kill(service.member("metrics_process"), signal.SIGKILL)
        service.said(r"the metrics' server ended by itself, with code -9; it is started again")
        assert requests.get(scraper.url, timeout=20).status_code == 200


def test_a_taken_port_of_the_metrics_is_named_by_its_setting(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        port = service.url().rpartition(":")[2]
        folder = tmp_path / "other"
        folder.mkdir()
        with Launch(folder, METRICS_PORT=port) as other:
            assert other.ended() == 1
            assert f"127.0.0.1:{port} is taken" in other.output
            assert "METRICS_PORT" in other.output


def names() -> set[str]:
    """Every name that a scrape may have."""
    registry = CollectorRegistry()
    Metrics(registry)
    found = set()
    for family in registry.collect():
        ends = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
        found |= {family.name + end for end in ends[family.type]}
    return found


@pytest.mark.parametrize("file", ["prometheus/alerts.yml", "grafana/dashboard.json"])
def test_every_metric_that_an_operator_is_shown_is_there(file: str) -> None:
    used = set(re.findall(r"three_thirteen_\w+", (DEPLOY / file).read_text()))
    assert used
    assert used <= names()


def test_the_dashboard_shows_every_metric() -> None:
    dashboard = json.loads((DEPLOY / "grafana/dashboard.json").read_text())
    shown = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"three_thirteen_\w+", target["expr"])
    }
    stems = {re.sub(r"_(bucket|sum|count)$", "", name) for name in shown}
    assert stems == {re.sub(r"_(bucket|sum|count)$", "", name) for name in names()}


def test_the_page_for_operators_lists_every_metric_and_every_alert() -> None:
    page = (ROOT / "docs/operations.md").read_text()
    listed = set(re.findall(r"^\| `(three_thirteen_\w+)` \|", page, re.MULTILINE))
    assert listed == {re.sub(r"_(bucket|sum|count)$", "", name) for name in names()}
    alerts = re.findall(r"alert: (\w+)", (DEPLOY / "prometheus/alerts.yml").read_text())
    assert alerts
    assert all(f"\n| `{alert}` |" in page for alert in alerts)
