"""The settings of gunicorn, read by gunicorn itself when the supervisor starts it."""

import os
import signal
import tempfile
import threading
from pathlib import Path

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from service.config import Config
from service.logs.formats import JSON, set_up
from service.runtime.metrics_server import FOLDER
from service.runtime.parent_death import die_with_parent
from service.runtime.worker.limits import connections, raise_file_limit

_config = Config.from_environ(os.environ)
_memory = Path("/dev/shm")  # noqa: S108 - gunicorn makes a nameless file there
_files = raise_file_limit()
_places = tempfile.TemporaryFile()  # noqa: SIM115 - in which the workers share places, till the end

workers = _config.workers
threads = _config.threads
keepalive = _config.keepalive_seconds
worker_class = "service.runtime.worker.buffering_worker.BufferingWorker"
worker_connections = connections(_files)  # of one worker
forwarded_allow_ips = ""  # no header of any client changes the scheme or the path of a request
forwarder_headers = ""
header_map = "drop"
sendfile = False  # it would wait for the client
graceful_timeout = 10  # seconds for the requests under way when asked to stop
# Heartbeats are file times; on a busy disk they could be late, and a good worker be killed.
worker_tmp_dir = str(_memory) if _memory.is_dir() else None
control_socket_disable = True
accesslog = None  # the service logs its requests itself
loglevel = "warning"
proc_name = "three-thirteen"
if _config.log_format == JSON:
    set_up(_config)
    logger_class = "service.runtime.gunicorn_log.JsonLog"

# One byte for all workers: the one that reads it logs what the service is to log once.
_claim, _claims = os.pipe()
os.set_blocking(_claim, False)
os.write(_claims, b"1")


def _claimed() -> bool:
    try:
        return bool(os.read(_claim, 1))
    except BlockingIOError:
        return False


def post_fork(server: Arbiter, worker: Worker) -> None:  # noqa: ARG001 - gunicorn's signature
    """Tie a new worker to gunicorn's master: a worker must not outlive it."""
    die_with_parent(signal.SIGKILL, worker.ppid)


def child_exit(server: Arbiter, worker: Worker) -> None:  # noqa: ARG001 - gunicorn's signature
    """Forget what a dead worker said of itself in the metrics; what it has counted stays."""
    if FOLDER in os.environ:
        from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415 - if on

        mark_process_dead(worker.pid)


def worker_exit(server: Arbiter, worker: Worker) -> None:  # noqa: ARG001 - gunicorn's signature
    """Have a worker that ends send the spans that it holds."""
    end_tracing = getattr(worker.wsgi, "extensions", {}).get("end_tracing")
    if end_tracing is not None:
        end_tracing()


def post_worker_init(worker: Worker) -> None:
    """Let the workers share what is limited for all; the first logs what the storage warns of."""
    extensions = getattr(worker.wsgi, "extensions", {})
    share, report = extensions.get("share_places"), extensions.get("report_readiness")
    if share is not None:
        share(_places.fileno())
    entry = extensions.get("entry")
    if entry is not None and hasattr(entry, "claim"):
        entry.claim = _claimed
    if worker.age == 1 and report is not None:
        threading.Thread(target=report, name="readiness", daemon=True).start()
