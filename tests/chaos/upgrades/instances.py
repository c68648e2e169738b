"""Two instances of the service on one storage, each of which can be stopped and started again."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.nodes import throwaway_server
from tests.system.launch import Launch

_STOP_SECONDS = 30.0


class Instance:
    """One instance; `violations` has what its ends were that should not be."""

    def __init__(self, folder: Path, store_url: str, **settings: str) -> None:
        self.violations: list[str] = []
        folder.mkdir()
        self._folder = folder
        self._settings = {
            "REDIS_URL": store_url,
            "WORKERS": "2",
            "LOG_LEVEL": "ERROR",
            **settings,
        }
        self._service = self._launched("0")
        self.url = self._service.url()

    def stop(self) -> None:
        """Ask the supervisor to stop, as systemd and Kubernetes do."""
        self._service.send(signal.SIGTERM)

    def start(self, **settings: str) -> None:
        """Start it again at the same address once it has ended."""
        self._end()
        self._settings |= settings
        self._service = self._launched(str(urlsplit(self.url).port))

    def wait(self) -> None:
        """Wait until it serves."""
        self._service.url()

    def close(self) -> None:
        """Stop it for good."""
        self.stop()
        self._end()

    def _launched(self, port: str) -> Launch:
        return Launch(self._folder, PORT=port, **self._settings)

    def _end(self) -> None:
        with self._service as ending:
            if code := ending.ended(_STOP_SECONDS):
                self.violations.append(f"ended with code {code}: {ending.output[-500:]}")
            if "Traceback" in ending.output or " ERROR " in ending.output:
                self.violations.append(f"an instance printed {ending.output[-1000:]}")


@contextmanager
def two_instances(**settings: str) -> Iterator[tuple[list[Instance], str]]:
    """Two instances that serve, and the URL of their storage."""
    with tempfile.TemporaryDirectory() as folder, throwaway_server() as server:
        instances = [
            Instance(Path(folder) / str(number), server.url, **settings) for number in range(2)
        ]
        try:
            yield instances, server.url
        finally:
            for each in instances:
                each.close()
