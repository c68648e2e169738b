"""The application that gunicorn serves, built from the environment."""

import logging
import os

from service.app import create_app
from service.config import Config

# A line of the log names no place in the code, no thread and no process: do not look for them.
logging._srcfile = None  # noqa: SLF001 - as the logging HOWTO says
logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
app = create_app(Config.from_environ(os.environ))
