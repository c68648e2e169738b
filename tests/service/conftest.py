"""The application on the tests' own server, with a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.store import Store


@dataclass
class Clock:
    """Milliseconds since 1970, moved by hand."""

    now: int = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def config(redis_url: str) -> Config:
    return Config(redis_url=redis_url, data_dir=Path("unused"), log_level="WARNING")


@pytest.fixture
def store(redis_url: str) -> Store:
    return Store.from_url(redis_url, connections=40)


@pytest.fixture
def server(redis_url: str) -> Iterator[redis.Redis]:
    """The tests' own server, to look into what is kept and to harm it."""
    with closing(redis.Redis.from_url(redis_url)) as client:
        yield client


@pytest.fixture
def app(config: Config, store: Store, clock: Clock) -> Flask:
    return create_app(config, store, clock)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()
