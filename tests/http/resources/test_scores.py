"""getScores over HTTP: as JSON, and as a table in CSV."""

from __future__ import annotations

import csv
import io

import pytest
from flask.testing import FlaskClient

from tests.player import QUICK, Player, create, refused

CSV = "text/csv"
HEADER = b"round,wild_rank,seat,name,points,total,went_out,stalled\r\n"


@pytest.fixture
def quick(client: FlaskClient) -> Player:
    return create(client, QUICK)


@pytest.fixture
def finished(quick: Player) -> Player:
    quick.play_to_the_end()
    return quick


def rows(sheet: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(sheet.decode(), newline="")))


def test_the_table_has_the_figures_of_the_json(finished: Player) -> None:
    answer = finished.get("/scores", accept=CSV)
    names = [seat["name"] for seat in finished.game["seats"]]
    expected = [
        {
            "round": str(scored["number"]),
            "wild_rank": scored["wild_rank"],
            "seat": str(row["seat"]),
            "name": names[row["seat"]],
            "points": str(row["points"]),
            "total": str(row["total"]),
            "went_out": "" if scored["went_out"] is None else str(scored["went_out"]),
            "stalled": "true" if scored["stalled"] else "false",
        }
        for scored in finished.get("/scores").get_json()["rounds"]
        for row in scored["seats"]
    ]

    assert answer.status_code == 200
    assert answer.content_type == "text/csv; charset=utf-8"
    assert len(expected) == 11 * 2
    assert rows(answer.data) == expected


def test_every_line_of_the_table_ends_with_cr_and_lf(finished: Player) -> None:
    sheet = finished.get("/scores", accept=CSV).data
    assert sheet.startswith(HEADER)
    assert sheet.endswith(b"\r\n")
    assert sheet.count(b"\r\n") == sheet.count(b"\r") == sheet.count(b"\n") == 1 + 11 * 2


def test_the_table_of_a_new_game_has_the_header_alone(quick: Player) -> None:
    assert quick.get("/scores", accept=CSV).data == HEADER


def test_a_spectator_reads_the_same_table(finished: Player, client: FlaskClient) -> None:
    own = finished.get("/scores", accept=CSV).data
    assert client.get(f"{finished.path}/scores", headers={"Accept": CSV}).data == own


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+49", "'+49"),
        ("-Bo-", "'-Bo-"),
        ("@Bo", "'@Bo"),
        ("'=Bo", "'=Bo"),
        ("Bo=", "Bo="),
        ('Bo, "B"', 'Bo, "B"'),
        ("Nguyễn Ánh", "Nguyễn Ánh"),
        ("=SUM(A1,A2)", "'=SUM(A1,A2)"),
    ],
)
def test_a_name_is_no_formula_and_stays_one_field(
    client: FlaskClient, name: str, written: str
) -> None:
    player = create(client, {**QUICK, "seats": [{"kind": "human", "name": name}, {"kind": "ai"}]})
    while player.game["round"]["number"] == 1:
        player.turn()
    of_you, of_other = rows(player.get("/scores", accept=CSV).data)
    assert (of_you["name"], of_you["seat"]) == (written, "0")
    assert (of_other["name"], of_other["seat"]) == ("Top", "1")


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/json, text/csv", "application/json"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"),
        ("text/csv", CSV),
        ("text/*", CSV),
        ("application/json;q=0.5, text/csv", CSV),
        ("text/csv, */*;q=0.1", CSV),
        ("TEXT/CSV; charset=UTF-8", CSV),
        ("text/csv;charset=utf-8;q=0.5, application/json;q=0.4", CSV),
        ("text/csv;header=present;q=0.5, application/json", "application/json"),
    ],
)
def test_the_form_is_the_one_preferred_and_json_where_both_are_alike(
    quick: Player, accept: str | None, media_type: str
) -> None:
    answer = quick.get("/scores", **({} if accept is None else {"accept": accept}))
    assert answer.mimetype == media_type


@pytest.mark.parametrize("accept", ["application/json", CSV])
def test_caches_are_told_what_the_scores_depend_on(quick: Player, accept: str) -> None:
    answer = quick.get("/scores", accept=accept)
    assert answer.headers["Vary"] == "Accept, Authorization"
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_head_says_what_get_would_send(finished: Player) -> None:
    path, headers = f"{finished.path}/scores", {"Accept": CSV}
    got, asked = (
        finished.client.open(path, method=method, headers=headers) for method in ("GET", "HEAD")
    )
    own = {"X-Request-Id"}
    assert asked.data == b""
    assert {k: v for k, v in asked.headers if k not in own} == {
        k: v for k, v in got.headers if k not in own
    }
    assert asked.content_length == len(got.data)


def test_who_takes_neither_form_gets_none(quick: Player) -> None:
    refused(quick.get("/scores", accept="text/html"), 406, "not-acceptable")


def test_a_refusal_of_the_table_is_a_problem(client: FlaskClient, quick: Player) -> None:
    stranger = {"Accept": CSV, "Authorization": "Bearer of-no-seat"}
    refused(client.get(f"{quick.path}/scores", headers=stranger), 401, "invalid-token")
    answer = client.get("/v1/games/AAAAAAAAAAAAAAAAAAAAAA/scores", headers={"Accept": CSV})
    refused(answer, 404, "game-not-found")
