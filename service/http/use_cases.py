"""The use cases of the running application, as `create_app` has put them together."""

from __future__ import annotations

from flask import current_app

from service.games.queries import Queries
from service.games.transactions import Transactions


def transactions() -> Transactions:
    """The changing use cases."""
    changing: Transactions = current_app.extensions["transactions"]
    return changing


def queries() -> Queries:
    """The reading use cases."""
    reading: Queries = current_app.extensions["queries"]
    return reading
