"""Non-interference: no answer depends on what its caller may not know.

Two instances of the service, each over its own store, hold the same game, but everything that the
viewer may not know differs: the stock, the other hands, the secret, the cards that others drew.

    store the pair -> send every call to both -> play the same moves in both -> compare

Streams are watched all the while, as the viewer and as a spectator; what they send is an answer.

The status, headers and body of every answer must be equal, byte for byte, until the first event
that the hidden difference itself changes; `permitted_differences` says which events may differ.
Ids, tokens, clock, request ids, the commitment and the AI players' randomness are equal in both.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from engine.cards import CARDS
from engine.game import Game, Status
from engine.round import Drawing, Source
from engine.seats import SeatKind, has_joined
from tests.chaos.access import call_sets, calls, positions
from tests.chaos.access.calls import Call
from tests.chaos.access.instance import Answer, Instance, Leak, difference
from tests.chaos.access.permitted_differences import PermittedDifferences
from tests.chaos.trial import Outcome, Trial
from tests.clock import Clock
from tests.nodes import throwaway_server, wait_for
from tests.sinks import Sink

MOVES = 6
TRIED_CARDS = 3
_POLL_SECONDS = 0.002


@dataclass
class Comparison:
    """Counts of what was compared and how the pairs ended, and every violation."""

    counts: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def summary(self) -> str:
        """The counts as one line."""
        line = (
            "{pairs} pairs: {waiting} waiting, {final} in final turns, {ai_hands_equal} with equal"
            " AI hands; {answers} answers and {bytes} bytes were equal, {streamed} bytes of"
            " streams, {moves} moves; {diverged} pairs ended at a permitted difference"
        )
        return line.format_map(self.counts)


@dataclass
class GamePair:
    """One game in two instances; `diverged` once an answer differed and nothing can be compared.

    With `ai_hands_equal` the AI players' hands and the next cards of the stock do not differ.
    """

    instances: tuple[Instance, Instance]
    comparison: Comparison
    seed: int
    viewer: int | None
    ai_hands_equal: bool
    rng: random.Random
    clock: Clock
    start: int = 0
    diverged: bool = False
    streams: list[tuple[Sink, Sink]] = field(default_factory=list)

    @property
    def game_id(self) -> str:
        """The id of the game, equal in both instances."""
        return f"pair{self.seed:018}"

    @property
    def token(self) -> str | None:
        """The viewer's token; None for a spectator."""
        return None if self.viewer is None else positions.token(self.viewer)

    def games(self) -> tuple[Game, Game]:
        """The two games as they are stored now."""
        first, second = self.instances
        return first.game(self.game_id), second.game(self.game_id)

    def begin(self, position: positions.Position) -> None:
        """Store the position in both instances, with other hidden cards in the second."""
        other = positions.with_other_hidden_cards(
            position, self.viewer, self.rng, ai_hands_equal=self.ai_hands_equal
        )
        version = self.rng.randint(1, 900)
        for instance, one in zip(self.instances, (position, other), strict=True):
            positions.store_position(instance.store, self.game_id, one, version)
        self.start = position.game.seq
        self.comparison.counts.update(
            pairs=1,
            ai_hands_equal=self.ai_hands_equal,
            waiting=position.game.round is None,
            final=position.game.round is not None and position.game.layout.is_final,
            differing=other.game.round != position.game.round or position.game.round is None,
        )
        self._send_every_call(position.game, version)
        for token in {self.token: None, None: None}:
            first, second = (instance.watch(self.game_id, token) for instance in self.instances)
            self.streams.append((first, second))
        self._compare_streams()

    def end(self) -> None:
        """Watch no more, and delete the game from both stores."""
        for sink in chain(*self.streams):
            sink.on_close()
        for instance in self.instances:
            stored, _ = instance.store.read(self.game_id)
            assert stored is None or instance.store.delete(self.game_id, stored.version)

    def _send_every_call(self, game: Game, version: int) -> None:
        """Send every read and every call that is refused, as the viewer and with a false token."""
        viewer = "s" if self.viewer is None else str(self.viewer)
        cards = [str(card) for card in self.rng.sample(CARDS, TRIED_CARDS)]
        for call in call_sets.all_reads_and_refusals(version, viewer, game.seq, cards):
            self.send(call, self.token)
        for call in call_sets.every_operation():
            self.send(call, "of-no-seat")
        for call in call_sets.refused(game, self.viewer):
            self.send(call, self.token)

    def send(self, call: Call, token: str | None) -> None:
        """Send a call to both instances; if the answers differ, the pair ends."""
        if self.diverged:
            return
        first, second = (instance.answer(self.game_id, token, call) for instance in self.instances)
        if first == second:
            size = len(first[2]) + sum(len(name) + len(value) for name, value in first[1])
            self.comparison.counts.update({"answers": 1, "bytes": size, f"{first[0]}": 1})
        else:
            self._end_at_difference(call, first, second)

    def _compare_streams(self) -> None:
        """Wait until the streams have shown everything; if they differ, the pair ends."""
        if self.diverged:
            return
        wait_for(self._has_shown_all, f"the streams of seed {self.seed}", poll=_POLL_SECONDS)
        for first, second in self.streams:
            one, other = ((200, (), each.received) for each in (first, second))
            if one != other:
                self._end_at_difference(calls.stream(), one, other)
                return
            self.comparison.counts["streamed"] += len(first.received)

    def _has_shown_all(self) -> bool:
        """Whether overdue turns are applied, if a seat watches, and every stream is up to date."""
        for number, instance in enumerate(self.instances):
            if self.viewer is not None and instance.is_overdue(self.game_id, self.clock.now):
                return False
            seq = instance.game(self.game_id).seq
            sinks = [each[number] for each in self.streams]
            if not all(sink.has_ended or sink.last_seq == seq for sink in sinks):
                return False
        return True

    def _end_at_difference(self, call: Call, first: Answer, second: Answer) -> None:
        """End the pair; a violation, unless the first differing event is permitted."""
        self.diverged = True
        game = self.games()[0]
        ai = {
            seat
            for seat, each in enumerate(game.seats)
            if each.kind is SeatKind.AI and self.ai_hands_equal
        }
        own = set() if self.viewer is None else {self.viewer}
        permitted = PermittedDifferences(
            self.viewer,
            frozenset(ai | own),
            equal_draws=self.ai_hands_equal,
            first_round=game.rules.rounds.first,
        )
        violation = permitted.violation(*map(self._events, self.instances))
        if violation is None:
            self.comparison.counts["diverged"] += 1
        else:
            where = f"seed {self.seed}, viewer {self.viewer}, {call}"
            self.comparison.violations.append(f"{where}: {violation}; {difference(first, second)}")

    def _events(self, instance: Instance) -> list[dict[str, Any]]:
        """The events since the game was stored, as the viewer may read them."""
        call = calls.get(f"/events?after={self.start}&limit=1000")
        _, _, body = instance.answer(self.game_id, self.token, call)
        events: list[dict[str, Any]] = json.loads(body)["events"]
        return events

    def send_reads(self) -> None:
        """Send the reads whose answers may have changed."""
        for call in call_sets.short_reads(self.start):
            self.send(call, self.token)

    def play(self) -> None:
        """Play the game on with the same moves in both instances, until they differ."""
        game = self.games()[0]
        if game.round is None:
            self._join_all(game)
        elif game.deadline is not None and self.rng.random() < 0.5:
            self.clock.now = game.deadline
        for _ in range(MOVES):
            self._compare_streams()
            self.send_reads()
            if self.diverged or self.games()[0].status is not Status.PLAYING:
                return
            self._move()
        self._leave()

    def _move(self) -> None:
        """One move of the seat whose turn it is, with a new idempotency key."""
        games = self.games()
        mover = games[0].layout.seat
        call = self._move_possible_in_both(games, f"key-{self.rng.getrandbits(64)}")
        if call is None:
            self.diverged = True
        elif mover == self.viewer:
            self.send(call, self.token)
            self.send(call, self.token)
        else:  # the mover may know its own cards, so its answers may differ
            for instance in self.instances:
                instance.answer(self.game_id, positions.token(mover), call)
        self.comparison.counts["moves"] += call is not None

    def _move_possible_in_both(self, games: tuple[Game, Game], key: str) -> Call | None:
        """A move that is legal in both instances; None where the two hands share no card."""
        if isinstance(games[0].round, Drawing):
            source = self.rng.choice(list(Source)).value
            return calls.post("/draw", {"source": source}, Idempotency_Key=key)
        both = set(games[0].layout.hand) & set(games[1].layout.hand)
        if not both:
            return None
        card, go_out = self.rng.choice(sorted(both)), self.rng.random() < 0.5
        return calls.post("/discard", {"card": str(card), "go_out": go_out}, Idempotency_Key=key)

    def _join_all(self, game: Game) -> None:
        """Join every human seat that is still free, one by one."""
        for seat, each in enumerate(game.seats):
            if not has_joined(each):
                self.send_reads()
                self.send(calls.post("/seats", {"invite": positions.invite(seat)}), None)
                self._compare_streams()

    def _leave(self) -> None:
        """The viewer leaves the game and reads it as a spectator."""
        if self.viewer is not None:
            self._compare_streams()  # its stream may end before it has shown the last move
            self.send(calls.LEAVE, self.token)
            self.send(calls.get(), self.token)
            self.viewer = None
            self._compare_streams()
            self.send_reads()


def compare(
    pairs: int, leak: Leak | None = None, *, start: int = 0, first: bool = False
) -> Comparison:
    """Compare pairs from seed `start` on; with `first`, stop at the first violation.

    `leak` changes the answers of both instances on purpose.
    """
    comparison, clock = Comparison(), Clock(positions.NOW)
    with throwaway_server() as server, positions.fixed_randomness():
        instances = (Instance(server.url, clock, leak), Instance(f"{server.url}?db=1", clock, leak))
        for seed, position in islice(enumerate(positions.positions()), start, start + pairs):
            if first and comparison.violations:
                break
            rng = random.Random(f"pair {seed}")
            viewer = rng.choice([None, *position.game.humans])
            ai_hands_equal = rng.random() < 0.5
            clock.now = positions.NOW
            pair = GamePair(instances, comparison, seed, viewer, ai_hands_equal, rng, clock)
            pair.begin(position)
            pair.play()
            pair.end()
    return comparison


def noninterference(pairs: int = 2_000) -> Outcome:
    """Every answer is equal in two instances that differ only in what the caller may not know."""
    comparison = compare(pairs)
    return Outcome(comparison.summary(), comparison.violations)


TRIALS = [
    Trial(
        "No answer depends on what its caller may not know.",
        "Two instances of a game that differ only in hidden cards get the same calls; every answer"
        " is compared byte for byte",
        noninterference,
    )
]
