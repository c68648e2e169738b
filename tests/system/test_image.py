"""The Dockerfile, as far as it can be read without building it."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "Dockerfile"


def copied() -> list[str]:
    """What is taken from the tree."""
    found = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE.read_text(), re.MULTILINE)
    return [source for sources in found for source in sources.split()]


def test_all_that_is_copied_is_there_and_let_through() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    let_through = [line[1:] for line in lines if line.startswith("!")]
    assert {"engine", "service", "requirements/run.txt"} <= set(copied())
    for source in copied():
        assert (ROOT / source).exists(), source
        assert any(fnmatch(source, pattern) for pattern in let_through), source


def test_every_stage_has_one_python_and_the_last_serves() -> None:
    text = DOCKERFILE.read_text()
    versions = set(re.findall(r"^FROM python:(\d+\.\d+)", text, re.MULTILINE))
    assert len(versions) == 1
    assert text.rstrip().endswith('CMD ["three-thirteen", "serve"]')
    stages = set(re.findall(r"^FROM .* AS (\w+)$", text, re.MULTILINE))
    assert set(re.findall(r"--from=(\w+)", text)) == stages


def test_the_last_stage_has_no_compiler_and_a_user_who_is_not_root() -> None:
    stage = DOCKERFILE.read_text().rpartition("\nFROM ")[2]
    assert re.match(r"python:[\d.]+-slim\n", stage)
    assert re.findall(r"^USER (.*)$", stage, re.MULTILINE) == ["10001:0"]
    assert re.findall(r"^RUN (.*)$", stage, re.MULTILINE) == [
        "install -d -m 0770 -o 10001 -g 0 /data"
    ]
