"""The options of a store's URL: which there are, what they may say, how the client takes them."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote_plus, unquote_plus

_CLIENT_NAME = re.compile(r"[!-~]+")
_TLS = "ssl_"
Value = str | int | bool


class Topology(StrEnum):
    """How the servers of a store stand to each other; the value is the word in its scheme."""

    SINGLE = ""
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


class StoreUrlError(ValueError):
    """A URL that names no store; `expected` says which part is wrong and what it should be."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected)
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Option:
    """What an option may say, and how the client wants it."""

    accepts: Callable[[str], object]
    expected: str
    convert: Callable[[str], Value] = str


def is_number(text: str) -> bool:
    """Whether a text is a whole number of at most ten digits."""
    return text.isascii() and text.isdigit() and len(text) <= 10


_TEXT = Option(bool, "a text that is not empty")
_FILE = Option(bool, "the path of a file")
_OPTIONS: dict[str, Option] = {
    "username": _TEXT,
    "password": _TEXT,
    "client_name": Option(_CLIENT_NAME.fullmatch, "a text without blanks"),
    "health_check_interval": Option(is_number, "a whole number of seconds", int),
}
_TLS_OPTIONS: dict[str, Option] = {
    "ssl_ca_certs": _FILE,
    "ssl_certfile": _FILE,
    "ssl_keyfile": _FILE,
    "ssl_cert_reqs": Option(
        ("none", "optional", "required").__contains__, "none, optional or required"
    ),
    "ssl_check_hostname": Option(
        ("true", "false").__contains__, "true or false", lambda text: text == "true"
    ),
}
_SENTINEL_OPTIONS = {"sentinel_username": _TEXT, "sentinel_password": _TEXT}
_ALL_OPTIONS = {**_OPTIONS, **_TLS_OPTIONS, **_SENTINEL_OPTIONS}
"""More options could break what the service promises."""


def known_options(topology: Topology, *, tls: bool) -> Mapping[str, Option]:
    """What a URL of this topology may say, with or without TLS."""
    known = dict(_OPTIONS)
    if tls:
        known |= _TLS_OPTIONS
    if topology is Topology.SENTINEL:
        known |= _SENTINEL_OPTIONS
    if topology is Topology.CLUSTER:  # the client leaves it out there
        del known["health_check_interval"]
    return known


def options_of(query: str) -> dict[str, str]:
    """The options of a query by their names; raises StoreUrlError."""
    options: dict[str, str] = {}
    for pair in query.split("&") if query else []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise StoreUrlError("name=value for each option")
        if name in options:
            raise StoreUrlError("each option once")
        options[name] = unquote_plus(value)
    return options


def check_options(options: Mapping[str, str], known: Mapping[str, Option]) -> None:
    """Raise StoreUrlError where an option is not known, or the client could not use its value."""
    for name, value in options.items():
        if name.startswith(_TLS) and name in _ALL_OPTIONS and name not in known:
            raise StoreUrlError(f"rediss:// where {name} is given")
        if name not in known:
            raise StoreUrlError("no option but " + ", ".join(known))
        if not known[name].accepts(value):
            raise StoreUrlError(f"{known[name].expected} as {name}")
    _check_certificates(options)


def _check_certificates(options: Mapping[str, str]) -> None:
    """Load the files as the client will, so that a wrong one shows at start."""
    authorities, certificate, key = (
        options.get(name) for name in ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
    )
    if key is not None and certificate is None:
        raise StoreUrlError("an ssl_certfile beside the ssl_keyfile")
    for name in ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile"):
        if name in options and not Path(options[name]).is_file():
            raise StoreUrlError(f"a file that exists as {name}")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if authorities is not None:
        try:
            context.load_verify_locations(authorities)
        except OSError:
            raise StoreUrlError("a file of PEM certificates as ssl_ca_certs") from None
    if certificate is not None:
        try:
            context.load_cert_chain(certificate, key, password=lambda: "")
        except OSError:
            raise StoreUrlError(
                "a PEM certificate as ssl_certfile, with its key, not encrypted, "
                "there or as ssl_keyfile"
            ) from None


def converted(options: Mapping[str, str]) -> Mapping[str, Value]:
    """The options as the client takes them."""
    return MappingProxyType(
        {name: _ALL_OPTIONS[name].convert(value) for name, value in options.items()}
    )


def query_text(options: Mapping[str, Value]) -> str:
    """The query that gives these options, with its question mark."""
    texts = [f"{name}={quote_plus(_option_text(value))}" for name, value in options.items()]
    return f"?{'&'.join(texts)}" if texts else ""


def _option_text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
