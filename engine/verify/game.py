"""A whole game, played again from its secret and actions."""

from __future__ import annotations

from engine.verify.comparison import quoted
from engine.verify.dealing import commitment, first_dealer
from engine.verify.listing import ContradictionError, Listing
from engine.verify.membership import Membership
from engine.verify.replay import Replay
from engine.verify.rounds import Round


def problems(replay: Replay) -> list[str]:
    """What is wrong with a replay, in words; empty where it is what its secret and actions give.

    The play is followed to its first contradiction, since what comes after depends on it.
    """
    found = []
    digest = commitment(replay.secret)
    if replay.commitment != digest:
        found.append(f"the commitment should be {digest}, but is {replay.commitment}")
    try:
        _play(replay)
    except ContradictionError as error:
        found.append(str(error))
    return found


def _play(replay: Replay) -> None:
    listing = Listing(replay.actions, replay.events)
    membership = Membership(replay, listing)
    dealer = _first_dealer(replay, listing)
    was_dealt = membership.follow(mover=None)
    if was_dealt:
        membership.check_complete()
        _play_rounds(replay, dealer, membership, listing)
    listing.expect_end()
    membership.check_seats(was_dealt=was_dealt)


def _first_dealer(replay: Replay, listing: Listing) -> int:
    """The seat that deals first: the secret decides, unless a rematch goes on from its game."""
    listed, seats = replay.first_dealer, len(replay.seats)
    if replay.is_rematch:
        if type(listed) is not int or not 0 <= listed < seats:
            listing.fail(f"the first dealer is {quoted(listed)}, which is no seat")
        return listed
    dealer = first_dealer(replay.secret, seats)
    if type(listed) is not int or listed != dealer:
        listing.fail(f"the first dealer should be {dealer}, but is {quoted(listed)}")
    return dealer


def _play_rounds(replay: Replay, dealer: int, membership: Membership, listing: Listing) -> None:
    """Play each round, the deal passing on, and expect the end of the game."""
    seats, (first, last) = len(replay.seats), replay.rounds
    totals = [0] * seats
    for number in range(first, last + 1):
        dealing = (dealer + number - first) % seats
        if not Round(replay, number, dealing, listing).play(membership, totals):
            return
    lowest = [seat for seat, total in enumerate(totals) if total == min(totals)]
    is_tie = len(lowest) > 1
    listing.expect(
        "game_finished",
        winner=None if is_tie else lowest[0],
        tied=lowest if is_tie else [],
        totals=totals,
        secret=replay.secret.hex(),
    )
