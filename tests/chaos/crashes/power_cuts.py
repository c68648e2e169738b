"""A power cut loses no acknowledged move while the store flushes before it answers.

What is simulated: the machine of the store stops at one instant. The disk has everything that was
flushed, and any first part of what was written after the last flush; that part may end in the
middle of a history. The service runs on another machine, so it stays.

How: clients play through the service. At each answer the length of the append-only file is noted.
With `appendfsync always` everything up to that length was flushed before the answer was sent. At
the cut the server is killed with SIGKILL; answers that arrive later count as lost, so the noted
length belongs to the last answer that arrived. The cut waits until the file is longer than that,
which means that a move is written and not answered. Then the file is cut at a random byte between
the two lengths. That the server flushes before it answers is taken from its documentation: no test
can tell a flush from a write without a disk that can be stopped.

With `everysec` nothing is promised for the last second. `losses` counts, on a copy of the data for
each cut, the acknowledged moves that are lost when the file is cut at its length of one second
before, which is where the last flush may have been.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from service.runtime.embedded.embedded_server import EmbeddedServer
from service.store.game_store import GameStore
from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import (
    Answer,
    HttpTransport,
    LostAnswerError,
    Request,
    Transport,
)
from tests.chaos.traffic.linearizability import event_log_violations
from tests.chaos.traffic.load import Workload, run_load
from tests.chaos.trial import Outcome, Trial
from tests.event_logs import logged
from tests.system.launch import Launch

_FLUSH_SECONDS = 1.0
_FEWEST_MOVES, _MOST_MOVES = 10, 60
_POLL_SECONDS = 0.0005
_ALL_EVENTS = 1_000_000


class CutWire:
    """A wire to the service that notes the file's length at each answer, and can be cut."""

    def __init__(self, wire: Transport, file: Path) -> None:
        self.noted = 0
        self._wire = wire
        self._file = file
        self._lock = threading.Lock()
        self._power = threading.Event()
        self._power.set()
        self._cuts = 0

    def send(self, request: Request) -> Answer:
        """The answer, unless power was cut meanwhile; without power it is waited for."""
        self._power.wait()
        cuts = self._cuts
        answer = self._wire.send(request)
        with self._lock:
            if cuts != self._cuts:
                raise LostAnswerError("the power was cut")
            self.noted = self._file.stat().st_size
        return answer

    def cut(self, kill: Callable[[], None]) -> bool:
        """Kill the server if it has written what it has not answered; return whether it had."""
        with self._lock:
            written = self._file.stat().st_size > self.noted
            if written:
                kill()
                self._cuts += 1
                self._power.clear()
            return written

    def restore(self) -> None:
        """Let the clients go on."""
        self._power.set()


def run(cuts: int = 20, clients: int = 4, seed: int = 1, *, to_the_end: bool = True) -> Outcome:
    """Cut the power so many times during play, and start the store on what the disk still has."""
    history, rng = History(), random.Random(seed)
    made, torn, violations, over = 0, 0, list[str](), threading.Event()
    with _service("always") as (server, wire), ThreadPoolExecutor(1) as pool:
        cut_wire = CutWire(wire, _file(server))
        playing = pool.submit(
            run_load,
            cut_wire,
            history,
            Workload(),
            f"power {seed}",
            clients=clients,
            enough=over.is_set,
            to_the_end=to_the_end,
        )
        try:
            while made < cuts and _is_cut(cut_wire, server, history, rng, playing):
                made += 1
                torn += _restart_on_cut_file(server, cut_wire.noted, rng)
                violations += _lost(server, history)
                cut_wire.restore()
        finally:
            over.set()
            cut_wire.restore()
        playing.result()
    done = (
        f"{made} cuts, {torn} in the midst of a record; {history.moves} moves acknowledged,"
        f" {history.counts['lost']} requests broken off,"
        f" {history.counts['finished']} games played out"
    )
    return Outcome(done, [f"seed {seed}: {each}" for each in violations + history.violations()])


@contextmanager
def _service(append_fsync: str) -> Iterator[tuple[EmbeddedServer, HttpTransport]]:
    """A store and the service on it, each able to go without the other."""
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServer(Path(folder, "store"), append_fsync=append_fsync) as server,
        Launch(Path(folder), LOG_LEVEL="CRITICAL", WORKERS="2", REDIS_URL=server.url) as service,
    ):
        yield server, HttpTransport(service.url())


def _file(server: EmbeddedServer) -> Path:
    (file,) = server.data_dir.glob("*/appendonlydir/*.incr.aof")
    return file


def _is_cut(
    cut_wire: CutWire,
    server: EmbeddedServer,
    history: History,
    rng: random.Random,
    playing: Future[None],
) -> bool:
    """Cut the power after some more moves; return False if the clients gave up before."""
    enough = history.moves + rng.randint(_FEWEST_MOVES, _MOST_MOVES)
    while history.moves < enough or not cut_wire.cut(server.kill):
        if playing.done():
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _restart_on_cut_file(server: EmbeddedServer, answered_length: int, rng: random.Random) -> bool:
    """Cut the file somewhere after the last answered move; return whether that tore a history.

    It did if the server has shortened the file at its start.
    """
    file = _file(server)
    length = rng.randrange(answered_length, file.stat().st_size)
    os.truncate(file, length)
    server.start()
    return file.stat().st_size < length


def _lost(server: EmbeddedServer, history: History) -> Iterator[str]:
    """The acknowledged moves that are not in the store any more."""
    with closing(GameStore.from_url(server.url, connections=1)) as store:
        for game, moves in history.acknowledged_moves().items():
            stored, _ = store.read(game)
            last, version = max(move.version for move in moves), stored.version if stored else 0
            if version < last:
                yield f"game {game} is back at version {version}, {last} was acknowledged"
            log = logged(store.events(game, 0, _ALL_EVENTS))
            yield from event_log_violations(log, moves, len(log))


@dataclass(slots=True)
class Meter:
    """A wire that notes, answer by answer, the time, the length of the file and the move made."""

    wire: Transport
    file: Path
    times: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    moves: list[tuple[str, int] | None] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, request: Request) -> Answer:
        answer = self.wire.send(request)
        made = request.method == "POST" and answer.status == 200
        with self.lock:
            self.times.append(time.monotonic())
            self.lengths.append(self.file.stat().st_size)
            self.moves.append(_made(request, answer) if made else None)
        return answer


def _made(request: Request, answer: Answer) -> tuple[str, int]:
    """The game and the version of a move, from its path and its ETag."""
    version, *_ = (answer.etag or "").strip('"').split(".")
    return request.path.split("/")[3], int(version)


def losses(cuts: int = 20, seconds: int = 20, clients: int = 4, seed: int = 1) -> Outcome:
    """Count what `everysec` loses if the last flush was a second before the cut."""
    history, rng = History(), random.Random(seed)
    with _service("everysec") as (server, wire):
        meter = Meter(wire, _file(server))
        end = time.monotonic() + seconds
        run_load(
            meter,
            history,
            Workload(),
            f"losses {seed}",
            clients=clients,
            enough=lambda: time.monotonic() > end,
            to_the_end=False,
        )
        server.stop()
        first, last = meter.times[0] + _FLUSH_SECONDS, meter.times[-1]
        counts = [_loss(server, meter, rng.uniform(first, last)) for _ in range(cuts)]
    pace = history.moves / (last - meter.times[0])
    mean = sum(counts) / len(counts)
    done = f"{cuts} cuts at {pace:.0f} moves/s: {mean:.0f} lost on average, {max(counts)} at most"
    return Outcome(done, [f"seed {seed}: {each}" for each in history.violations()])


def _loss(server: EmbeddedServer, meter: Meter, instant: float) -> int:
    """How many moves acknowledged by an instant are not in the file of a second before."""
    answered = {move for move in meter.moves[: bisect_right(meter.times, instant)] if move}
    length = meter.lengths[bisect_right(meter.times, instant - _FLUSH_SECONDS) - 1]
    with tempfile.TemporaryDirectory() as folder:
        source = _file(server).parent
        copy = Path(folder, source.parent.name, source.name)
        shutil.copytree(source, copy)
        os.truncate(copy / _file(server).name, length)
        with (
            EmbeddedServer(Path(folder)) as again,
            closing(GameStore.from_url(again.url, connections=1)) as store,
        ):
            found = {game: store.read(game)[0] for game, _ in answered}
    versions = {game: stored.version if stored else 0 for game, stored in found.items()}
    return sum(version > versions[game] for game, version in answered)


TRIALS = (
    Trial(
        "a power cut loses no acknowledged move, and the games go on",
        "kill -9 of the store, its file cut at a random byte after the last acknowledged move",
        run,
    ),
    Trial(
        "for information: acknowledged moves that a power cut loses with `APPEND_FSYNC=everysec`",
        "the file cut at its length of a second before, in a copy",
        losses,
    ),
)
