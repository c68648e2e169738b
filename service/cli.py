"""The command line: `three-thirteen [serve | backup | verify | openapi | version]`.

Within the source tree `python -m service` is the same.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.verify import __main__ as verification
from service import __version__
from service.config import Config, ConfigError
from service.runtime.embedded.backup import BackupError, back_up
from service.runtime.supervisor import Supervisor
from service.settings import listing

_DESCRIPTION = "Three-Thirteen Rummy, as a service. Without a command it serves."
_SETTINGS = "Settings are environment variables, such as PORT and DATA_DIR"


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line and return the exit code; 2 for one that is not understood."""
    options = _parser().parse_args(arguments)
    code: int = options.run(options)
    return code


def _parser() -> argparse.ArgumentParser:
    """A subcommand is a parser whose default `run` carries it out."""
    parser = argparse.ArgumentParser(
        prog=_program(),
        description=_DESCRIPTION,
        epilog=f"{_SETTINGS}: see serve --help.",
        allow_abbrev=False,
    )
    parser.set_defaults(run=_serve)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    serve = commands.add_parser(
        "serve",
        help="serve until stopped",
        epilog=f"{_SETTINGS}:\n\n{listing()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    serve.set_defaults(run=_serve)
    backup = commands.add_parser(
        "backup",
        help="copy the embedded server's data, while it serves or not",
        epilog="The setting DATA_DIR says where the data are. The copy is served with it, too.",
    )
    backup.add_argument("folder", type=Path, metavar="FOLDER", help="a folder that is made for it")
    backup.set_defaults(run=_backup)
    verify = commands.add_parser(
        "verify",
        help="check a finished game's replay",
        description=verification.DESCRIPTION,
        epilog=verification.EPILOG,
    )
    verify.add_argument("replay", metavar="REPLAY", help=verification.REPLAY)
    verify.set_defaults(run=_verify)
    openapi = commands.add_parser("openapi", help="write the API description")
    openapi.add_argument(
        "path", nargs="?", type=Path, metavar="PATH", help="a file; without it to stdout"
    )
    openapi.set_defaults(run=_openapi)
    version = commands.add_parser("version", help="print the version")
    version.set_defaults(run=_version)
    return parser


def _program() -> str:
    name = Path(sys.argv[0]).name
    return "python -m service" if name == "__main__.py" else name


def _serve(_options: argparse.Namespace) -> int:
    try:
        config = Config.from_environ(os.environ)
    except ConfigError as error:
        return _refuse(str(error), 2)
    return Supervisor(config).run()


def _backup(options: argparse.Namespace) -> int:
    try:
        config = Config.from_environ(os.environ)
    except ConfigError as error:
        return _refuse(str(error), 2)
    if config.redis_url is not None:
        return _refuse("REDIS_URL names a server of yours: back that up by its own means", 2)
    try:
        size = back_up(config.data_dir, options.folder)
    except BackupError as error:
        return _refuse(f"no backup was made: {error}", 1)
    print(f"wrote {size} bytes to {options.folder}")
    return 0


def api_description() -> bytes:
    """Give the API description as the service serves it."""
    from service.app import create_app  # noqa: PLC0415 - a supervisor does without Flask

    description: bytes = create_app(Config()).extensions["openapi"]()
    return description


def _verify(options: argparse.Namespace) -> int:
    return verification.verify(options.replay)


def _openapi(options: argparse.Namespace) -> int:
    if options.path is None:
        sys.stdout.buffer.write(api_description())
        return 0
    try:
        options.path.write_bytes(api_description())
    except OSError as error:
        return _refuse(f"cannot write {options.path}: {error.strerror}", 1)
    print(f"wrote {options.path}")
    return 0


def _version(_options: argparse.Namespace) -> int:
    print(__version__)
    return 0


def _refuse(message: str, code: int) -> int:
    print(f"three-thirteen: {message}", file=sys.stderr)
    return code
