"""A service under a path prefix: the setting ROOT_PATH.

A proxy may strip the prefix or leave it: a path is read with and without it, and everything
behind this module sees paths below it. Where an answer holds an address of the service, the
prefix is put before it. The prefix is the setting's alone: no header of a request changes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from flask import Flask, Request, Response
from flask.typing import ResponseReturnValue
from werkzeug.routing import Map, MapAdapter

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_JUDGED_HOSTS = 256
"""The most hosts whose names are remembered."""
_ADDRESS = re.compile(r"(?<![\w./])/v1/")


class PrefixedFlask(Flask):
    """An application whose requests have a path below `ROOT_PATH`, and that as their root."""

    entry: WSGIApplication | None = None
    """What requests pass before all else, if anything; it calls `wsgi_app`."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, as the WSGI server calls it."""
        return (self.entry or self.wsgi_app)(environ, start_response)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function: none of this service is a coroutine."""
        return func

    def full_dispatch_request(self) -> Response:
        """The answer to the current request.

        Flask would tell listeners of it, look for what each group of operations has before a
        request, and save a session; there is nothing of that here.
        """
        try:
            answer = self.preprocess_request() or self.dispatch_request()
        except Exception as error:  # noqa: BLE001 - Flask's own handling raises what is left
            answer = self.handle_user_exception(error)
        return self.process_response(
            answer if isinstance(answer, self.response_class) else self.make_response(answer)
        )

    def preprocess_request(self) -> ResponseReturnValue | None:
        """Check a request; the answer of a check is the answer to the request."""
        for check in self.before_request_funcs[None]:
            answer: ResponseReturnValue | None = self.ensure_sync(check)()
            if answer is not None:
                return answer
        return None

    def process_response(self, response: Response) -> Response:
        """Have the response pass what was registered for that, if anything was."""
        return super().process_response(response) if self.after_request_funcs else response

    def do_teardown_request(self, exc: BaseException | None = None) -> None:
        """Call what was registered for the end of a request, if anything was."""
        if self.teardown_request_funcs:
            super().do_teardown_request(exc)

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """What finds the operation of a request.

        It is as Flask makes it, but the host that a request names is judged once.
        """
        if request is None or _is_unusual(request.environ):
            return super().create_url_adapter(request)
        environ = request.environ
        return MapAdapter(
            self.url_map,
            _server_name(environ["HTTP_HOST"], environ["wsgi.url_scheme"]),
            request.root_path,
            "",
            environ["wsgi.url_scheme"],
            environ["PATH_INFO"].encode("latin-1").decode(errors="replace"),
            environ["REQUEST_METHOD"],
            request.query_string.decode(errors="replace"),
        )

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, whose path may begin with the prefix or not."""
        prefix: str = self.config["ROOT_PATH"]
        path: str = environ.get("PATH_INFO", "")
        if path == prefix or path.startswith(f"{prefix}/"):
            path = path.removeprefix(prefix) or "/"
        below = {**environ, "SCRIPT_NAME": prefix, "PATH_INFO": path}
        return super().wsgi_app(below, start_response)


def _is_unusual(environ: WSGIEnvironment) -> bool:
    """Whether a request names no host, or asks for a web socket, which no operation is."""
    return "HTTP_HOST" not in environ or "HTTP_UPGRADE" in environ


@lru_cache(_JUDGED_HOSTS)
def _server_name(named: str, scheme: str) -> str:
    """What a host is called in addresses; raises HTTPException where it cannot be called so."""
    environ = {"HTTP_HOST": named, "wsgi.url_scheme": scheme, "REQUEST_METHOD": "GET"}
    return Map().bind_to_environ(environ, subdomain="").server_name


def located(text: str, root_path: str) -> str:
    """A text with the prefix before every address of the service in it."""
    return _ADDRESS.sub(f"{root_path}/v1/", text) if root_path else text
