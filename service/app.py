"""The application: `create_app` puts config, store, use cases and operations together.

Nothing is read or connected at import, and nothing is connected before the first request.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from flask import Flask

import engine
from engine.players.observer import observe
from engine.rules import turn_solves
from service import __version__
from service.config import Config
from service.games.queries import Queries
from service.games.repository import GameRepository
from service.games.stored.meta import Lifetimes
from service.games.transactions import Transactions
from service.games.watching.watchers import READERS, Watchers
from service.http import middleware, proxies, request_log
from service.http.openapi.api import Api
from service.http.openapi.description import SPEC_OPTIONS, completed, written
from service.http.resources import (
    cards,
    docs,
    evaluations,
    events,
    games,
    health,
    play,
    problems,
    reviews,
    rules,
    seats,
)
from service.http.root_path import PrefixedFlask
from service.logs import formats as logs
from service.observer import Observer, Observers
from service.store import readiness
from service.store.capacity import Capacity
from service.store.connections.topologies import Pools, open_pools
from service.store.connections.url import parse
from service.store.game_store import GameStore

if TYPE_CHECKING:
    from service.metrics import Metrics

_BLUEPRINTS = (
    games.blueprint,
    seats.blueprint,
    events.blueprint,
    reviews.blueprint,
    evaluations.blueprint,
    rules.blueprint,
    cards.blueprint,
    problems.blueprint,
    health.blueprint,
)
_DEFAULT_URL = "redis://127.0.0.1:6379/0"
_SPARE_CONNECTIONS = 4 + READERS
"""Beside the threads that answer: the leading one, two of the subscription, one of readiness."""


def wall_clock() -> int:
    """The time in ms since 1970."""
    return time.time_ns() // 1_000_000


def create_app(
    config: Config,
    store: GameStore | None = None,
    clock: Callable[[], int] = wall_clock,
    spans: Observer | None = None,
) -> Flask:
    """The WSGI application of a config; tests may bring a store and a clock (ms since 1970).

    `spans` is who traces requests. Nothing is limited at a store that was brought.
    """
    app = PrefixedFlask(__name__, static_folder=None)
    app.url_map.merge_slashes = False  # a redirect would answer in HTML
    app.config.update(
        API_TITLE="Three-Thirteen Rummy",
        API_VERSION=__version__,
        OPENAPI_VERSION="3.1.0",
        ROOT_PATH=config.root_path,
        TURN_SOLVES=_turn_solves(config),
        MAX_BODY_BYTES=config.max_body_bytes,
        MAX_CONTENT_LENGTH=config.max_body_bytes + 1,  # what is cut off here shows by its length
    )
    logs.set_up(config, request_log.context)
    observer = _observer(app, config, spans)
    pools = capacity = None
    if store is None:
        connections = config.threads + _SPARE_CONNECTIONS
        url = config.redis_url or _DEFAULT_URL
        pools = open_pools(parse(url), connections)
        store = GameStore(pools, config.durability, config.replicas, observer=observer)
        capacity = Capacity(pools, config.max_store_memory_percent)
        app.extensions["report_readiness"] = partial(_report, store, capacity)
    app.extensions["store"] = store
    repository = GameRepository(store, _lifetimes(config), observer, capacity, config.write_format)
    transactions = app.extensions["transactions"] = Transactions(repository, clock)
    app.extensions["queries"] = Queries(transactions, repository)
    watchers = Watchers(transactions, repository, store.subscription, clock, observer=observer)
    app.extensions["watchers"] = watchers
    app.extensions["share_places"] = watchers.share_places
    _register(app)
    if pools is not None and config.rate_limit == "on":
        _limit(app, config, pools, observer)
    request_log.install(
        app,
        observer,
        is_json=config.log_format == logs.JSON,
        has_details=_has_details(config, spans),
    )
    middleware.install(app, config)
    app.extensions["entry"] = app.entry = proxies.before(app.wsgi_app, config.trusted_proxies)
    return app


def _report(store: GameStore, capacity: Capacity) -> None:
    """Log what an operator should know of the storage, once it is ready."""
    readiness.report(store.check_ready)
    capacity.report()


def _observer(app: Flask, config: Config, spans: Observer | None) -> Observer | None:
    """Who is told of everything; None where nobody asks for it."""
    working = [each for each in (_metrics(app, config), spans) if each is not None]
    observe(_all_of(working))
    notes = [request_log.CallerNotes()] if _has_details(config, spans) else []
    return _all_of([*working, *notes])


def _all_of(observers: Sequence[Observer]) -> Observer | None:
    return Observers(*observers) if len(observers) > 1 else next(iter(observers), None)


def _has_details(config: Config, spans: Observer | None) -> bool:
    """Whether game, seat and problem of a request are shown."""
    return spans is not None or config.log_format == logs.JSON


def _metrics(app: Flask, config: Config) -> Metrics | None:
    """The metrics of this process; None where they are off."""
    if config.metrics_port is None:
        return None
    from prometheus_client import CollectorRegistry  # noqa: PLC0415 - it takes time and memory

    from service.metrics import Metrics  # noqa: PLC0415

    registry = app.extensions["metrics"] = CollectorRegistry()
    metrics = Metrics(registry)
    app.extensions["tick"] = metrics.tick
    return metrics


def _limit(app: Flask, config: Config, pools: Pools, observer: Observer | None) -> None:
    """Limit how often an address may call; counted over the connections of the store."""
    from service.http.rate_limits import limiter  # noqa: PLC0415 - it takes time and memory
    from service.store import call_counts  # noqa: PLC0415

    limiter.install(app, config, call_counts.URI, {"pools": pools, "observer": observer})


def _lifetimes(config: Config) -> Lifetimes:
    unplayed = min(config.unplayed_ttl_seconds, config.game_ttl_seconds)
    return Lifetimes(played=config.game_ttl_seconds, unplayed=unplayed)


def _turn_solves(config: Config) -> int:
    """The budget of an AI player's choice: as configured, else what the engine's form allows."""
    if config.ai_turn_solves is not None:
        return config.ai_turn_solves
    return turn_solves(engine.form)


def _register(app: Flask) -> None:
    api = Api(app, spec_kwargs=SPEC_OPTIONS)
    for blueprint in _BLUEPRINTS:
        api.register_blueprint(blueprint)
    app.register_blueprint(docs.blueprint)
    app.register_blueprint(play.blueprint)
    root_path: str = app.config["ROOT_PATH"]
    app.extensions["openapi"] = cache(lambda: written(completed(api.description(), root_path)))
