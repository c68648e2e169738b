"""What the start says."""

import socket
from pathlib import Path

import pytest

from service.config import Config
from service.runtime import start_message

_FIB_TRIE = """Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 127.0.0.1
        /32 host LOCAL
     |-- 192.0.2.7
        /32 host LOCAL
     |-- 192.0.2.255
        /32 link BROADCAST
Local:
     |-- 192.0.2.7
        /32 host LOCAL
     |-- 198.51.100.3
        /32 host LOCAL
"""
_IF_INET6 = """00000000000000000000000000000001 01 80 10 80       lo
20010db8000000000000000000000007 02 40 00 80     eth0
fe8000000000000000000000000000aa 02 40 20 80     eth0
"""


pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "v4").write_text(_FIB_TRIE)
    (tmp_path / "v6").write_text(_IF_INET6)
    monkeypatch.setattr(start_message, "_IPV4_TABLE", tmp_path / "v4")
    monkeypatch.setattr(start_message, "_IPV6_TABLE", tmp_path / "v6")


def said(**settings: object) -> str:
    config = Config(data_dir=Path("/data"), **settings)  # type: ignore[arg-type]
    return "\n".join(start_message.lines(config, "http://127.0.0.1:80", 80, "valkey-9.1"))


def test_on_this_machine_alone_two_lines_are_enough() -> None:
    assert said() == (
        "serving at http://127.0.0.1:80 (play at http://127.0.0.1:80/play, "
        "try the API out at http://127.0.0.1:80/v1/docs)\n"
        "data in /data, valkey-9.1"
    )


def test_under_a_prefix_the_page_to_try_it_out_has_it() -> None:
    assert "at http://127.0.0.1:80/cards/v1/docs)" in said(root_path="/cards")


def test_every_address_for_others_is_named_with_what_to_set() -> None:
    message = said(host="0.0.0.0", allowed_hosts=("cards.example",))

    assert "reach it at http://192.0.2.7:80, http://198.51.100.3:80\n" in message
    assert "requests to 192.0.2.7, 198.51.100.3 are refused" in message
    assert "ALLOWED_HOSTS=cards.example,192.0.2.7,198.51.100.3\n" in message


def test_an_address_that_is_allowed_is_not_said_to_be_refused() -> None:
    message = said(host="0.0.0.0", allowed_hosts=("192.0.2.7",))

    assert "requests to 198.51.100.3 are refused" in message


def test_all_allowed_needs_nothing_to_be_set() -> None:
    assert "ALLOWED_HOSTS" not in said(host="0.0.0.0", allowed_hosts=("192.0.2.7", "198.51.100.3"))


def test_ipv6_addresses_stand_in_brackets() -> None:
    message = said(host="::", allowed_hosts=("192.0.2.7", "198.51.100.3"))

    assert ", http://[2001:db8::7]:80\n" in message
    assert "ALLOWED_HOSTS=192.0.2.7,198.51.100.3,[2001:db8::7]\n" in message


def test_every_host_allowed_gives_the_protection_up_and_says_so() -> None:
    message = said(host="0.0.0.0", allowed_hosts=("*",))

    assert "the protection from DNS rebinding is given up" in message
    assert "are refused" not in message
    assert "the protection from DNS rebinding is given up" in said(allowed_hosts=("*",))


def test_where_no_table_is_the_way_out_tells_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for table in ("_IPV4_TABLE", "_IPV6_TABLE"):
        monkeypatch.setattr(start_message, table, Path("/nowhere"))
    monkeypatch.setattr(
        start_message, "_DOCUMENTATION", ((socket.AF_INET, "127.0.0.9"), (socket.AF_INET, "nobody"))
    )

    assert start_message.own_addresses("0.0.0.0") == ["127.0.0.1"]
