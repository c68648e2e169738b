"""How many connections and streams a worker holds, by how many files it may open."""

from __future__ import annotations

import subprocess
import sys

import pytest

from service.runtime.worker.limits import connections, streams


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (16_384, (1_000, 4_000)),
        (8_192, (1_000, 4_000)),
        (4_096, (1_000, 2_048)),
        (1_024, (341, 512)),
    ],
)
def test_both_leave_room_for_the_connections_to_the_store(
    files: int, expected: tuple[int, int]
) -> None:
    assert (connections(files), streams(files)) == expected
    assert files - sum(expected) >= 170


@pytest.mark.parametrize(
    ("limits", "files"), [((256, 2_048), 2_048), ((3_000, 3_000), 3_000), ((512, 19_000), 16_384)]
)
def test_a_process_may_open_as_many_files_as_it_is_allowed(
    limits: tuple[int, int], files: int
) -> None:
    program = (
        "import resource\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, {limits})\n"
        "from service.runtime.worker.limits import raise_file_limit\n"
        "print(raise_file_limit())"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert int(answer.stdout) == files
