"""How often one address may call some operations within a minute, and what answers say of that.

The table of limits is by operationId; moves and reads are not in it, and nothing of this module is
on their way. Answers have the fields RateLimit and RateLimit-Policy as
draft-ietf-httpapi-ratelimit-headers-10 has them. Where the storage cannot count, calls pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Protocol

from flask import current_app
from flask.globals import app_ctx

from service.config import Config
from service.errors import QuotaExceededError

EXTENSION = "rate_limits"
"""The application's extension that has its `RateLimits`; not there where limits are off."""
_WINDOW = 60
"""Seconds."""
_HOST_BITS = 64
"""A machine has this part of an IPv6 address to itself, and may change it as it likes."""
_KNOWN_ADDRESSES = 4_096


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit that operations share, by its name in headers and at the storage, and its setting."""

    name: str
    setting: str

    @property
    def default(self) -> int:
        """The calls in a minute where the setting says nothing."""
        return quota_of(Config(), self)


def quota_of(config: Config, limit: Limit) -> int:
    """The calls in a minute that a limit allows."""
    quota: int = getattr(config, limit.setting)
    return quota


_CREATE = Limit("create", "rate_limit_create")
LIMITS: Mapping[str, Limit] = {
    "createGame": _CREATE,
    "rematchGame": _CREATE,
    "joinGame": Limit("join", "rate_limit_join"),
    "evaluateHand": Limit("evaluate", "rate_limit_evaluate"),
    "getHint": Limit("hint", "rate_limit_hint"),
    "getReview": Limit("review", "rate_limit_review"),
}
"""The limit of each operation that has one, by its operationId."""


class Counter(Protocol):
    """Counts calls for all workers."""

    def count(self, what: str, who: str) -> tuple[int, int] | None:
        """Which call of this minute this one is, and seconds to its end; None if unknown."""


class RateLimits:
    """The limits of a configuration; safe to share between threads."""

    def __init__(self, counter: Counter, config: Config) -> None:
        self._counter = counter
        self._quotas = {limit.name: quota_of(config, limit) for limit in LIMITS.values()}

    def count(self, limit: Limit, address: str) -> Usage | None:
        """Count a call of an address; None where that cannot be done."""
        counted = self._counter.count(limit.name, caller(address))
        return None if counted is None else Usage(limit.name, self._quotas[limit.name], *counted)


@dataclass(frozen=True, slots=True)
class Usage:
    """How much of a quota is used within the minute that ends after some seconds."""

    name: str
    quota: int
    used: int
    seconds: int

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """What an answer says of it."""
        remaining = max(0, self.quota - self.used)
        return (
            ("RateLimit-Policy", f'"{self.name}";q={self.quota};w={_WINDOW}'),
            ("RateLimit", f'"{self.name}";r={remaining};t={self.seconds}'),
        )


@lru_cache(_KNOWN_ADDRESSES)
def caller(address: str) -> str:
    """Whom an address is counted as: itself, or the network of an IPv6 address.

    What is no address, such as that of a Unix socket, is one caller.
    """
    try:
        parsed: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except ValueError:
        return "local"
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((parsed, _HOST_BITS), strict=False).network_address)


def enforce(limit: Limit, address: str) -> None:
    """Count a call to the running application; its answer gets the fields, whatever becomes of it.

    Raises QuotaExceededError.
    """
    limits: RateLimits | None = current_app.extensions.get(EXTENSION)
    if limits is None:
        return
    usage = limits.count(limit, address)
    if usage is None:
        return
    passing = app_ctx.g
    passing.added_headers = (*passing.get("added_headers", ()), *usage.fields)
    if usage.used > usage.quota:
        words = f"the {usage.quota} calls that an address may make in a minute are used up"
        raise QuotaExceededError(words, usage.seconds)
