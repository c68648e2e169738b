"""The application that gunicorn serves, built from the environment."""

import logging
import os

from flask import Flask

from service import __version__
from service.app import create_app
from service.config import Config
from service.tracing.switch import is_on

# A line of the log names no place in the code, no thread and no process: do not look for them.
logging._srcfile = None  # noqa: SLF001 - as the logging HOWTO says
logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False


def _traced_app() -> Flask:
    """The application with a tracer; its thread begins in this worker, after the fork."""
    from service.tracing.spans import Spans  # noqa: PLC0415 - it takes time and memory

    spans = Spans.to_collector(__version__)
    traced = create_app(Config.from_environ(os.environ), spans=spans)
    traced.extensions["end_tracing"] = spans.end
    return traced


app = _traced_app() if is_on(os.environ) else create_app(Config.from_environ(os.environ))
