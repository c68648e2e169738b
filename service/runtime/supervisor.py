"""The supervisor: starts the embedded server and gunicorn, watches them, stops both.

    lock data -> bind port -> embedded server -> gunicorn -> watch -> stop gunicorn -> stop server

Signal handlers only queue; the one place that acts on a signal is `_wait`, which every loop
here calls. SIGTERM, SIGINT and SIGHUP stop the service once its requests are answered, a second
one without waiting for them. From the first start to the last answer the embedded server is
started again whenever it ends.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import time
from collections.abc import Mapping
from types import FrameType
from typing import NoReturn

import engine
from service.config import Config
from service.logs.reports import Reports
from service.runtime import start_message
from service.runtime.embedded.data_dir import DataDirError
from service.runtime.embedded.data_lock import DataInUseError
from service.runtime.embedded.embedded_server import EmbeddedServer
from service.runtime.embedded.restarts import Restarts
from service.runtime.embedded.server_program import EmbeddedServerError
from service.runtime.metrics_server import MetricsServer
from service.runtime.web_server import WebServer, WebServerError
from service.tracing import switch

_FORMS = {"compiled": "compiled", "source": "as source, some twenty times slower"}
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_START_SECONDS = 30.0
_STOP_SECONDS = 15.0  # longer than gunicorn's own grace
_POLL_SECONDS = 0.01
_WATCH_SECONDS = 1.0
_START_ERRORS = (DataDirError, DataInUseError, EmbeddedServerError, WebServerError)
# gunicorn takes it for a prefix that every path must have, and then refuses all others.
_FOREIGN_VARIABLE = "SCRIPT_NAME"


class _StopRequested(Exception):  # noqa: N818 - not an error
    """Somebody asked the service to stop."""


class Supervisor:
    """Runs one service from start to stop."""

    def __init__(self, config: Config, start_seconds: float = _START_SECONDS) -> None:
        """Take the settings, and the limit of the wait for the web server's first answer."""
        self._config = config
        self._start_seconds = start_seconds
        self._signals: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._store: EmbeddedServer | None = None
        self._restarts: Restarts | None = None
        self._web: WebServer | None = None
        self._metrics: MetricsServer | None = None
        self._reports = Reports(config)

    def run(self) -> int:
        """Serve until a signal asks to stop, and return the exit code; call in the main thread."""
        self._install_handlers()
        try:
            self._serve()
        except _StopRequested:
            return 0
        except _START_ERRORS as error:
            self._reports.warn(str(error))
            return 1
        except OSError as error:
            self._reports.warn(f"cannot start: {error}")
            return 1
        finally:
            self._stop_web()
            self._stop_store()
            if self._metrics is not None:
                self._metrics.close()

    def _serve(self) -> NoReturn:
        environ = self._environ()
        if self._config.redis_url is None:
            environ["REDIS_URL"] = self._lock_store().url
        web = self._web = WebServer(self._config)
        environ |= self._start_metrics()
        self._start_store()
        web.spawn(environ)
        self._await_first_answer(web)
        self._announce(web)
        while True:
            web.check()
            if self._metrics is not None and (problem := self._metrics.check()):
                self._reports.warn(problem)
            self._watch_store(_WATCH_SECONDS)

    def _start_metrics(self) -> Mapping[str, str]:
        """What the workers have to be told so that they count; nothing where metrics are off."""
        if self._config.metrics_port is None:
            return {}
        self._metrics = MetricsServer(self._config)
        self._metrics.spawn()
        return self._metrics.environ

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
                self._wait(_POLL_SECONDS)
            self._restarts = Restarts(self._store, self._reports.warn)

    def _await_first_answer(self, web: WebServer) -> None:
        deadline = time.monotonic() + self._start_seconds
        while not web.is_serving():
            if time.monotonic() > deadline:
                raise WebServerError(
                    f"the web server did not answer {web.probe} with 200 within "
                    f"{self._start_seconds:.0f} s; its last answer: {web.last_answer}"
                )
            self._watch_store(_POLL_SECONDS)
        self._wait(0)  # a request to stop may have come while the answer was awaited

    def _watch_store(self, seconds: float) -> None:
        """Start the embedded server again if it is due, and wait so long at most."""
        if self._restarts is not None:
            self._restarts.step()
            if not self._restarts.is_settled:
                seconds = _POLL_SECONDS
        self._wait(seconds)

    def _announce(self, web: WebServer) -> None:
        program = None if self._store is None else str(self._store.program)
        for line in start_message.lines(self._config, web.url, web.port, program):
            self._reports.say(line)
        if self._metrics is not None:
            self._reports.say(f"metrics at {self._metrics.url}")
        self._reports.say(f"the engine runs {_FORMS[engine.form]}")

    def _stop_web(self) -> None:
        if self._web is None:
            return
        self._web.ask_to_stop()
        deadline = time.monotonic() + _STOP_SECONDS
        while self._web.is_running() and time.monotonic() < deadline:
            try:
                self._watch_store(_POLL_SECONDS)
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

    def _environ(self) -> dict[str, str]:
        environ = dict(os.environ)
        if environ.pop(_FOREIGN_VARIABLE, ""):
            self._reports.warn(
                f"{_FOREIGN_VARIABLE} is ignored: for a service under a prefix set ROOT_PATH"
            )
        if problem := switch.problem(environ):
            self._reports.warn(problem)
        return environ
