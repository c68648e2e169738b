"""Packages that only a benchmark needs, each with the command that installs it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PACKAGES = {
    "matplotlib": "matplotlib>=3.11,<4",
    "ortools": "ortools>=9.15,<10",
    "pyspiel": "open-spiel>=2,<3",
}


class MissingPeerError(Exception):
    """A package that is not installed; the message is the command that installs it."""


def peer(module: str) -> Any:
    """A module of a benchmark's package; raises MissingPeerError."""
    package = PACKAGES[module.partition(".")[0]]
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPeerError(f"{module} is missing: pip install '{package}'") from error
