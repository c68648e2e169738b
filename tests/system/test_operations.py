"""What docs/operations.md promises of several services on one store, and of a backup."""

from __future__ import annotations

import shutil
from pathlib import Path

import requests

from tests.nodes import throwaway_server
from tests.processes import kill_all, left_after
from tests.system.launch import Launch


class Seat:
    """Seat 0 of a game; its moves can be sent to any service."""

    def __init__(self, url: str) -> None:
        created = requests.post(f"{url}/v1/games", timeout=20).json()
        self.view = created["game"]
        self.path = f"/v1/games/{self.view['id']}"
        self.headers = {"Authorization": f"Bearer {created['token']}"}

    def take_turn(self, url: str) -> None:
        """Draw a card and discard the advised one."""
        self._move(url, "draw", {"source": "stock"})
        self._move(url, "discard", {"card": self.view["you"]["arrangement"]["discard"]})

    def _move(self, url: str, name: str, body: dict[str, str]) -> None:
        address = f"{url}{self.path}/{name}"
        answer = requests.post(address, json=body, headers=self.headers, timeout=20)
        assert answer.status_code == 200, answer.text
        self.view = answer.json()["game"]

    def read(self, url: str) -> object:
        """The game as the seat sees it through a service."""
        answer = requests.get(f"{url}{self.path}", headers=self.headers, timeout=20)
        assert answer.status_code == 200, answer.text
        return answer.json()


def test_a_game_goes_on_through_another_service_when_its_service_is_killed(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    with (
        throwaway_server() as server,
        Launch(folders[0], REDIS_URL=server.url) as first,
        Launch(folders[1], REDIS_URL=server.url) as second,
    ):
        seat = Seat(first.url())
        seat.take_turn(second.url())
        seat.take_turn(first.url())
        pids = first.pids()
        kill_all(pids)
        assert not left_after(pids, 10)
        assert seat.read(second.url()) == seat.view
        seat.take_turn(second.url())


def test_a_service_on_a_copy_of_the_data_folder_has_every_game(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    with Launch(source) as service:
        seat = Seat(service.url())
        seat.take_turn(service.url())
    shutil.copytree(source / "data", target / "data")
    with Launch(target) as restored:
        assert seat.read(restored.url()) == seat.view
        seat.take_turn(restored.url())
