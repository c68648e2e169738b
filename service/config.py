"""The settings of the service: one frozen value, read once from the environment.

A field's variable is its name in capitals (`port` is `PORT`); unset or empty means the default.
Each field carries its own rule, so that a bad value is named with what is expected instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from service.store.connections import url
from service.store.connections.url_options import StoreUrlError
from service.store.durability import Durability

_DAY = 86_400
_TEN_YEARS = 3_650 * _DAY
_WRITE_FORMATS = ("3", "4")
"""Those of `engine.snapshot`, which the supervisor does without."""
_LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_HOST_NAME = re.compile(r"\*|\.?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\]")
_ORIGIN = re.compile(r"\*|null|[a-z][a-z0-9+.-]*://[^\s/?#@,*]+")
_ROOT_PATH = re.compile(r"(/(?!\.{1,2}(/|$))[A-Za-z0-9._~-]+)+")
_OWN_PATHS = ("v1", "healthz", "readyz", "verify", "verify.mjs", "play")
"""The first segments of the service's own paths."""


class ConfigError(ValueError):
    """A variable holds a value that its setting does not accept."""

    def __init__(self, variable: str, value: str, expected: str) -> None:
        super().__init__(f"{variable} is {value!r}: expected {expected}")
        self.variable = variable
        self.value = value
        self.expected = expected


@dataclass(frozen=True, slots=True)
class _Rule:
    """How one setting is read from text, and what to say when that fails."""

    parse: Callable[[str], object]
    expected: str
    shown: Callable[[str], str]

    def read(self, variable: str, text: str) -> object:
        try:
            return self.parse(text)
        except StoreUrlError as error:
            raise ConfigError(variable, self.shown(text), error.expected) from None
        except (ValueError, RuntimeError):  # RuntimeError: a path in a home that nobody has
            raise ConfigError(variable, self.shown(text), self.expected) from None


def _rule(
    parse: Callable[[str], object], expected: str, shown: Callable[[str], str] = str
) -> dict[str, _Rule]:
    """The rule as the metadata of a dataclass field."""
    return {"rule": _Rule(parse, expected, shown)}


def _whole(low: int, high: int) -> dict[str, _Rule]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise ValueError(text)
        return int(text)

    return _rule(parse, f"a whole number from {low} to {high}")


def _choice(*words: str) -> dict[str, _Rule]:
    def parse(text: str) -> str:
        matching = [word for word in words if word.casefold() == text.casefold()]
        if not matching:
            raise ValueError(text)
        return matching[0]

    return _rule(parse, "one of " + ", ".join(words))


def _parse_write_format(text: str) -> int:
    if text not in _WRITE_FORMATS:
        raise ValueError(text)
    return int(text)


def _parse_host(text: str) -> str:
    if re.search(r"[\s/@]", text):
        raise ValueError(text)
    return text.removeprefix("[").removesuffix("]")


def _parse_hosts(text: str) -> tuple[str, ...]:
    names = tuple(name.strip().lower() for name in text.split(",") if name.strip())
    if not all(_HOST_NAME.fullmatch(name) for name in names):
        raise ValueError(text)
    return names


def _parse_origins(text: str) -> tuple[str, ...]:
    origins = tuple(origin.strip().lower() for origin in text.split(",") if origin.strip())
    if not all(_ORIGIN.fullmatch(origin) for origin in origins):
        raise ValueError(text)
    return origins


def _parse_root_path(text: str) -> str:
    if not _ROOT_PATH.fullmatch(text) or text.split("/")[1] in _OWN_PATHS:
        raise ValueError(text)
    return text


def _parse_redis_url(text: str) -> str:
    url.parse(text)
    return text


def _scheme(text: str) -> str:
    """What may be shown of a wrong URL: any other part may hold a password."""
    scheme = re.match(r"[a-z+]{1,20}://", text)
    return f"{scheme[0] if scheme else ''}…"


def _without_password(url: str) -> str:
    return re.sub(r"password=[^&]*", "password=…", re.sub(r"^([\w+]+://)?.*@", r"\1…@", url))


_WRITE_FORMAT = _rule(
    _parse_write_format, f"{' or '.join(_WRITE_FORMATS)}, the formats that this release writes"
)
_HOST = _rule(_parse_host, "an address or a host name, such as 127.0.0.1")
_HOSTS = _rule(
    _parse_hosts,
    "host names without scheme or port, separated by commas: cards.example, .example for it and "
    "all names below it, or * for any",
)
_ORIGINS = _rule(
    _parse_origins,
    "origins as browsers name them, separated by commas: https://app.example or "
    "http://192.0.2.7:3000 without a path, null, or * for any",
)
_ROOT = _rule(
    _parse_root_path,
    "a path such as /games: letters, digits and . _ ~ - between slashes, no slash at the end, and "
    "another beginning than " + ", ".join(f"/{name}" for name in _OWN_PATHS),
)
_PATH = _rule(lambda text: Path(text).expanduser(), "a path")
_REDIS_URL = _rule(_parse_redis_url, url.SCHEMES, _scheme)
_DURABILITY = _rule(lambda text: Durability(text.lower()), "one of " + ", ".join(Durability))


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting of the service, with its default.

    Port 0 takes any free port; without `redis_url` an embedded server keeps the data in
    `data_dir`; `redis_server` names another server program for it. `replicas` is how many every
    master has: with `durability` acknowledged each of them confirms each change. Local host
    names are always allowed and need no place in `allowed_hosts`; there `.example.com` stands for
    that name and all below it, `*` for any. Web pages of local origins and of the service's
    own may always call, and those of `allowed_origins`. `root_path` is the prefix under which a
    proxy has the service; `trusted_proxies` is how many proxies stand in front of it. Each
    `rate_limit_…` is for one address and minute. Without `metrics_port` nothing is counted; metrics
    are never at `port`.
    """

    host: str = field(default="127.0.0.1", metadata=_HOST)
    port: int = field(default=8000, metadata=_whole(0, 65_535))
    workers: int = field(default=2, metadata=_whole(1, 64))
    threads: int = field(default=8, metadata=_whole(1, 256))
    redis_url: str | None = field(default=None, metadata=_REDIS_URL)
    durability: Durability = field(default=Durability.LOCAL, metadata=_DURABILITY)
    replicas: int = field(default=1, metadata=_whole(1, 16))
    redis_server: Path | None = field(default=None, metadata=_PATH)
    # `everysec` loses answered writes also when only the server is killed: it holds them back in
    # memory while an earlier flush is under way. `no` loses them only with the whole machine.
    append_fsync: str = field(default="always", metadata=_choice("always", "everysec", "no"))
    data_dir: Path = field(default=Path("var"), metadata=_PATH)
    write_format: int = field(default=3, metadata=_WRITE_FORMAT)
    game_ttl_seconds: int = field(default=14 * _DAY, metadata=_whole(1, _TEN_YEARS))
    unplayed_ttl_seconds: int = field(default=_DAY, metadata=_whole(1, _TEN_YEARS))
    allowed_hosts: tuple[str, ...] = field(default=(), metadata=_HOSTS)
    allowed_origins: tuple[str, ...] = field(default=(), metadata=_ORIGINS)
    root_path: str = field(default="", metadata=_ROOT)
    trusted_proxies: int = field(default=0, metadata=_whole(0, 16))
    ai_turn_solves: int | None = field(default=None, metadata=_whole(0, 1_000_000))
    keepalive_seconds: int = field(default=75, metadata=_whole(1, 3_600))
    max_body_bytes: int = field(default=16_384, metadata=_whole(1_024, 1_048_576))
    log_level: str = field(default="INFO", metadata=_choice(*_LOG_LEVELS))
    log_format: str = field(default="plain", metadata=_choice("plain", "json"))
    max_store_memory_percent: int = field(default=90, metadata=_whole(1, 100))
    rate_limit: str = field(default="on", metadata=_choice("on", "off"))
    rate_limit_create: int = field(default=600, metadata=_whole(1, 1_000_000))
    rate_limit_join: int = field(default=300, metadata=_whole(1, 1_000_000))
    rate_limit_evaluate: int = field(default=600, metadata=_whole(1, 1_000_000))
    rate_limit_hint: int = field(default=300, metadata=_whole(1, 1_000_000))
    rate_limit_review: int = field(default=60, metadata=_whole(1, 1_000_000))
    metrics_host: str = field(default="127.0.0.1", metadata=_HOST)
    metrics_port: int | None = field(default=None, metadata=_whole(0, 65_535))

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Self:
        """Read every setting that `environ` names; raise `ConfigError` at the first bad value."""
        given: dict[str, Any] = {}
        for setting in fields(cls):
            variable = setting.name.upper()
            if text := environ.get(variable, "").strip():
                given[setting.name] = setting.metadata["rule"].read(variable, text)
        config = cls(**given)
        if config.redis_url is None and config.durability is not Durability.LOCAL:
            raise ConfigError(
                "DURABILITY", config.durability.value, "local, or REDIS_URL to be set"
            )
        return config

    @property
    def store(self) -> str:
        """Name where the games are kept, without any password."""
        if self.redis_url is None:
            return str(self.data_dir.resolve())
        return _without_password(self.redis_url)
