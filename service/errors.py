"""What the service refuses, one class each; `http/problems` alone knows how each is answered."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import MoveError


class ServiceError(Exception):
    """Anything the service refuses or cannot do."""


class GameNotFoundError(ServiceError):
    """No game has this id, or it has expired."""


class TokenRequiredError(ServiceError):
    """The call needs a seat token and has none."""


class InvalidTokenError(ServiceError):
    """The token is of no seat of this game."""


class NotPermittedError(ServiceError):
    """The seat may not do this."""


class HintsDisabledError(ServiceError):
    """The game was created without hints."""


class UnknownInviteError(ServiceError):
    """The invite is of no seat of this game."""


class StaleVersionError(ServiceError):
    """`If-Match` names another version than the current one, which is `version`."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the game is at version {version}")
        self.version = version


class ForeignTagError(ServiceError):
    """`If-Match` holds no entity tag of this service; `version` is the game's current one."""

    def __init__(self, version: int) -> None:
        super().__init__("If-Match holds no entity tag of this service")
        self.version = version


class RefusedMoveError(ServiceError):
    """A move that the rules refuse for `reason` in the game's current `version`."""

    def __init__(self, reason: MoveError, version: int) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.version = version


class ConflictError(ServiceError):
    """Other changes were committed first again and again; `version` is the last one seen."""

    def __init__(self, version: int) -> None:
        super().__init__("other changes were committed first again and again")
        self.version = version


class RematchMadeError(ServiceError):
    """The game has the `rematch` of this id already; `version` is its own current one."""

    def __init__(self, rematch: str, version: int) -> None:
        super().__init__("the game has a rematch already")
        self.rematch = rematch
        self.version = version


class KeyReusedError(ServiceError):
    """The idempotency key belongs to another request."""


class KeyExpiredError(ServiceError):
    """The idempotency key has made a move whose answer is stored no longer.

    `version` is the game's current one.
    """

    def __init__(self, version: int) -> None:
        super().__init__("the key has made a move before, whose answer is stored no longer")
        self.version = version


class ForeignHostError(ServiceError):
    """The request names a host that is not served here."""

    def __init__(self, host: str) -> None:
        super().__init__(f"{host!r} is not a host of this service")
        self.host = host


class ForeignOriginError(ServiceError):
    """A web page of an origin that is not allowed sends a request that may change something."""

    def __init__(self, origin: str) -> None:
        super().__init__(f"web pages of {origin!r} may not call this service")
        self.origin = origin


class RequestError(ServiceError):
    """A request that cannot be understood, whatever the state of things."""


class MalformedJsonError(RequestError):
    """A body that is no acceptable JSON; the text says why."""


class MediaTypeError(RequestError):
    """A body of another media type than JSON."""


class ContentEncodingError(RequestError):
    """A body that is compressed or otherwise encoded; `codings` is how its header names it."""

    def __init__(self, codings: str) -> None:
        super().__init__(f"the body has the Content-Encoding {codings!r:.80}")
        self.codings = codings


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a request: where (a JSON pointer) and what."""

    pointer: str
    detail: str

    @property
    def sentence(self) -> str:
        """The fault in one sentence."""
        return f"{self.pointer}: {self.detail}" if self.pointer else self.detail


class InvalidRequestError(RequestError):
    """A request whose values are not acceptable, with every fault found."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(fault.sentence for fault in faults))
        self.faults = faults


class ProblemNotFoundError(ServiceError):
    """No problem has this code."""


class CardImageNotFoundError(ServiceError):
    """No card has this code, nor the joker or the back."""

    def __init__(self, code: str) -> None:
        super().__init__(f"no card has the code {code!r:.80}")


class QuotaExceededError(ServiceError):
    """The caller has had what it may have; there may be more in `retry_after` seconds."""

    def __init__(self, words: str, retry_after: int) -> None:
        super().__init__(words)
        self.retry_after = retry_after


class UncountedCallError(ServiceError):
    """A call of an operation that is limited could not be counted, so it passes."""


class CapacityReachedError(ServiceError):
    """The store is so full that no new game is made; it may have room in `retry_after` seconds."""

    def __init__(self, percent: int, most: int, retry_after: int) -> None:
        super().__init__(
            f"the storage is {percent} % full, and new games are made below {most} % "
            "(MAX_STORE_MEMORY_PERCENT)"
        )
        self.retry_after = retry_after


class StorageError(ServiceError):
    """The store failed, which may have passed in `retry_after` seconds."""

    def __init__(self, words: str, retry_after: int) -> None:
        super().__init__(words)
        self.retry_after = retry_after


class StorageUnavailableError(StorageError):
    """The store cannot serve the call; nothing was changed."""


class OutcomeUnknownError(StorageError):
    """The store was lost while it wrote; the move may or may not have been made."""


class CorruptGameError(ServiceError):
    """What the store holds of a game cannot be read; the text says why, and shows no card.

    `game_id` is None where the id is that of the request.
    """

    def __init__(self, reason: str, game_id: str | None = None) -> None:
        super().__init__(reason)
        self.game_id = game_id
