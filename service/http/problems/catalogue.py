"""The catalogue of problems: every refusal with its code, its status and its texts.

The table makes the answers themselves (application/problem+json, RFC 9457), the enum in the
OpenAPI description, and the pages `GET /v1/problems` and `GET /v1/problems/{code}`.
"""

from __future__ import annotations

from dataclasses import dataclass

from service.errors import ProblemNotFoundError

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of refusal: its code, HTTP status, title, and what the caller can do about it."""

    code: str
    status: int
    title: str
    remedy: str

    @property
    def type(self) -> str:
        """The problem's URI, relative to the service; it answers with this description."""
        return f"/v1/problems/{self.code}"


_TABLE = (
    Problem(
        "malformed-json",
        400,
        "The body is not acceptable JSON",
        "Send one JSON object in UTF-8, without repeated names, deep nesting or huge numbers.",
    ),
    Problem(
        "foreign-host",
        400,
        "The host is not served here",
        "Call the service by a host name that it knows; its operator adds others with the setting "
        "ALLOWED_HOSTS: names, `.example.com` for all below one, or `*`.",
    ),
    Problem(
        "token-required",
        401,
        "A seat token is needed",
        "Send the token that came with the seat: `Authorization: Bearer <token>`.",
    ),
    Problem(
        "invalid-token",
        401,
        "The token is of no seat of this game",
        "Use the token that this game's creation gave, or none to look on as a spectator.",
    ),
    Problem(
        "foreign-origin",
        403,
        "Web pages of this origin may not call",
        "The service's operator adds origins with the setting ALLOWED_ORIGINS: "
        "`https://app.example`, several separated by commas, or `*`.",
    ),
    Problem(
        "hints-disabled",
        403,
        "This game has no hints",
        'Create the game with `"hints": true` to be able to ask for hints.',
    ),
    Problem(
        "not-permitted",
        403,
        "This seat may not do that",
        "Only the creator may delete a game, and not while others are playing it.",
    ),
    Problem(
        "unknown-invite",
        403,
        "The invite is of no seat of this game",
        "Ask the game's creator for the invite of a free seat; a rematch takes the tokens of the "
        "game before it.",
    ),
    Problem(
        "not-found",
        404,
        "There is nothing at this address",
        "See the API description at /v1/openapi.json or /v1/docs.",
    ),
    Problem(
        "game-not-found",
        404,
        "There is no such game",
        "Check the id; a game is forgotten some days after its last move. Create a new one.",
    ),
    Problem(
        "method-not-allowed",
        405,
        "The address does not know this method",
        "Use one of the methods that the Allow header names.",
    ),
    Problem(
        "not-acceptable",
        406,
        "The answer is not available in a form you accept",
        "Accept a media type that the API description has for this call, mostly application/json.",
    ),
    Problem(
        "not-your-turn",
        409,
        "Another seat is to move",
        "Wait until it is your turn; `expected` names the seat that is to move.",
    ),
    Problem(
        "wrong-phase",
        409,
        "The turn is in its other phase",
        "Make the move that `expected` names: a turn is one draw, then one discard.",
    ),
    Problem(
        "card-not-in-hand",
        409,
        "The hand does not hold this card",
        "Discard one of the cards that the view lists under you.legal.discard.",
    ),
    Problem(
        "game-waiting",
        409,
        "The game waits for players",
        "Wait until every human seat has been joined.",
    ),
    Problem("game-finished", 409, "The game is over", "Create a new game to play on."),
    Problem(
        "game-not-finished",
        409,
        "The game is still played",
        "Ask again when the game's status is finished.",
    ),
    Problem(
        "seat-taken",
        409,
        "The invite has been used",
        "Ask the game's creator for the invite of another seat.",
    ),
    Problem(
        "rematch-made",
        409,
        "The game has a rematch",
        "Join the game that `rematch` names, with your token of this one.",
    ),
    Problem(
        "idempotency-key-expired",
        409,
        "The Idempotency-Key was used for an older move",
        "The move was made, and is never made again. Read the game, and use a new key for the "
        "next move.",
    ),
    Problem(
        "conflict",
        409,
        "The game changed while the move was judged",
        "Read the game again and repeat the call if the move still makes sense.",
    ),
    Problem(
        "stale-version",
        412,
        "The game is at another version",
        "Read the game again: `version` is the current one. Then repeat the call with its ETag.",
    ),
    Problem(
        "body-too-large",
        413,
        "The body is too large",
        "Send less: every request of this API fits into a few kilobytes.",
    ),
    Problem(
        "unsupported-media-type",
        415,
        "The body is not declared as plain JSON",
        "Send the body with `Content-Type: application/json` and without a Content-Encoding.",
    ),
    Problem(
        "validation-failed",
        422,
        "The request has unacceptable values",
        "Mend what `errors` lists: each entry names the place and what is wrong there.",
    ),
    Problem(
        "idempotency-key-reused",
        422,
        "The Idempotency-Key belongs to another request",
        "Use a new key for a new request; repeat a request unchanged with its own key.",
    ),
    Problem(
        "quota-exceeded",
        429,
        "Too many requests",
        "Wait as long as Retry-After says, then repeat the call.",
    ),
    Problem(
        "internal-error",
        500,
        "The service failed",
        "Repeat the call later; report it with the X-Request-Id of the answer.",
    ),
    Problem(
        "game-damaged",
        500,
        "The stored game is damaged",
        "Report it with the X-Request-Id of the answer; other games go on.",
    ),
    Problem(
        "storage-unavailable",
        503,
        "The storage cannot serve the request",
        "This call changed nothing. Repeat it after the time that Retry-After names.",
    ),
    Problem(
        "outcome-unknown",
        503,
        "It is not known whether the move was made",
        "Repeat the call unchanged with its Idempotency-Key, or read the game again.",
    ),
    Problem(
        "capacity-reached",
        503,
        "There is no room for new games",
        "Games under way go on. Try again after the time that Retry-After names; the service's "
        "operator gives the storage more memory, or raises the setting MAX_STORE_MEMORY_PERCENT.",
    ),
)
PROBLEMS = {problem.code: problem for problem in _TABLE}
"""Every problem by its code, in the order of their statuses."""


def problem_of_code(code: str) -> Problem:
    """The problem of a code; raises ProblemNotFoundError."""
    if code not in PROBLEMS:
        raise ProblemNotFoundError(f"no problem has the code {code!r}")
    return PROBLEMS[code]
