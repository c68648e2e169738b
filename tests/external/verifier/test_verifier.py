"""The verifier in JavaScript, in Node.js and in a browser, beside the one in Python."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import requests
from playwright.sync_api import Page

from engine.verify.game import problems
from engine.verify.replay import NotAReplayError, read
from tests.docs import shuffle_vectors
from tests.engine.verify.test_command import LEFT_OUT, NO_REPLAYS
from tests.replays import Replay, abandoned, finished, stalled
from tests.scale import scaled
from tests.tampering import CHANGES, all_tampered, swapped_shuffles, tampered

ROOT = Path(__file__).parents[3]
VERIFIER = ROOT / "service/http/static/verify.mjs"
TSC = ROOT / "tools/node_modules/.bin/tsc"
MINUTES = 20 * 60


def node(*arguments: object, text: str = "") -> subprocess.CompletedProcess[str]:
    program = shutil.which("node")
    assert program, "these tests need Node.js 18 or newer"
    return subprocess.run(
        [program, *map(str, arguments)],
        input=text,
        capture_output=True,
        text=True,
        timeout=MINUTES,
        check=False,
    )


def reports(replays: list[Replay]) -> list[dict[str, Any]]:
    """What the verifier says of each replay."""
    lines = "".join(json.dumps(replay) + "\n" for replay in replays)
    told = node(Path(__file__).with_name("verify_lines.mjs"), VERIFIER, text=lines)
    assert told.returncode == 0, told.stderr
    return list(map(json.loads, told.stdout.splitlines()))


def expected(replay: Replay) -> dict[str, Any]:
    """What the verifier in Python says of a replay, in the same words."""
    try:
        found = problems(read(json.dumps(replay)))
    except NotAReplayError as error:
        return {"ok": False, "isReplay": False, "problems": [f"not a replay: {error}"]}
    return {"ok": not found, "isReplay": True, "problems": found}


def true_replays() -> Iterator[Replay]:
    yield from map(finished, range(scaled(100)))
    yield from map(abandoned, range(scaled(100)))
    yield from map(stalled, range(scaled(30)))
    yield {**finished(0), "rematch_of": "Zk3vQ8rT1xWn5bYc7LdMfA"}


def test_true_replays_are_accepted() -> None:
    for report in reports(list(true_replays())):
        assert report == {"ok": True, "isReplay": True, "problems": []}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found_and_told_as_in_python(name: str) -> None:
    changed = all_tampered(name, scaled(20))
    assert changed
    for replay, report in zip(changed, reports(changed), strict=True):
        assert not report["ok"]
        assert report == expected(replay)


def test_a_game_of_another_shuffle_is_found_and_told_as_in_python() -> None:
    others = []
    for number in range(scaled(30)):
        with swapped_shuffles(number):
            play = stalled.__wrapped__ if number % 3 == 1 else finished.__wrapped__
            others.append(play(1 if number % 3 == 1 else number))
    for replay, report in zip(others, reports(others), strict=True):
        assert not report["ok"]
        assert report == expected(replay)


def test_what_is_no_replay_is_told_as_in_python() -> None:
    shapes = [{**finished(1), name: value} for name, value in NO_REPLAYS]
    none = [{name: one[name] for name in one if one[name] is not LEFT_OUT} for one in shapes]
    assert reports(none) == list(map(expected, none))
    assert not any(report["isReplay"] for report in reports(none))


def test_the_shuffle_vectors_come_out_the_same() -> None:
    modules = VERIFIER.parent / "verify/dealing.mjs"
    file = shuffle_vectors.FILE
    told = node(Path(__file__).with_name("verify_vectors.mjs"), modules, file)
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout) == json.loads(file.read_text())


def test_sha256_of_every_length_up_to_three_blocks() -> None:
    modules = VERIFIER.parent / "verify/sha256.mjs"
    script = f"""
        const {{ sha256 }} = await import({json.dumps(modules.as_uri())});
        for (let length = 0; length < 193; length++) {{
          const message = Uint8Array.from({{ length }}, (_, place) => 7 * place + length);
          console.log(Buffer.from(sha256(message)).toString("hex"));
        }}
    """
    told = node("--input-type=module", "-e", script)
    assert told.returncode == 0, told.stderr
    for length, digest in enumerate(told.stdout.split()):
        message = bytes((7 * place + length) % 256 for place in range(length))
        assert digest == hashlib.sha256(message).hexdigest()


def test_the_command_says_the_same_as_that_in_python(tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    file.write_text(json.dumps(finished(1)))
    verified = node(VERIFIER, file)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert verified.stdout == _python(file).stdout

    file.write_text(json.dumps(tampered(finished(1), "another_commitment", 1)))
    refuted = node(VERIFIER, "-", text=file.read_text())
    assert (refuted.returncode, refuted.stderr) == (1, "")
    assert refuted.stdout == _python(file).stdout


def _python(file: Path) -> subprocess.CompletedProcess[str]:
    command = [shutil.which("python3") or "python3", "-m", "engine.verify", str(file)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [(["-"], "{"), (["-"], "[]"), ([], ""), (["nowhere.json"], ""), (["-", "-"], "")],
)
def test_the_command_tells_what_is_no_replay(arguments: list[str], text: str) -> None:
    told = node(VERIFIER, *arguments, text=text)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("not a replay: ")


def test_it_can_be_imported_by_a_program_that_has_arguments() -> None:
    script = f"const {{ verify }} = await import({json.dumps(VERIFIER.as_uri())});"
    told = node("--input-type=module", "-e", f"{script} console.log(verify(1).ok)", "replay.json")
    assert (told.stdout, told.stderr, told.returncode) == ("false\n", "", 0)


def test_the_types_in_its_comments_are_right() -> None:
    assert TSC.exists(), "this test needs TypeScript: npm ci in tools/, as make check does"
    options = "--noEmit --allowJs --checkJs --strict --target es2022 --module esnext"
    more = "--moduleResolution bundler --noUnusedLocals --noUnusedParameters"
    checked = subprocess.run(
        [TSC, *options.split(), *more.split(), VERIFIER],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


@cache
def _sources() -> str:
    files = [VERIFIER, *sorted((VERIFIER.parent / "verify").iterdir())]
    return "\n".join(file.read_text() for file in files)


def test_it_needs_nothing_that_pages_without_tls_do_not_have() -> None:
    for name in ("crypto.", "BigInt", "Buffer", "fetch(", "setTimeout"):
        assert name not in _sources(), name


def test_a_page_verifies_a_game_that_was_played_over_http(page: Page, service_url: str) -> None:
    games = f"{service_url}/v1/games"
    created = requests.post(games, json={"seats": [{"kind": "human"}, {"kind": "ai"}]}, timeout=10)
    game, auth = created.json()["game"], {"Authorization": f"Bearer {created.json()['token']}"}
    while game["status"] == "playing":
        card = game["you"]["arrangement"]["discard"]
        move = {"card": card} if game["turn"]["phase"] == "discard" else {"source": "stock"}
        address = f"{games}/{game['id']}/{game['turn']['phase']}"
        game = requests.post(address, json=move, headers=auth, timeout=10).json()["game"]

    page.goto(f"{service_url}/v1/docs")
    script = """async (path) => {
        const { verify } = await import("/verify.mjs");
        const replay = await (await fetch(path)).json();
        const changed = { ...replay, first_dealer: 1 - replay.first_dealer };
        return [verify(replay), verify(changed)];
    }"""
    true, changed = page.evaluate(script, f"/v1/games/{game['id']}/replay")
    assert true == {"ok": True, "isReplay": True, "problems": []}
    assert changed["problems"][0].startswith("before the first deal: the first dealer should be ")
