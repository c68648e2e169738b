"""The start command of the service: `python -m service`."""

import os
import sys

from service.config import Config, ConfigError
from service.runtime.supervisor import Supervisor


def main() -> int:
    """Run the service from the environment's settings and return the exit code."""
    try:
        config = Config.from_environ(os.environ)
    except ConfigError as error:
        print(f"three-thirteen: {error}", file=sys.stderr)
        return 2
    return Supervisor(config).run()


if __name__ == "__main__":
    sys.exit(main())
