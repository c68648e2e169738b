"""What each operation answers, and what a problem says."""

from __future__ import annotations

from marshmallow import fields, validate

from service.http.problems.catalogue import PROBLEMS
from service.http.schemas.events import SeatScore, events_field
from service.http.schemas.strict_fields import CARD_PATTERN
from service.http.schemas.views import (
    Game,
    ReplySchema,
    Result,
    Rules,
    count_field,
    flag_field,
    hex_field,
    round_field,
    seat_field,
    text_field,
    totals_field,
    wild_field,
)


class Invite(ReplySchema):
    """A single-use code for a human seat."""

    seat = seat_field("The seat it is for.")
    code = text_field("The code.")


class CreatedGame(ReplySchema):
    """A new game with the token of whoever made it."""

    seat = seat_field("Your seat: the creator's is 0.")
    token = text_field("The seat's token: shown once, send it as `Authorization: Bearer <token>`.")
    invites = fields.List(
        fields.Nested(Invite),
        metadata={"description": "One for each further human: pass it on, it takes the seat once."},
    )
    game = fields.Nested(Game)
    events = events_field("Everything that happened so far.")


class RematchedGame(ReplySchema):
    """The game that follows a finished one, with the token of whoever asked for it."""

    seat = seat_field("Your seat: the one that you had in the finished game.")
    token = text_field(
        "Your new token: shown once, send it as `Authorization: Bearer <token>`. The one of the "
        "finished game still reads that game, and nothing of this one."
    )
    invites = fields.List(
        fields.Nested(Invite),
        validate=validate.Length(max=0),
        metadata={
            "description": "Always empty: the other humans join with their tokens of the finished "
            "game."
        },
    )
    game = fields.Nested(Game)
    events = events_field(
        "Everything that happened so far: the first deal, unless others have yet to join."
    )


class JoinedGame(ReplySchema):
    """A game with the token of the seat just taken."""

    seat = seat_field("Your seat.")
    token = text_field("The seat's token: shown once, send it as `Authorization: Bearer <token>`.")
    game = fields.Nested(Game)
    events = events_field("Your joining and everything it caused.")


class Moved(ReplySchema):
    """The game after a move."""

    game = fields.Nested(Game)
    events = events_field("The move and everything it caused.")


class RoundScore(ReplySchema):
    """A round that is over."""

    number = round_field("The round's number.")
    wild_rank = wild_field()
    went_out = seat_field("The seat that went out; null if the round stalled.", allow_none=True)
    stalled = flag_field("Whether the round was stopped because nobody went out.")
    seats = fields.List(fields.Nested(SeatScore))


class Scores(ReplySchema):
    """All rounds that are over."""

    rounds = fields.List(fields.Nested(RoundScore))
    totals = totals_field()
    result = fields.Nested(Result, allow_none=True)


class HintAction(ReplySchema):
    """The recommended move: `source` while a draw is due, `card` while a discard is."""

    source = text_field(
        "Where to draw from.",
        validate=validate.OneOf(["stock", "discard"]),
        metadata={"sometimes": True},
    )
    card = text_field("What to discard.", metadata={"sometimes": True, "pattern": CARD_PATTERN})


class HintOption(HintAction):
    """One move there is, with its figures: those of a discard have all of them."""

    expected_deadwood = fields.Float(
        validate=validate.Range(min=0),
        metadata={
            "description": "The least deadwood to be expected: of a draw, after it and the best "
            "discard; of a discard, after one turn from the stock more."
        },
    )
    deadwood = fields.Integer(
        strict=True,
        validate=validate.Range(min=0),
        metadata={"description": "Of a discard: the deadwood it leaves.", "sometimes": True},
    )
    improving_cards = fields.Integer(
        strict=True,
        validate=validate.Range(min=0),
        metadata={
            "description": "Of a discard: how many unseen cards would lower that.",
            "sometimes": True,
        },
    )


class HintReply(ReplySchema):
    """What the strongest AI player would do in your place."""

    phase = text_field("What is due.", validate=validate.OneOf(["draw", "discard"]))
    action = fields.Nested(HintAction)
    reason = text_field("Why, in one sentence.")
    options = fields.List(fields.Nested(HintOption))


class EventPage(ReplySchema):
    """Events in order."""

    events = events_field("The events, as you may see them.")
    last_seq = count_field("The seq of the game's last event.")
    more = flag_field("Whether there are events after the last one listed.")


class ReplaySeat(ReplySchema):
    """Who played a seat."""

    seat = seat_field("The seat.")
    position = text_field("Where the seat was.", allow_none=True)
    kind = text_field("Who played.", validate=validate.OneOf(["human", "ai"]))
    name = text_field("What the seat was called.")
    level = text_field("An AI player's strength.", allow_none=True)


class Action(ReplySchema):
    """One move: a draw has `source`, a discard has `card` and `go_out`."""

    seat = seat_field("Who moved.")
    round = fields.Integer(strict=True)
    type = fields.String(validate=validate.OneOf(["draw", "discard"]))
    source = text_field("Of a draw.", metadata={"sometimes": True})
    card = text_field("Of a discard.", metadata={"sometimes": True, "pattern": CARD_PATTERN})
    go_out = fields.Boolean(metadata={"sometimes": True, "description": "Of a discard."})


class Replay(ReplySchema):
    """All that is needed to play a finished game again, and what happened in it."""

    secret = hex_field("The game's secret.")
    commitment = hex_field("Its SHA-256, as published when the game began.")
    rules = fields.Nested(Rules)
    seats = fields.List(fields.Nested(ReplaySeat))
    first_dealer = seat_field("Who dealt the first round.")
    rematch_of = text_field(
        "The id of the game that this one followed; null where the secret chose the first dealer.",
        allow_none=True,
    )
    actions = fields.List(fields.Nested(Action))
    events = events_field("Every event, all cards shown.")


class FaultReply(ReplySchema):
    """One thing wrong with a request."""

    pointer = text_field("Where: a JSON pointer; `/query/…` and `/header/…` outside the body.")
    detail = text_field("What is wrong there.")


class ProblemReply(ReplySchema):
    """Why a request was refused, and what to do (RFC 9457)."""

    type = text_field("The problem's address.", metadata={"format": "uri-reference"})
    title = text_field("The kind of problem.")
    status = fields.Integer(strict=True, metadata={"description": "The HTTP status."})
    detail = text_field("What happened, and what to do about it.")
    code = text_field("The problem's code.", validate=validate.OneOf(list(PROBLEMS)))
    expected = fields.Raw(
        metadata={
            "description": "The phase that is due, or the number of the seat that is to move.",
            "type": ["string", "integer"],
            "sometimes": True,
        }
    )
    version = fields.Integer(
        strict=True,
        metadata={
            "description": "The current version of the game: of `stale-version`, and of every "
            "409 that a move in it gets.",
            "sometimes": True,
        },
    )
    rematch = text_field(
        "Of `rematch-made`: the id of the game's rematch.", metadata={"sometimes": True}
    )
    errors = fields.List(
        fields.Nested(FaultReply),
        metadata={"description": "Every fault that was found.", "sometimes": True},
    )


class ProblemPage(ReplySchema):
    """One kind of problem."""

    type = text_field("The problem's address.", metadata={"format": "uri-reference"})
    code = text_field("The problem's code.", validate=validate.OneOf(list(PROBLEMS)))
    status = fields.Integer(strict=True)
    title = text_field("The kind of problem.")
    remedy = text_field("What to do about it.")


class ProblemPages(ReplySchema):
    """Every kind of problem."""

    problems = fields.List(fields.Nested(ProblemPage))


class Alive(ReplySchema):
    """The service runs."""

    status = fields.String(validate=validate.Equal("ok"))


class Ready(Alive):
    """The service can serve games."""

    version = text_field("The service's version.")
    engine = text_field(
        "The form in which the engine runs.", validate=validate.OneOf(["compiled", "source"])
    )
