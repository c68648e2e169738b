"""A collector of traces: takes what OpenTelemetry's exporters send, and keeps it."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

PATH = "/v1/traces"


class Collector:
    """The spans that were sent here, and the bodies that they came in."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.bodies: list[bytes] = []
        self.requests: list[ExportTraceServiceRequest] = []

    @property
    def spans(self) -> list[Span]:
        """All spans so far."""
        return [
            span
            for request in list(self.requests)
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def services(self) -> set[str]:
        """The names of the services that have sent spans."""
        return {
            attribute.value.string_value
            for request in list(self.requests)
            for resource in request.resource_spans
            for attribute in resource.resource.attributes
            if attribute.key == "service.name"
        }

    def take(self, body: bytes) -> None:
        """Keep what was sent."""
        self.bodies.append(body)
        self.requests.append(ExportTraceServiceRequest.FromString(body))


def attributes(span: Span) -> dict[str, str | int | float]:
    """The attributes of a span, those that are texts and numbers."""
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value") or "string_value")
        for each in span.attributes
    }


@contextmanager
def collector() -> Iterator[Collector]:
    """A collector at a free port of this machine, until the end."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_known = self.path == PATH
            if is_known:
                zipped = self.headers.get("Content-Encoding") == "gzip"
                kept.take(gzip.decompress(body) if zipped else body)
            self.send_response(200 if is_known else 404)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept = Collector(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
