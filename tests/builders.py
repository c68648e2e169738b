"""Short forms for cards, hands, seats and rules in tests."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cards import Card, Rank, parse_cards
from engine.melds import Meld
from engine.rules import AceMode, Rounds, Rules
from engine.seats import AiSeat, HumanSeat, Level, Seat

ANN = HumanSeat("Ann")


def card(code: str) -> Card:
    return Card.parse(code)


def hand(codes: str) -> tuple[Card, ...]:
    """The sorted hand of card codes that spaces separate."""
    return tuple(sorted(parse_cards(codes)))


def write_cards(cards: Iterable[Card]) -> str:
    """The codes of cards with spaces between them, in the given order."""
    return " ".join(map(str, cards))


def rank(code: str) -> Rank:
    return Rank.parse(code)


def meld(codes: str, wild: str = "K", aces: str = "low") -> Meld:
    return Meld(parse_cards(codes), rank(wild), AceMode(aces))


def ai(level: str = "medium", name: str = "Bot") -> Seat:
    return AiSeat(name, Level(level))


def default_table() -> tuple[Seat, ...]:
    return (ANN, ai(name="Left"), ai(name="Top"), ai(name="Right"))


def humans(count: int) -> tuple[Seat, ...]:
    """A table of humans only: every move is made by the test."""
    return tuple(HumanSeat(f"P{number}") for number in range(count))


def secret(number: int) -> bytes:
    return number.to_bytes(32, "big")


def rules(jokers: int = 0, aces: str = "low", rounds: tuple[int, int] = (1, 11)) -> Rules:
    return Rules(jokers, AceMode(aces), rounds=Rounds(*rounds))
