"""Behind nginx and Caddy as deploy/ sets them up: who asks, streams, connections, compression."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
import requests
from ruamel.yaml import YAML

from tests.external.deploy.installed import played
from tests.external.deploy.proxies import (
    DEPLOY,
    Proxy,
    application,
    caddy,
    nginx,
    program_of,
    started_nginx,
)
from tests.system.launch import Launch

COMPOSE = DEPLOY.parent / "compose.yaml"
HOST = "cards.example"
FORGED = {
    "Host": HOST,
    "X-Forwarded-For": "192.0.2.66",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "evil.example",
}


@contextmanager
def composed(folder: Path, service: str) -> Iterator[int]:
    """nginx with what compose.yaml writes into its container."""
    compose = YAML(typ="safe").load(COMPOSE)
    texts = {name: each.get("content", "") for name, each in compose["configs"].items()}
    proxy = (COMPOSE.parent / compose["configs"]["proxy"]["file"]).read_text()
    files = {
        "upstream.conf": texts["upstream"].replace("three-thirteen:8000", service),
        "default.conf": texts["server"],
    }
    targets = [each["target"] for each in compose["services"]["nginx"]["configs"]]
    assert targets == [
        *("/etc/nginx/conf.d/upstream.conf", "/etc/nginx/conf.d/default.conf"),
        "/etc/nginx/proxy.conf",
    ]
    with started_nginx(folder, service, files, proxy, "listen 8080;") as port:
        yield port


PROXIES = pytest.mark.parametrize("proxy", [nginx, composed, caddy], ids=lambda each: each.__name__)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "proxy"
    made.mkdir()
    return made


def seen(url: str, **headers: str) -> dict[str, str]:
    found: dict[str, str] = requests.get(f"{url}/seen", headers=FORGED | headers, timeout=10).json()
    return found


@PROXIES
def test_the_service_sees_the_client_and_no_forgery_of_it(proxy: Proxy, folder: Path) -> None:
    with application(TRUSTED_PROXIES="1") as place, proxy(folder, place) as port:
        told = seen(f"http://127.0.0.1:{port}")
    assert (told["address"], told["scheme"], told["host"]) == ("127.0.0.1", "http", HOST)


def test_two_proxies_are_two_hops(folder: Path, tmp_path: Path) -> None:
    outer_folder = tmp_path / "outer"
    outer_folder.mkdir()
    with (
        application(TRUSTED_PROXIES="2") as place,
        nginx(folder, place) as inner,
        nginx(outer_folder, f"127.0.0.1:{inner}") as outer,
    ):
        told = seen(f"http://127.0.0.1:{outer}")
        direct = seen(f"http://127.0.0.1:{inner}")
    assert (told["address"], told["host"]) == ("127.0.0.1", HOST)
    assert direct["address"] == "192.0.2.66"  # who can go around a proxy chooses an address


@PROXIES
def test_a_stream_passes_as_it_is_sent(proxy: Proxy, folder: Path) -> None:
    with application() as place, proxy(folder, place) as port:
        url = f"http://127.0.0.1:{port}"
        accepted = {"Accept": "text/event-stream", "Accept-Encoding": "gzip"}
        answer = requests.get(f"{url}/stream", headers=accepted, stream=True, timeout=10)
        with closing(answer):
            assert "Content-Encoding" not in answer.headers
            lines = answer.iter_lines()
            assert next(lines) == b"data: first"  # the second is not sent before the next line
            requests.get(f"{url}/release", timeout=10)
            assert list(lines) == [b"", b"data: second", b""]


@PROXIES
def test_connections_to_the_service_are_kept(proxy: Proxy, folder: Path) -> None:
    with application() as place, proxy(folder, place) as port:
        url = f"http://127.0.0.1:{port}"
        assert len({seen(url, Connection="close")["connection"] for _ in range(20)}) == 1


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Launch]:
    settings = {"TRUSTED_PROXIES": "1", "ALLOWED_HOSTS": HOST, "WORKERS": "1"}
    with Launch(tmp_path, **settings) as started:
        yield started


@PROXIES
def test_every_event_of_a_game_is_there_at_once(
    proxy: Proxy, folder: Path, service: Launch
) -> None:
    named = {"Host": HOST, "Accept-Encoding": "gzip"}
    with proxy(folder, service.url().removeprefix("http://")) as port:
        games = f"http://127.0.0.1:{port}/v1/games"
        created = requests.post(games, headers=named, timeout=10).json()
        place = f"{games}/{created['game']['id']}"
        named |= {"Authorization": f"Bearer {created['token']}"}
        accepted = named | {"Accept": "text/event-stream"}
        answer = requests.get(f"{place}/events", headers=accepted, stream=True, timeout=10)
        with closing(answer):
            lines = answer.iter_lines()
            assert b"event: snapshot" in iter(lines)
            body = {"source": "stock"}
            assert requests.post(f"{place}/draw", json=body, headers=named, timeout=10).ok
            assert b"event: card_drawn" in iter(lines)


@PROXIES
def test_answers_are_compressed_and_their_tags_still_fit(
    proxy: Proxy, folder: Path, service: Launch
) -> None:
    named = {"Host": HOST, "Accept-Encoding": "gzip"}
    with proxy(folder, service.url().removeprefix("http://")) as port:
        games = f"http://127.0.0.1:{port}/v1/games"
        created = requests.post(games, headers=named, timeout=10)
        token, game = created.json()["token"], created.json()["game"]["id"]
        named |= {"Authorization": f"Bearer {token}"}
        view = requests.get(f"{games}/{game}", headers=named, timeout=10)
        assert view.headers["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in view.headers["Vary"]
        tag = view.headers["ETag"]
        again = requests.get(f"{games}/{game}", headers=named | {"If-None-Match": tag}, timeout=10)
        assert again.status_code == 304
        moved = requests.post(
            f"{games}/{game}/draw",
            json={"source": "stock"},
            headers=named | {"If-Match": tag},
            timeout=10,
        )
        assert moved.status_code == 200
    assert "X-Forwarded-For" not in service.output


def test_a_tag_that_caddy_has_added_an_encoding_to_is_taken_back(folder: Path) -> None:
    with application() as place, caddy(folder, place) as port:
        told = seen(f"http://127.0.0.1:{port}", **{"If-Match": '"17.0.1-gzip", W/"16.0.1-zstd"'})
    assert told["if_match"] == '"17.0.1", W/"16.0.1"'


@pytest.mark.parametrize(
    "proxy",
    [partial(nginx, site="prefix.conf"), partial(caddy, matcher="/games/*")],
    ids=["nginx", "caddy"],
)
def test_a_game_is_played_under_a_prefix(proxy: Proxy, folder: Path, tmp_path: Path) -> None:
    with (
        Launch(tmp_path, ROOT_PATH="/games", TRUSTED_PROXIES="1", WORKERS="1") as service,
        proxy(folder, service.url().removeprefix("http://")) as port,
    ):
        url = f"http://127.0.0.1:{port}/games"
        created = requests.post(f"{url}/v1/games", timeout=10)
        assert created.headers["Location"].startswith("/games/v1/games/")
        played(url)
        page = requests.get(f"{url}/v1/docs", timeout=10).text
        for address in re.findall(r'(?:src|href)="(/[^"]+)"', page):
            assert requests.get(url.removesuffix("/games") + address, timeout=10).ok


def test_forwarded_headers_without_trust_are_one_warning(folder: Path, tmp_path: Path) -> None:
    with (
        Launch(tmp_path, WORKERS="2") as service,
        nginx(folder, service.url().removeprefix("http://")) as port,
    ):
        for _ in range(20):
            answer = requests.get(f"http://127.0.0.1:{port}/v1/problems", timeout=10)
            assert answer.status_code == 200
        service.said("X-Forwarded-For")
    assert service.output.count("X-Forwarded-For") == 1


def test_caddy_finds_no_fault_in_the_file_as_it_is(tmp_path: Path) -> None:
    command = [program_of("caddy", "caddy"), "validate", "--adapter", "caddyfile", "--config"]
    environ = {"HOME": str(tmp_path)}
    told = subprocess.run(
        [*command, DEPLOY / "caddy" / "Caddyfile"],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Valid configuration" in told.stdout + told.stderr
