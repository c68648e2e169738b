"""What a proxy says of a request, as the running service takes it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.system.launch import Launch

FORWARDED = {
    "X-Forwarded-For": "192.0.2.7",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "cards.example",
}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Launch]:
    with Launch(tmp_path, WORKERS="2", THREADS="1") as started:
        yield started


def test_forwarded_headers_without_trust_are_one_warning_of_all_workers(service: Launch) -> None:
    url = service.url()
    for _ in range(100):  # on a connection each, so that every worker gets some
        answer = requests.get(f"{url}/v1/problems", headers=FORWARDED, timeout=10)
        assert answer.status_code == 200
    service.said("X-Forwarded-For, which is not used")
    service.send(signal.SIGTERM)
    service.ended()
    lines = [line for line in service.output.splitlines() if "X-Forwarded-For" in line]
    assert len(lines) == 1
    assert "WARNING service.proxies a request from 127.0.0.1 has X-Forwarded-For" in lines[0]
    assert "192.0.2.7" not in service.output


def test_a_trusted_proxys_host_is_judged_and_no_warning_is_written(tmp_path: Path) -> None:
    settings = {"TRUSTED_PROXIES": "1", "ALLOWED_HOSTS": "cards.example"}
    with Launch(tmp_path, **settings) as service:
        url = service.url()
        served = requests.get(f"{url}/v1/problems", headers=FORWARDED, timeout=10)
        foreign = FORWARDED | {"X-Forwarded-Host": "cards.example, evil.example"}
        refused = requests.get(f"{url}/v1/problems", headers=foreign, timeout=10)
    assert served.status_code == 200
    assert (refused.status_code, refused.json()["code"]) == (400, "foreign-host")
    assert "X-Forwarded-For" not in service.output
