"""A power cut loses no move that was acknowledged while the store flushes before it answers.

What is simulated: the machine stops at an instant. Of the append-only file the disk keeps all
that was flushed, and of what was written after the last flush any beginning, be it in the midst
of a record. The service, a machine of its own here, goes on and finds its store gone.

How: clients play through the service. Whenever one gets an answer, it notes how long the file is;
with `appendfsync always` everything up to there that the answer told of was flushed before the
answer left. At the instant of the cut the server is killed with SIGKILL, and answers that a
client has not yet noted are thrown away as lost on the wire, so that the noted length is the one
of the last answer that arrived. The cut waits for an instant at which the file is longer, with
a move that is written but not answered; then it is cut at a random byte between the two lengths.
That the server does flush before it answers is its word (`appendfsync always`), for without a
disk that can be stopped a flush cannot be told from a write.

With `everysec` nothing is promised for the last second: `losses` counts, on a copy of the data
for each cut, the acknowledged moves that a file has lost that is cut at its length of a second
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

import orjson

from service.runtime.embedded_server import EmbeddedServer
from service.store.game_store import Store
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
from tests.system.launch import Launch

_FLUSH_SECONDS = 1.0
_FEWEST_MOVES, _MOST_MOVES = 10, 60
_POLL_SECONDS = 0.0005
_ALL_EVENTS = 1_000_000


class Mains:
    """A wire to the service that notes the file's length at each answer, and has a plug."""

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
    """Cut the power so many times during play, and start the store on what the disk has kept."""
    history, rng = History(), random.Random(seed)
    made, torn, breaches, over = 0, 0, list[str](), threading.Event()
    with _service("always") as (server, wire), ThreadPoolExecutor(1) as pool:
        mains = Mains(wire, _file(server))
        playing = pool.submit(
            run_load,
            mains,
            history,
            Workload(),
            f"power {seed}",
            clients=clients,
            enough=over.is_set,
            to_the_end=to_the_end,
        )
        try:
            while made < cuts and _is_cut(mains, server, history, rng, playing):
                made += 1
                torn += _restart_torn(server, mains.noted, rng)
                breaches += _lost(server, history)
                mains.restore()
        finally:
            over.set()
            mains.restore()
        playing.result()
    done = (
        f"{made} cuts, {torn} in the midst of a record; {history.moves} moves acknowledged,"
        f" {history.counts['lost']} requests broken off,"
        f" {history.counts['finished']} games played out"
    )
    return Outcome(done, [f"seed {seed}: {each}" for each in breaches + history.violations()])


@contextmanager
def _service(append_fsync: str) -> Iterator[tuple[EmbeddedServer, HttpTransport]]:
    """A store and the service on it, each able to go without the other."""
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServer(Path(folder, "store"), append_fsync=append_fsync) as server,
        Launch(Path(folder), LOG_LEVEL="CRITICAL", REDIS_URL=server.url) as service,
    ):
        yield server, HttpTransport(service.url())


def _file(server: EmbeddedServer) -> Path:
    (file,) = server.data_dir.glob("*/appendonlydir/*.incr.aof")
    return file


def _is_cut(
    mains: Mains,
    server: EmbeddedServer,
    history: History,
    rng: random.Random,
    playing: Future[None],
) -> bool:
    """Cut the power after some more moves; return False if the clients gave up before."""
    enough = history.moves + rng.randint(_FEWEST_MOVES, _MOST_MOVES)
    while history.moves < enough or not mains.cut(server.kill):
        if playing.done():
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _restart_torn(server: EmbeddedServer, kept: int, rng: random.Random) -> bool:
    """Cut the file somewhere after what is kept for sure; return whether that tore a record.

    It did if the server, starting on it, has thrown away a rest.
    """
    file = _file(server)
    length = rng.randrange(kept, file.stat().st_size)
    os.truncate(file, length)
    server.start()
    return file.stat().st_size < length


def _lost(server: EmbeddedServer, history: History) -> Iterator[str]:
    """The acknowledged moves that are not in the store any more."""
    with closing(Store.from_url(server.url, connections=1)) as store:
        for game, moves in history.acknowledged_moves().items():
            stored, _ = store.read(game)
            last, version = max(move.version for move in moves), stored.version if stored else 0
            if version < last:
                yield f"game {game} is back at version {version}, {last} was acknowledged"
            log = [orjson.loads(event) for event in store.events(game, 0, _ALL_EVENTS)]
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
    told = {move for move in meter.moves[: bisect_right(meter.times, instant)] if move}
    length = meter.lengths[bisect_right(meter.times, instant - _FLUSH_SECONDS) - 1]
    with tempfile.TemporaryDirectory() as folder:
        source = _file(server).parent
        copy = Path(folder, source.parent.name, source.name)
        shutil.copytree(source, copy)
        os.truncate(copy / _file(server).name, length)
        with (
            EmbeddedServer(Path(folder)) as again,
            closing(Store.from_url(again.url, connections=1)) as store,
        ):
            kept = {game: store.read(game)[0] for game, _ in told}
    versions = {game: stored.version if stored else 0 for game, stored in kept.items()}
    return sum(version > versions[game] for game, version in told)


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
