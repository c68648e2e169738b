"""What the worker overrides, calls and reads of gunicorn, which promises none of it.

Another version that changes one of these fails here, by name, before it fails with clients.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import logging
from pathlib import Path

import gunicorn
import pytest
from gunicorn.config import Config
from gunicorn.http.body import Body
from gunicorn.http.wsgi import Response
from gunicorn.workers.gthread import TConn, ThreadWorker

WORKER = Path(__file__).parents[3] / "service" / "runtime" / "worker"

SIGNATURES = {
    # overridden
    "workers.gthread:ThreadWorker.run": "(self)",
    "workers.gthread:ThreadWorker.handle_request": "(self, req, conn)",
    "workers.base:Worker.init_signals": "(self)",
    "http.wsgi:Response.default_headers": "(self)",
    # called by the worker
    "workers.gthread:ThreadWorker.handle": "(self, conn)",
    "workers.gthread:ThreadWorker.is_parent_alive": "(self)",
    "workers.base:Worker.notify": "(self)",
    "workers.gthread:PollableMethodQueue.fileno": "(self)",
    "workers.gthread:PollableMethodQueue.run_callbacks": "(self, _fileobj, max_callbacks=50)",
    "workers.gthread:PollableMethodQueue.defer": "(self, callback, *args)",
    "workers.gthread:PollableMethodQueue.close": "(self)",
    "workers.gthread:TConn.__init__": "(self, cfg, sock, client, server)",
    "http.wsgi:create": ("(req, sock, client, server, cfg, response_class=None, response_args=())"),
    "http.wsgi:Response.__init__": "(self, req, sock, cfg)",
    "http.wsgi:Response.start_response": "(self, status, headers, exc_info=None)",
    "http.wsgi:Response.force_close": "(self)",
    "http.wsgi:Response.should_close": "(self)",
    "http.wsgi:Response.send_headers": "(self)",
    "http.wsgi:Response.write": "(self, arg)",
    "http.wsgi:Response.close": "(self)",
    "http.parser:RequestParser.__init__": "(self, cfg, source, source_addr)",
    "http.parser:RequestParser.finish_body": "(self, deadline=None, max_bytes=None)",
    "http.unreader:IterUnreader.take_buffered": "(self)",
    "http.body:ChunkedReader.read": "(self, size)",
    "http.body:LengthReader.read": "(self, size)",
    "http.errors:LimitRequestHeaders.__init__": "(self, msg)",
    # called by gunicorn, on the way to what is overridden
    "workers.base:Worker.init_process": "(self)",
    "workers.gthread:ThreadWorker.init_process": "(self)",
    "workers.gthread:ThreadWorker.handle_exit": "(self, sig, frame)",
    "workers.gthread:ThreadWorker.handle_quit": "(self, sig, frame)",
    "workers.gthread:ThreadWorker._keepalive_after": "(self, conn, keepalive)",
    "workers.base:Worker.handle_error": "(self, req, client, addr, exc)",
    "util:write_error": "(sock, status_int, reason, mesg)",
}
ATTRIBUTES = {
    "BufferingWorker": {
        "alive",
        "cfg",
        "log",
        "max_requests",
        "method_queue",
        "nr",
        "poller",
        "sockets",
        "tpool",
        "worker_connections",
        "wsgi",
    },
    "Exchange": {"parser", "initialized"},
    "KeepAliveResponse": {"cfg", "chunked", "req", "response_length", "status_code"},
}
CALLED = {"handle", "is_parent_alive", "notify", "should_close", "send_headers"}


@pytest.mark.parametrize("name", SIGNATURES)
def test_what_is_overridden_or_called_has_the_signature_it_was_proven_with(name: str) -> None:
    module, _, path = name.partition(":")
    found: object = importlib.import_module(f"gunicorn.{module}")
    for step in path.split("."):
        found = getattr(found, step)

    assert callable(found)
    assert str(inspect.signature(found)) == SIGNATURES[name]


def instances() -> dict[str, object]:
    config = Config()
    worker = ThreadWorker(1, 1, [], None, 30, config, logging.getLogger())
    worker.tmp.close()
    return {
        "BufferingWorker": worker,
        "Exchange": TConn(config, _Socket(), None, None),
        "KeepAliveResponse": Response(None, None, config),
    }


class _Socket:
    def setblocking(self, flag: bool) -> None:
        assert not flag


ASSIGNED_LATER = {"wsgi": ThreadWorker.load_wsgi, "status_code": Response.start_response}


def test_what_is_read_of_the_base_classes_is_there() -> None:
    for name, instance in instances().items():
        for attribute in ATTRIBUTES[name]:
            later = ASSIGNED_LATER.get(attribute)
            if later is None:
                assert hasattr(instance, attribute), f"{name}.{attribute}"
            else:
                assert attribute in later.__code__.co_names, f"{name}.{attribute}"


def test_every_use_of_a_base_class_stands_in_the_tables() -> None:
    seen = set()
    for path in (WORKER / "buffering_worker.py", WORKER / "exchange.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and node.name in ATTRIBUTES:
                seen.add(node.name)
                assert inherited(node) <= ATTRIBUTES[node.name] | CALLED, node.name
    assert seen == set(ATTRIBUTES)


def inherited(definition: ast.ClassDef) -> set[str]:
    """What methods use of `self` that is not private, and that the class does not define."""
    own = {node.name for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)}
    used = {
        node.attr
        for node in ast.walk(definition)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and not node.attr.startswith("_")
    }
    return used - own - {"connection", "is_complete"}


def test_every_private_name_of_the_classes_is_their_own() -> None:
    bases = {**vars(ThreadWorker), **vars(TConn), **vars(Response)}
    own = {
        node.name
        for path in (WORKER / "buffering_worker.py", WORKER / "exchange.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("_")
    }
    assert not (own - {"__init__"}) & set(bases)


def test_a_body_reads_through_a_reader_that_may_be_replaced() -> None:
    class Reader:
        def read(self, _size: int) -> bytes:
            return b"" if taken else (taken.append(True) or b"data")

    taken: list[bool] = []
    body = Body(Reader())

    assert body.read() == b"data"


def test_the_version_is_the_one_it_was_proven_with() -> None:
    assert gunicorn.version_info[:2] == (27, 0)
