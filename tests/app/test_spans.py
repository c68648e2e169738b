"""The spans of requests: what each is called, what it has, and whose part it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from importlib import metadata

import pytest
from flask.testing import FlaskClient
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, format_span_id, format_trace_id

from engine.players.observer import observe
from service.app import create_app
from service.config import Config
from service.observer import Answer, Observer, Observers
from service.tracing import switch
from service.tracing.spans import _MAX_CHILDREN, Spans
from tests.player import QUICK, create, refused

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
ANSWER = Answer("getGame", "GET", 200, 0.001, 0.0, {})


class Traced:
    """The application with a tracer, and the spans that it has made."""

    def __init__(self, config: Config) -> None:
        self._exporter = InMemorySpanExporter()
        self.spans = Spans(self._exporter, "1.2.3")
        self.client: FlaskClient = create_app(config, spans=self.spans).test_client()

    def made(self) -> list[ReadableSpan]:
        self.spans._provider.force_flush()
        return list(self._exporter.get_finished_spans())

    def requests(self) -> list[ReadableSpan]:
        return [each for each in self.made() if each.kind is SpanKind.SERVER]


@pytest.fixture
def traced(config: Config) -> Iterator[Traced]:
    made = Traced(replace(config, log_level="INFO"))
    yield made
    observe(None)
    made.spans.end()


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_a_request_is_a_span_with_the_name_of_its_operation(traced: Traced) -> None:
    player = create(traced.client, QUICK)
    refused(player.discard("AC"), 409, "wrong-phase")
    traced.client.get("/nowhere")
    created, discarded, nowhere = traced.requests()
    assert [each.name for each in (created, discarded, nowhere)] == [
        "createGame",
        "discardCard",
        "none",
    ]
    expected = {
        "http.request.method": "POST",
        "http.response.status_code": 409,
        "three_thirteen.game_id": player.game["id"],
        "three_thirteen.seat": 0,
        "three_thirteen.problem": "wrong-phase",
        "three_thirteen.waited_seconds": 0.0,
    }
    found = attributes(discarded)
    assert len(str(found.pop("three_thirteen.request_id"))) == 32
    assert found == expected
    assert discarded.status.is_unset
    assert attributes(created)["http.response.status_code"] == 201
    assert created.resource.attributes["service.name"] == "three-thirteen"
    assert created.resource.attributes["service.version"] == "1.2.3"


def test_calls_to_the_storage_and_choices_are_parts_of_their_request(traced: Traced) -> None:
    seats = [{"kind": "human"}, {"kind": "ai", "level": "hard"}]
    player = create(traced.client, {**QUICK, "seats": seats})
    player.turn()
    made = traced.made()
    discard = next(each for each in made if each.name == "discardCard")
    assert discard.context is not None
    parts = [each for each in made if each.parent and each.parent == discard.context]
    names = [each.name for each in parts]
    assert names.count("storage read") == 1
    assert names.count("storage write") == 1
    choices = [each for each in parts if each.name == "AI choice"]
    assert len(choices) >= 2
    assert {attributes(each)["three_thirteen.level"] for each in choices} == {"hard"}
    for each in parts:
        assert (discard.start_time or 0) <= (each.start_time or 0) <= (each.end_time or 0)
        assert (each.end_time or 0) <= (discard.end_time or 0)


def test_a_trace_that_the_caller_names_goes_on_and_is_in_the_log(
    traced: Traced, caplog: pytest.LogCaptureFixture
) -> None:
    header = {"traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "vendor=secret"}
    traced.client.get("/v1/cards/AC", headers=header)
    traced.client.get("/v1/cards/AC", headers={"traceparent": f"00-{TRACE}-nonsense-01"})
    named, own = traced.requests()
    assert named.context is not None
    assert own.context is not None
    assert named.parent is not None
    assert format_trace_id(named.context.trace_id) == TRACE
    assert format_span_id(named.parent.span_id) == PARENT
    assert not named.context.trace_state
    assert own.parent is None
    assert format_trace_id(own.context.trace_id) != TRACE
    assert [record.getMessage().endswith(f" trace={TRACE}") for record in caplog.records] == [
        True,
        False,
    ]


def test_a_trace_that_its_caller_does_not_record_is_not_recorded(traced: Traced) -> None:
    traced.client.get("/v1/cards/AC", headers={"traceparent": f"00-{TRACE}-{PARENT}-00"})
    create(traced.client, QUICK)
    assert [each.name for each in traced.requests()] == ["createGame"]


def test_probes_are_not_traced(traced: Traced) -> None:
    for path in ("/healthz", "/readyz"):
        assert traced.client.get(path).status_code == 200
    assert traced.made() == []


def test_an_unexpected_error_marks_its_span(
    traced: Traced, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("of no interest to others")

    player = create(traced.client, QUICK)
    monkeypatch.setattr(traced.client.application.extensions["queries"], "view", fail)
    assert player.get().status_code == 500
    failed = traced.requests()[-1]
    assert not failed.status.is_ok
    assert attributes(failed)["error.type"] == "internal-error"
    assert "of no interest" not in failed.to_json()


def test_the_spans_within_one_request_have_a_bound(traced: Traced) -> None:
    spans = traced.spans
    spans.began({})
    for _ in range(_MAX_CHILDREN + 3):
        spans.choice_began()
        spans.choice_ended("easy")
    spans.answered(ANSWER)
    made = traced.made()
    assert len(made) == _MAX_CHILDREN + 1
    assert attributes(made[-1])["three_thirteen.spans_left_out"] == 3


def test_what_happens_outside_of_a_request_is_no_span(traced: Traced) -> None:
    traced.spans.choice_began()
    traced.spans.choice_ended("easy")
    traced.spans.called("read", 0.1)
    traced.spans.answered(ANSWER)
    assert traced.made() == []


def test_the_conditions_of_a_call_are_in_its_span(traced: Traced) -> None:
    traced.spans.began({})
    traced.spans.retried("timed out")
    traced.spans.failed("unreachable")
    traced.spans.called("write", 0.25)
    traced.spans.called("read", 0.0)
    traced.spans.began({})  # the first one was never answered
    write, read, _ = traced.made()
    assert attributes(write)["three_thirteen.conditions"] == ("timed out", "unreachable")
    assert (write.end_time or 0) - (write.start_time or 0) >= 250_000_000
    assert "three_thirteen.conditions" not in attributes(read)


def test_several_observers_are_all_told_everything() -> None:
    told: list[str] = []

    class Listening(Observer):
        def __getattribute__(self, name: str) -> object:
            if not name.startswith("_"):
                told.append(name)
            return super().__getattribute__(name)

    both = Observers(Listening(), Listening())
    both.began({})
    both.identified("g", 0)
    both.moved()
    both.committed(is_created=True, is_finished=False)
    both.watched("stream", 1)
    both.choice_began()
    both.choice_ended("easy")
    both.called("read", 0.1)
    both.retried("x")
    both.failed("x")
    both.answered(ANSWER)
    names = {name for name in vars(Observer) if not name.startswith("_")}
    assert sorted(told) == sorted([*names, *names])


@pytest.mark.parametrize(
    ("given", "is_on"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "games"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"}, False),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "otlp"}, False),
    ],
)
def test_the_variables_of_opentelemetry_switch_it_on(given: dict[str, str], is_on: bool) -> None:
    assert switch.is_on(given) is is_on
    assert switch.problem(given) is None


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER is 'zipkin'"),
        (
            {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "OTEL_EXPORTER_OTLP_PROTOCOL is not http/protobuf",
        ),
    ],
)
def test_what_cannot_be_traced_is_said(given: dict[str, str], named: str) -> None:
    assert not switch.is_on(given)
    assert named in (switch.problem(given) or "")


def test_packages_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    given = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}
    assert not switch.is_on(given)
    said = switch.problem(given) or ""
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in said
    assert "three-thirteen[tracing]" in said


def test_a_collector_that_is_away_holds_up_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    spans = Spans.to_collector("1")
    spans.began({})
    spans.answered(ANSWER)
    spans.end(seconds=0.1)
