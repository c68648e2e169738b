"""The documentation that the service brings along: nothing of it comes from elsewhere."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest
from flask.testing import FlaskClient

from service.http.resources import docs

VERIFIER_FILES = docs._OWN_FILES / "verify"


def test_the_root_leads_to_the_documentation(client: FlaskClient) -> None:
    answer = client.get("/")

    assert answer.status_code == 302
    assert answer.headers["Location"] == "/v1/docs"


def test_the_page_loads_only_files_that_are_there(client: FlaskClient) -> None:
    page = client.get("/v1/docs", buffered=True).get_data(as_text=True)
    linked = re.findall(r'(?:src|href)="([^"]+)"', page)

    assert linked[3] == "../play"
    assert len(linked) == 7
    for path in (urljoin("/v1/docs", link) for link in linked):
        answer = client.get(path, buffered=True)
        assert answer.status_code == 200, path
        assert answer.headers["ETag"], path


def test_the_page_has_no_inline_code(client: FlaskClient) -> None:
    page = client.get("/v1/docs", buffered=True).get_data(as_text=True)

    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
    assert all(re.search(r"\ssrc=", tag) for tag in re.findall(r"<script[^>]*>", page))


@pytest.mark.parametrize("path", ["/v1/docs", "/v1/docs/docs.js", "/v1/docs/swagger-ui-bundle.js"])
def test_the_policy_allows_own_files_alone(client: FlaskClient, path: str) -> None:
    policy = client.get(path, buffered=True).headers["Content-Security-Policy"]

    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in policy
    assert "http" not in policy


def test_a_description_that_is_known_is_not_sent_again(client: FlaskClient) -> None:
    tag = client.get("/v1/openapi.json").headers["ETag"]
    again = client.get("/v1/openapi.json", headers={"If-None-Match": tag})

    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("path", ["/v1/openapi.json", "/v1/rules"])
def test_what_is_only_read_is_sent_whatever_version_is_named(
    client: FlaskClient, path: str
) -> None:
    assert client.get(path, headers={"If-Match": '"9.0.3"'}).status_code == 200


@pytest.mark.parametrize(
    "name", ["nothing.js", "..%2Fdocs.py", "swagger-ui.css.map", "docs.html", "verify.mjs"]
)
def test_no_other_file_is_served(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/v1/docs/{name}")

    assert answer.status_code == 404
    assert answer.get_json()["code"] == "not-found"


def test_the_verifier_is_served_with_every_module_that_it_imports(client: FlaskClient) -> None:
    modules = ["/verify.mjs"]
    for path in modules:  # which grows by what each of them imports
        answer = client.get(path, buffered=True)
        assert answer.status_code == 200, path
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert answer.headers["Cache-Control"] == "no-cache"
        links = re.findall(r'^import .* from "(.+)";', answer.get_data(as_text=True), re.MULTILINE)
        modules += {urljoin(path, link) for link in links} - set(modules)

    assert set(modules[1:]) == {f"/verify/{each.name}" for each in VERIFIER_FILES.iterdir()}


def test_a_verifier_that_is_known_is_not_sent_again(client: FlaskClient) -> None:
    tag = client.get("/verify.mjs", buffered=True).headers["ETag"]
    again = client.get("/verify.mjs", headers={"If-None-Match": tag}, buffered=True)

    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("name", ["nothing.mjs", "..%2Fdocs.js", "..%2Fverify.mjs"])
def test_no_other_module_is_served(client: FlaskClient, name: str) -> None:
    assert client.get(f"/verify/{name}").get_json()["code"] == "not-found"
