"""Hostile bodies, queries, headers, hosts, paths and methods.

`bodies` are made from a valid body of an operation and are never valid. `mutated` changes a valid
body at random, so that the result may be valid by chance.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.access.calls import GAME, JSON

DEPTHS = (10, 16, 17, 100, 1_000, 5_000, 10_000, 100_000)
DIGITS = (10, 18, 19, 100, 1_000, 4_300, 4_301, 10_000, 100_000)
LENGTHS = (101, 1_000, 10_000, 100_000)
_WRONG: tuple[Any, ...] = (
    True, False, None, 0, -1, 3, 1.5, 2**53, 10**17, "", " ", "x", "\u0000", "🂡", [], [[]], [None],
    {}, {"": None}, "true", "null", "0x1", "٣",
)  # fmt: skip
_NUMBERS = (
    b"1e5", b"1E400", b"-1e400", b"1e-400", b"9e99999999999", b"1e", b"1e+", b"0x10", b"01", b"+1",
    b".5", b"5.", b"--1", b"1_0", b"NaN", b"Infinity", b"-Infinity", b"nan", b"1e1.5", b"-",
)  # fmt: skip
_STRINGS = (
    b'"\\ud800"', b'"\\udfff\\ud800"', b'"\\ud83d"', b'"\xed\xa0\x80"', b'"\xc0\x80"', b'"\xff"',
    b'"\xf5\x80\x80\x80"', b'"\\u0000"', b'"\x00"', b'"\n"', b'"\\x41"', b'"\\u12"', b'"', b"'x'",
    b'"\\u202e"', b'"\\', b'"x\\"',
)  # fmt: skip
_WHOLE = (
    b"{", b"}", b"[", b"]", b"nonsense", b"\x00", b"\xff\xfe", b"\xfe\xff", b"{} {}", b"{},",
    b"{'a': 1}", b"{1: 2}", b"{null: 1}", b"/**/{}", b"{}//", b"<x/>", b"a=b", b"\x1f\x8b\x08",
    b"0", b'""', b"true", b"null", b"[]", b"[{}]", b'{"": ""}', b'{"__proto__": {}}', b"{\x0b}",
)  # fmt: skip
_MEDIA = (
    None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "text/json",
    "multipart/form-data; boundary=x", "application/xml", "application/json-seq", "*/*", "json",
    "application/octet-stream", ";application/json", "application/json/x", "\x00",
)  # fmt: skip

HOSTS = (
    "evil.example", "localhost.evil.example", "evil.example:80", "127.0.0.1.evil.example", "",
    "localhost@evil.example", "evil.example@localhost", "localhost:", "localhost:x", "[::1",
    "[evil]", "localhost, evil.example", "localhost evil.example", "0.0.0.0", "127.1", "2130706433",
    "localhost\\.evil", "x" * 5_000, "localhost.", "localhost/..", "\x00", "[::ffff:1]",
    "\uff4cocalhost".encode().decode("latin-1"),
)  # fmt: skip
QUERIES = (
    "after=-1", "after=1.5", "after=x", "after=", "after=%00", "after=" + "9" * 5_000, "after=1e3",
    "after=%D9%A3", "after=0x1", "after=+1", "after=%2B1", "after=1_0", "after=%FF", "limit=0",
    "limit=1001", "limit=-0", "limit=None", "limit=NaN", "limit=1;drop", "limit[]=1", "wait=x",
    "after=1&after=x", "limit=x&limit=5", "Limit=5", "a" * 8_000, "%", "%zz", "&&&=", "=1",
    "a[b]=c", "=".join("x" * 1_000), "__proto__=1", "limit=5%00", "limit=%205", "limit=5&x=y",
)  # fmt: skip
TEXTS = (
    "", " ", "x" * 10_000, "\x00", "\x7f", "ü", "\t", '"', ",", ",,,;;;", "*", "null", "%00", "=",
    '"0.0.1', 'W/"', "a, b, c", "\xff" * 300, "x y", "🂡".encode().decode("latin-1"),
)  # fmt: skip
HEADERS = (
    "If-Match", "If-None-Match", "Idempotency-Key", "X-Request-Id", "Accept", "Accept-Language",
    "Accept-Charset", "Accept-Encoding", "Range", "If-Modified-Since", "If-Unmodified-Since",
    "If-Range", "Cookie", "Origin", "Referer", "Forwarded", "X-Forwarded-Host", "X-Forwarded-For",
    "X-HTTP-Method-Override", "Last-Event-ID", "Expect", "Content-Language", "Prefer", "User-Agent",
)  # fmt: skip
ACCEPTS = (
    "text/html", "*/*;q=x", "application/json;q=0", "application/json;q=1e999", ";", "a/b/c", "*",
    "application/*;q=0, */*;q=0", "application/json;" + "x=y;" * 2_000, "*/json", "text/*",
)  # fmt: skip
CONTENT_LENGTHS = ("-1", "x", "1e3", "0x10", "99999999999999999999", "1 1", "", "\xb3", "+5", "5,5")
PATHS = (
    "/v1/games/%00", "/v1/games/..%2f..%2fhealthz", "/v1/games/" + "x" * 10_000, "/v1/games/%ff",
    "/v1/games/{g:x}:game", "/v1/games/*", "/v1/games/%F0%9F%82%A1", "/v1/games//draw", "/%",
    "/v1/games/%0d%0aX-Evil:1", "/v1/problems/%00", "/v1/problems/..", "/v1/docs/..%2f..%2fapp.py",
    "/v1/docs/%2e%2e/app.py", "/v1/docs//etc/passwd", "/v1/docs/\\..\\app.py", "/V1/games", "/*",
    "/v1/games/AAAAAAAAAAAAAAAAAAAAAA%0A", "/v1/openapi.json/", "/.git/config", "/v1/games;x=1",
)  # fmt: skip
METHODS = ("PUT", "PATCH", "TRACE", "CONNECT", "PROPFIND", "G\xcbT", "DELETE", "X" * 300)


AcceptedValues = dict[str, Callable[[Any], bool]]


@dataclass(frozen=True)
class Body:
    """A body and its Content-Type; None for a request without one."""

    content: bytes
    media: str | None = JSON

    def __str__(self) -> str:
        return f"{self.content[:60]!r} ({len(self.content)} bytes) as {self.media!r}"


SEAT = {"kind": "human", "name": "Ann", "level": None}


def _is_name(value: Any) -> bool:
    """Whether a value of the corpus is a valid name of a seat."""
    has_length = isinstance(value, str) and 1 <= len(value) <= 40
    return value is None or (
        has_length and value.strip() != "" and value not in ("\0", "\n", "\u202e")
    )


_is_joker_count = (0, 2, 4).__contains__
SEAT_ACCEPTS: AcceptedValues = {"name": _is_name, "level": lambda value: value is None}


@dataclass(frozen=True)
class Operation:
    """An operation with a body: its path, a valid body, and other values that its fields accept."""

    name: str
    path: str
    valid: dict[str, Any]
    accepted_values: AcceptedValues = field(default_factory=dict)


def operations(invite: str) -> list[Operation]:
    """Every operation with a body, given a valid invite."""
    table = [SEAT, {"kind": "ai"}]
    new = {"seats": table, "jokers": 2, "aces": "high", "hints": True, "turn_seconds": 60}
    new["rounds"] = {"first": 2, "last": 5}
    hand = {"cards": ["8H", "9H", "TH"], "wild_rank": "5", "aces": "low"}
    return [
        Operation(
            "createGame",
            "/v1/games",
            {**new, "seed": "11" * 32},
            {
                "seats": lambda value: value is None,
                "jokers": lambda value: not isinstance(value, bool) and _is_joker_count(value),
                "hints": lambda value: isinstance(value, bool),
                "turn_seconds": lambda value: value is None,
                "rounds": lambda value: value == {},
                "seed": lambda value: value is None,
            },
        ),
        Operation("joinGame", f"{GAME}/seats", {"invite": invite, "name": "Bo"},
                  {"name": _is_name}),
        Operation("drawCard", f"{GAME}/draw", {"source": "stock"}),
        Operation("discardCard", f"{GAME}/discard", {"card": "8H", "go_out": True},
                  {"go_out": lambda value: isinstance(value, bool)}),
        Operation("rematchGame", f"{GAME}/rematch", {}),
        Operation("evaluateHand", "/v1/evaluations", hand),
    ]  # fmt: skip


def bodies(valid: dict[str, Any], accepted_values: AcceptedValues) -> Iterator[Body]:
    """Bodies that an operation with this `valid` body must refuse.

    `accepted_values` says by field which other values are valid; by default none is.
    """
    text = json.dumps(valid).encode()
    yield from map(Body, _WHOLE)
    yield from (Body(text, media) for media in _MEDIA)
    twice = b"\xef\xbb\xbf" * 2 + text  # one byte order mark is read over, a second one is not
    yield from map(Body, (twice, b"\x00" + text, text + b"\x00", text[:-1]))
    for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-7"):
        yield Body(json.dumps({**valid, "x": "+"}).encode(encoding))
    yield from map(Body, fields(valid, accepted_values))
    yield from map(Body, _nested(text))


def fields(valid: dict[str, Any], accepted_values: AcceptedValues) -> Iterator[bytes]:
    """The valid object with one field made invalid."""
    for member, value in valid.items():
        name = json.dumps(member).encode()
        others = {key: each for key, each in valid.items() if key != member}
        rest = b", " + json.dumps(others).encode()[1:-1] if others else b""
        accepts = accepted_values.get(member, lambda _: False)
        raws = (*map(_encoded, _WRONG), *_NUMBERS, *_STRINGS, *_long(value), *_nested(b"1"))
        for raw in raws:
            if raw != _encoded(value) and not _is_accepted(raw, accepts):
                yield b"{%b: %b%b}" % (name, raw, rest)
        encoded = _encoded(value)
        escaped = b'"\\u%04x%b' % (ord(member[0]), name[2:])
        for duplicate in (name, escaped, _encoded(member.upper()), _encoded(member + " ")):
            yield b"{%b: %b, %b: %b%b}" % (name, encoded, duplicate, encoded, rest)


def _encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def _is_accepted(raw: bytes, accepts: Callable[[Any], bool]) -> bool:
    """Whether a JSON text is a value that the field accepts."""
    try:
        return accepts(json.loads(raw))
    except (ValueError, RecursionError):
        return False


def _long(value: Any) -> Iterator[bytes]:
    """Numbers with many digits, and long strings and arrays."""
    for count in DIGITS:
        yield from (b"9" * count, b"-" + b"9" * count, b"0." + b"1" * count, b"1" * count + b"e1")
    yield from (b'"' + b"x" * count + b'"' for count in LENGTHS)
    yield from (_encoded("🂡" * (count // 10)) for count in LENGTHS)
    if isinstance(value, list):
        yield from (_encoded(value * count) for count in LENGTHS)


def _nested(core: bytes) -> Iterator[bytes]:
    for depth in DEPTHS:
        yield b"[" * depth + core + b"]" * depth
        yield b'{"a":' * depth + core + b"}" * depth
        yield b"[" * depth
        yield b'{"a":' * depth


def mutated(valid: dict[str, Any], rng: random.Random) -> Body:
    """The valid body with some bytes changed, deleted, repeated or inserted."""
    text = bytearray(json.dumps(valid).encode())
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(text) + 1)
        match rng.randrange(5):
            case 0:
                text[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                text[place:place] = rng.choice((*_NUMBERS, *_STRINGS, *_WHOLE))
            case 2:
                del text[place : place + rng.randint(1, 8)]
            case 3:
                text[place:place] = text[place : place + rng.randint(1, 20)]
            case _:
                text[place:place] = rng.choice(b'{}[],:"\\ \t\n').to_bytes(1, "big")
    return Body(bytes(text), JSON)


def headers(rng: random.Random) -> list[tuple[str, str]]:
    """One to five hostile headers."""
    names = rng.sample(HEADERS, rng.randint(1, 4))
    made = [(name, rng.choice((*TEXTS, *ACCEPTS))) for name in names]
    if rng.random() < 0.2:
        made.append(("Content-Length", rng.choice(CONTENT_LENGTHS)))
    return made
