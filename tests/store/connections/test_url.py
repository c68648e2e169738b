"""The URLs of a store: what each names, which are none, and in what words they are refused."""

from __future__ import annotations

import re
import ssl
from contextlib import suppress
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import BlockingConnectionPool, RedisClusterException
from redis.connection import SSLConnection, UnixDomainSocketConnection
from redis.sentinel import SentinelConnectionPool

from service.config import Config, ConfigError
from service.store.connections.topologies import ClusterPools, SinglePool, open_pools
from service.store.connections.url import StoreUrl, parse
from service.store.connections.url_options import StoreUrlError, Topology

SENTINEL, CLUSTER = Topology.SENTINEL, Topology.CLUSTER


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://localhost", StoreUrl(Topology.SINGLE, (("localhost", 6379),))),
        ("redis://localhost/", StoreUrl(Topology.SINGLE, (("localhost", 6379),))),
        ("redis://LocalHost:6380/2", StoreUrl(Topology.SINGLE, (("localhost", 6380),), database=2)),
        ("redis://[::1]:7", StoreUrl(Topology.SINGLE, (("::1", 7),))),
        ("redis://[fe80::1%25eth0]", StoreUrl(Topology.SINGLE, (("fe80::1%eth0", 6379),))),
        ("redis://my_redis", StoreUrl(Topology.SINGLE, (("my_redis", 6379),))),
        (
            "rediss://ann:word@store.example:6380/2?health_check_interval=5",
            StoreUrl(
                Topology.SINGLE,
                (("store.example", 6380),),
                database=2,
                tls=True,
                username="ann",
                password="word",
                options={"health_check_interval": 5},
            ),
        ),
        (
            "rediss://one/?ssl_cert_reqs=none&ssl_check_hostname=true&client_name=a%2Fb",
            StoreUrl(
                Topology.SINGLE,
                (("one", 6379),),
                tls=True,
                options={
                    "ssl_cert_reqs": "none",
                    "ssl_check_hostname": True,
                    "client_name": "a/b",
                },
            ),
        ),
        (
            "unix:///run/store.sock?db=1",
            StoreUrl(Topology.SINGLE, path="/run/store.sock", database=1),
        ),
        (
            "unix://:word@/run/a%20b",
            StoreUrl(Topology.SINGLE, path="/run/a b", password="word"),
        ),
        (
            "redis://ann@one?password=a%26b+c",
            StoreUrl(Topology.SINGLE, (("one", 6379),), username="ann", password="a&b c"),
        ),
        ("redis://:p@ss@one", StoreUrl(Topology.SINGLE, (("one", 6379),), password="p@ss")),
        (
            "redis+sentinel://one,two:26380/games",
            StoreUrl(SENTINEL, (("one", 26_379), ("two", 26_380)), master="games"),
        ),
        (
            "rediss+sentinel://ann:p%40ss@one:1,[::1]:2,[2001:db8::7]/my%20games/3?sentinel_password=x",
            StoreUrl(
                SENTINEL,
                (("one", 1), ("::1", 2), ("2001:db8::7", 26_379)),
                master="my games",
                database=3,
                tls=True,
                username="ann",
                password="p@ss",
                options={"sentinel_password": "x"},
            ),
        ),
        (
            "redis+cluster://:word@[::1],two:7001",
            StoreUrl(CLUSTER, (("::1", 6379), ("two", 7001)), password="word"),
        ),
        ("redis+cluster://one:7000/0", StoreUrl(CLUSTER, (("one", 7000),))),
    ],
)
def test_a_url_is_taken_apart(url: str, expected: StoreUrl) -> None:
    assert parse(url) == expected


A_SCHEME = "redis://host:6379/0, redis+sentinel"
A_NAME = "a name of letters, digits, dots and hyphens as host "
NO_BLANK = "no blank or control character"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", A_SCHEME),
        ("localhost:6379", A_SCHEME),
        ("http://localhost", A_SCHEME),
        ("REDIS://one", A_SCHEME),
        ("redis+://one/games", A_SCHEME),
        ("redis+ring://one", A_SCHEME),
        ("redis+sentinel+cluster://one", A_SCHEME),
        ("unix+sentinel:///run/sock/games", A_SCHEME),
        ("redis:one", A_SCHEME),
        ("redis://", "a name or an address as host 1"),
        ("redis://:6379", "a name or an address as host 1"),
        ("redis://@one", "a user or a password before the @"),
        ("redis://one,two", "one host (several need"),
        ("redis://one:0", "a port from 1 to 65535 of host 1"),
        ("redis://one:65536", "a port from 1 to 65535 of host 1"),
        ("redis://one:port", "a port from 1 to 65535 of host 1"),
        ("redis://one:", "a port from 1 to 65535 of host 1"),
        ("redis://one:\u0667", "a port from 1 to 65535 of host 1"),
        ("redis+sentinel://one:1,two:x/games", "a port from 1 to 65535 of host 2"),
        ("redis+sentinel://one:1,[::1]:x/games", "a port from 1 to 65535 of host 2"),
        ("redis+sentinel://one,/games", "a name or an address as host 2"),
        ("redis+sentinel://one,two,,three/games", "a name or an address as host 3"),
        ("redis+cluster://one,::1", "brackets around the IPv6 address of host 2"),
        ("redis+cluster://one,[::1", "an IPv6 address in brackets as host 2"),
        ("redis+cluster://one,[one]", "an IPv6 address in brackets as host 2"),
        ("redis+cluster://one,[::1]7", "a colon and a port after the brackets of host 2"),
        ("redis://one host", NO_BLANK),
        ("redis+cluster://one, two", NO_BLANK),
        ("redis://one\t", NO_BLANK),
        ("redis://one\x00", NO_BLANK),
        ("redis://one\u00a0", NO_BLANK),
        ("redis://o%6Ee", A_NAME + "1"),
        ("redis://-one", A_NAME + "1"),
        ("redis://ümlaut", A_NAME + "1"),
        ("redis://one#0", "no fragment"),
        ("redis://one/0#x", "no fragment"),
        ("unix://", "the absolute path of a socket"),
        ("unix:///", "the absolute path of a socket"),
        ("unix://run/sock", "the absolute path of a socket"),
        ("unix:///run/sock?db=one", "a whole number as the database"),
        ("unix:///run/sock?ssl_cert_reqs=none", "rediss:// where ssl_cert_reqs is given"),
        ("redis+sentinel://one", "the name of the master after the hosts"),
        ("redis+sentinel://one/", "the name of the master after the hosts"),
        ("redis+sentinel://one//0", "the name of the master after the hosts"),
        ("redis+sentinel://one/games/zero", "a whole number as the database"),
        ("redis+sentinel://one/games/0/more", "nothing after the database"),
        ("redis://one/games", "a whole number as the database"),
        ("redis://one/1x", "a whole number as the database"),
        ("redis://one/-1", "a whole number as the database"),
        ("redis://one/2147483648", "a whole number as the database"),
        ("redis://one/99999999999", "a whole number as the database"),
        ("redis://one/0/1", "nothing after the database"),
        ("redis+cluster://one/1", "database 0, since a cluster has no other"),
        ("redis+cluster://one/games", "a whole number as the database"),
        ("redis://one?decode_responses=yes", "no option but username, password, client_name"),
        ("redis://one?timeot=3", "no option but username, password, client_name"),
        ("redis://one?socket_timeout=abc", "no option but username"),
        ("redis://one?sentinel_password=theirs", "no option but username"),
        ("redis://one?db=1", "no option but username"),
        ("redis+sentinel://one/games?sentinel_db=3", "no option but username"),
        ("redis+cluster://one?health_check_interval=3", "no option but username"),
        ("redis://one?ssl_magic=1", "no option but username"),
        ("redis://one?health_check_interval=often", "a whole number of seconds as health_check"),
        ("redis://one?health_check_interval=99999999999", "a whole number of seconds as health"),
        ("redis://one?client_name=a%20b", "a text without blanks as client_name"),
        ("redis://one?username=", "a text that is not empty as username"),
        ("redis://one?username", "name=value for each option"),
        ("redis://one?client_name=a&", "name=value for each option"),
        ("redis://one?client_name=a&client_name=a", "each option once"),
        ("redis://ann@one?username=bob", "the username once"),
        ("redis://:word@one?password=word2", "the password once"),
        ("redis://one?ssl_cert_reqs=none", "rediss:// where ssl_cert_reqs is given"),
        ("redis+cluster://one?ssl_ca_certs=/ca", "rediss:// where ssl_ca_certs is given"),
        ("rediss://one?ssl_cert_reqs=maybe", "none, optional or required as ssl_cert_reqs"),
        ("rediss://one?ssl_check_hostname=1", "true or false as ssl_check_hostname"),
        ("rediss://one?ssl_ca_certs=/no/such", "a file that exists as ssl_ca_certs"),
        ("rediss://one?ssl_certfile=/no/such", "a file that exists as ssl_certfile"),
        ("rediss://one?ssl_keyfile=/no/such", "an ssl_certfile beside the ssl_keyfile"),
    ],
)
def test_a_url_that_names_no_store_is_refused_by_the_part_that_is_wrong(
    url: str, expected: str
) -> None:
    with pytest.raises(StoreUrlError, match=f"^{re.escape(expected)}"):
        parse(url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://ann:secret@",
        "redis://ann:secret",
        "redis://:sec/ret@host",
        "redis://ann:secret%40host",
        "redis://ann:secret@host:port",
        "redis://ann:secret@host#secret",
        "redis+cluster://:secret@host, other",
        "redis+sentinel://ann:secret@host",
        "redis+sentinel://host/games?sentinel_password=secret&more=1",
        "redis://host?pass%77ord=secret",
        "redis://host?password=secret&password=secret",
        "secret",
    ],
)
def test_a_refused_url_shows_nothing_but_its_scheme(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_environ({"REDIS_URL": url})
    scheme = url.partition("://")[0] + "://" if "://" in url else ""
    assert str(caught.value).startswith(f"REDIS_URL is '{scheme}…': expected ")
    for part in ("secret", "ret", "ann"):
        assert part not in str(caught.value)


TLS_FILES = Path(__file__).parents[2] / "data" / "tls"
"""A certificate with its key, the same key encrypted, another key."""


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ssl_ca_certs=text", "a file of PEM certificates as ssl_ca_certs"),
        ("ssl_ca_certs=key.pem", "a file of PEM certificates as ssl_ca_certs"),
        ("ssl_ca_certs=.", "a file that exists as ssl_ca_certs"),
        (
            "ssl_certfile=certificate.pem",
            "a PEM certificate as ssl_certfile, with its key, not encrypted",
        ),
        ("ssl_certfile=text&ssl_keyfile=key.pem", "a PEM certificate as ssl_certfile"),
        ("ssl_certfile=certificate.pem&ssl_keyfile=other-key.pem", "a PEM certificate as ssl_"),
        ("ssl_certfile=certificate.pem&ssl_keyfile=encrypted-key.pem", "a PEM certificate as ssl_"),
        ("ssl_certfile=certificate.pem&ssl_keyfile=missing", "a file that exists as ssl_keyfile"),
    ],
)
def test_a_certificate_that_the_client_could_not_load_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str, expected: str
) -> None:
    for file in TLS_FILES.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "text").write_text("no certificate")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreUrlError, match=f"^{re.escape(expected)}"):
        parse(f"rediss://one?{query}")


def test_certificates_reach_the_connections_of_every_topology(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(TLS_FILES)
    certificate = "certificate.pem"
    query = f"ssl_ca_certs={certificate}&ssl_certfile={certificate}&ssl_keyfile=key.pem"
    pool = pool_of(f"rediss+sentinel://one,two/games?{query}")
    sentinel = pool.sentinel_manager.sentinels[0].connection_pool
    cluster = open_pools(parse(f"rediss+cluster://localhost:1?{query}"), 1)
    assert isinstance(cluster, ClusterPools)
    for each in (pool, sentinel, pool_of(f"rediss://one?{query}")):
        assert issubclass(each.connection_class, SSLConnection)
        assert each.connection_kwargs["ssl_ca_certs"] == certificate
    assert cluster._options["ssl"] is True
    assert cluster._options["ssl_keyfile"] == "key.pem"
    cluster.close()


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
NAMES = st.from_regex(r"[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?", fullmatch=True)
HOSTS = st.tuples(
    NAMES | st.integers(0, 2**128 - 1).map(lambda number: str(IPv6Address(number))),
    st.integers(1, 65_535),
)
LOGINS: dict[str, st.SearchStrategy[Any]] = {
    "username": st.none() | TEXTS,
    "password": st.none() | TEXTS,
    "options": st.fixed_dictionaries(
        {}, optional={"client_name": st.from_regex(r"[!-~]{1,20}", fullmatch=True)}
    ),
}
DATABASES = st.integers(0, 2**31 - 1)
URLS = st.one_of(
    st.builds(
        StoreUrl,
        st.just(Topology.SINGLE),
        st.tuples(HOSTS),
        database=DATABASES,
        tls=st.booleans(),
        **LOGINS,
    ),
    st.builds(
        StoreUrl,
        st.just(SENTINEL),
        st.lists(HOSTS, min_size=1, max_size=4).map(tuple),
        master=TEXTS,
        database=DATABASES,
        tls=st.booleans(),
        **LOGINS,
    ),
    st.builds(
        StoreUrl,
        st.just(CLUSTER),
        st.lists(HOSTS, min_size=1, max_size=4).map(tuple),
        tls=st.booleans(),
        **LOGINS,
    ),
    st.builds(
        StoreUrl,
        st.just(Topology.SINGLE),
        path=TEXTS.map(lambda text: f"/run/{text}"),
        database=DATABASES,
        **LOGINS,
    ),
)


@given(URLS)
def test_a_url_written_and_read_is_the_same(url: StoreUrl) -> None:
    assert parse(str(url)) == url
    assert str(parse(str(url))) == str(url)


@given(st.text(max_size=60) | TEXTS.map(lambda text: f"redis+sentinel://{text}"))
def test_any_text_is_a_url_or_refused_in_words(text: str) -> None:
    url = None
    with suppress(StoreUrlError):  # and no other exception
        url = parse(text)
    if url is not None:
        assert parse(str(url)) == url


@given(URLS)
def test_no_password_shows_in_a_urls_representation(url: StoreUrl) -> None:
    marked = StoreUrl(url.topology, url.hosts, url.path, url.master, password="MARK-of-a-password")
    assert "MARK" not in repr(marked)
    assert "MARK" in str(marked)


def pool_of(url: str, connections: int = 7) -> Any:
    """The pool of a single server, or of the master behind sentinels."""
    pools = open_pools(parse(url), connections)
    assert isinstance(pools, SinglePool)
    return pools.for_key("any")


def test_a_single_server_is_connected_to_as_the_url_says() -> None:
    pool = pool_of("redis://ann:word@[::1]:7/2?health_check_interval=9&client_name=me")
    assert isinstance(pool, BlockingConnectionPool)
    assert pool.max_connections == 7
    options = pool.connection_kwargs
    assert (options["host"], options["port"], options["db"]) == ("::1", 7, 2)
    assert (options["username"], options["password"]) == ("ann", "word")
    assert (options["health_check_interval"], options["client_name"]) == (9, "me")
    assert not issubclass(pool.connection_class, SSLConnection)


def test_a_socket_is_connected_to_by_its_path() -> None:
    pool = pool_of("unix://:word@/run/a%20b?db=3")
    assert pool.connection_class is UnixDomainSocketConnection
    options = pool.connection_kwargs
    assert (options["path"], options["db"], options["password"]) == ("/run/a b", 3, "word")


def test_the_data_servers_and_the_sentinels_get_each_their_own_login() -> None:
    query = "sentinel_username=bob&sentinel_password=theirs&ssl_cert_reqs=none"
    pool = pool_of(f"rediss+sentinel://ann:p%40ss@one,two/games/3?{query}")
    assert isinstance(pool, SentinelConnectionPool)
    assert (pool.service_name, pool.max_connections) == ("games", 7)
    options = pool.connection_kwargs
    assert (options["username"], options["password"], options["db"]) == ("ann", "p@ss", 3)
    assert not [name for name in options if name.startswith("sentinel_")]
    sentinels = pool.sentinel_manager.sentinels
    assert len(sentinels) == 2
    own = sentinels[0].connection_pool.connection_kwargs
    assert (own["username"], own["password"]) == ("bob", "theirs")
    for each in (pool, sentinels[0].connection_pool):
        assert issubclass(each.connection_class, SSLConnection)
        assert each.connection_kwargs["ssl_cert_reqs"] == "none"


def test_a_cluster_does_not_connect_before_it_is_used() -> None:
    pools = open_pools(parse("redis+cluster://ann:word@localhost:1/0"), 1)
    assert isinstance(pools, ClusterPools)
    pools.close()


def test_a_cluster_that_cannot_be_reached_is_reported_when_it_is_needed() -> None:
    pools = open_pools(parse("redis+cluster://localhost:1"), 1)
    pools.refresh()
    with pytest.raises(RedisClusterException):
        pools.for_key("key")
    pools.close()


def test_a_tls_context_is_made_with_the_options_that_are_accepted() -> None:
    pool = pool_of("rediss://one?ssl_cert_reqs=none&ssl_check_hostname=false")
    connection = pool.make_connection()
    assert connection.cert_reqs is ssl.CERT_NONE
    assert connection.check_hostname is False
