"""Lines of JSON: structlog's formatter over the records of `logging`.

Every object has `timestamp` (UTC), `level`, `logger` and `event`; then the record's own fields, or
what is known of the request that is answered; `exception` is a traceback, within the one line.
"""

from __future__ import annotations

import logging
from typing import Any

import orjson
from structlog.processors import JSONRenderer, TimeStamper, format_exc_info
from structlog.stdlib import ProcessorFormatter, add_log_level, add_logger_name
from structlog.typing import EventDict, WrappedLogger

from service.logs.formats import FIELDS, Context


def json_formatter(context: Context) -> logging.Formatter:
    """What formats any record as one line."""

    def add_fields(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event.update(getattr(event["_record"], FIELDS, None) or context())
        return event

    return ProcessorFormatter(
        foreign_pre_chain=[
            TimeStamper(fmt="iso", utc=True),
            add_log_level,
            add_logger_name,
            add_fields,
            format_exc_info,
        ],
        processors=[ProcessorFormatter.remove_processors_meta, JSONRenderer(serializer=_dumped)],
    )


def _dumped(event: EventDict, **_: Any) -> str:
    """The text of an object; what no JSON value stands for is written as its text."""
    return orjson.dumps(event, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
