"""Clients that move on kept connections with pauses, and a slow link to move over."""

from __future__ import annotations

import asyncio
import http.client
import json
import math
import random
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import chain
from typing import Any

_JSON = {"Content-Type": "application/json"}


class Mover:
    """Plays one game on one kept connection and repeats nothing."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.failures: list[str] = []
        self._connection = http.client.HTTPConnection(*address, timeout=20)
        self._headers = _JSON

    def play(self, pauses: list[float]) -> list[str]:
        """Move after each pause; return what failed."""
        with closing(self._connection):
            seats = [{"kind": "human"}, {"kind": "ai", "level": "easy"}]
            created = self._post("/v1/games", {"seats": seats})
            self._headers = _JSON | {"Authorization": f"Bearer {created['token']}"}
            game = created["game"]
            for pause in pauses:
                time.sleep(pause)
                game = self._move(game)
        return self.failures

    def _move(self, game: dict[str, Any]) -> dict[str, Any]:
        path = f"/v1/games/{game['id']}"
        if game["turn"]["phase"] == "draw":
            what, body = "draw", {"source": "stock"}
        else:
            what, body = "discard", {"card": game["you"]["arrangement"]["discard"]}
        try:
            moved: dict[str, Any] = self._post(f"{path}/{what}", body)["game"]
        except (OSError, http.client.HTTPException) as error:
            self.failures.append(f"{what}: {error!r}")
            self._connection.close()
            self._connection.request("GET", path, headers=self._headers)
            moved = json.loads(self._connection.getresponse().read())
        return moved

    def _post(self, path: str, body: object) -> Any:
        self._connection.request("POST", path, json.dumps(body), self._headers)
        with self._connection.getresponse() as response:
            text = response.read()
        if response.status not in {200, 201}:
            raise OSError(f"{response.status} {text[:200]!r}")
        return json.loads(text)


def failures_of(
    address: tuple[str, int], moves: int, pauses: tuple[float, float], clients: int = 30
) -> list[str]:
    """Have clients make so many moves in all, with pauses of random length between two bounds.

    All pause for equally long, so that a proxy needs a connection for each of them.
    """
    chance = random.Random(moves)
    rounds = [chance.uniform(*pauses) for _ in range(math.ceil(moves / clients))]
    with ThreadPoolExecutor(clients) as pool:
        played = pool.map(lambda _: Mover(address).play(rounds), range(clients))
        return list(chain.from_iterable(played))


@contextmanager
def slow_link(address: tuple[str, int], seconds: float) -> Iterator[tuple[str, int]]:
    """A link to an address on which every byte, and every end, takes so long each way."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def call(coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result(10)

    try:
        server = call(asyncio.start_server(_Link(address, seconds).connected, "127.0.0.1", 0))
        try:
            yield server.sockets[0].getsockname()
        finally:
            call(_end(server))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end(server: asyncio.Server) -> None:
    server.close()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class _Link:
    def __init__(self, address: tuple[str, int], seconds: float) -> None:
        self._address = address
        self._seconds = seconds

    async def connected(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, there = await asyncio.open_connection(*self._address)
        try:
            await asyncio.gather(self._carry(near, there), self._carry(far, back))
        finally:
            there.close()
            back.close()

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                data = await source.read(65_536)
            except ConnectionError:
                data = b""
            loop.call_later(self._seconds, self._deliver, target, data)
            if not data:
                return

    @staticmethod
    def _deliver(target: asyncio.StreamWriter, data: bytes) -> None:
        if target.is_closing():
            return
        if data:
            target.write(data)
        else:
            target.close()
