"""Scripts of the server: how they are read, named and run."""

from __future__ import annotations

import hashlib
from importlib.resources import files

from redis.exceptions import NoScriptError

from service.store.connections.connection import Connection

Arguments = list[bytes | str | int]


def text(*names: str) -> str:
    """The text of a script, put together from files of this package."""
    return "".join((files("service.store.scripts") / name).read_text("utf-8") for name in names)


def digest(script: str) -> str:
    """The name that a server gives to a script."""
    return hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()


def run(connection: Connection, script: str, sha: str, arguments: Arguments) -> list[bytes]:
    """The script's answer; a server that does not know it is given it."""
    answer: list[bytes]
    try:
        (answer,) = connection.execute(("EVALSHA", sha, *arguments))
    except NoScriptError:
        (answer,) = connection.execute(("EVAL", script, *arguments))
    return answer
