"""The scores as CSV, for rounds that few games have."""

from engine.events import Event, RoundScored, SeatScore
from engine.seats import AiSeat, HumanSeat, Level
from service.games.answers.score_sheet import score_sheet

SEATS = (HumanSeat("Ann"), AiSeat("Top", Level.EASY))


def scored(went_out: int | None, *points: int) -> Event:
    rows = tuple(SeatScore(seat, (), (), (), each, each) for seat, each in enumerate(points))
    return Event(7, 8, RoundScored(went_out, went_out is None, rows))


def test_a_stalled_round_has_nobody_who_went_out() -> None:
    assert score_sheet([scored(None, 12, 3)], SEATS).splitlines()[1:] == [
        b"8,T,0,Ann,12,12,,true",
        b"8,T,1,Top,3,3,,true",
    ]


def test_every_row_of_a_round_names_the_seat_that_went_out() -> None:
    assert score_sheet([scored(1, 12, 0)], SEATS).splitlines()[1:] == [
        b"8,T,0,Ann,12,12,1,false",
        b"8,T,1,Top,0,0,1,false",
    ]
