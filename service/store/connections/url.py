"""The URL of a store: one server, a master that sentinels watch, or a cluster.

    redis://host:6379/0                        one server (rediss: with TLS)
    unix:///path/to/socket?db=0                one server by its socket
    redis+sentinel://host,host:26379/name/0    the master called `name`, and its database
    redis+cluster://host,[::1]:6379            a cluster

User and password stand before the hosts and are the data servers'; a sentinel's own are options:
`?sentinel_username=…&sentinel_password=…`. What would fail at every request is refused here,
and no message quotes a part of the URL, since any part may hold a password.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv6Address
from urllib.parse import quote, unquote

from service.store.connections.url_options import (
    StoreUrlError,
    Topology,
    Value,
    check_options,
    converted,
    is_number,
    known_options,
    options_of,
    query_text,
)

_UNIX = "unix"
_HIGHEST_PORT = 65_535
_HIGHEST_DATABASE = 2**31 - 1
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?", re.ASCII)
SCHEMES = (
    "redis://host:6379/0, redis+sentinel://host,host/name, redis+cluster://host,host, "
    "either with rediss for TLS, or unix:///path/to/socket"
)
_DEFAULT_PORTS = {Topology.SINGLE: 6379, Topology.SENTINEL: 26_379, Topology.CLUSTER: 6379}


@dataclass(frozen=True, slots=True)
class StoreUrl:
    """A store's URL, taken apart; `str` puts it together again.

    `hosts` are the servers, sentinels or cluster nodes to begin with, as (name or address, port);
    with a socket there are none, and `path` is its path. `master` is the name that the sentinels
    know. `options` are arguments of the client's connections.
    """

    topology: Topology
    hosts: tuple[tuple[str, int], ...] = ()
    path: str = ""
    master: str = ""
    database: int = 0
    tls: bool = False
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    options: Mapping[str, Value] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        if self.path:
            options = {"db": self.database, **self.options}
            return f"{_UNIX}://{self._user()}{quote(self.path)}{query_text(options)}"
        kind = f"+{self.topology}" if self.topology else ""
        hosts = ",".join(map(_host_text, self.hosts))
        master = f"/{quote(self.master, safe='')}" if self.master else ""
        scheme = f"redis{'s' if self.tls else ''}{kind}"
        return f"{scheme}://{self._user()}{hosts}{master}/{self.database}{query_text(self.options)}"

    def _user(self) -> str:
        if self.username is None and self.password is None:
            return ""
        password = "" if self.password is None else f":{quote(self.password, safe='')}"
        return f"{quote(self.username or '', safe='')}{password}@"


def parse(url: str) -> StoreUrl:
    """The store that a URL names; raises StoreUrlError."""
    if re.search(r"[\s\x00-\x1f\x7f]", url):
        raise StoreUrlError("no blank or control character (write a blank as %20)")
    if "#" in url:
        raise StoreUrlError("no fragment (write a # as %23)")
    scheme, separator, rest = url.partition("://")
    if not separator:
        raise StoreUrlError(SCHEMES)
    location, _, query = rest.partition("?")
    authority, slash, path = location.partition("/")
    user, at, place = authority.rpartition("@")
    username, colon, password = user.partition(":")
    if at and not user:
        raise StoreUrlError("a user or a password before the @")
    options = options_of(query)
    if scheme == _UNIX:
        store = _socket(place, slash + path, options)
    else:
        topology, tls = _kind(scheme)
        check_options(options, known_options(topology, tls=tls))
        hosts = _hosts(place, topology)
        master, database = _names(path, topology)
        store = StoreUrl(topology, hosts, "", master, database, tls)
    given = {
        "username": unquote(username) or None,
        "password": unquote(password) if colon else None,
    }
    for name, value in given.items():
        if value is not None and options.setdefault(name, value) is not value:
            raise StoreUrlError(f"the {name} once, before the hosts or as an option")
    return replace(
        store,
        username=options.pop("username", None),
        password=options.pop("password", None),
        options=converted(options),
    )


def _kind(scheme: str) -> tuple[Topology, bool]:
    protocol, plus, kind = scheme.partition("+")
    known = [topology.value for topology in Topology if topology]
    if protocol not in ("redis", "rediss") or (plus and kind not in known):
        raise StoreUrlError(SCHEMES)
    return Topology(kind), protocol == "rediss"


def _socket(place: str, path: str, options: dict[str, str]) -> StoreUrl:
    if place or not path.strip("/"):
        raise StoreUrlError("the absolute path of a socket: unix:///path/to/socket")
    database = _database(options.pop("db", "0"))
    check_options(options, known_options(Topology.SINGLE, tls=False))
    return StoreUrl(Topology.SINGLE, path=unquote(path), database=database)


def _hosts(text: str, topology: Topology) -> tuple[tuple[str, int], ...]:
    texts = text.split(",")
    if topology is Topology.SINGLE and len(texts) > 1:
        raise StoreUrlError("one host (several need redis+sentinel or redis+cluster)")
    default_port = _DEFAULT_PORTS[topology]
    return tuple(_host(each, number, default_port) for number, each in enumerate(texts, 1))


def _host(text: str, number: int, default_port: int) -> tuple[str, int]:
    if text.startswith("["):
        host, bracket, port = text[1:].partition("]")
        host = unquote(host)
        if not bracket or not _is_ipv6(host):
            raise StoreUrlError(f"an IPv6 address in brackets as host {number}")
        if port and not port.startswith(":"):
            raise StoreUrlError(f"a colon and a port after the brackets of host {number}")
        port = port[1:] if port else str(default_port)
    else:
        host, colon, port = text.partition(":")
        port = port if colon else str(default_port)
        if ":" in port:
            raise StoreUrlError(f"brackets around the IPv6 address of host {number}")
        if not host:
            raise StoreUrlError(f"a name or an address as host {number}")
        if not _NAME.fullmatch(host):
            raise StoreUrlError(f"a name of letters, digits, dots and hyphens as host {number}")
    if not (is_number(port) and 0 < int(port) <= _HIGHEST_PORT):
        raise StoreUrlError(f"a port from 1 to {_HIGHEST_PORT} of host {number}")
    return host.lower(), int(port)


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


def _host_text(host: tuple[str, int]) -> str:
    name, port = host
    return f"[{quote(name, safe=':')}]:{port}" if ":" in name else f"{name}:{port}"


def _names(path: str, topology: Topology) -> tuple[str, int]:
    """The name of the master, and the database."""
    segments = path.removesuffix("/").split("/") if path.removesuffix("/") else []
    master = ""
    if topology is Topology.SENTINEL:
        master = unquote(segments.pop(0)) if segments else ""
        if not master:
            raise StoreUrlError(
                "the name of the master after the hosts: redis+sentinel://host/name"
            )
    if len(segments) > 1:
        raise StoreUrlError("nothing after the database")
    database = _database(segments[0]) if segments else 0
    if topology is Topology.CLUSTER and database:
        raise StoreUrlError("database 0, since a cluster has no other")
    return master, database


def _database(text: str) -> int:
    if not (is_number(text) and int(text) <= _HIGHEST_DATABASE):
        raise StoreUrlError("a whole number as the database")
    return int(text)
