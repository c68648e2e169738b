"""What holds in every state of every game, whatever is played."""

from __future__ import annotations

import hashlib
import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engine import game as games
from engine import invariants
from engine.cards import CARDS, Card
from engine.errors import CardNotInHandError, GameFinishedError, NotYourTurnError, WrongPhaseError
from engine.events import Event, GameFinished, RoundDealt, RoundScored
from engine.game import Game, Status
from engine.options import GameOptions
from engine.round import Discarding, Drawing, Source
from engine.rules import ROUNDS, AceMode, Rounds, Rules
from engine.seats import HumanSeat
from engine.shuffle import commitment, pack
from engine.snapshot import dump, load
from engine.view import revealed
from service.games.answers.bodies import actions_body, replay_seats, rules_body
from tests.dealer import Replayer
from tests.playout import Playout
from tests.scale import scaled

SHARES = 4  # so that several processes can take part
EXHAUSTIVE = 25  # every such state has each of its possible moves tried

stretches = st.tuples(*(st.integers(1, ROUNDS),) * 2).map(lambda ends: Rounds(*sorted(ends)))
playouts = st.builds(
    Playout,
    secret=st.binary(min_size=32, max_size=32),
    rules=st.builds(
        Rules,
        st.sampled_from([0, 2, 4]),
        st.sampled_from(AceMode),
        st.booleans(),
        st.just(Rounds()) | stretches,
    ),
    seats=st.integers(2, 6).map(
        lambda count: tuple(HumanSeat(f"P{seat}") for seat in range(count))
    ),
    rng=st.integers(0, 2**32).map(random.Random),
    skill=st.sampled_from([1.0, 1.0, 0.98, 0.95, 0.9]),
)


@pytest.mark.long
@pytest.mark.parametrize("share", range(SHARES))
@settings(
    max_examples=scaled(1000) // SHARES,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a whole game shrinks too slowly
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(playout=playouts)
def test_every_state_of_a_random_game_keeps_the_rules(share: int, playout: Playout) -> None:
    playout.secret = hashlib.sha256(bytes([share]) + playout.secret).digest()
    whole = tuple(sorted(pack(playout.rules.jokers)))
    for count, state in enumerate(playout.states()):
        assert tuple(sorted(state.layout.all_cards())) == whole
        assert load(dump(state)) == state
        assert state.status is Status.FINISHED or len(state.layout.pile) + len(state.layout.stock)
        if count % EXHAUSTIVE == 0:
            check_moves(state)
    assert [event.seq for event in playout.events] == list(range(1, len(playout.events) + 1))
    check_rounds(playout, state)
    check_replay(playout, state)


def check_rounds(playout: Playout, state: Game) -> None:
    """Exactly the rounds of the options were played, the first one dealt by the first dealer."""
    rounds = playout.rules.rounds
    numbers = list(range(rounds.first, rounds.last + 1))
    for kind in (RoundDealt, RoundScored):
        assert [each.round for each in playout.events if isinstance(each.body, kind)] == numbers
    dealers = [each.body.dealer for each in playout.events if isinstance(each.body, RoundDealt)]
    seats = len(state.seats)
    assert dealers == [(state.first_dealer + number) % seats for number in range(len(numbers))]
    assert len(state.scored) == len(numbers)
    assert state.number == playout.events[-1].round == rounds.last


def check_moves(state: Game) -> None:
    """Listed moves are exactly the accepted ones, and a refused one changes nothing."""
    before = dump(state)
    for seat in range(len(state.seats)):
        assert games.legal_moves(state, seat) == (
            tuple(source for source in Source if accepts_draw(state, seat, source)),
            tuple(card for card in CARDS if accepts_discard(state, seat, card)),
        )
    assert dump(state) == before


def accepts_draw(state: Game, seat: int, source: Source) -> bool:
    try:
        games.draw(state, seat, source)
    except GameFinishedError:
        assert state.status is Status.FINISHED
        return False
    except NotYourTurnError:
        assert seat != state.layout.seat
        return False
    except WrongPhaseError:
        assert isinstance(state.round, Discarding)
        return False
    return True


def accepts_discard(state: Game, seat: int, card: Card) -> bool:
    try:
        games.discard(state, seat, card, go_out=False)
    except GameFinishedError:
        assert state.status is Status.FINISHED
        return False
    except NotYourTurnError:
        assert seat != state.layout.seat
        return False
    except WrongPhaseError:
        assert isinstance(state.round, Drawing)
        return False
    except CardNotInHandError:
        return False
    return True


def check_replay(playout: Playout, state: Game) -> None:
    """Secret and actions alone repeat the game, by a dealer that shares no code with it too."""
    replay = {
        "secret": state.secret.hex(),
        "commitment": commitment(state.secret),
        "rules": rules_body(state.rules),
        "seats": replay_seats(state.seats),
        "first_dealer": state.first_dealer,
        "actions": actions_body(playout.events),
        "events": [revealed(event, "") for event in playout.events],
    }
    Replayer(replay).check()
    assert repeated(state, replay["actions"]) == playout.events


def repeated(state: Game, actions: list[dict[str, object]]) -> list[Event]:
    step = games.open_game(state.secret, GameOptions(state.seats, state.rules))
    events = list(step.events)
    for action in actions:
        seat = int(str(action["seat"]))
        if action["type"] == "draw":
            step = games.draw(step.game, seat, Source(action["source"]))
        else:
            card = Card.parse(action["card"])
            step = games.discard(step.game, seat, card, bool(action["go_out"]))
        events += step.events
    assert step.game == state
    return events


@pytest.mark.parametrize("skill", [0.97, 0.5])
def test_every_event_of_play_is_counted_in_the_rules_of_a_game_at_rest(skill: float) -> None:
    seats = tuple(HumanSeat(name) for name in "ABC")
    playout = Playout(bytes(32), Rules(), seats, random.Random(1), skill)
    for state in playout.states():
        events = [event.body for event in playout.events if event.round == state.number]
        kinds = Counter(body.type for body in events if not isinstance(body, GameFinished))
        counted = invariants._events_of_play(state.round)
        assert counted == kinds.total(), f"{invariants.__file__} counts {counted} of {kinds}"


def test_careless_play_stalls_rounds_and_still_ends_the_game() -> None:
    playout = Playout(
        bytes(32),
        Rules(),
        (HumanSeat("A"), HumanSeat("B")),
        random.Random(1),
        skill=0.0,
        no_declare=1.0,
    )
    *_, last = playout.states()
    scored = [event.body for event in playout.events if type(event.body).__name__ == "RoundScored"]
    assert all(body.stalled and body.went_out is None for body in scored)
    assert len(scored) == ROUNDS
    check_replay(playout, last)
