"""A prefix as the running service has it: by its setting, whatever clients and servers say."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tests.system.launch import Launch

PREFIX = "/cards"


@pytest.fixture(scope="module", params=["", PREFIX], ids=["without", "with a prefix"])
def started(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str]]:
    """The prefix and the address of a service; its environment has another script name."""
    folder = tmp_path_factory.mktemp("prefix")
    prefix: str = request.param
    with Launch(folder, ROOT_PATH=prefix, SCRIPT_NAME="/other") as service:
        yield prefix, service.url()


def sent(url: str, head: str) -> str:
    """What a request answers whose head is sent as it is written."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall(f"{head}Host: localhost\r\nConnection: close\r\n\r\n".encode())
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()


def test_every_address_follows_the_setting(started: tuple[str, str]) -> None:
    prefix, url = started
    for form in {prefix, ""}:
        created = requests.post(f"{url}{form}/v1/games", timeout=10)
        assert created.status_code == 201
        assert created.headers["Location"].startswith(f"{prefix}/v1/games/")
        assert requests.get(url + created.headers["Location"], timeout=10).status_code == 200
        assert requests.get(f"{url}{form}/healthz", timeout=10).status_code == 200


@pytest.mark.parametrize("name", ["SCRIPT_NAME", "script_name", "PATH_INFO", "X-Forwarded-Prefix"])
@pytest.mark.parametrize("value", ["/evil", "/v1", "/"])
def test_no_header_of_a_client_changes_a_path(
    started: tuple[str, str], name: str, value: str
) -> None:
    prefix, url = started
    answer = sent(url, f"POST /v1/games HTTP/1.1\r\n{name}: {value}\r\nContent-Length: 0\r\n")
    assert answer.startswith("HTTP/1.1 201 ")
    assert re.search(rf"^Location: {prefix}/v1/games/\S+\r$", answer, re.MULTILINE)


def test_the_prefix_itself_leads_to_the_documentation(tmp_path: Path) -> None:
    with Launch(tmp_path, ROOT_PATH=PREFIX) as service:
        page = requests.get(f"{service.url()}{PREFIX}", timeout=10)
    assert page.url.endswith(f"{PREFIX}/v1/docs")
    assert page.status_code == 200
