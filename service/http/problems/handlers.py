"""The handlers that let every error that leaves a view be answered as a problem."""

from __future__ import annotations

import logging

import orjson
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from engine.errors import EngineError
from service.errors import CorruptGameError, ServiceError, StorageError
from service.http.problems.catalogue import MEDIA_TYPE, PROBLEMS, Problem
from service.http.problems.mapping import (
    detail_of_error,
    problem_body,
    problem_headers,
    problem_of_error,
    problem_of_status,
    sentence,
)
from service.http.root_path import located

_LOG = logging.getLogger("service.problems")


def register(app: Flask) -> None:
    """Let the application answer every error as a problem."""
    app.register_error_handler(ServiceError, _answer_error)
    app.register_error_handler(EngineError, _answer_error)
    app.register_error_handler(HTTPException, _answer_http_error)
    app.register_error_handler(Exception, _answer_unexpected)


def _answer(problem: Problem, detail: str, error: Exception | None = None) -> Response:
    """The answer that states a problem."""
    g.problem = problem.code
    root = request.script_root
    members = problem_body(problem, located(detail, root), error)
    members["type"] = located(problem.type, root)
    return Response(
        orjson.dumps(members),
        status=problem.status,
        content_type=MEDIA_TYPE,
        headers=problem_headers(problem, error),
    )


def _answer_http_error(error: HTTPException) -> Response:
    """The answer to an error that Flask or werkzeug raised; `Allow` is kept."""
    problem = problem_of_status(error.code)
    response = _answer(problem, sentence(problem.title, problem.remedy))
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def _answer_error(error: Exception) -> Response:
    """The answer to an error of the engine or the service, found by its class."""
    problem = problem_of_error(error)
    if problem is None:
        return _answer_unexpected(error)
    if isinstance(error, StorageError):
        _LOG.error("%s: %s (%.200s)", problem.code, error, error.__cause__)
    if isinstance(error, CorruptGameError):
        return _answer_damaged(problem, error)
    return _answer(problem, detail_of_error(problem, error), error)


def _answer_damaged(problem: Problem, error: CorruptGameError) -> Response:
    """The answer to a damaged game: its reason is for the log alone."""
    game_id = error.game_id or (request.view_args or {}).get("game_id", "that a key names")
    _LOG.error("%s: game %s: %.200s id=%s", problem.code, game_id, error, g.request_id)
    return _answer(problem, sentence(problem.title, problem.remedy))


def _answer_unexpected(error: Exception) -> Response:
    _LOG.exception("unexpected error", exc_info=error)
    problem = PROBLEMS["internal-error"]
    return _answer(problem, sentence(problem.title, problem.remedy))
