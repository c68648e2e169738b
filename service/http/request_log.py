"""What is told of every request: one line of the log, and to who counts or traces requests.

The line has method, path, status and time, or as JSON the operation instead of the path: no query,
no header, no body, so no token and no card. What is known of the caller (`request_id`, `game_id`,
`seat`) is kept with the request only where somebody wants it: in lines of JSON, or in spans.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from flask import Flask, Request, has_app_context, has_request_context
from flask.globals import app_ctx, request_ctx

from service.games.tokens import ID_PATTERN
from service.http.openapi.blueprint import operation_names
from service.observer import NO_OPERATION, TRACE_ID, WAITED, Answer, Observer

PROBES = ("/healthz", "/readyz")
_LOG = logging.getLogger("service.access")
_LINE = "%s %s %d %.1f ms id=%s"
"""Method, path, status, time and id of a request."""
REPORT = "request_report"
"""The application's extension that reports requests; not there where a plain line is all."""
_GAME_ID = re.compile(ID_PATTERN)
_KEPT = ("request_id", "game_id", "seat", "problem")
"""What is kept with a request, by name."""


class RequestObserver(Protocol):
    """Is told in the thread that answers; it may count, and must not wait or fail."""

    def began(self, environ: dict[str, Any]) -> None:
        """A request of this thread begins, with its WSGI environment."""

    def answered(self, answer: Answer) -> None:
        """The request was answered."""


class CallerNotes(Observer):
    """Keeps with a request which game and seat its caller was found to be in."""

    def identified(self, game_id: str, seat: int | None) -> None:
        """Keep it; what happens to a game outside of requests is nobody's call."""
        if has_app_context():
            app_ctx.g.game_id = game_id
            if seat is not None:
                app_ctx.g.seat = seat


def context() -> Mapping[str, str | int]:
    """What is known of the request that this thread answers, by name; nothing outside of one."""
    if not has_request_context():
        return {}
    request = request_ctx.request
    known: dict[str, str | int] = {
        name: value for name in _KEPT if (value := app_ctx.g.get(name)) is not None
    }
    if "game_id" not in known:
        named = (request.view_args or {}).get("game_id", "")
        if _GAME_ID.fullmatch(named):
            known["game_id"] = named
    if TRACE_ID in request.environ:
        known["trace_id"] = request.environ[TRACE_ID]
    return known


@dataclass(frozen=True, slots=True)
class RequestReport:
    """Tells an observer of each request, and writes its line with more than a plain one has."""

    operations: Mapping[tuple[str | None, str], str]
    observer: RequestObserver | None
    is_json: bool
    has_details: bool
    """Whether lines or spans show more than the operation."""

    def begin(self, request: Request) -> None:
        """Tell that a request begins, unless it is a monitor's."""
        if self.observer is not None and request.path not in PROBES:
            self.observer.began(request.environ)

    def end(self, request: Request, status: int, began: float) -> None:
        """Tell of the answer, and write the line; `began` is a time of `perf_counter`."""
        environ = request.environ
        method: str = environ["REQUEST_METHOD"]
        seconds = time.perf_counter() - began
        answer = Answer(
            self.operations.get((request.endpoint, method), NO_OPERATION),
            method,
            status,
            seconds,
            environ.get(WAITED, 0.0),
            context() if self.has_details else {},
        )
        if self.is_json:
            _write_json(request, answer)
        else:
            trace_id = environ.get(TRACE_ID)
            trace = f" trace={trace_id}" if trace_id else ""
            write_line(request, status, began, app_ctx.g.request_id + trace)
        if self.observer is not None:
            self.observer.answered(answer)


def install(
    app: Flask, observer: RequestObserver | None, *, is_json: bool, has_details: bool
) -> None:
    """Have every request of the application reported; without need of it nothing is done."""
    if observer is not None or is_json:
        report = RequestReport(operation_names(app), observer, is_json, has_details)
        app.extensions[REPORT] = report


def write_line(request: Request, status: int, began: float, request_id: str) -> None:
    """Write the request's plain line; `began` is a time of `perf_counter`."""
    spent = (time.perf_counter() - began) * 1000
    level = logging.DEBUG if request.path in PROBES else logging.INFO
    if not _LOG.isEnabledFor(level):
        return
    values = (request.method, _printable(request.path), status, spent, request_id)
    # `Logger.log` would look up which line of the program calls it: a third of its time.
    record = _LOG.makeRecord(_LOG.name, level, __file__, 0, _LINE, values, None)
    _LOG.handle(record)


def _write_json(request: Request, answer: Answer) -> None:
    level = logging.DEBUG if request.path in PROBES else logging.INFO
    if not _LOG.isEnabledFor(level):
        return
    record = _LOG.makeRecord(_LOG.name, level, __file__, 0, "request", (), None)
    record.fields = {
        "method": answer.method,
        "operation": answer.operation,
        "status": answer.status,
        "duration_ms": round(answer.seconds * 1000, 1),
        **answer.details,
    }
    _LOG.handle(record)


def _printable(path: str) -> str:
    """A path that cannot forge lines of the log."""
    return path.encode("unicode_escape").decode("ascii")[:200]
