"""Fixtures for all tests: the application on their own server, with a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.store.game_store import Store
from tests.clock import Clock
from tests.nodes import throwaway_server


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The address of a server that lives as long as this test process."""
    with throwaway_server() as server:
        yield server.url


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
