"""Moves on kept connections: a pause between two requests costs nobody a request."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.scale import scaled
from tests.system.kept_connections import failures_of, slow_link
from tests.system.launch import Launch

ONE_WAY_SECONDS = 0.025


@pytest.mark.parametrize(
    ("settings", "pauses"),
    [
        pytest.param({}, (1.0, 3.5), id="pauses of seconds"),
        # The client counts from when it has the response, the service from when it has sent it.
        pytest.param({"KEEPALIVE_SECONDS": "1"}, (0.9, 1.0), id="pauses to the last announced"),
    ],
)
def test_keyless_moves_on_kept_connections_over_a_slow_link_are_never_reset(
    tmp_path: Path, settings: dict[str, str], pauses: tuple[float, float]
) -> None:
    with Launch(tmp_path, **settings) as service:
        place = urlsplit(service.url())
        address = (str(place.hostname), int(place.port or 0))
        with slow_link(address, ONE_WAY_SECONDS) as link:
            assert failures_of(link, scaled(300), pauses, clients=15) == []
