"""Changes of a replay that a verifier must find, each at a random place.

A change keeps what it can in order: numbers without a gap, sums that fit. What nothing follows from
is not changed here: when a human came, was away and came back, and the moves in the last round of a
game that was abandoned.
"""

from __future__ import annotations

import copy
import hashlib
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any
from unittest.mock import patch

from engine import shuffle
from engine.shuffle import commitment
from tests.oracle import JOKER, RANKS, SUITS, card_points, is_wild
from tests.replays import Replay, abandoned, finished, stalled

Json = dict[str, Any]
Change = Callable[[Replay, random.Random], None]
CHANGES: dict[str, Change] = {}
ALL_CARDS = [*(rank + suit for rank in RANKS for suit in SUITS), JOKER]


def tampered(replay: Replay, name: str, number: int) -> Replay | None:
    """A changed copy of a replay, the place decided by the number; None if there is no place."""
    changed = copy.deepcopy(replay)
    try:
        CHANGES[name](changed, random.Random(f"{name} {number}"))
    except IndexError:  # a choice from no places
        return None
    return changed if changed != replay else None


def all_tampered(name: str, games: int) -> list[Replay]:
    """A change in so many finished and so many abandoned games, where these have a place for it."""
    replays = [play(number) for number in range(games) for play in (finished, abandoned)]
    if "refill" in name:
        replays.append(stalled(1))  # long, and others are hardly ever refilled
    changed = [tampered(replay, name, number) for number, replay in enumerate(replays)]
    return [replay for replay in changed if replay is not None]


def _change(change: Change) -> Change:
    CHANGES[change.__name__] = change
    return change


def events_of(replay: Replay, *kinds: str) -> list[Json]:
    return [event for event in replay["events"] if event["type"] in kinds]


def actions_of(replay: Replay, kind: str) -> list[Json]:
    return [action for action in replay["actions"] if action["type"] == kind]


def rows_of(replay: Replay) -> list[Json]:
    return [row for event in events_of(replay, "round_scored") for row in event["seats"]]


def things_of(replay: Replay) -> list[Json]:
    return [*replay["events"], *replay["actions"], *replay["seats"], *rows_of(replay)]


def renumber(replay: Replay) -> None:
    for seq, event in enumerate(replay["events"], 1):
        event["seq"] = seq


def add_up(replay: Replay) -> None:
    """Make all totals and the result fit the points of the rounds."""
    totals = [0] * len(replay["seats"])
    for row in rows_of(replay):
        totals[row["seat"]] += row["points"]
        row["total"] = totals[row["seat"]]
    for end in events_of(replay, "game_finished"):
        lowest = [seat for seat, total in enumerate(totals) if total == min(totals)]
        is_tie = len(lowest) > 1
        end.update(totals=totals, winner=None if is_tie else lowest[0], tied=lowest * is_tie)


def other_than(choices: list[Any], value: object, rng: random.Random) -> Any:
    return rng.choice([each for each in choices if each != value])


# A card changed


@_change
def card_of_an_event(replay: Replay, rng: random.Random) -> None:
    event = rng.choice(events_of(replay, "round_dealt", "card_drawn", "card_discarded"))
    name = "upcard" if event["type"] == "round_dealt" else "card"
    event[name] = other_than(ALL_CARDS, event[name], rng)


@_change
def discard_in_both_lists(replay: Replay, rng: random.Random) -> None:
    assert rng.choice(events_of(replay, "game_finished"))
    pairs = zip(actions_of(replay, "discard"), events_of(replay, "card_discarded"), strict=True)
    action, event = rng.choice(list(pairs))
    action["card"] = event["card"] = other_than(ALL_CARDS, event["card"], rng)


@_change
def card_of_a_shown_hand(replay: Replay, rng: random.Random) -> None:
    hands = [*rows_of(replay), *events_of(replay, "went_out")]
    lists = [hand[name] for hand in hands for name in ("hand", "deadwood") if hand.get(name)]
    melds = [meld for hand in hands for meld in hand["melds"]]
    lists += [meld[name] for meld in melds for name in ("cards", "stands_for")]
    cards = rng.choice(lists)
    place = rng.randrange(len(cards))
    cards[place] = other_than(ALL_CARDS, cards[place], rng)


# A shuffle swapped


@_change
def upcards_swapped(replay: Replay, rng: random.Random) -> None:
    deals = events_of(replay, "round_dealt")
    one = rng.choice(deals)
    other = rng.choice([deal for deal in deals if deal["upcard"] != one["upcard"]])
    one["upcard"], other["upcard"] = other["upcard"], one["upcard"]


@_change
def drawn_cards_swapped(replay: Replay, rng: random.Random) -> None:
    draws = [event for event in events_of(replay, "card_drawn") if event["source"] == "stock"]
    one = rng.choice(draws)
    other = rng.choice([draw for draw in draws if draw["card"] != one["card"]])
    one["card"], other["card"] = other["card"], one["card"]


@contextmanager
def swapped_shuffles(seed: int) -> Iterator[None]:
    """Within it one round is dealt, or all stocks are refilled, or the game begun otherwise.

    So a whole game is played by the rules that its secret does not give.
    """
    deal, refill, first_dealer = shuffle.deal, shuffle.refill, shuffle.first_dealer
    kind, swapped = ("deal", "refill", "first dealer")[seed % 3], 1 + seed % 11

    def other_deal(secret: bytes, number: int, *rest: int) -> Any:
        key = hashlib.sha256(secret).digest() if kind == "deal" and number == swapped else secret
        return deal(key, number, *rest)

    def other_refill(secret: bytes, number: int, count: int, cards: Any) -> Any:
        return refill(secret, number, count + (kind == "refill"), cards)

    def other_dealer(secret: bytes, seats: int) -> int:
        return (first_dealer(secret, seats) + (kind == "first dealer")) % seats

    with (
        patch.object(shuffle, "deal", other_deal),
        patch.object(shuffle, "refill", other_refill),
        patch.object(shuffle, "first_dealer", other_dealer),
    ):
        yield


# A score off by one


@_change
def points_off_by_one(replay: Replay, rng: random.Random) -> None:
    rng.choice(rows_of(replay))[rng.choice(["points", "total"])] += rng.choice([-1, 1])


@_change
def points_off_by_one_in_all_sums(replay: Replay, rng: random.Random) -> None:
    rng.choice(rows_of(replay))["points"] += rng.choice([-1, 1])
    add_up(replay)


@_change
def final_total_off_by_one(replay: Replay, rng: random.Random) -> None:
    totals = rng.choice(events_of(replay, "game_finished"))["totals"]
    totals[rng.randrange(len(totals))] += rng.choice([-1, 1])


@_change
def another_winner(replay: Replay, rng: random.Random) -> None:
    end = rng.choice(events_of(replay, "game_finished"))
    end["winner"] = other_than([None, *range(len(replay["seats"]))], end["winner"], rng)
    end["tied"] = [0, 1] if end["winner"] is None else []


# Another secret


@_change
def another_secret(replay: Replay, rng: random.Random) -> None:
    secret = rng.randbytes(32)
    replay.update(secret=secret.hex(), commitment=commitment(secret))
    events_of(replay, "game_finished", "game_abandoned")[0]["secret"] = secret.hex()


@_change
def another_commitment(replay: Replay, rng: random.Random) -> None:
    replay["commitment"] = rng.randbytes(32).hex()


@_change
def another_secret_at_the_end(replay: Replay, rng: random.Random) -> None:
    events_of(replay, "game_finished", "game_abandoned")[0]["secret"] = rng.randbytes(32).hex()


# Events and actions left out, added and moved


@_change
def event_left_out(replay: Replay, rng: random.Random) -> None:
    replay["events"].remove(rng.choice(replay["events"]))


@_change
def event_left_out_and_the_rest_renumbered(replay: Replay, rng: random.Random) -> None:
    free = ("seat_away", "seat_returned")
    found = rng.choice([event for event in replay["events"] if event["type"] not in free])
    replay["events"].remove(found)
    renumber(replay)


@_change
def going_out_left_out(replay: Replay, rng: random.Random) -> None:
    replay["events"].remove(rng.choice(events_of(replay, "went_out")))
    renumber(replay)


@_change
def refill_left_out(replay: Replay, rng: random.Random) -> None:
    replay["events"].remove(rng.choice(events_of(replay, "stock_reshuffled")))
    renumber(replay)


@_change
def turn_left_out(replay: Replay, rng: random.Random) -> None:
    """One seat's draw and discard, out of both lists; without its last one a game is whole."""
    turn = rng.choice(range(len(replay["actions"]) // 2 - 1))
    for kind in ("card_drawn", "card_discarded"):
        replay["events"].remove(events_of(replay, kind)[turn])
    del replay["actions"][2 * turn : 2 * turn + 2]
    renumber(replay)


@_change
def game_cut_short(replay: Replay, rng: random.Random) -> None:
    del replay["events"][rng.randrange(len(replay["events"])) :]
    moves = len(events_of(replay, "card_drawn", "card_discarded"))
    del replay["actions"][moves:]


@_change
def event_twice(replay: Replay, rng: random.Random) -> None:
    place = rng.randrange(len(replay["events"]))
    replay["events"].insert(place, copy.deepcopy(replay["events"][place]))
    renumber(replay)


@_change
def event_after_the_end(replay: Replay, rng: random.Random) -> None:
    replay["events"].append(rng.choice([{}, *replay["events"]]))


@_change
def human_who_comes_during_the_game(replay: Replay, rng: random.Random) -> None:
    draw = rng.choice(events_of(replay, "card_drawn"))
    joined = {**events_of(replay, "seat_joined")[0], "round": draw["round"]}
    replay["events"].insert(replay["events"].index(draw), joined)
    renumber(replay)


@_change
def events_swapped(replay: Replay, rng: random.Random) -> None:
    events = replay["events"]
    moves = ("round_dealt", "card_drawn", "card_discarded", "went_out", "round_scored")
    pairs = enumerate(pairwise(event["type"] in moves for event in events), 1)
    place = rng.choice([place for place, are_moves in pairs if all(are_moves)])
    events[place - 1], events[place] = events[place], events[place - 1]
    renumber(replay)


@_change
def action_left_out(replay: Replay, rng: random.Random) -> None:
    replay["actions"].pop(rng.choice(range(len(replay["actions"]))))


@_change
def action_twice(replay: Replay, rng: random.Random) -> None:
    place = rng.choice(range(len(replay["actions"])))
    replay["actions"].insert(place, dict(replay["actions"][place]))


@_change
def action_after_the_end(replay: Replay, rng: random.Random) -> None:
    replay["actions"].append(dict(rng.choice(replay["actions"])))


@_change
def draw_from_nowhere(replay: Replay, rng: random.Random) -> None:
    pairs = zip(actions_of(replay, "draw"), events_of(replay, "card_drawn"), strict=True)
    action, event = rng.choice(list(pairs))
    action["source"] = event["source"] = "sleeve"


@_change
def draw_from_the_wrong_pile(replay: Replay, rng: random.Random) -> None:
    draw = rng.choice(actions_of(replay, "draw"))
    draw["source"] = other_than(["stock", "discard"], draw["source"], rng)


@_change
def draw_from_the_wrong_pile_in_both_lists(replay: Replay, rng: random.Random) -> None:
    pairs = zip(actions_of(replay, "draw"), events_of(replay, "card_drawn"), strict=True)
    action, event = rng.choice(list(pairs))
    action["source"] = event["source"] = other_than(["stock", "discard"], event["source"], rng)


@_change
def going_out_undeclared(replay: Replay, rng: random.Random) -> None:
    """The discard after which a seat went out says that it would not."""
    kinds = [each["type"] for each in events_of(replay, "card_discarded", "went_out")]
    out = rng.choice([place for place, kind in enumerate(kinds) if kind == "went_out"])
    actions_of(replay, "discard")[kinds[:out].count("card_discarded") - 1]["go_out"] = False


@_change
def going_out_that_is_no_flag(replay: Replay, rng: random.Random) -> None:
    rng.choice(actions_of(replay, "discard"))["go_out"] = rng.choice([None, 1, "true"])


@_change
def going_out_with_cards_in_no_meld(replay: Replay, rng: random.Random) -> None:
    melds = rng.choice(events_of(replay, "went_out"))["melds"]
    melds.remove(rng.choice(melds))


@_change
def hand_not_scored(replay: Replay, rng: random.Random) -> None:
    rows = rng.choice(events_of(replay, "round_scored"))["seats"]
    rows.remove(rng.choice(rows))


# Melds


@_change
def illegal_meld(replay: Replay, rng: random.Random) -> None:
    """A card of the deadwood is put in a meld, where it cannot fit: the deadwood is the least."""
    row = rng.choice([row for row in rows_of(replay) if row["melds"] and row["deadwood"]])
    card = row["deadwood"].pop(rng.randrange(len(row["deadwood"])))
    meld = rng.choice(row["melds"])
    place = rng.choice([0, len(meld["cards"])])
    meld["cards"].insert(place, card)
    meld["stands_for"].insert(place, card)
    count_again(replay)


@_change
def meld_of_two_cards(replay: Replay, rng: random.Random) -> None:
    pairs = [(row, a, b) for row in rows_of(replay) for a in row["deadwood"] for b in row["hand"]]
    row, a, b = rng.choice([(row, a, b) for row, a, b in pairs if a < b and b in row["deadwood"]])
    row["deadwood"] = [card for card in row["deadwood"] if card not in (a, b)]
    kind = "set" if a[0] == b[0] else "run"
    row["melds"].append({"kind": kind, "cards": [a, b], "stands_for": [a, b]})
    count_again(replay)


@_change
def card_in_two_melds(replay: Replay, rng: random.Random) -> None:
    row = rng.choice([row for row in rows_of(replay) if row["melds"]])
    row["melds"].append(copy.deepcopy(rng.choice(row["melds"])))


def count_again(replay: Replay) -> None:
    """Make the points of each row those of its deadwood."""
    for scored in events_of(replay, "round_scored"):
        wild = RANKS[scored["round"] + 1]
        for row in scored["seats"]:
            costs = (card_points(card, wild, replay["rules"]["aces"]) for card in row["deadwood"])
            row["points"] = sum(costs)
    add_up(replay)


@_change
def complete_hand_scored_with_cards(replay: Replay, rng: random.Random) -> None:
    row = rng.choice([row for row in rows_of(replay) if not row["deadwood"]])
    row["melds"], row["deadwood"] = [], list(row["hand"])
    count_again(replay)


@_change
def wild_beside_a_set_scored_with_cards(replay: Replay, rng: random.Random) -> None:
    places = [
        (row, meld, place)
        for scored in events_of(replay, "round_scored")
        for row in scored["seats"]
        for meld in row["melds"]
        for place, card in enumerate(meld["cards"])
        if meld["kind"] == "set"
        and len(meld["cards"]) > 3
        and is_wild(card, RANKS[scored["round"] + 1])
    ]
    row, meld, place = rng.choice(places)
    del meld["stands_for"][place]
    left = [*row["deadwood"], meld["cards"].pop(place)]
    row["deadwood"] = [card for card in row["hand"] if _taken(card, left)]
    count_again(replay)


def _taken(card: str, cards: list[str]) -> bool:
    """Whether a card was among these, from which it is taken."""
    if card in cards:
        cards.remove(card)
        return True
    return False


@_change
def meld_of_the_other_kind(replay: Replay, rng: random.Random) -> None:
    meld = rng.choice([meld for row in rows_of(replay) for meld in row["melds"]])
    meld["kind"] = other_than(["run", "set"], meld["kind"], rng)


@_change
def wild_that_stands_for_another_card(replay: Replay, rng: random.Random) -> None:
    melds = [
        (meld, RANKS[event["round"] + 1])
        for event in events_of(replay, "round_scored")
        for row in event["seats"]
        for meld in row["melds"]
    ]
    meld, wild = rng.choice(melds)
    places = [place for place, card in enumerate(meld["cards"]) if is_wild(card, wild)]
    place = rng.choice(places)
    meld["stands_for"][place] = other_than(ALL_CARDS, meld["stands_for"][place], rng)


# Seats, dealers, rounds and options


@_change
def seats_swapped(replay: Replay, rng: random.Random) -> None:
    """Each of two seats has what the other did, in all lists."""
    a, b = rng.sample(range(len(replay["seats"])), 2)
    for thing in [*replay["events"], *replay["actions"], *rows_of(replay)]:
        if thing.get("seat") in (a, b):
            thing["seat"] = a + b - thing["seat"]


@_change
def human_and_ai_swapped(replay: Replay, rng: random.Random) -> None:
    human = rng.choice([seat for seat in replay["seats"] if seat["kind"] == "human"])
    other = rng.choice([seat for seat in replay["seats"] if seat["kind"] == "ai"])
    for name in ("kind", "level", "name"):
        human[name], other[name] = other[name], human[name]


@_change
def seat_of_another_position(replay: Replay, rng: random.Random) -> None:
    rng.choice(replay["seats"])["position"] = "elsewhere"


@_change
def seat_of_no_player(replay: Replay, rng: random.Random) -> None:
    rng.choice(replay["seats"]).update(rng.choice([{"kind": "robot"}, {"level": 1}]))


@_change
def another_first_dealer(replay: Replay, rng: random.Random) -> None:
    seats = list(range(len(replay["seats"])))
    replay["first_dealer"] = other_than([None, *seats], replay["first_dealer"], rng)


@_change
def another_figure_of_a_deal(replay: Replay, rng: random.Random) -> None:
    deal = rng.choice(events_of(replay, "round_dealt"))
    dealer = (deal["dealer"] + 1) % len(replay["seats"])
    changes = ({"dealer": dealer}, {"hand_size": deal["hand_size"] + 1}, {"wild_rank": "2"})
    deal.update(rng.choice(changes))


@_change
def another_count_of_a_refill(replay: Replay, rng: random.Random) -> None:
    rng.choice(events_of(replay, "stock_reshuffled"))["stock_count"] += rng.choice([-1, 1])


@_change
def another_end_of_a_round(replay: Replay, rng: random.Random) -> None:
    scored = rng.choice(events_of(replay, "round_scored"))
    out = other_than([None, *range(len(replay["seats"]))], scored["went_out"], rng)
    scored.update(rng.choice([{"stalled": not scored["stalled"]}, {"went_out": out}]))


@_change
def another_number_of_jokers(replay: Replay, rng: random.Random) -> None:
    assert rng.choice(replay["actions"])
    replay["rules"]["jokers"] = other_than([0, 2, 4], replay["rules"]["jokers"], rng)


@_change
def other_rounds(replay: Replay, rng: random.Random) -> None:
    assert rng.choice(events_of(replay, "game_finished"))
    replay["rules"]["rounds"] = rng.choice([{"first": 1, "last": 10}, {"first": 2, "last": 11}])


# The shape


@_change
def field_more(replay: Replay, rng: random.Random) -> None:
    rng.choice(things_of(replay))[rng.choice(["hidden", "__proto__"])] = {}


@_change
def field_less(replay: Replay, rng: random.Random) -> None:
    thing = rng.choice(things_of(replay))
    thing.pop(rng.choice(list(thing)))


@_change
def time_left_out(replay: Replay, rng: random.Random) -> None:
    rng.choice(replay["events"])["at"] = rng.choice([None, 0])


@_change
def value_of_another_type(replay: Replay, rng: random.Random) -> None:
    thing = rng.choice(things_of(replay))
    name = rng.choice([name for name in thing if name not in ("at", "name")])
    thing[name] = rng.choice([f"{thing[name]} ", [thing[name]], {"of": thing[name]}])
