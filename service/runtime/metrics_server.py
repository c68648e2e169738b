"""The metrics' own server: a process beside gunicorn, on a port that is never the public one.

It reads what the workers count in files of a folder, which is made new for each start and removed
at the end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from service.config import Config
from service.runtime.parent_death import die_with_parent
from service.runtime.web_server import bound, search_path

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which prometheus-client knows the folder."""
_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder in it has a random name
_PAUSE_SECONDS = 5.0
"""Until a process that has ended is started again."""


class MetricsServer:
    """The process that shows the metrics, on the host and port of its settings."""

    def __init__(self, config: Config, clock: Callable[[], float] = time.monotonic) -> None:
        """Bind the address, or raise `WebServerError`; `clock` gives seconds."""
        assert config.metrics_port is not None
        self._listener = bound(config.metrics_host, config.metrics_port, "METRICS_")
        self._clock = clock
        memory = str(_MEMORY) if os.access(_MEMORY, os.W_OK) else None
        self._folder = tempfile.TemporaryDirectory(prefix="three-thirteen-metrics-", dir=memory)
        self._process: subprocess.Popen[bytes] | None = None
        self._spawned_at = 0.0

    @property
    def url(self) -> str:
        """Give the address of the metrics."""
        host, port = self._listener.getsockname()[:2]
        return f"http://[{host}]:{port}/metrics" if ":" in host else f"http://{host}:{port}/metrics"

    @property
    def environ(self) -> Mapping[str, str]:
        """Give the variable that tells the workers where to count."""
        return {FOLDER: self._folder.name}

    def spawn(self) -> None:
        """Start the process."""
        listener = self._listener.fileno()
        self._spawned_at = self._clock()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "service.runtime.metrics_process", str(listener)],
            env={**os.environ, **self.environ, "PYTHONPATH": search_path(os.environ)},
            stdin=subprocess.DEVNULL,
            pass_fds=[listener],
            start_new_session=True,  # Ctrl-C is the supervisor's to act on
            # Safe while no other thread runs, and the supervisor has none.
            preexec_fn=partial(die_with_parent, signal.SIGKILL, os.getpid()),  # noqa: PLW1509
        )

    def check(self) -> str | None:
        """Start the process again if it has ended; return what to report of that, if anything."""
        if self._process is None or self._process.poll() is None:
            return None
        if self._clock() < self._spawned_at + _PAUSE_SECONDS:
            return None
        code = self._process.returncode
        self.spawn()
        return f"the metrics' server ended by itself, with code {code}; it is started again"

    def close(self) -> None:
        """End the process, and remove what was counted."""
        self._listener.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()
