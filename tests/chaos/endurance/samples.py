"""Samples of what a running service holds: memory, descriptors, threads, connections, keys.

    Sampler.take() -> Sample ... -> drifts(samples): what the last third has more or less of

A figure of a third is the median of its samples, so that a moment's peak does not count.
Linux only.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import redis
import requests

from bench.service.usage import resident_bytes, threads
from tests.system.launch import Launch

_MEGABYTE = 1e6
_STREAMS_OPEN = re.compile(r"^three_thirteen_streams_open\{[^}]*\} (\S+)$", re.MULTILINE)
_LIMITS = b"limit:"
"""Keys of rate limits, which live for a minute whatever the lifetimes are."""
STREAMS = "streams and waiting calls"


@dataclass(frozen=True)
class Sample:
    """The figures of one moment, by what they are of. Memory is in MB, all else are counts."""

    at: float
    figures: Mapping[str, float]


@dataclass(frozen=True)
class Drift:
    """A figure in the middle and in the last third of a run."""

    name: str
    middle: float
    last: float

    @property
    def share(self) -> float:
        """The difference as a share of the middle."""
        return (self.last - self.middle) / self.middle if self.middle else 0.0

    def is_within(self, share: float, least: float, load: float = 1.0) -> bool:
        """Whether the last third is as the middle one, up to a share of it, or up to `least`.

        `load`: that of the last third as a share of the load of the middle one. Where the machine
        has slowed the clients down, what depends on them may be less by as much.
        """
        lowest = min(1.0, load) * self.middle - max(share * self.middle, least)
        highest = max(1.0, load) * self.middle + max(share * self.middle, least)
        return lowest <= self.last <= highest

    def __str__(self) -> str:
        return f"{self.name} {self.middle:.4g} → {self.last:.4g} ({self.share:+.1%})"


def drifts(samples: Sequence[Sample]) -> list[Drift]:
    """Every figure's medians in the middle and in the last third of the time that was sampled."""
    begin, end = samples[0].at, samples[-1].at
    third = (end - begin) / 3
    middle = [each for each in samples if begin + third <= each.at < begin + 2 * third]
    last = [each for each in samples if each.at >= begin + 2 * third]
    return [Drift(name, _median(middle, name), _median(last, name)) for name in last[0].figures]


def _median(samples: Sequence[Sample], name: str) -> float:
    return statistics.median(each.figures[name] for each in samples)


class Sampler:
    """Takes samples of one service with an embedded server; it has metrics.

    `members`: the process id of each process by its name. `place`: the socket of the storage.
    """

    def __init__(self, service: Launch) -> None:
        service.url()
        self.members = _members(service)
        (command,) = [each.command for each in service.family() if "valkey-server" in each.command]
        self.place = command.partition("unixsocket:")[2].split()[0]
        self._metrics = service.said(r"metrics at (http://\S+)")[1]
        self.store = redis.Redis(unix_socket_path=self.place, socket_timeout=20)

    def take(self, at: float) -> Sample:
        """The figures of now; `at`: s of any clock. Raises OSError if a process has ended."""
        figures = {
            f"MB of {name}": resident_bytes(pid) / _MEGABYTE for name, pid in self.members.items()
        }
        figures["descriptors"] = sum(_descriptors(pid) for pid in self.members.values())
        figures["threads"] = sum(threads(pid) for pid in self.members.values())
        info = self.store.info()
        figures["MB of data"] = info["used_memory"] / _MEGABYTE
        figures["connections to the storage"] = info["connected_clients"]
        figures["channels"] = info["pubsubshard_channels"]
        figures["keys"] = sum(not key.startswith(_LIMITS) for key in _keys(self.store))
        page = requests.get(self._metrics, timeout=20).text
        figures[STREAMS] = sum(map(float, _STREAMS_OPEN.findall(page)))
        return Sample(at, figures)

    def shorten_records(self, seconds: int) -> list[str]:
        """Have idempotency records end after so many seconds instead of a day.

        Returns the names of the keys that would never end.
        """
        keys = _keys(self.store)
        with self.store.pipeline(transaction=False) as reads:
            for key in keys:
                reads.ttl(key)
            ttls = dict(zip(keys, reads.execute(), strict=True))
        with self.store.pipeline(transaction=False) as changes:
            for key, ttl in ttls.items():
                if ttl > seconds:
                    changes.expire(key, seconds)
            changes.execute()
        return [key.decode() for key, ttl in ttls.items() if ttl == -1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()


def _keys(store: redis.Redis) -> list[bytes]:
    return [key for key in store.scan_iter(count=1000) if isinstance(key, bytes)]


def _descriptors(pid: int) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def _members(service: Launch) -> dict[str, int]:
    """The processes of a service by their names."""
    names = {"valkey-server": "the storage", "metrics_process": "the metrics"}
    members = {"the supervisor": service.process.pid}
    workers = 0
    for each in service.family()[1:]:
        name = next((name for word, name in names.items() if word in each.command), None)
        if name is None and each.parent == service.process.pid:
            name = "gunicorn"
        elif name is None:
            workers += 1
            name = f"worker {workers}"
        members[name] = each.pid
    return members
