"""Whom a client's address is counted as, wherever callers are told apart."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_HOST_BITS = 64
"""A machine has this part of an IPv6 address to itself, and may change it as it likes."""
_KNOWN_ADDRESSES = 4_096


@lru_cache(_KNOWN_ADDRESSES)
def caller(address: str) -> str:
    """Whom an address is counted as: itself, or the network of an IPv6 address.

    What is no address, such as that of a Unix socket, is one caller.
    """
    try:
        parsed: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except ValueError:
        return "local"
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((parsed, _HOST_BITS), strict=False).network_address)
