"""The threat model: it names a test for each risk, and each of these tests is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.test_arrows import imported, modules

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "security.md"
CLIENTS = (
    *("http.client", "urllib.request", "urllib3", "requests", "httpx", "aiohttp"),
    *("ftplib", "smtplib", "xmlrpc"),
)
"""Libraries that call addresses."""
OWN_PROBE = ROOT / "service" / "runtime" / "web_server.py"
"""It asks the service itself whether it serves."""


def rows() -> dict[str, list[str]]:
    """The tests that the page names, by the risk."""
    table = PAGE.read_text().partition("## OWASP API")[2].partition("\n## ")[0]
    found = re.findall(r"^\| (API\d+) .* \| (`.*`) \|$", table, re.MULTILINE)
    return {risk: re.findall(r"`([^`]+)`", named) for risk, named in found}


def test_every_risk_of_the_list_has_tests() -> None:
    assert list(rows()) == [f"API{number}" for number in range(1, 11)]
    assert all(rows().values())


def test_every_test_that_is_named_is_there() -> None:
    for risk, named in rows().items():
        for each in named:
            path, name = each.split("::")
            tree = ast.parse((ROOT / path).read_text())
            functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            assert name in functions, f"{risk}: {each}"


def test_no_module_of_the_service_can_call_an_address_of_a_request() -> None:
    everything = [*modules("engine"), *modules("service")]
    callers = {
        path
        for path in everything
        if any(f"{name}.".startswith(f"{each}.") for name in imported(path) for each in CLIENTS)
    }
    assert callers == {OWN_PROBE}
