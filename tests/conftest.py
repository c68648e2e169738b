"""Fixtures for all tests: the application over its own server, with a clock that tests set."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.store.game_store import GameStore
from tests.clock import Clock
from tests.nodes import throwaway_server


@pytest.fixture(scope="session", autouse=True)
def default_sighup() -> None:
    """Undo `nohup` around the tests: services that they start must hear SIGHUP."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of a server that runs as long as this test process."""
    with throwaway_server() as server:
        yield server.url


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def config(redis_url: str) -> Config:
    return Config(
        redis_url=redis_url, data_dir=Path("unused"), rate_limit="off", log_level="WARNING"
    )


@pytest.fixture
def store(redis_url: str) -> GameStore:
    return GameStore.from_url(redis_url, connections=40)


@pytest.fixture
def server(redis_url: str) -> Iterator[redis.Redis]:
    """A client of the tests' own server, to read and to damage what is stored."""
    with closing(redis.Redis.from_url(redis_url)) as client:
        yield client


@pytest.fixture
def app(config: Config, store: GameStore, clock: Clock) -> Flask:
    return create_app(config, store, clock)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()
