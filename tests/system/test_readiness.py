"""A service on a storage that is set up wrongly starts, says why once, and waits for its repair."""

from __future__ import annotations

from pathlib import Path

import requests

from service.store.readiness import NO_FILE
from tests.nodes import lone_node, wait_for
from tests.system.launch import Launch

_EVICTING = "storage may delete games to free memory: set maxmemory-policy noeviction there"


def test_an_evicting_storage_is_reported_at_start_and_by_readyz(tmp_path: Path) -> None:
    with (
        lone_node("--maxmemory-policy", "allkeys-lru") as node,
        Launch(tmp_path, REDIS_URL=f"redis://{node.address}", WORKERS="2") as service,
    ):
        url = service.url()
        service.said(f"ERROR service.store not ready: the {_EVICTING}")
        assert requests.get(f"{url}/healthz", timeout=10).status_code == 200
        answer = requests.get(f"{url}/readyz", timeout=10)
        assert (answer.status_code, answer.json()["code"]) == (503, "storage-unavailable")
        assert _EVICTING in answer.json()["detail"]

        node.execute("CONFIG", "SET", "maxmemory-policy", "noeviction")
        service.said(f"WARNING service.store {NO_FILE}")
        assert requests.get(f"{url}/readyz", timeout=10).status_code == 200
        assert service.output.count("service.store not ready") == 1
        assert service.output.count(NO_FILE) == 1


def test_a_storage_that_comes_later_is_waited_for(tmp_path: Path) -> None:
    with lone_node() as node:
        address = node.address
        node.kill()
        with Launch(tmp_path, REDIS_URL=f"redis://{address}") as service:
            url = service.url()
            service.said("ERROR service.store not ready: the storage does not answer")
            assert requests.get(f"{url}/healthz", timeout=10).status_code == 200
            node.start()

            def is_ready() -> bool:
                return requests.get(f"{url}/readyz", timeout=10).status_code == 200

            wait_for(is_ready, "a service that is ready")
            service.said(f"WARNING service.store {NO_FILE}")
