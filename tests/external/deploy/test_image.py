"""The image, without an engine of containers: its recipe by a linter, its commands by running them.

They run from an installed wheel, with the environment that the Dockerfile gives, as a user whom
nobody knows, of group 0, where all but the data and the shared memory is read-only. Only root may
arrange that; another user runs them as itself.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.external.deploy.installed import played
from tests.system.launch import Launch

DOCKERFILE = Path(__file__).parents[3] / "Dockerfile"
IS_ROOT = os.geteuid() == 0
USER = 12345
CONFINED = """
set -eu
root=$1 base=$2 environment=$3 data=$4; shift 4
mount -t tmpfs -o mode=755 tmpfs "$root"
mkdir -p "$root/dev/shm" "$root/proc" "$root/data"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount --rbind /proc "$root/proc"
mount --bind "$data" "$root/data"
for path in /usr /bin /lib /lib64 /etc "$base" "$environment"; do
    [ -e "$path" ] || continue
    mkdir -p "$root$path"
    mount --bind "$path" "$root$path"
    mount -o remount,ro,bind "$root$path"
done
mount -o remount,ro "$root"
exec "$(PATH="$PATH:/usr/sbin:/sbin" command -v chroot)" --userspec=USER:0 --groups= "$root" "$@"
""".replace("USER", str(USER))
"""Makes a root folder as a container's, and runs a command in it."""


def words_of(instruction: str) -> list[str]:
    """The words of the last instruction of a kind, which has them as a list."""
    pattern = rf"^{instruction} (?:--\S+ |\\\n\s+)*(?:CMD )?(\[.*\])$"
    found: list[str] = json.loads(re.findall(pattern, DOCKERFILE.read_text(), re.MULTILINE)[-1])
    return found


def environment_of_the_image(command: Path) -> dict[str, str]:
    """What the last stage sets, with the environment of an installed wheel in the place of its."""
    stage = DOCKERFILE.read_text().rpartition("\nFROM ")[2].replace("\\\n", " ")
    pairs = dict(re.findall(r"(\w+)=(\S+)", re.findall(r"^ENV (.*)$", stage, re.MULTILINE)[0]))
    assert pairs["PATH"] == "/venv/bin:$PATH"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return {**pairs, "PATH": f"{command.parent}:/usr/bin:/bin", "PORT": str(port)}


class Container:
    """A folder for the data, and how a command is started beside it."""

    def __init__(self, command: Path, folder: Path) -> None:
        self.environ = environment_of_the_image(command)
        self.data = folder / "data"
        self.data.mkdir()
        self._command = command
        self._root = folder / "root"
        self._root.mkdir()
        if IS_ROOT:
            os.chown(self.data, 10001, 0)
            self.data.chmod(0o770)
        else:
            self.environ["DATA_DIR"] = str(self.data)

    def words(self, command: list[str]) -> list[str]:
        """The command line that runs a command as in the image."""
        program, *arguments = command
        inside = [str(self._command.parent / program), *arguments]
        if not IS_ROOT:
            return inside
        places = (self._root, sys.base_prefix, self._command.parents[2], self.data)
        shell = ["sh", "-c", CONFINED, "sh", *map(str, places)]
        return ["unshare", "--mount", "--propagation", "private", *shell, *inside]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.words(list(command)),
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )

    @contextmanager
    def serving(self, folder: Path) -> Iterator[Launch]:
        program, *arguments = self.words(words_of("CMD"))
        with Launch(folder, arguments, program=program, cwd=folder, **self.environ) as service:
            yield service


@pytest.fixture
def container(command: Path, tmp_path: Path) -> Container:
    return Container(command, tmp_path)


def test_the_linter_finds_nothing_in_the_recipe() -> None:
    linter = Path(sys.executable).parent / "hadolint"
    subprocess.run([linter, DOCKERFILE], check=True)


def test_the_image_serves_as_any_user_of_group_0_on_a_read_only_tree(
    container: Container, tmp_path: Path
) -> None:
    with container.serving(tmp_path) as service:
        url = service.url()
        assert url == f"http://127.0.0.1:{container.environ['PORT']}"
        played(url)
        healthy = container.run(*words_of("HEALTHCHECK"))
        assert (healthy.returncode, healthy.stderr) == (0, "")
        for pid in service.pids():
            status = Path(f"/proc/{pid}/status").read_text()
            assert not IS_ROOT or re.search(rf"^Uid:(\t{USER}){{4}}$", status, re.MULTILINE)
            assert not IS_ROOT or re.search(r"^Gid:(\t0){4}$", status, re.MULTILINE)
        service.process.terminate()
        assert service.ended() == 0
    assert any(container.data.iterdir())
    assert container.run(*words_of("HEALTHCHECK")).returncode != 0


def test_games_survive_a_new_container_on_the_same_volume(
    container: Container, tmp_path: Path
) -> None:
    with container.serving(tmp_path) as service:
        game = played(service.url())
    with container.serving(tmp_path) as service:
        service.url()
        told = container.run("python", "-c", READ.format(url=service.url(), game=game))
    assert told.stdout == "200\n"


READ = (
    "import urllib.request as r; print(r.urlopen('{url}/v1/games/{game}/replay', timeout=9).status)"
)


@pytest.mark.parametrize("place", ["/x", "/usr/x", "/etc/x", "/tmp/x", "{environment}/x"])
def test_nothing_can_be_written_beside_the_data(
    container: Container, command: Path, place: str
) -> None:
    path = place.format(environment=command.parents[1])
    told = container.run("python", "-c", f"open({path!r}, 'w')")
    assert not IS_ROOT or told.stderr.endswith(f"Read-only file system: {path!r}\n")
