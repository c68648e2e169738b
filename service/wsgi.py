"""The application that gunicorn serves, built from the environment."""

import os

from service.app import create_app
from service.config import Config

app = create_app(Config.from_environ(os.environ))
