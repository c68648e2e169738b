"""Writes the API description: `python -m service.spec openapi/openapi.json`."""

from __future__ import annotations

import sys
from pathlib import Path

from service.app import create_app
from service.config import Config

DEFAULT_PATH = Path("openapi/openapi.json")


def description() -> bytes:
    """The API description as the service serves it."""
    text: bytes = create_app(Config()).extensions["openapi"]()
    return text


def main(arguments: list[str]) -> None:
    """Write the description to the path given, or to where it is committed."""
    path = Path(arguments[0]) if arguments else DEFAULT_PATH
    path.write_bytes(description())
    print(f"wrote {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
