"""Fixtures for all tests."""

from collections.abc import Iterator

import pytest

from service.embedded import throwaway_server


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The address of a server that lives as long as this test process."""
    with throwaway_server() as server:
        yield server.url
