"""What a process without loggers says: the supervisor, in a line for its user or in JSON."""

from __future__ import annotations

import contextlib
import logging
import os

from service.config import Config
from service.logs.formats import JSON, no_context, set_up

_NAME = "three-thirteen"
_STDOUT, _STDERR = 1, 2


class Reports:
    """Writes each message as one line; where that fails, as on a full disk, the service goes on."""

    def __init__(self, config: Config) -> None:
        self._formatter: logging.Formatter | None = None
        if config.log_format == JSON:
            from service.logs.json_lines import json_formatter  # noqa: PLC0415 - only then needed

            set_up(config)
            self._formatter = json_formatter(no_context)

    def say(self, message: str) -> None:
        """Write what the user should know."""
        self._write(message, logging.INFO)

    def warn(self, message: str) -> None:
        """Write what is wrong."""
        self._write(message, logging.ERROR)

    def _write(self, message: str, level: int) -> None:
        line = f"{_NAME}: {message}"
        if self._formatter is not None:
            record = logging.LogRecord(_NAME, level, __file__, 0, message, None, None)
            line = self._formatter.format(record)
        with contextlib.suppress(OSError):
            os.write(_STDERR if level == logging.ERROR else _STDOUT, f"{line}\n".encode())
