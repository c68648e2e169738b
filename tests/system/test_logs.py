"""The log of the running service as JSON: every line of every process is one object."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import requests

from tests.nodes import wait_for
from tests.system.launch import Launch, create_game


def lines(service: Launch) -> list[dict[str, Any]]:
    return [json.loads(line) for line in service.output.splitlines()]


def events(service: Launch, logger: str) -> list[str]:
    return [each["event"] for each in lines(service) if each["logger"] == logger]


def test_every_line_of_every_process_is_an_object(tmp_path: Path) -> None:
    with Launch(tmp_path, LOG_FORMAT="json", METRICS_PORT="0", SCRIPT_NAME="/x") as service:
        game = create_game(service.url())
        metrics = service.said(r'metrics at (http://[^"\s]+)')[1]
        wait_for(lambda: requests.get(metrics, timeout=10).ok, "metrics")
        gunicorn = [each.pid for each in service.family() if "gunicorn" in each.command]
        os.kill(gunicorn[-1], signal.SIGKILL)
        service.said("was sent SIGKILL")
        os.kill(service.member("valkey-server"), signal.SIGKILL)
        service.said("it is started again in")
        service.said("the storage serves reads and writes again")
        assert requests.get(game, timeout=10).status_code == 200
        service.send(signal.SIGTERM)
        assert service.ended() == 0

        written = lines(service)
        assert all({"timestamp", "level", "logger", "event"} <= each.keys() for each in written)
        assert {"three-thirteen", "gunicorn.error", "service.access"} <= {
            each["logger"] for each in written
        }
        said = events(service, "three-thirteen")
        assert said[0].startswith("SCRIPT_NAME is ignored")
        assert any(each.startswith("serving at http://") for each in said)
        levels = {each["event"][:12]: each["level"] for each in written}
        assert (levels["serving at h"], levels["SCRIPT_NAME "]) == ("info", "error")


def test_plain_lines_are_what_they_were(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        create_game(service.url())
        service.said(r"service\.access POST /v1/games 201")
        service.send(signal.SIGTERM)
        assert service.ended() == 0
        plain = re.compile(
            r"three-thirteen: .*|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ service\.\w+ .*"
        )
        assert all(plain.fullmatch(line) for line in service.output.splitlines())
