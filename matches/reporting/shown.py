"""What the page of a match shows, as values for its templates."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ShownPlayer:
    """A player and their points."""

    side: int
    name: str
    public_id: str
    points: int | None
    won: bool
    is_me: bool
    start: int
    label_less: str
    label_more: str


@dataclass(frozen=True, slots=True)
class ShownResult:
    """One version of the result."""

    version: int
    summary: str
    kind: str
    source: str
    who: str
    at: datetime
    reason: str
    finality: str
    """Whether it is provisional, or nobody but the winner confirmed it; else empty."""
    own_match: str
    """A remark if one of the two players decided it; else empty."""
    link_note: str
    """A remark if the winner, a director, had got the link by which the loser answered; else empty."""
    waived: list[str]
    record: str
    """The public id of its record; empty without one."""


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A record that was sent for the match."""

    public_id: str
    name: str
    sender: str
    at: datetime
    standing: str
    why: str
    names: tuple[str, str] | None
    """The names in the record, if this reader has to say which player is which."""


@dataclass(frozen=True, slots=True)
class ShownReport:
    """A report of the result."""

    side: int | None
    reporter: str
    summary: str
    points: tuple[int, int]
    at: datetime
    note: str
    answer: str
    record: str
    """The public id of the record sent with it; empty without one."""
    is_seen: bool
    is_own_loss: bool


@dataclass(frozen=True, slots=True)
class ShownObjection:
    """A player's objection to the result."""

    who: str
    reason: str
    at: datetime
    state: str
    label: str
    answer: str


@dataclass(frozen=True, slots=True)
class ShownProvisional:
    """A provisional result, and what the reader can do about it."""

    why: str
    untold: str
    """Who has not seen it; empty if everybody whom it goes against has."""
    ends_at: datetime | None
    """When it is final; None while that is open."""
    may_confirm: bool
    may_see: bool


@dataclass(frozen=True, slots=True)
class ShownTimes:
    """The times of a proposal, or the one that was accepted."""

    public_id: str
    proposer: str
    mine: bool
    note: str
    times: list[datetime]


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Who is there for the appointment, and what the reader may do about it."""

    names: list[str]
    may_arrive: bool
    claim_from: datetime | None
    """When the reader may claim that the opponent has not come; None where that is not up to them."""
    may_claim: bool

    @property
    def is_near(self) -> bool:
        """Whether the reader is to come, or waits for the opponent."""
        return self.may_arrive or self.claim_from is not None
