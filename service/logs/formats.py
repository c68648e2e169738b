"""The two forms of a line of the log, and the loggers that write them.

    plain    2026-01-01 12:00:00,000 INFO service.access GET /healthz 200 0.1 ms id=…
    json     {"timestamp": "2026-01-01T12:00:00.000000Z", "level": "info", …}

Plain lines are written by the loggers of the service, and those of the tracing libraries. JSON
lines are written for every record of every logger, and for what Python itself would print.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from service.config import Config

if TYPE_CHECKING:
    from types import TracebackType

JSON = "json"
FIELDS = "fields"
"""The attribute of a record that has the members of its object; a plain line does not show them."""
_PLAIN = "%(asctime)s %(levelname)s %(name)s %(message)s"
_PLAIN_LOGGERS = ("service", "opentelemetry")
_HANDLER = "three-thirteen"
_UNCAUGHT = logging.getLogger("service.uncaught")

Context = Callable[[], Mapping[str, str | int]]
"""What is known of the request that is answered now, by name; nothing outside of requests."""


class PlainFormatter(logging.Formatter):
    """Writes lines as `logging` does, the date and the time of day once a second."""

    _second = -1
    _text = ""

    def __init__(self) -> None:
        super().__init__(_PLAIN)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        """The time of a line, to the millisecond; a handler calls this with its lock held."""
        second = int(record.created)
        if second != self._second:
            self._second = second
            self._text = time.strftime(self.default_time_format, self.converter(second))
        return f"{self._text},{int(record.msecs):03d}"


def no_context() -> Mapping[str, str | int]:
    """Nothing is known."""
    return {}


def set_up(config: Config, context: Context = no_context) -> None:
    """Have the loggers of this process write lines to stderr, as the last call has it."""
    for name in (None, *_PLAIN_LOGGERS):
        _forget_handler(logging.getLogger(name))
    logging.getLogger("service").setLevel(config.log_level)
    if config.log_format == JSON:
        _set_up_json(context)
    else:
        _handle(PlainFormatter(), *map(logging.getLogger, _PLAIN_LOGGERS))


def _set_up_json(context: Context) -> None:
    from service.logs.json_lines import json_formatter  # noqa: PLC0415 - it takes time and memory

    _handle(json_formatter(context), logging.getLogger())
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_of_thread
    sys.unraisablehook = _log_unraisable


def _handle(formatter: logging.Formatter, *loggers: logging.Logger) -> None:
    handler = logging.StreamHandler()
    handler.name = _HANDLER
    handler.setFormatter(formatter)
    for logger in loggers:
        logger.addHandler(handler)


def _forget_handler(logger: logging.Logger) -> None:
    for handler in [each for each in logger.handlers if each.name == _HANDLER]:
        logger.removeHandler(handler)


def _log_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    _UNCAUGHT.critical("uncaught error", exc_info=(kind, error, trace))


def _log_uncaught_of_thread(caught: threading.ExceptHookArgs) -> None:
    error = caught.exc_value or caught.exc_type()
    _UNCAUGHT.critical(
        "uncaught error in a thread", exc_info=(caught.exc_type, error, caught.exc_traceback)
    )


def _log_unraisable(caught: sys.UnraisableHookArgs) -> None:
    error = caught.exc_value or caught.exc_type()
    _UNCAUGHT.error("ignored error", exc_info=(caught.exc_type, error, caught.exc_traceback))
