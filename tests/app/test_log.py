"""The lines of the log: plain as `logging` itself writes them, and each as one JSON object."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask

from service.app import create_app
from service.config import Config
from service.logs.formats import PlainFormatter, set_up
from tests.player import QUICK, Player, create, refused

FORM = "%(asctime)s %(levelname)s %(name)s %(message)s"
ALWAYS = {"timestamp", "level", "logger", "event"}
ACCESS = {"method", "operation", "status", "duration_ms", "request_id"}
TOKEN = "a-token-that-nobody-may-see"


def record(created: float) -> logging.LogRecord:
    made = logging.LogRecord("service.access", logging.INFO, "", 0, "GET %s", ("/healthz",), None)
    made.created, made.msecs = created, float(int(created * 1000) % 1000)
    return made


@pytest.mark.parametrize(
    "times", [(0.0, 0.999, 1.0), (1_767_225_599.9996, 1_767_225_600.0), (1e9, 5.25, 1e9 + 0.5)]
)
def test_a_line_is_the_one_that_logging_writes(times: tuple[float, ...]) -> None:
    own, standard = PlainFormatter(), logging.Formatter(FORM)
    for created in times:
        line = own.format(record(created))
        assert line == standard.format(record(created))
        assert line.endswith("INFO service.access GET /healthz")


class Lines:
    """What the JSON log has written."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    def __call__(self, logger: str = "service.access") -> list[dict[str, Any]]:
        parsed = [json.loads(line) for line in self.stream.getvalue().splitlines()]
        return [each for each in parsed if each["logger"] == logger]


@contextmanager
def captured() -> Iterator[Lines]:
    """The lines of this process, written by what was set up last; then plain ones again."""
    lines, hooks = Lines(), (sys.excepthook, threading.excepthook, sys.unraisablehook)
    handler = next(each for each in logging.getLogger().handlers if each.name == "three-thirteen")
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(lines.stream)
    try:
        yield lines
    finally:
        sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
        logging.captureWarnings(capture=False)
        set_up(Config())


@pytest.fixture
def json_app(config: Config) -> Iterator[tuple[Flask, Lines]]:
    app = create_app(replace(config, log_format="json", log_level="INFO"))
    with captured() as lines:
        yield app, lines


def test_the_line_of_a_request_says_who_called_which_operation(
    json_app: tuple[Flask, Lines],
) -> None:
    app, lines = json_app
    player = create(app.test_client(), QUICK)
    player.draw()
    refused(player.draw(), 409, "wrong-phase")
    player.client.get(player.path)
    created, drawn, again, seen = lines()
    for line in (created, drawn, again, seen):
        assert line.keys() >= ALWAYS | ACCESS | {"game_id"}
        assert datetime.fromisoformat(line["timestamp"]).tzinfo == UTC
        assert (line["level"], line["event"]) == ("info", "request")
        assert line["game_id"] == player.game["id"]
        assert line["duration_ms"] > 0
    assert (created["operation"], created["status"], created["seat"]) == ("createGame", 201, 0)
    assert (drawn["operation"], drawn["method"], drawn["seat"]) == ("drawCard", "POST", 0)
    assert (again["status"], again["problem"]) == (409, "wrong-phase")
    assert seen["operation"] == "getGame"
    assert "seat" not in seen


def test_the_line_of_a_request_has_nothing_that_its_caller_wrote(
    json_app: tuple[Flask, Lines],
) -> None:
    app, lines = json_app
    client, auth = app.test_client(), {"Authorization": f"Bearer {TOKEN}"}
    client.get(f"/v1/games/{TOKEN}?token={TOKEN}", headers=auth)
    client.get(f"/{TOKEN}")
    client.post("/v1/games", json={"seed": TOKEN}, headers={"X-Request-Id": "mine"})
    assert [line["operation"] for line in lines()] == ["getGame", "none", "createGame"]
    assert lines()[-1]["request_id"] == "mine"
    assert TOKEN not in lines.stream.getvalue()


def test_an_error_is_one_line_with_its_traceback_and_its_request(
    json_app: tuple[Flask, Lines], monkeypatch: pytest.MonkeyPatch
) -> None:
    app, lines = json_app

    def fail(*_: object) -> None:
        raise RuntimeError("a\nb")

    player: Player = create(app.test_client(), QUICK)
    monkeypatch.setattr(app.extensions["queries"], "view", fail)
    assert player.get().status_code == 500
    (error,) = lines("service.problems")
    assert error["level"] == "error"
    assert error["exception"].startswith("Traceback (most recent call last):\n")
    assert error["exception"].endswith("RuntimeError: a\nb")
    assert error["request_id"] == lines()[-1]["request_id"]


def test_what_python_itself_would_print_is_a_line(json_app: tuple[Flask, Lines]) -> None:
    _app, lines = json_app

    def fail() -> None:
        raise ValueError("in a thread")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    sys.excepthook(ValueError, ValueError("at the end"), None)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    logging.getLogger("some.package").warning("cards of %s", object)
    in_thread, at_end = lines("service.uncaught")
    assert in_thread["exception"].endswith("ValueError: in a thread")
    assert at_end["exception"].endswith("ValueError: at the end")
    assert "DeprecationWarning: old" in lines("py.warnings")[0]["event"]
    assert lines("some.package")[0]["event"] == "cards of <class 'object'>"


def test_a_plain_log_imports_nothing_that_it_does_not_need() -> None:
    program = (
        "import sys, service.app; service.app.create_app(service.app.Config()); "
        "print({'structlog', 'opentelemetry.exporter', 'prometheus_client'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "set()"
