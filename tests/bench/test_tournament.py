"""The tournament: its figures are exact, repeatable, and paired by seat and deal."""

from __future__ import annotations

import json

import pytest

from bench.tournament import __main__ as tournament
from bench.tournament import reviews
from bench.tournament.deals import Contest, ContestError, play, play_deal, secret_of
from bench.tournament.figures import bootstrap, turn_figures
from bench.tournament.mix import play_mixed, record
from engine.players import LEVELS
from engine.players.medium import MediumPlayer
from engine.round import Source
from engine.rules import Rules
from engine.seats import Level
from engine.shuffle import Stream
from engine.view import View

TIMES = ("turn_ms", "turn_ms_13_cards")


class StockPlayer(MediumPlayer):
    """A medium player that always draws from the stock."""

    def choose_draw(self, seen: View, random: Stream, budget: int = 0) -> Source:
        return Source.STOCK


def figures(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    """The printed figures of a tournament, without its times."""
    assert tournament.main([*arguments, "--json", "--processes", "1"]) == 0
    printed: dict[str, object] = json.loads(capsys.readouterr().out)
    return {name: value for name, value in printed.items() if name not in TIMES}


@pytest.mark.long
def test_a_level_against_itself_has_the_points_of_its_opponents_and_no_difference(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = figures(capsys, "--candidate", "medium", "--deals", "2")
    deals = [play_deal(Contest("medium", "medium", "medium"), number) for number in range(2)]
    assert all(deal.wins in (0, 1) for deal in deals), "a tie is no win"
    assert answer["games"] == 8
    assert answer["rounds"] == 88
    win_share, points = answer["win_share"], answer["points"]
    assert isinstance(win_share, dict)
    assert isinstance(points, dict)
    assert win_share["mean"] == sum(deal.wins for deal in deals) / 8
    assert points["mean"] == answer["field_points"]
    zero = {"mean": 0.0, "low": 0.0, "high": 0.0}
    assert answer["paired_points"] == answer["paired_win_share"] == zero


@pytest.mark.long
def test_the_same_deals_give_the_same_figures(capsys: pytest.CaptureFixture[str]) -> None:
    player = f"{__name__}:StockPlayer"
    arguments = ("--candidate", player, "--deals", "2", "--seed-space", "tuning")
    assert figures(capsys, *arguments) == figures(capsys, *arguments)


@pytest.mark.long
def test_the_difference_is_paired_by_seat_and_deal() -> None:
    name = f"{__name__}:StockPlayer"
    deal = play_deal(Contest(name, "medium", "medium"), 5)
    secret = secret_of("proof", 5)
    same = play(secret, Rules(), ("medium",) * 4).totals
    points = []
    for seat in range(4):
        lineup = tuple(name if place == seat else "medium" for place in range(4))
        points.append(play(secret, Rules(), lineup).totals[seat])
    assert deal.points == sum(points)
    assert deal.difference == sum(points) - sum(same)


def test_deals_for_tuning_and_for_the_final_figures_have_different_secrets() -> None:
    secrets = {secret_of(label, number) for label in ("proof", "tuning") for number in range(99)}
    assert len(secrets) == 198


def test_an_interval_contains_its_mean() -> None:
    for values in ([3.0], [0.0, 1.0], [0.0] * 50 + [1.0], [float(n * n % 17) for n in range(40)]):
        estimate = bootstrap(values)
        assert estimate.low <= estimate.mean <= estimate.high
        assert estimate == bootstrap(values)


def test_the_99th_percentile_leaves_one_turn_in_a_hundred_above_it() -> None:
    times = turn_figures([float(n) for n in range(1000)])
    assert (times.turns, times.mean, times.p99) == (1000, 499.5, 990.0)


@pytest.mark.long
def test_a_mixed_game_is_the_same_each_time_for_its_number() -> None:
    games = [play_mixed(number) for number in (1, 1)]
    assert games[0] == games[1]
    assert record(games)["rounds"] == 22


def reviewed(**losses: float) -> reviews.ReviewedGame:
    """A game in which the levels lost so much."""
    seats = {
        Level(name): reviews.SeatFigures(100 - loss, loss, 0.0, 1, is_perfect=not loss)
        for name, loss in losses.items()
    }
    return reviews.ReviewedGame(7, seats, 0.0, 0.0)


def test_what_reviews_should_show_is_checked() -> None:
    good = reviewed(easy=9, medium=5, hard=1, expert=0)
    assert reviews.faults([good]) == []
    assert reviews.faults([good, reviewed(easy=1, medium=9, hard=2, expert=0)]) == [
        "medium loses 7.00, easy 5.00"
    ]
    assert reviews.faults([good, reviewed(easy=9, medium=5, hard=2, expert=0.5)]) == [
        "game 7: the expert's seat has accuracy 99.5, loss 0.5"
    ]


@pytest.mark.long
def test_every_level_is_reviewed_in_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert tournament.main(["--reviews", "2", "--json", "--processes", "1"]) in (0, 1)
    answer = json.loads(capsys.readouterr().out)
    assert [(each["level"], each["games"]) for each in answer["levels"]] == [
        (level, 2) for level in LEVELS
    ]
    expert = answer["levels"][-1]
    assert (expert["loss"]["mean"], expert["accuracy"]["mean"], expert["perfect"]) == (0, 100, 2)
    assert answer["faults"] == [] or "loses" in answer["faults"][0]


@pytest.mark.parametrize(
    "name", ["genius", "bench.tournament.deals:Nobody", "no.such.module:Player"]
)
def test_an_unknown_player_is_refused(name: str) -> None:
    with pytest.raises(ContestError):
        Contest("medium", name, "medium")


def test_every_level_can_be_named() -> None:
    for level in LEVELS:
        Contest(level, level, level)
