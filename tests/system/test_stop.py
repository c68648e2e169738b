"""The stop under load: whatever was sent before the signal is answered."""

from __future__ import annotations

import http.client
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.scale import scaled
from tests.system.launch import Launch

CLIENTS = 8
GIVE_UP_SECONDS = 20.0
REFUSED = "refused"


@dataclass(frozen=True)
class Sent:
    """A request: when it was sent, on a monotonic clock, and what happened."""

    at: float
    outcome: str


def requests_until_refused(address: tuple[str, int], is_kept: bool) -> list[Sent]:
    """Send requests one after the other, on a kept connection or on new ones."""
    sent: list[Sent] = []
    with closing(http.client.HTTPConnection(*address, timeout=GIVE_UP_SECONDS)) as connection:
        while not sent or sent[-1].outcome != REFUSED:
            at = time.monotonic()
            sent.append(Sent(at, outcome(connection)))
            if not is_kept:
                connection.close()
    return sent


def outcome(connection: http.client.HTTPConnection) -> str:
    try:
        connection.request("POST", "/v1/games", "{}", {"Content-Type": "application/json"})
        with connection.getresponse() as response:
            response.read()
        return str(response.status)
    except ConnectionRefusedError:
        return REFUSED
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return repr(error)


def stop_under_load(folder: Path) -> tuple[list[Sent], list[Sent]]:
    """Stop a service under clients; return what was sent before the signal, and after it."""
    with Launch(folder, WORKERS="2") as service, ThreadPoolExecutor(CLIENTS) as pool:
        place = urlsplit(service.url())
        address = (str(place.hostname), int(place.port or 0))
        clients = [
            pool.submit(requests_until_refused, address, number % 2 == 0)
            for number in range(CLIENTS)
        ]
        time.sleep(0.5)
        signal_at = time.monotonic()
        service.process.terminate()
        sent = [each for client in clients for each in client.result()]
        assert service.ended() == 0
    before = [each for each in sent if each.at < signal_at]
    return before, [each for each in sent if each.at >= signal_at]


def test_no_request_that_was_sent_before_a_stop_is_lost(tmp_path: Path) -> None:
    stops = scaled(20)
    lost, lost_later = [], []
    for stop in range(stops):
        folder = tmp_path / str(stop)
        folder.mkdir()
        before, after = stop_under_load(folder)
        assert len(before) > CLIENTS
        lost += [each.outcome for each in before if each.outcome != "201"]
        lost_later += [each.outcome for each in after if each.outcome not in {"201", REFUSED}]

    assert lost == []
    # A connection that the kernel makes in the instant before the listener closes is reset.
    assert len(lost_later) < stops, lost_later
