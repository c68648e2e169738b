"""Flask-Limiter before the operations that are limited, and what their answers say of a limit.

It takes time and memory, so this module is imported only where limits are on. Answers have the
fields RateLimit and RateLimit-Policy as draft-ietf-httpapi-ratelimit-headers-10 has them; the
library would write others. Where the storage cannot count, calls pass.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from functools import wraps
from typing import cast

from flask import Flask, Response
from flask.globals import app_ctx, request_ctx
from flask_limiter import Limiter, RateLimitExceeded

from service.callers import caller
from service.config import Config
from service.errors import QuotaExceededError, UncountedCallError
from service.http.openapi.blueprint import operation_names
from service.http.rate_limits.table import LIMITS, WINDOW, Limit, quota_of

_View = Callable[..., Response]


def install(app: Flask, config: Config, storage: str, options: Mapping[str, object]) -> None:
    """Limit the operations that an application has registered, as its config says.

    Calls are counted at the storage of a URI, as limits knows them, made with these options.
    """
    limiter = Limiter(
        _caller_of_request,
        storage_uri=storage,
        storage_options=cast("dict[str, str | int]", dict(options)),  # it passes them on
        strategy="fixed-window",
    )
    # An application that knows a limiter already gets none of its hooks, which every request of
    # an unlimited operation would pay for, too.
    app.extensions.setdefault("limiter", set()).add(limiter)
    limiter.init_app(app)
    limits = {
        endpoint: LIMITS[operation]
        for (endpoint, _), operation in operation_names(app).items()
        if endpoint is not None and operation in LIMITS
    }
    for endpoint, limit in limits.items():
        view = cast("_View", app.view_functions[endpoint])
        app.view_functions[endpoint] = _limited(view, limiter, limit, quota_of(config, limit))


def _limited(view: _View, limiter: Limiter, limit: Limit, quota: int) -> _View:
    """A view whose calls are counted first; its answers say so, whatever becomes of them."""
    counted = limiter.shared_limit(f"{quota}/minute", limit.name)(view)

    @wraps(view)
    def answer(**path: str) -> Response:
        try:
            return counted(**path)
        except RateLimitExceeded as error:
            words = f"the {quota} calls that an address may make in a minute are used up"
            raise QuotaExceededError(words, _seconds(limiter)) from error
        except UncountedCallError:
            return view(**path)
        finally:
            _add_fields(limiter, limit.name, quota)

    return answer


def _add_fields(limiter: Limiter, name: str, quota: int) -> None:
    """Add to the answer what it says of a limit, if its call was counted."""
    usage = limiter.current_limit
    if usage is None:
        return
    passing = app_ctx.g
    passing.added_headers = (
        *passing.get("added_headers", ()),
        ("RateLimit-Policy", f'"{name}";q={quota};w={WINDOW}'),
        ("RateLimit", f'"{name}";r={usage.remaining};t={_seconds(limiter)}'),
    )


def _seconds(limiter: Limiter) -> int:
    """The seconds to the end of the window in which the current call was counted."""
    usage = limiter.current_limit
    assert usage is not None
    return max(1, math.ceil(usage.window.reset_time - time.time()))


def _caller_of_request() -> str:
    return caller(request_ctx.request.environ.get("REMOTE_ADDR", ""))
