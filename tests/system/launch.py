"""The service as its user starts it: `python -m service`, with its output and its processes."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Self

import requests

from service.config import Config
from tests.processes import Process, family, kill_all, left_after

_ROOT = Path(__file__).parents[2]
_START_SECONDS = 60.0
_OWN = {"SCRIPT_NAME"} | {each.name.upper() for each in fields(Config)}
"""Variables of the tests' own environment that the service must not see."""


class Launch:
    """One start of the service; as a context manager it leaves no process behind."""

    def __init__(
        self,
        folder: Path,
        arguments: Sequence[str] = ("-m", "service"),
        program: str = sys.executable,
        cwd: Path = _ROOT,
        **settings: str,
    ) -> None:
        self.data_dir = folder / "data"
        self._output = folder / f"output-{time.monotonic_ns()}.txt"
        # Of its own, so that what a killed service leaves there goes with the test.
        self._temporary = tempfile.TemporaryDirectory()
        given = {"PORT": "0", "DATA_DIR": str(self.data_dir), "TMPDIR": self._temporary.name}
        given["RATE_LIMIT"] = "off"  # all of a test comes from one address
        given["WORKERS"] = "1"  # quicker to start; a test to which their number matters gives it
        inherited = {name: value for name, value in os.environ.items() if name not in _OWN}
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                [program, *arguments],
                cwd=cwd,
                env=inherited | given | settings,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self._seen: set[int] = {self.process.pid}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.family()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        kill_all(left_after(self._seen, 5))
        self._temporary.cleanup()

    @property
    def output(self) -> str:
        """Give all that was printed so far."""
        return self._output.read_text()

    def said(self, pattern: str, seconds: float = _START_SECONDS) -> re.Match[str]:
        """Wait for output that matches."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.output)):
            code = self.process.poll()
            said = code is None or re.search(pattern, self.output)
            assert said, f"ended with code {code}: {self.output}"
            assert time.monotonic() < deadline, f"not said: {pattern}\n{self.output}"
            time.sleep(0.01)
        return found

    def url(self) -> str:
        """Wait until it serves, and return the address it printed."""
        return self.said(r"serving at (http://\S+)")[1]

    def family(self) -> list[Process]:
        """List the processes of the service, the supervisor first."""
        members = family(self.process.pid)
        self._seen |= {member.pid for member in members}
        return members

    def pids(self) -> list[int]:
        """The process ids of the whole service."""
        return [member.pid for member in self.family()]

    def workers(self) -> list[int]:
        """The process ids of the web server's workers that run."""
        gunicorn = [each for each in self.family() if "gunicorn" in each.command]
        masters = {each.pid for each in gunicorn}
        return [each.pid for each in gunicorn if each.parent in masters and each.state[0] != "Z"]

    def member(self, word: str) -> int:
        """The process id of the oldest descendant whose command holds a word."""
        return next(member.pid for member in self.family()[1:] if word in member.command)

    def send(self, number: signal.Signals) -> None:
        """Signal the supervisor."""
        self.process.send_signal(number)

    def ended(self, seconds: float = 30) -> int:
        """Wait for the supervisor's end and return its exit code."""
        return self.process.wait(seconds)


def create_game(url: str) -> str:
    """Create a game and return its address."""
    created = requests.post(f"{url}/v1/games", timeout=10)
    assert created.status_code == 201, created.text
    game: str = created.json()["game"]["id"]
    return f"{url}/v1/games/{game}"


def version(game: str) -> int:
    """The version of a game, as anybody may read it."""
    found = requests.get(game, timeout=10)
    assert found.status_code == 200, found.text
    number: int = found.json()["version"]
    return number
