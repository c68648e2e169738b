"""The reviews of finished games: each is made once, and kept with its game.

What is kept begins with a digest of the game and of the review itself. So a review that was
damaged, or that was made of another end of the game, is made again. Where the store refuses to keep
it, the caller has it all the same.

A review takes long to make. Of the calls for the same one at the same time in one process, the
first makes it and the others wait for it. Processes do not wait for each other, since nothing in
the store is a lock: at worst each of them makes it once.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import zlib
from collections.abc import Callable, Hashable
from concurrent.futures import Future

import orjson

from engine.errors import ReplayError
from engine.review.summary import review
from service.errors import CorruptGameError, StorageError
from service.games.answers import bodies
from service.games.loaded import CallerT_co, LoadedGame
from service.games.repository import GameRepository

FORMAT = 1
"""Grows with every change of the shape of a review, or of what the figures mean."""
_DIGEST_BYTES = 16
_LEVEL = 1
"""Of zlib: a review shrinks to a seventh; the levels above take longer."""
_LOG = logging.getLogger("service.reviews")


class SingleFlight:
    """Lets one of several callers at the same time do what all of them ask for.

    Safe to share between threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flights: dict[Hashable, Future[bytes]] = {}

    def run(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """What `make` gives to the first of the callers with this key; raises what it raises."""
        with self._lock:
            is_first = key not in self._flights
            flight = self._flights.setdefault(key, Future())
        if is_first:
            try:
                flight.set_result(make())
            except BaseException as error:  # noqa: BLE001 - nobody may wait for ever
                flight.set_exception(error)
            finally:
                with self._lock:
                    del self._flights[key]
        return flight.result()


class Reviews:
    """The reviews of one repository's games; safe to share between threads."""

    def __init__(self, repository: GameRepository) -> None:
        self._repository = repository
        self._flights = SingleFlight()

    def body(self, loaded: LoadedGame[CallerT_co], seat: int) -> bytes:
        """The review of a seat of a finished game, as JSON.

        Raises StorageError, CorruptGameError; GameNotFoundError if the game is gone by now.
        """
        key = (loaded.game_id, loaded.stored.state, seat)
        return self._flights.run(key, lambda: self._kept(loaded, seat) or self._made(loaded, seat))

    def _kept(self, loaded: LoadedGame[CallerT_co], seat: int) -> bytes | None:
        """The review that was kept; None if there is none, or none that can be trusted."""
        kept = self._repository.review(loaded.game_id, seat) or b""
        digest, packed = kept[:_DIGEST_BYTES], kept[_DIGEST_BYTES:]
        return zlib.decompress(packed) if digest == _digest(loaded, seat, packed) else None

    def _made(self, loaded: LoadedGame[CallerT_co], seat: int) -> bytes:
        """A new review, kept with the game if the store allows that."""
        game, game_id = loaded.game(), loaded.game_id
        log = self._repository.events(game_id, game, 0, game.seq)
        try:
            reviewed = review(game, [each.event for each in log], seat)
        except ReplayError as error:
            raise CorruptGameError(str(error), game_id) from error
        body = orjson.dumps(bodies.review_body(reviewed))
        packed = zlib.compress(body, _LEVEL)
        try:
            self._repository.keep_review(loaded, seat, _digest(loaded, seat, packed) + packed)
        except StorageError as error:
            _LOG.warning("a review of game %s is not kept: %s", game_id, error)
        return body


def _digest(loaded: LoadedGame[CallerT_co], seat: int, packed: bytes) -> bytes:
    """What tells a whole review of this game, seat and format from anything else."""
    digest = hashlib.sha256(f"review/{FORMAT}/{loaded.game_id}/{seat}/".encode())
    for part in (loaded.stored.state, packed):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()[:_DIGEST_BYTES]
