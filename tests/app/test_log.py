"""The lines of the log: as `logging` itself writes them."""

from __future__ import annotations

import logging

import pytest

from service.app import LogFormatter

FORM = "%(asctime)s %(levelname)s %(name)s %(message)s"


def record(created: float) -> logging.LogRecord:
    made = logging.LogRecord("service.access", logging.INFO, "", 0, "GET %s", ("/healthz",), None)
    made.created, made.msecs = created, float(int(created * 1000) % 1000)
    return made


@pytest.mark.parametrize(
    "times", [(0.0, 0.999, 1.0), (1_767_225_599.9996, 1_767_225_600.0), (1e9, 5.25, 1e9 + 0.5)]
)
def test_a_line_is_the_one_that_logging_writes(times: tuple[float, ...]) -> None:
    own, standard = LogFormatter(FORM), logging.Formatter(FORM)
    for created in times:
        line = own.format(record(created))
        assert line == standard.format(record(created))
        assert line.endswith("INFO service.access GET /healthz")
