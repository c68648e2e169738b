"""The floor: the least that an application in Flask does for a read and for a move.

    GET  /hello              a small JSON object
    GET  /games/<number>     one HMGET; answers 1.9 KB
    POST /games/<number>     one HMGET and one script, which compares the version and writes state,
                             meta, an event and an idempotency record; answers 1.9 KB

It checks nothing and parses nothing. What it writes has the sizes of what the service writes. It
runs under the service's own settings of gunicorn, with gunicorn's own `gthread` worker.
"""

from __future__ import annotations

import os
from typing import Any

import redis
from flask import Flask, Response, request

STORE_VARIABLE = "FLOOR_STORE"
GAMES = 64
"""How many games it has: more than clients, so that no two of them meet in one."""
_STATE = b"s" * 1_200
_META = b"m" * 300
_EVENT = b"e" * 130
_RECORD = b"r" * 2_300
_ANSWER = b'{"game":"' + b"a" * 1_889 + b'"}'
_RECORD_TTL_MS = 86_400_000
_FIELDS = ("version", "state", "meta")
_MOVE = """
local version = redis.call('HGET', KEYS[1], 'version')
if version ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'version', version + 1, 'state', ARGV[2], 'meta', ARGV[3])
redis.call('RPUSH', KEYS[2], ARGV[4])
redis.call('SET', KEYS[3], ARGV[5], 'PX', ARGV[6])
return 1
"""


def seed(client: redis.Redis) -> None:
    """Write the games of the floor, at version 1."""
    for number in range(GAMES):
        fields = {"version": 1, "state": _STATE, "meta": _META}
        client.hset(_key(number), mapping=fields)  # type: ignore[arg-type]


def floor() -> Flask:
    """The application, over the store that the environment names."""
    app = Flask(__name__, static_folder=None)
    client = redis.Redis.from_url(os.environ[STORE_VARIABLE])
    script = client.register_script(_MOVE)

    @app.get("/hello")
    def hello() -> dict[str, Any]:
        return {"points": 12, "melds": []}

    @app.get("/games/<int:number>")
    def read(number: int) -> Response:
        client.hmget(_key(number), *_FIELDS)
        return _answer()

    @app.post("/games/<int:number>")
    def move(number: int) -> Response:
        version = client.hmget(_key(number), *_FIELDS)[0] or b""
        record = f"{_key(number)}:key:{request.headers['Idempotency-Key']}"
        keys = [_key(number), f"{_key(number)}:events", record]
        written = (_STATE, _META, _EVENT, _RECORD, _RECORD_TTL_MS)
        return _answer() if script(keys, (version, *written)) else Response(status=409)

    return app


def _answer() -> Response:
    return Response(_ANSWER, mimetype="application/json")


def _key(number: int) -> str:
    return f"{{floor:{number}}}"
