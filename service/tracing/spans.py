"""A span for each request, and one in it for each call to the storage and each choice of an AI.

The parts of the service know no OpenTelemetry: `Spans` is an observer of all of them. What goes on
within a request is told after it has happened, and its span is made then, with its times. A span
has no more than the names, numbers and ids that the log has, too.

Names follow https://opentelemetry.io/docs/specs/semconv/http/http-spans/.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import (
    Span,
    SpanKind,
    Status,
    StatusCode,
    format_trace_id,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from service.observer import TRACE_ID, Answer, Observer

_NAME = "three-thirteen"
_PARENT = "HTTP_TRACEPARENT"
_UNNAMED = "request"
_MAX_CHILDREN = 64
"""Spans within one request: the AI players may play many turns in one."""
_SECOND = 1_000_000_000
_END_SECONDS = 2.0
"""How long a process that ends waits for its last spans to be taken."""
_KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"}
_DETAILS = {"request_id", "game_id", "seat", "problem"}
_OTHER_METHOD = "_OTHER"


class Spans(Observer):
    """Makes the spans of one process, and sends them in batches from a thread of its own."""

    def __init__(self, exporter: SpanExporter, version: str) -> None:
        """Begin the thread: call it in the process that answers, after its fork."""
        named = OTELResourceDetector().detect().attributes
        resource = Resource.create({"service.name": _NAME, "service.version": version, **named})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer(_NAME, version)
        self._parents = TraceContextTextMapPropagator()
        self._thread = _Thread()

    @classmethod
    def to_collector(cls, version: str) -> Spans:
        """The spans that go to where OpenTelemetry's variables say."""
        return cls(OTLPSpanExporter(), version)

    def end(self, seconds: float = _END_SECONDS) -> None:
        """Send what is left; give up after so many seconds."""
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(seconds)

    # Requests

    def began(self, environ: dict[str, Any]) -> None:
        """Begin the request's span, in the trace that its caller names, if it does."""
        parent = self._parents.extract({"traceparent": environ.get(_PARENT, "")})
        span = self._tracer.start_span(_UNNAMED, parent, SpanKind.SERVER)
        self._thread.begin(span)
        environ[TRACE_ID] = format_trace_id(span.get_span_context().trace_id)

    def answered(self, answer: Answer) -> None:
        """End the request's span."""
        span, left_out = self._thread.span, self._thread.left_out
        if span is None:
            return
        self._thread.span = None
        span.update_name(answer.operation)
        if span.is_recording():
            span.set_attributes(_attributes(answer, left_out))
            if _is_fault(answer):
                span.set_status(Status(StatusCode.ERROR))
        span.end()

    # AI players

    def choice_began(self) -> None:
        """Note the time."""
        self._thread.choice_began = time.time_ns()

    def choice_ended(self, level: str) -> None:
        """Make the choice's span."""
        self._add("AI choice", self._thread.choice_began, {"three_thirteen.level": level})

    # Store

    def called(self, kind: str, seconds: float) -> None:
        """Make the call's span."""
        conditions = self._thread.conditions
        attributes: dict[str, str | list[str]] = {"three_thirteen.kind": kind}
        if conditions:
            attributes["three_thirteen.conditions"] = conditions
            self._thread.conditions = []
        began = time.time_ns() - int(seconds * _SECOND)
        self._add(f"storage {kind}", began, attributes, SpanKind.CLIENT)

    def retried(self, condition: str) -> None:
        """Note why an attempt failed."""
        self._thread.conditions.append(condition)

    def failed(self, condition: str) -> None:
        """Note why the call failed."""
        self._thread.conditions.append(condition)

    def _add(
        self,
        name: str,
        began: int,
        attributes: Mapping[str, str | list[str]],
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> None:
        """Make a span that ends now within that of the request, if there is one."""
        thread = self._thread
        if thread.span is None or not thread.span.is_recording():
            return
        if thread.children >= _MAX_CHILDREN:
            thread.left_out += 1
            return
        thread.children += 1
        context = set_span_in_context(thread.span)
        self._tracer.start_span(name, context, kind, attributes, start_time=began).end()


class _Thread(threading.local):
    """The request that this thread answers: its span, and what is noted for those within it."""

    def __init__(self) -> None:
        self.span: Span | None = None
        self.children = 0
        self.left_out = 0
        self.choice_began = 0
        self.conditions: list[str] = []

    def begin(self, span: Span) -> None:
        """Go on to the next request; one that was not answered ends here."""
        if self.span is not None:
            self.span.end()
        self.span = span
        self.children = self.left_out = 0
        self.conditions = []


def _attributes(answer: Answer, left_out: int) -> dict[str, str | int | float]:
    method = answer.method if answer.method in _KNOWN_METHODS else _OTHER_METHOD
    attributes: dict[str, str | int | float] = {
        "http.request.method": method,
        "http.response.status_code": answer.status,
        "three_thirteen.waited_seconds": answer.waited,
    }
    details = {name: value for name, value in answer.details.items() if name in _DETAILS}
    attributes |= {f"three_thirteen.{name}": value for name, value in details.items()}
    if _is_fault(answer):
        attributes["error.type"] = answer.details.get("problem", str(answer.status))
    if left_out:
        attributes["three_thirteen.spans_left_out"] = left_out
    return attributes


def _is_fault(answer: Answer) -> bool:
    """Whether the service is to blame: a status of 5xx."""
    return answer.status // 100 == 5
