"""Whether requests are traced, by OpenTelemetry's own variables; nothing of it is imported here.

Tracing is on where OTEL_TRACES_EXPORTER is `otlp`, or where a variable names the place that takes
spans; `none` and OTEL_SDK_DISABLED switch it off. Its libraries read all other variables:
https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata

_PACKAGE = "opentelemetry-exporter-otlp-proto-http"
_PLACES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_EXPORTER = "OTEL_TRACES_EXPORTER"


def is_on(environ: Mapping[str, str]) -> bool:
    """Whether requests are to be traced, and can be."""
    return _is_wanted(environ) and problem(environ) is None


def problem(environ: Mapping[str, str]) -> str | None:
    """Why requests are not traced although a variable asks for it; None where all is well."""
    if not _is_wanted(environ):
        return None
    exporter = environ.get(_EXPORTER, "").strip() or "otlp"
    protocol = _first(environ, _PROTOCOLS) or "http/protobuf"
    if exporter != "otlp":
        return f"nothing is traced: {_EXPORTER} is {exporter!r}: expected otlp or none"
    if protocol != "http/protobuf":
        return f"nothing is traced: {_named(environ, _PROTOCOLS)} is not http/protobuf"
    try:
        metadata.version(_PACKAGE)
    except metadata.PackageNotFoundError:
        named = _named(environ, (_EXPORTER, *_PLACES))
        return (
            f"nothing is traced although {named} is set: "
            "install three-thirteen[tracing], or set OTEL_TRACES_EXPORTER to none"
        )
    return None


def _is_wanted(environ: Mapping[str, str]) -> bool:
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    exporter = environ.get(_EXPORTER, "").strip()
    return exporter != "none" if exporter else _first(environ, _PLACES) != ""


def _first(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := environ.get(name, "").strip())), "")


def _named(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next(name for name in names if environ.get(name, "").strip())
