"""What the service shows its operator, searched for secrets byte by byte, and for cards.

A secret is looked for as it is written, and as its bytes. A card is looked for as a value: a word
of a line, a member, a label, an attribute. The one exception is the path of a card's image in a
plain line.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_CARD = re.compile(r"(?<![\w-])([A23456789TJQK][CDHS]|JK)(?![\w-])")
_IMAGE = re.compile(r"/v1/cards/\w+\.svg")


@dataclass
class Outputs:
    """What the service has shown: its log, its metrics, and the bodies that its spans came in."""

    log: str
    metrics: str = ""
    spans: list[bytes] = field(default_factory=list)

    def violations(self, secrets: set[str]) -> Iterator[str]:
        """Each place that shows a secret or a card."""
        yield from self.secret_places(secrets)
        values = {"the log": self._log_values(), "a span": self._span_values()}
        values["the metrics"] = iter(self.metrics.splitlines())
        for where, texts in values.items():
            for text in texts:
                if found := _CARD.search(text):
                    yield f"{where} shows the card {found[0]}: {text[:200]!r}"

    def secret_places(self, secrets: set[str]) -> Iterator[str]:
        """Each place that has the bytes of a secret."""
        places = {"the log": self.log.encode(), "the metrics": self.metrics.encode()}
        places["a span"] = b"\n".join(self.spans)
        for secret in sorted(secrets):
            for form in _forms(secret):
                for where, shown in places.items():
                    if form in shown:
                        yield f"{where} shows the secret {secret} as {form!r}"

    def _log_values(self) -> Iterator[str]:
        """Every value of a line in JSON, and every plain line whole."""
        for line in self.log.splitlines():
            if line.startswith("{"):
                yield from map(str, json.loads(line).values())
            else:
                yield _IMAGE.sub("", line)

    def _span_values(self) -> Iterator[str]:
        for body in self.spans:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        yield from (span.name, span.trace_state, span.status.message)
                        yield from (str(each.value) for each in span.attributes)
                        yield from map(str, span.events)


def _forms(secret: str) -> Iterator[bytes]:
    """A secret as it is written, and the bytes that it may stand for."""
    yield secret.encode()
    if re.fullmatch(r"[0-9a-f]{64}", secret):
        yield bytes.fromhex(secret)
        yield base64.b64encode(bytes.fromhex(secret)).rstrip(b"=")
    elif re.fullmatch(r"[\w-]{43}", secret):
        yield base64.urlsafe_b64decode(f"{secret}=")
