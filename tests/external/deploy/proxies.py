"""nginx and Caddy, run with the files of deploy/ before a service; only addresses are changed."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

DEPLOY = Path(__file__).parents[3] / "deploy"
SERVICE = "127.0.0.1:8000"
"""Where the files of deploy/ have the service."""
_MAIN = """\
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
  include {folder}/conf.d/*.conf;
}}
"""

Proxy = Callable[[Path, str], AbstractContextManager[int]]
"""Starts a proxy in a folder before the service at an address; its value is the proxy's port."""


def program_of(name: str, package: str) -> str:
    """The path of a program, or what to install."""
    program = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    assert program, f"this test needs {name}; Debian: apt install {package}"
    return program


@contextmanager
def nginx(folder: Path, service: str, site: str = "server.conf") -> Iterator[int]:
    """nginx with the files of deploy/nginx, one of them the server."""
    files = {name: (DEPLOY / "nginx" / name).read_text() for name in ("upstream.conf", site)}
    proxy = (DEPLOY / "nginx" / "proxy.conf").read_text()
    with started_nginx(folder, service, files, proxy, "listen 80;") as port:
        yield port


@contextmanager
def started_nginx(
    folder: Path, service: str, files: dict[str, str], proxy: str, listen: str
) -> Iterator[int]:
    """nginx with files of its conf.d, and proxy.conf beside it."""
    port = free_port()
    conf_d = folder / "conf.d"
    conf_d.mkdir()
    (folder / "proxy.conf").write_text(proxy)
    for name, text in files.items():
        placed = text.replace(SERVICE, service).replace(listen, f"listen 127.0.0.1:{port};")
        (conf_d / name).write_text(placed)
    (folder / "nginx.conf").write_text(_MAIN.format(folder=folder))
    command = [program_of("nginx", "nginx-light"), "-p", str(folder), "-c", "nginx.conf"]
    with _running(command, port):
        yield port


@contextmanager
def caddy(folder: Path, service: str, matcher: str = "") -> Iterator[int]:
    """Caddy with deploy/caddy, for every host and without a certificate."""
    port = free_port()
    text = (DEPLOY / "caddy" / "Caddyfile").read_text()
    text = text.replace("\ncards.example {", f"\nhttp://:{port} {{")
    text = text.replace(f"\treverse_proxy {SERVICE} {{", f"\treverse_proxy {matcher} {service} {{")
    (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n}}\n{text}")
    program = program_of("caddy", "caddy")
    environ = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    command = [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    with _running(command, port, environ):
        yield port


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@contextmanager
def application(**settings: str) -> Iterator[str]:
    """The small application under the service's own worker; its value is the address."""
    port = free_port()
    gunicorn = [
        sys.executable,
        "-m",
        "gunicorn",
        "--config",
        "python:service.runtime.gunicorn_conf",
    ]
    command = [*gunicorn, "--bind", f"127.0.0.1:{port}", "tests.external.deploy.proxied_app:app"]
    with _running(command, port, {"WORKERS": "1", **settings}, DEPLOY.parent):
        yield f"127.0.0.1:{port}"


@contextmanager
def _running(
    command: list[str], port: int, environ: dict[str, str] | None = None, cwd: Path | None = None
) -> Iterator[None]:
    process = subprocess.Popen(command, env=environ, cwd=cwd)
    try:
        deadline = time.monotonic() + 60
        while not _accepts(port):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(20)


def _accepts(port: int) -> bool:
    try:
        with closing(socket.create_connection(("127.0.0.1", port), timeout=1)):
            return True
    except ConnectionRefusedError:
        return False
