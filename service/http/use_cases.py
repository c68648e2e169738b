"""The use cases of the running application, as `create_app` has put them together."""

from __future__ import annotations

from flask import current_app

from service.games.membership import Attendance
from service.games.use_cases import Games


def games() -> Games:
    """The use cases of a game."""
    cases: Games = current_app.extensions["games"]
    return cases


def attendance() -> Attendance:
    """The use cases of a seat."""
    cases: Attendance = current_app.extensions["attendance"]
    return cases
