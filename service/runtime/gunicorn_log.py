"""gunicorn's own messages as lines of JSON."""

from __future__ import annotations

from gunicorn.config import Config
from gunicorn.glogging import Logger

from service.logs.formats import no_context
from service.logs.json_lines import json_formatter


class JsonLog(Logger):
    """gunicorn's logger with the service's form of a line; `gunicorn_conf` names it."""

    def setup(self, cfg: Config) -> None:
        """Do what gunicorn does, and replace the form of its lines."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(json_formatter(no_context))
