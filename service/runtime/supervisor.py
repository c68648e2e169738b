"""The supervisor: starts the embedded server and gunicorn, keeps watch, ends both together.

    lock data -> bind port -> embedded server -> gunicorn -> watch -> stop gunicorn -> stop server

Signal handlers only queue; the one place that acts on a signal is `_wait`, which every loop
here calls. SIGTERM, SIGINT and SIGHUP stop the service once its requests are answered, a second
one without waiting for them.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import time
from collections import deque
from types import FrameType
from typing import NoReturn

import engine
from service.config import Config
from service.runtime.data_lock import DataInUseError
from service.runtime.embedded_server import EmbeddedServer, EmbeddedServerError
from service.runtime.web_server import WebServer, WebServerError

_FORMS = {"compiled": "compiled", "source": "as source, some twenty times slower"}
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_STOP_SECONDS = 15.0  # longer than gunicorn's own grace
_START_POLL_SECONDS = 0.01
_WATCH_SECONDS = 1.0
_RESTARTS = 5
_RESTART_WINDOW_SECONDS = 60.0


class _StopRequested(Exception):  # noqa: N818 - not an error
    """Somebody asked the service to stop."""


class Supervisor:
    """Runs one service from start to stop."""

    def __init__(self, config: Config) -> None:
        """Keep the settings; nothing is started before `run`."""
        self._config = config
        self._signals: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._store: EmbeddedServer | None = None
        self._web: WebServer | None = None
        self._restarts: deque[float] = deque(maxlen=_RESTARTS)

    def run(self) -> int:
        """Serve until a signal asks to stop, and return the exit code; call in the main thread."""
        self._install_handlers()
        try:
            self._serve()
        except _StopRequested:
            return 0
        except (DataInUseError, EmbeddedServerError, WebServerError) as error:
            _report(str(error), error=True)
            return 1
        except OSError as error:
            _report(f"cannot start: {error}", error=True)
            return 1
        finally:
            self._stop_web()
            self._stop_store()

    def _serve(self) -> NoReturn:
        environ = dict(os.environ)
        if self._config.redis_url is None:
            environ["REDIS_URL"] = self._lock_store().url
        web = self._web = WebServer(self._config)
        self._start_store()
        web.spawn(environ)
        serving = False
        while not serving:
            serving = web.is_serving()
            self._wait(_START_POLL_SECONDS)
        self._announce(web)
        while True:
            web.check()
            self._restart_store_if_dead()
            self._wait(_WATCH_SECONDS)

    def _lock_store(self) -> EmbeddedServer:
        config = self._config
        store = EmbeddedServer(
            config.data_dir, program=config.redis_server, append_fsync=config.append_fsync
        )
        store.lock()
        self._store = store
        return store

    def _start_store(self) -> None:
        if self._store is not None:
            self._store.spawn()
            while not self._store.is_ready():
                self._wait(_START_POLL_SECONDS)

    def _restart_store_if_dead(self) -> None:
        if self._store is None or self._store.is_running():
            return
        now = time.monotonic()
        if len(self._restarts) == _RESTARTS and now - self._restarts[0] < _RESTART_WINDOW_SECONDS:
            raise EmbeddedServerError(f"{self._store.engine} keeps dying; the service gives up")
        self._restarts.append(now)
        _report(f"{self._store.engine} died and is started again", error=True)
        with contextlib.suppress(EmbeddedServerError):  # the next look finds it dead and counts
            self._start_store()

    def _announce(self, web: WebServer) -> None:
        _report(f"serving at {web.url} (try it out at {web.url}/v1/docs)")
        server = f", {self._store.engine}" if self._store is not None else ""
        _report(f"data in {self._config.store}{server}")
        _report(f"the engine runs {_FORMS[engine.form]}")

    def _stop_web(self) -> None:
        if self._web is None:
            return
        self._web.ask_to_stop()
        deadline = time.monotonic() + _STOP_SECONDS
        while self._web.is_running() and time.monotonic() < deadline:
            try:
                self._wait(_START_POLL_SECONDS)
            except _StopRequested:
                self._web.ask_to_hurry()
        self._web.close()

    def _stop_store(self) -> None:
        if self._store is not None:
            self._store.close()

    def _install_handlers(self) -> None:
        signal.signal(signal.SIGCHLD, self._queue)  # so that a child's end is seen at once
        for number in _STOP_SIGNALS:
            # `nohup` ignores SIGHUP, and that must stay so; shells ignore SIGINT in the background.
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._queue)

    def _queue(self, number: int, _frame: FrameType | None) -> None:
        self._signals.put(number)

    def _wait(self, seconds: float) -> None:
        with contextlib.suppress(queue.Empty):
            number = self._signals.get(timeout=seconds)
            while number not in _STOP_SIGNALS:
                number = self._signals.get_nowait()
            raise _StopRequested


def _report(message: str, *, error: bool = False) -> None:
    print(f"three-thirteen: {message}", file=sys.stderr if error else sys.stdout, flush=True)
