"""Behind nginx, which keeps connections to the service over a slow link: no pause loses a move."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.scale import scaled
from tests.system.kept_connections import failures_of, slow_link

CONFIGURATION = """\
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 200; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  upstream service {{ server {service}; keepalive 16; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
    }}
  }}
}}
"""


@contextmanager
def nginx(folder: Path, service: str) -> Iterator[tuple[str, int]]:
    """nginx before a service, and its address."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    assert program, "this test needs nginx; Debian: apt install nginx-light"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    configuration = folder / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder, service=service, port=port))
    process = subprocess.Popen([program, "-p", str(folder), "-c", str(configuration)])
    try:
        deadline = time.monotonic() + 10
        while not accepts(port):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield "127.0.0.1", port
    finally:
        process.terminate()
        process.wait(10)


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except ConnectionRefusedError:
        return False
    return True


def test_keyless_moves_through_nginx_on_kept_connections_are_never_a_502(
    service_url: str, tmp_path: Path
) -> None:
    place = urlsplit(service_url)
    with (
        slow_link((str(place.hostname), int(place.port or 0)), 0.025) as (host, port),
        nginx(tmp_path, f"{host}:{port}") as address,
    ):
        assert failures_of(address, scaled(300), (1.9, 2.6), clients=15) == []
