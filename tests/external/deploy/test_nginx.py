"""Behind nginx, which keeps connections to the service over a slow link: no pause loses a move."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from tests.external.deploy.proxies import nginx
from tests.scale import scaled
from tests.system.kept_connections import failures_of, slow_link


def test_keyless_moves_through_nginx_on_kept_connections_are_never_a_502(
    service_url: str, tmp_path: Path
) -> None:
    place = urlsplit(service_url)
    folder = tmp_path / "nginx"
    folder.mkdir()
    with (
        slow_link((str(place.hostname), int(place.port or 0)), 0.025) as (host, port),
        nginx(folder, f"{host}:{port}") as proxy,
    ):
        assert failures_of(("127.0.0.1", proxy), scaled(300), (1.9, 2.6), clients=15) == []
