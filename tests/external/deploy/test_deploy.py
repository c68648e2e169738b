"""The files of deploy/ and compose.yaml: by the schemas of their formats, and as far as they run.

No engine of containers and no Kubernetes is needed.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import redis
from ruamel.yaml import YAML

from service.config import Config
from service.runtime.embedded.server_program import bundled_path
from tests.app.test_settings import VARIABLES
from tests.external.deploy.proxies import free_port, program_of
from tests.store.test_rights import RIGHTS

ROOT = Path(__file__).parents[3]
COMPOSE = ROOT / "compose.yaml"
MANIFESTS = sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
VALKEY = ROOT / "deploy" / "kubernetes" / "valkey" / "values.yaml"
MONITOR = ROOT / "deploy" / "kubernetes" / "monitoring" / "podmonitor.yaml"
UNIT = ROOT / "deploy" / "systemd" / "three-thirteen.service"
OLDEST_KUBERNETES = "1.30"


def documents(path: Path) -> list[dict[str, Any]]:
    return list(YAML(typ="safe").load_all(path))


def manifest(kind: str) -> dict[str, Any]:
    (found,) = [each for path in MANIFESTS for each in documents(path) if each["kind"] == kind]
    return found


def container() -> dict[str, Any]:
    (only,) = manifest("Deployment")["spec"]["template"]["spec"]["containers"]
    return dict(only)


def test_compose_fits_the_schema_of_its_specification() -> None:
    checker = Path(sys.executable).parent / "check-jsonschema"
    subprocess.run([checker, "--builtin-schema", "vendor.compose-spec", COMPOSE], check=True)


@pytest.mark.parametrize("version", [OLDEST_KUBERNETES, kubernetes_validate.latest_version()])
def test_every_manifest_fits_the_schema_of_its_kind(version: str) -> None:
    kinds = []
    for path in MANIFESTS:
        for each in documents(path):
            kubernetes_validate.validate(each, version, strict=True)
            kinds.append(each["kind"])
    wanted = {"Deployment", "Service", "PodDisruptionBudget", "HorizontalPodAutoscaler"}
    assert wanted <= set(kinds)


def test_the_manifests_belong_together() -> None:
    deployment = manifest("Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == labels
    assert manifest("Service")["spec"]["selector"] == labels
    assert manifest("PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == labels
    scaled = manifest("HorizontalPodAutoscaler")["spec"]
    assert scaled["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    assert "replicas" not in deployment["spec"]  # the autoscaler's
    assert scaled["minReplicas"] > manifest("PodDisruptionBudget")["spec"]["maxUnavailable"]


def test_a_restart_mends_no_storage() -> None:
    each = container()
    assert each["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert each["startupProbe"]["httpGet"]["path"] == "/healthz"
    assert each["readinessProbe"]["httpGet"]["path"] == "/readyz"


def given_variables() -> Iterator[tuple[str, str]]:
    """Every variable that a file of a platform gives the service."""
    yield from documents(COMPOSE)[0]["services"]["three-thirteen"]["environment"].items()
    for each in container()["env"]:
        yield each["name"], each.get("value", "redis://valkey:6379/0")
    for pair in re.findall(r"^Environment=(.*)$", UNIT.read_text(), re.MULTILINE):
        yield tuple(pair.split("=", 1))
    stage = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2].replace("\\\n", " ")
    for pair in re.findall(r"^ENV (.*)$", stage, re.MULTILINE)[0].split():
        yield tuple(pair.split("=", 1))


def _default(value: str) -> str:
    """What Compose makes of `${NAME:-value}` where the name is not set; any other text as it is."""
    return re.sub(r"^\$\{\w+:-([^}]*)\}$", r"\1", value)


def test_only_settings_are_given_and_their_values_are_accepted() -> None:
    others = {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "TMPDIR"}
    others.add("OTEL_EXPORTER_OTLP_ENDPOINT")
    given = {name: _default(value) for name, value in given_variables()}
    assert {"REDIS_URL", "TRUSTED_PROXIES", "ALLOWED_HOSTS", "DATA_DIR", "HOST"} <= set(given)
    assert set(given) <= VARIABLES | others
    read = Config.from_environ(given)
    assert read.trusted_proxies == 1
    assert {each.name for each in fields(read)}


def test_metrics_are_read_from_the_port_that_shows_them_and_are_not_public() -> None:
    (monitor,) = documents(MONITOR)
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    ports = {each["name"]: each["containerPort"] for each in container()["ports"]}
    given = {each["name"]: each.get("value") for each in container()["env"]}
    assert given["METRICS_PORT"] == str(ports[endpoint["port"]])
    assert (given["METRICS_HOST"], endpoint["path"]) == ("0.0.0.0", "/metrics")
    labels = manifest("Deployment")["spec"]["template"]["metadata"]["labels"]
    assert monitor["spec"]["selector"]["matchLabels"] == labels
    assert labels[monitor["spec"]["jobLabel"]] == "three-thirteen"
    public = {each["targetPort"] for each in manifest("Service")["spec"]["ports"]}
    assert endpoint["port"] not in public
    service = documents(COMPOSE)[0]["services"]["three-thirteen"]
    assert "ports" not in service
    assert service["environment"]["METRICS_PORT"] == "${METRICS_PORT:-}"


def test_the_user_of_the_storage_has_the_rights_that_are_listed() -> None:
    (values,) = documents(VALKEY)
    granted = values["auth"]["aclUsers"]["games"]["permissions"].split()
    needs = ("every store", "streams", "rate limits", "`DURABILITY=replicated`")
    needed = [command for need in needs for command in RIGHTS[need]]
    assert granted[:4] == ["~{g:*", "~limit:*", "&{g:*", "-@all"]
    assert set(granted[4:]) == {f"+{command.lower()}" for command in needed}


@pytest.mark.parametrize("source", ["compose", "chart"])
def test_the_storage_starts_as_it_is_told_and_keeps_every_game(source: str, tmp_path: Path) -> None:
    if source == "compose":
        words = documents(COMPOSE)[0]["services"]["valkey"]["command"]
        assert words[0] == "valkey-server"
        arguments = words[1:]
    else:
        (values,) = documents(VALKEY)
        (tmp_path / "valkey.conf").write_text(values["valkeyConfig"])
        arguments = [str(tmp_path / "valkey.conf")]
    port = free_port()
    command = [str(bundled_path()), *arguments, "--port", str(port), "--dir", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        with closing(redis.Redis(port=port, retry=None)) as client:
            wanted = {"appendonly": "yes", "appendfsync": "always"}
            assert configuration(client, process, "append*").items() >= wanted.items()
            kept = configuration(client, process, "maxmemory*")
            assert kept["maxmemory-policy"] == "noeviction"
            assert int(kept["maxmemory"]) == 1 << 30
            if source == "compose":
                assert configuration(client, process, "save") == {"save": ""}
    finally:
        process.terminate()
        process.wait(10)


def configuration(
    client: redis.Redis, process: subprocess.Popen[bytes], pattern: str
) -> dict[str, str]:
    """The server's own settings, once it answers."""
    deadline = time.monotonic() + 10
    while True:
        try:
            found: dict[str, str] = client.config_get(pattern)
        except redis.ConnectionError:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        else:
            return found


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    text = UNIT.read_text()
    (command,) = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    program, *arguments = shlex.split(command)
    assert (Path(program).name, arguments) == ("three-thirteen", ["serve"])
    assert "\nKillMode=mixed\n" in text
    unit = tmp_path / UNIT.name
    unit.write_text(text.replace(program, "/bin/sh"))
    analyse = program_of("systemd-analyze", "systemd")
    checked = subprocess.run([analyse, "verify", unit], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    exposure = [analyse, "security", "--offline=true", "--threshold=20", "--no-pager", unit]
    subprocess.run(exposure, check=True, stdout=subprocess.DEVNULL)
