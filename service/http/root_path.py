"""A service under a path prefix: the setting ROOT_PATH.

A proxy may strip the prefix or leave it: a path is read with and without it, and everything
behind this module sees paths below it. Where an answer holds an address of the service, the
prefix is put before it. The prefix is the setting's alone: no header of a request changes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_ADDRESS = re.compile(r"(?<![\w./])/v1/")


class PrefixedFlask(Flask):
    """An application whose requests have a path below `ROOT_PATH`, and that as their root."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function: none of this service is a coroutine."""
        return func

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, whose path may begin with the prefix or not."""
        prefix: str = self.config["ROOT_PATH"]
        path: str = environ.get("PATH_INFO", "")
        if path == prefix or path.startswith(f"{prefix}/"):
            path = path.removeprefix(prefix) or "/"
        below = {**environ, "SCRIPT_NAME": prefix, "PATH_INFO": path}
        return super().wsgi_app(below, start_response)


def located(text: str, root_path: str) -> str:
    """A text with the prefix before every address of the service in it."""
    return _ADDRESS.sub(f"{root_path}/v1/", text) if root_path else text
