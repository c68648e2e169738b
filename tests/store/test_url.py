"""The URLs of a store: what each names, and which are none."""

from __future__ import annotations

import pytest
from redis.connection import parse_url
from redis.exceptions import RedisClusterException
from redis.sentinel import SentinelConnectionPool

from service.store.topologies import Cluster, OneServer, servers
from service.store.url import StoreAddress, Topology, parse


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost",
        "redis://localhost:6380/2",
        "rediss://ann:word@store.example:6380/2?health_check_interval=5",
        "rediss://one/?ssl_cert_reqs=none&ssl_check_hostname=false&ssl_ca_certs=/etc/ca.pem",
        "unix:///run/store.sock?db=1",
        "unix://:word@/run/store.sock",
    ],
)
def test_one_server_is_reached_by_the_url_as_it_stands(url: str) -> None:
    address = parse(url)
    assert (address.topology, address.plain_url) == (Topology.ONE, url)
    assert isinstance(servers(url, 1), OneServer)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "redis+sentinel://one,two:26380/games",
            StoreAddress(
                Topology.SENTINEL,
                (("one", 26379), ("two", 26380)),
                "redis://one:26379/0?",
                "games",
            ),
        ),
        (
            "rediss+sentinel://ann:p%40ss@one:1,[::1]:2/games/3?sentinel_password=x",
            StoreAddress(
                Topology.SENTINEL,
                (("one", 1), ("::1", 2)),
                "rediss://ann:p%40ss@one:1/3?sentinel_password=x",
                "games",
            ),
        ),
        (
            "redis+cluster://:word@[::1],two:7001",
            StoreAddress(
                Topology.CLUSTER, (("::1", 6379), ("two", 7001)), "redis://:word@[::1]:6379/0?"
            ),
        ),
        (
            "redis+cluster://one:7000/0",
            StoreAddress(Topology.CLUSTER, (("one", 7000),), "redis://one:7000/0?"),
        ),
    ],
)
def test_several_servers_are_taken_apart(url: str, expected: StoreAddress) -> None:
    assert parse(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:6379",
        "http://localhost",
        "redis://",
        "redis://one,two",
        "redis://one:0",
        "redis://one:port",
        "unix://",
        "redis+://one/games",
        "redis+sentinel://one",
        "redis+sentinel://one/",
        "redis+sentinel://one,/games",
        "redis+sentinel://one/games/zero",
        "redis+sentinel://one/games/0/more",
        "redis+cluster://one/1",
        "redis+cluster://one/games",
        "redis+ring://one",
        "unix+sentinel:///run/sock/games",
        "REDIS://one",
        "redis://one/games",
        "redis://one/1x",
        "redis://one/0/1",
        "redis://one?decode_responses=yes",
        "redis://one?timeot=3",
        "redis://one?socket_timeout=abc",
        "redis://one?health_check_interval=often",
        "redis://one?sentinel_password=theirs",
        "redis://one?db=1",
        "redis://one?username",
        "unix:///run/sock?db=one",
        "redis+sentinel://one/games?sentinel_db=3",
        "redis+cluster://one?decode_responses=yes",
    ],
)
def test_a_url_that_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the config says what is expected
        parse(url)


def test_user_password_database_and_the_sentinels_own_reach_those_they_are_for() -> None:
    url = "rediss+sentinel://ann:p%40ss@one,two/games/3?sentinel_password=theirs&ssl_ca_certs=/ca"
    pool = servers(url, 7).all()[0]
    assert isinstance(pool, SentinelConnectionPool)
    assert pool.service_name == "games"
    assert pool.max_connections == 7
    options = pool.connection_kwargs
    assert (options["username"], options["password"], options["db"]) == ("ann", "p@ss", 3)
    assert "sentinel_password" not in options
    asked = pool.sentinel_manager.sentinels[0].connection_pool
    assert asked.connection_kwargs["password"] == "theirs"
    assert asked.connection_kwargs["ssl_ca_certs"] == options["ssl_ca_certs"] == "/ca"
    for each in (pool, asked):
        assert "SSL" in each.connection_class.__name__


def test_a_cluster_does_not_connect_before_it_is_used() -> None:
    found = servers("redis+cluster://ann:word@localhost:1/0", 1)
    assert isinstance(found, Cluster)
    found.close()


def test_a_cluster_that_is_looked_for_in_vain_is_told_when_it_is_needed() -> None:
    found = servers("redis+cluster://localhost:1", 1)
    found.look_again()
    with pytest.raises(RedisClusterException):
        found.of("key")
    found.close()


def test_a_plain_url_is_what_any_client_reads() -> None:
    options = parse_url(
        parse("redis+sentinel://ann:word@[::1]:7/games/2?health_check_interval=1").plain_url
    )
    assert (options["host"], options["port"], options["db"]) == ("::1", 7, 2)
    assert (options["username"], options["password"]) == ("ann", "word")
