"""A process that creates games as quickly as it is answered, over many connections at once.

It is a program of its own, of the least priority, so that what it costs itself is little beside the
service: `python -m tests.chaos.traffic.flooder PORT CONNECTIONS ADDRESS`. It floods from its start
until its standard input ends, and then prints how often each status was answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

_ROOT = Path(__file__).parents[3]
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: (\d+)\r\n")
_LOST = (OSError, asyncio.IncompleteReadError)
_PAUSE_SECONDS = 0.1
"""After a connection was lost or refused."""


@contextmanager
def flooding(url: str, connections: int, address: str) -> Iterator[Counter[str]]:
    """Flood while the block runs; the counts of its answers, by status, are there after it."""
    words = [sys.executable, "-m", "tests.chaos.traffic.flooder"]
    counts: Counter[str] = Counter()
    with subprocess.Popen(
        [*words, str(urlsplit(url).port), str(connections), address],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            yield counts
        finally:
            printed, _ = process.communicate(timeout=30)
    counts.update(json.loads(printed))


async def _flood(port: int, request: bytes, counts: Counter[str]) -> None:
    """Send one request after the other over a connection, and over a new one where it ends."""
    while True:
        with suppress(*_LOST):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                while True:
                    writer.write(request)
                    head = await reader.readuntil(b"\r\n\r\n")
                    length = _LENGTH.search(head)
                    assert length is not None, head
                    await reader.readexactly(int(length[1]))
                    counts[head[9:12].decode()] += 1
            finally:
                writer.close()
        counts["lost"] += 1
        await asyncio.sleep(_PAUSE_SECONDS)


async def _main(port: int, connections: int, address: str) -> None:
    request = (
        f"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {address}\r\n"
        "Content-Length: 0\r\n\r\n"
    ).encode()
    counts: Counter[str] = Counter()
    floods = [asyncio.create_task(_flood(port, request, counts)) for _ in range(connections)]
    await asyncio.to_thread(sys.stdin.read)
    for each in floods:
        each.cancel()
    print(json.dumps(counts))


if __name__ == "__main__":
    os.nice(19)
    asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
