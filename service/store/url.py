"""The address of a store: one server, a master that sentinels know, or a cluster.

    redis://host:6379/0                        one server (rediss: with TLS; unix: by its socket)
    redis+sentinel://host,host:26379/name/0    the master called `name`, and its database
    redis+cluster://host,host:6379             a cluster

User and password stand before the hosts and are the data servers'; a sentinel's own are options:
`?sentinel_username=…&sentinel_password=…`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import parse_qsl, urlsplit

_UNIX = "unix"
_PLAIN = ("redis", "rediss")


class Topology(StrEnum):
    """How the servers of a store stand to each other; the value is the word in its scheme."""

    ONE = ""
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


_PORTS = {Topology.ONE: 6379, Topology.SENTINEL: 26_379, Topology.CLUSTER: 6379}


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """A store's URL, taken apart.

    `places` are the servers, sentinels or cluster nodes to begin with; a socket has none.
    `plain_url` is the URL of the first of them, database and options included, as any client
    reads it. `master` is the name that the sentinels know, else empty.
    """

    topology: Topology
    places: tuple[tuple[str, int], ...]
    plain_url: str
    master: str = ""


_OPTIONS: dict[str, Callable[[str], bool]] = {
    "username": bool,
    "password": bool,
    "client_name": bool,
    "health_check_interval": str.isdigit,
    "ssl_ca_certs": bool,
    "ssl_certfile": bool,
    "ssl_keyfile": bool,
    "ssl_cert_reqs": ("none", "optional", "required").__contains__,
    "ssl_check_hostname": ("true", "false").__contains__,
}
_SENTINELS_OPTIONS = {"sentinel_username": bool, "sentinel_password": bool}
"""What a query may say, and whether a value makes sense: more could break what is promised."""


def parse(url: str) -> StoreAddress:
    """The address that a URL states; raises ValueError."""
    parts = urlsplit(url)
    if not url.startswith(f"{parts.scheme}://"):
        raise ValueError("the scheme is written in small letters")
    if parts.scheme == _UNIX:
        if not parts.path:
            raise ValueError("the socket's path is missing")
        _check_options(parts.query, {**_OPTIONS, "db": str.isdigit})
        return StoreAddress(Topology.ONE, (), url)
    scheme, _, kind = parts.scheme.partition("+")
    topology = Topology(kind)
    if scheme not in _PLAIN or parts.scheme.endswith("+"):
        raise ValueError("the scheme is none of a store's")
    known = {**_OPTIONS, **_SENTINELS_OPTIONS} if topology is Topology.SENTINEL else _OPTIONS
    _check_options(parts.query, known)
    user, at, hosts = parts.netloc.rpartition("@")
    places = tuple(_place(host, _PORTS[topology]) for host in hosts.split(","))
    master, database = _path(parts.path, topology)
    if topology is Topology.ONE:
        if len(places) > 1:
            raise ValueError("one server has one address")
        return StoreAddress(topology, places, url)
    host, port = places[0]
    where = f"[{host}]" if ":" in host else host
    plain = f"{scheme}://{user}{at}{where}:{port}/{database}?{parts.query}"
    return StoreAddress(topology, places, plain, master)


def _check_options(query: str, known: Mapping[str, Callable[[str], bool]]) -> None:
    for name, value in parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)):
        if name not in known or not known[name](value):
            raise ValueError("an option is not known, or its value makes no sense")


def _place(text: str, default_port: int) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.port == 0:
        raise ValueError("a host is missing")
    return parts.hostname, parts.port or default_port


def _path(path: str, topology: Topology) -> tuple[str, str]:
    """The name of the master and the database."""
    words = path.strip("/").split("/") if path.strip("/") else []
    master = words.pop(0) if words and topology is Topology.SENTINEL else ""
    database = words.pop(0) if words else "0"
    named = bool(master) == (topology is Topology.SENTINEL)
    if words or not named or not (database.isascii() and database.isdigit()):
        raise ValueError("the path is not that of a store")
    if topology is Topology.CLUSTER and int(database):
        raise ValueError("a cluster has one database")
    return master, database
