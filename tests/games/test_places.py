"""The places of watchers, also where several processes share them."""

from __future__ import annotations

import os
import tempfile

from service.games.watching.places import SEAT_PLACES, Places


def test_a_seat_has_its_own_places_and_gets_them_back() -> None:
    places = Places()
    for _ in range(SEAT_PLACES):
        assert places.take("a", 0)
    assert not places.take("a", 0)
    assert places.take("a", 1)
    assert places.take("b", 0)
    assert places.take("a", None)
    places.free("a", 0)
    assert places.take("a", 0)
    assert not places.take("a", 0)


def test_processes_share_the_places_of_a_seat_and_one_that_dies_leaves_its_own() -> None:
    with tempfile.TemporaryFile() as file:
        taken, end = os.pipe(), os.pipe()
        child = os.fork()
        if not child:
            places = Places()
            places.share(file.fileno())
            count = sum(places.take("a", 0) for _ in range(SEAT_PLACES - 1))
            os.write(taken[1], bytes([count]))
            os.read(end[0], 1)
            os._exit(0)
        assert os.read(taken[0], 1) == bytes([SEAT_PLACES - 1])
        places = Places()
        places.share(file.fileno())
        assert places.take("a", 0)
        assert not places.take("a", 0)
        assert places.take("a", 1)
        assert places.take("b", 0)
        os.write(end[1], b".")
        assert os.waitpid(child, 0)[1] == 0
        for _ in range(SEAT_PLACES - 1):
            assert places.take("a", 0)
        assert not places.take("a", 0)
        for _ in range(SEAT_PLACES):
            places.free("a", 0)
        assert places.take("a", 0)
        for each in (*taken, *end):
            os.close(each)
