"""The settings in words: for each field of `Config` what it means, what it takes, its default.

`serve --help` prints them as text, and `make settings` as the table of docs/operations.md.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import Field, dataclass, fields
from pathlib import Path

from service.config import Config

_DAY = 86_400
_COLUMNS = ("variable", "default", "takes", "meaning")
_WIDTH = 78
_INDENT = "      "

MEANINGS = {
    "host": "the address to serve at; `0.0.0.0` or `::` is every address of the machine",
    "port": "the port to serve at; 0 is any free one, which the start names",
    "workers": "processes that answer requests",
    "threads": "threads in each of these processes",
    "redis_url": "a Redis or Valkey server of yours, also behind sentinels or a cluster; unset: "
    "an embedded one",
    "durability": "what an answered move has survived",
    "replicas": "how many replicas each master of the storage has; for `acknowledged`",
    "redis_server": "another server program to embed",
    "append_fsync": "when the embedded server writes to disk: before each answer, every second, "
    "or when the system does",
    "data_dir": "the folder of the embedded server's data",
    "write_format": "the format in which changed games are stored; raised once every instance runs "
    "a release that reads it",
    "game_ttl_seconds": "how long a game is kept after its last move",
    "unplayed_ttl_seconds": "how long a game is kept while no human has moved",
    "allowed_hosts": "hosts to answer under, beside localhost and the address in `HOST`",
    "allowed_origins": "origins whose web pages may call, beside those on localhost and the "
    "service's own",
    "root_path": "the prefix under which a proxy has the service",
    "trusted_proxies": "how many proxies stand in front, each of which sets `X-Forwarded-For`, "
    "`X-Forwarded-Proto` and `X-Forwarded-Host`",
    "ai_turn_solves": "hands that an AI player may evaluate for one decision; unset: 10,000 "
    "compiled, 1,000 as source",
    "keepalive_seconds": "how long a connection without requests is kept",
    "max_body_bytes": "the largest request body",
    "log_level": "the least important lines that are logged",
    "log_format": "lines of text, or each line a JSON object",
    "max_store_memory_percent": "how full a server of the storage may be, in % of its `maxmemory`, "
    "before new games are refused there",
    "rate_limit": "whether one address may make only so many of some calls within a minute",
    "rate_limit_create": "how many games and rematches an address may create within a minute",
    "rate_limit_join": "how many seats it may join",
    "rate_limit_evaluate": "how many hands it may have evaluated",
    "rate_limit_hint": "how many hints it may ask for",
    "rate_limit_review": "how many reviews it may ask for",
    "metrics_host": "the address to show metrics at; `0.0.0.0` or `::` is every address of the "
    "machine",
    "metrics_port": "the port to show metrics for Prometheus at; 0 is any free one, which the "
    "start names; unset: there are no metrics",
}
"""What each field of `Config` means, in Markdown."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, each part of it as text."""

    variable: str
    default: str
    takes: str
    meaning: str


def settings() -> Iterator[Setting]:
    """Every setting, in the order of `Config`."""
    for each in fields(Config):
        takes: str = each.metadata["rule"].expected
        yield Setting(each.name.upper(), _default(each), takes, MEANINGS[each.name])


def table() -> str:
    """The settings as a table in Markdown."""
    rows = [
        (f"`{each.variable}`", _code(each.default), each.takes, each.meaning) for each in settings()
    ]
    lines = [_COLUMNS, tuple("---" for _ in _COLUMNS), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def listing() -> str:
    """The settings as lines for a terminal."""
    return "\n".join(_paragraph(each) for each in settings())


def _paragraph(setting: Setting) -> str:
    text = f"{setting.meaning}. Takes {setting.takes}. Default: {setting.default}."
    wrapped = textwrap.fill(
        text.replace("`", ""),
        _WIDTH,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"  {setting.variable}\n{wrapped}"


def _default(setting: Field[object]) -> str:
    value = setting.default
    if value in (None, (), ""):
        return "unset"
    if setting.name.endswith("_seconds") and isinstance(value, int) and value % _DAY == 0:
        return f"{value} ({value // _DAY} days)" if value > _DAY else f"{value} (1 day)"
    return f"./{value}" if isinstance(value, Path) else str(value)


def _code(default: str) -> str:
    value, space, days = default.partition(" ")
    return default if default == "unset" else f"`{value}`{space}{days}"
