"""An HTTP client that checks every answer for what the contract promises of any answer."""

from __future__ import annotations

from typing import Any

import requests

from tests.referee.contract import FORMAT, PROBLEM_FIELDS, REQUEST_ID, check_equal


class CheckedClient:
    """Sends requests; an answer that breaks a general promise is an AssertionError."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url.rstrip("/").removesuffix("/v1")
        self.session = requests.Session()
        self.session.trust_env = False  # no proxy, and no .netrc in place of a token
        self.last = "nothing yet"
        self.sent = 0
        self.secrets: set[str] = set()  # texts that no answer may contain

    def send(
        self, expect: int, method: str, path: str, token: str | None = None, **more: Any
    ) -> requests.Response:
        """Send one request and return its answer, which must have the expected status."""
        headers = dict(more.pop("headers", {}))
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        headers |= self._request_id()
        self.sent += 1
        self.last = f"{method} {path} {more}"
        answer = self.session.request(
            method, f"{self.base_url}/v1{path}", headers=headers, timeout=120, **more
        )
        status = f"{self.last} gave {answer.status_code}, not {expect}: {answer.text[:500]}"
        assert answer.status_code == expect, status
        self._check_request_id(headers.get("X-Request-Id"), answer)
        self._check_body(answer)
        self._check_hidden(answer)
        return answer

    def _request_id(self) -> dict[str, str]:
        """Two requests in eight have an id: one that is valid, one that must be replaced."""
        ours = {1: f"referee_{self.sent}-x", 2: "not an id!"}.get(self.sent % 8)
        return {"X-Request-Id": ours} if ours else {}

    def _check_request_id(self, ours: str | None, answer: requests.Response) -> None:
        theirs = answer.headers.get("X-Request-Id", "")
        assert REQUEST_ID.fullmatch(theirs), f"{self.last} has the X-Request-Id {theirs!r}"
        if ours and REQUEST_ID.fullmatch(ours):
            check_equal(theirs, ours, "X-Request-Id")

    def _check_body(self, answer: requests.Response) -> None:
        if answer.status_code in (204, 304):
            check_equal(answer.content, b"", "the body of an answer without content")
            return
        refused = answer.status_code >= 400
        kind = answer.headers.get("Content-Type", "").split(";")[0]
        check_equal(
            kind, f"application/{'problem+' if refused else ''}json", f"the type of {self.last}"
        )
        assert isinstance(answer.json(), dict), f"{self.last} answers no object"

    def _check_hidden(self, answer: requests.Response) -> None:
        if '"game_finished"' not in answer.text:
            seen = f"{answer.text} {answer.headers}"
            leaks = [text for text in self.secrets if text in seen]
            assert not leaks, f"{self.last} shows secrets: {leaks}"

    def expect_problem(
        self, status: int, code: str, method: str, path: str, **more: Any
    ) -> dict[str, Any]:
        """Send a request that must fail, and return its problem."""
        answer = self.send(status, method, path, **more)
        problem: dict[str, Any] = answer.json()
        lacking = PROBLEM_FIELDS - set(problem)
        assert not lacking, f"the problem {problem} lacks {sorted(lacking)}"
        check_equal(problem["code"], code, f"the code of {problem}")
        check_equal(problem["status"], status, f"the status of {problem}")
        if status == 401:
            assert "WWW-Authenticate" in answer.headers, "a 401 without WWW-Authenticate"
        return problem


def check_view_headers(answer: requests.Response, version: int, viewer: str) -> None:
    """Assert the headers of every answer that contains a view."""
    check_equal(answer.headers.get("ETag"), f'"{version}.{viewer}.{FORMAT}"', "ETag")
    check_equal(names_in(answer, "Cache-Control"), {"private", "no-cache"}, "Cache-Control")
    assert "authorization" in names_in(answer, "Vary"), "Vary does not name Authorization"


def names_in(answer: requests.Response, header: str) -> set[str]:
    """The members of a header that is a list."""
    return {name.strip().lower() for name in answer.headers.get(header, "").split(",")}
