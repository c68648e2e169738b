"""What the start says: where the service can be reached, by whom, and where its data are."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterator
from pathlib import Path

from service.config import Config

_ANY_IPV4, _ANY_IPV6 = "0.0.0.0", "::"  # noqa: S104 - compared, never bound
_IPV4_TABLE = Path("/proc/net/fib_trie")
_IPV6_TABLE = Path("/proc/net/if_inet6")
_GLOBAL_SCOPE = "00"
_DOCUMENTATION = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
_DISCARD_PORT = 9


def lines(config: Config, url: str, port: int, program: str | None) -> Iterator[str]:
    """The start message; `program` is the embedded server's name, if there is one."""
    base = f"{url}{config.root_path}"
    yield f"serving at {url} (play at {base}/play, try the API out at {base}/v1/docs)"
    yield from _reachable(config, own_addresses(config.host), port)
    yield f"data in {config.store}" + (f", {program}" if program else "")


def _reachable(config: Config, addresses: list[str], port: int) -> Iterator[str]:
    """Who else can reach the service, and what to set so that it answers them."""
    if addresses:
        urls = ", ".join(f"http://{address}:{port}" for address in addresses)
        yield f"other machines can reach it at {urls}"
    if "*" in config.allowed_hosts:
        yield (
            "ALLOWED_HOSTS is *: the protection from DNS rebinding is given up; "
            "name the hosts instead unless a proxy in front checks them"
        )
    elif refused := [each for each in addresses if each not in config.allowed_hosts]:
        value = ",".join((*config.allowed_hosts, *refused))
        yield (
            f"requests to {', '.join(refused)} are refused until ALLOWED_HOSTS has these "
            f"addresses, or the name that clients use: ALLOWED_HOSTS={value}"
        )


def own_addresses(host: str) -> list[str]:
    """Give the addresses that others reach, as a URL has them, if `host` binds all of them."""
    if host not in (_ANY_IPV4, _ANY_IPV6):
        return []
    listed = [*_listed_ipv4(), *_listed_ipv6()] or list(_routed())
    wanted = [each for each in listed if ":" not in each or host == _ANY_IPV6]
    return [f"[{each}]" if ":" in each else each for each in dict.fromkeys(wanted)]


def _listed_ipv4() -> Iterator[str]:
    """What Linux lists as its own IPv4 addresses, its loopback network left out."""
    local = re.findall(r"\|-- ([\d.]+)\n\s+/32 host LOCAL", _text(_IPV4_TABLE))
    return (each for each in local if not ipaddress.ip_address(each).is_loopback)


def _listed_ipv6() -> Iterator[str]:
    """What Linux lists as its own global IPv6 addresses."""
    for line in _text(_IPV6_TABLE).splitlines():
        digits, _, _, scope, *_ = line.split()
        if scope == _GLOBAL_SCOPE:
            yield str(ipaddress.ip_address(bytes.fromhex(digits)))


def _routed() -> Iterator[str]:
    """The addresses that a packet to elsewhere would leave from; connecting UDP sends nothing."""
    for family, elsewhere in _DOCUMENTATION:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((elsewhere, _DISCARD_PORT))
                yield probe.getsockname()[0]
        except OSError:  # there is no way out
            continue


def _text(table: Path) -> str:
    try:
        return table.read_text(encoding="ascii")
    except OSError:
        return ""
