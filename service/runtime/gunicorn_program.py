"""Runs gunicorn: `python -P -m service.runtime.gunicorn_program`, with gunicorn's own arguments.

gunicorn puts the current folder before all others that modules are imported from, unless it is
among them. Here it becomes the last: a file there never stands in for a module of the service.
"""

import sys

from gunicorn.app.wsgiapp import run
from gunicorn.util import getcwd

if __name__ == "__main__":
    sys.path.append(getcwd())
    run()
