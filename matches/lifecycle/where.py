"""Where a match is: the one answer of all pages, e-mails and endpoints (docs/floor.md).

`where_is` derives it from facts, which `matches.play.watching` reads for many matches at once.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

from django.utils.translation import gettext

from matches.lifecycle.at_tables import AtTables, Seating
from matches.models import Claim, Match
from matches.presentation.labels import score_of


class WhereState(StrEnum):
    """Where a match is, roughly in the order that it passes through."""

    WAITING = "waiting"
    READY = "ready"
    CALLED = "called"
    INVITED = "invited"
    """Its board on this site is open and waits for a player; it has not begun."""
    PLAYING = "playing"
    HERE = "here"
    """It is played on a board of this site."""
    CORRESPONDENCE = "correspondence"
    """The same, by correspondence."""
    ADJOURNED = "adjourned"
    REPORTED = "reported"
    DISPUTED = "disputed"
    PROVISIONAL = "provisional"
    """It has a result that is not final yet."""
    SETTLED = "settled"
    VOID = "void"


IN_PLAY = (WhereState.PLAYING, WhereState.HERE, WhereState.CORRESPONDENCE)
RANKS = {
    WhereState.CALLED: 1,
    WhereState.INVITED: 1,
    WhereState.REPORTED: 2,
    WhereState.DISPUTED: 2,
    WhereState.CORRESPONDENCE: 2,
    WhereState.READY: 3,
}
MARKS = {WhereState.REPORTED: "claimed", WhereState.DISPUTED: "disputed"}
OF_MATCH = {
    "": WhereState.WAITING,
    Match.State.CLAIMED: WhereState.REPORTED,
    Match.State.DISPUTED: WhereState.DISPUTED,
    Match.State.SETTLED: WhereState.SETTLED,
    Match.State.VOID: WhereState.VOID,
}
"""The states of a match that tables and boards do not change."""


class HasState(Protocol):
    """What `where_is` needs to know of a match itself."""

    @property
    def state(self) -> str:
        """A value of `Match.State`; empty while a player is to be decided."""

    @property
    def length(self) -> int:
        """Points."""

    @property
    def begun_at(self) -> datetime | None:
        """When it began; None if it has not."""

    @property
    def finished_at(self) -> datetime | None:
        """When its first result was recorded."""

    @property
    def provisional(self) -> bool:
        """Whether its result is provisional."""


class OnBoard(NamedTuple):
    """A match played here as its reader may see it; spectators see it with its delay."""

    score: tuple[int, int] | None = None
    """None if spectators see it only after the match."""
    turn: int | None = None
    """The side to act, by correspondence; None if both may act, and with other clocks."""
    is_correspondence: bool = False
    is_adjourned: bool = False
    since: datetime | None = None
    is_invitation: bool = False
    """Whether the board still waits for a player."""


NO_SEAT, NO_BOARD = Seating(), OnBoard()


class WhereFacts(NamedTuple):
    """What is known about a match beside its own row: its table, its board here, and its report."""

    at_tables: AtTables | None = None
    board: OnBoard | None = None
    report: Claim | None = None
    """The signed report that waits for an answer."""


NO_FACTS = WhereFacts()


@dataclass(frozen=True, slots=True)
class Where:
    state: WhereState
    length: int
    table: str = ""
    """The label of its table; empty without one."""
    since: datetime | None = None
    """Since when it is there, as far as that is known."""
    score: tuple[int, int] | None = None
    """The points of both sides while it goes on; never a result."""
    side: int | None = None
    """The side that reported it, or whose turn it is by correspondence."""
    waits_for: tuple[str, ...] = ()
    """What a match waits for, as sentences; only for its players and those who run it."""
    is_called_to_table: bool = False
    """Whether its players wait to be called to a table: its event has an open floor."""

    @property
    def label(self) -> str:
        """In a few words, such as “Called to table 5”, for lists that show the score elsewhere."""
        if self.table and self.state == WhereState.CALLED:
            return gettext("Called to table {table}").format(table=self.table)
        if self.table and self.state == WhereState.PLAYING:
            return gettext("Playing at table {table}").format(table=self.table)
        return {
            WhereState.WAITING: gettext("Waiting"),
            WhereState.READY: gettext("Ready"),
            WhereState.CALLED: gettext("Called"),
            WhereState.INVITED: gettext("Invited to the board"),
            WhereState.PLAYING: gettext("Being played"),
            WhereState.HERE: gettext("Live"),
            WhereState.CORRESPONDENCE: gettext("By correspondence"),
            WhereState.ADJOURNED: gettext("Adjourned"),
            WhereState.REPORTED: gettext("Reported"),
            WhereState.DISPUTED: gettext("Disputed"),
            WhereState.PROVISIONAL: gettext("Provisional"),
            WhereState.SETTLED: gettext("Settled"),
            WhereState.VOID: gettext("Void"),
        }[self.state]

    @property
    def text(self) -> str:
        """The label with the score, if there is one."""
        if self.score is None:
            return self.label
        return gettext("{where}, {score}").format(where=self.label, score="{}–{}".format(*self.score))

    @property
    def is_to_come(self) -> bool:
        """Whether it is neither called nor being played yet."""
        return self.state in (WhereState.WAITING, WhereState.READY)

    @property
    def is_in_play(self) -> bool:
        """Whether it is being played now, at a table or here."""
        return self.state in IN_PLAY

    @property
    def mark(self) -> str:
        """The CSS class that marks it in lists: "live", "claimed", "disputed" or empty."""
        return "live" if self.is_in_play else MARKS.get(self.state, "")

    @property
    def rank(self) -> int:
        """The place of its state among a player's matches: in play, called, what waits for an answer, the others."""
        if self.state in (WhereState.PLAYING, WhereState.HERE):
            return 0
        return RANKS.get(self.state, len(RANKS) + 1)


def where_is(match: HasState, facts: WhereFacts = NO_FACTS) -> Where:
    """Derive where a match is from its own row and these facts."""
    seat = facts.at_tables.seat if facts.at_tables is not None else NO_SEAT
    board, report = facts.board or NO_BOARD, facts.report
    state = OF_MATCH.get(match.state) or _state_of_open(match, seat, board)
    if match.provisional and state == WhereState.SETTLED:
        state = WhereState.PROVISIONAL
    is_live = match.state == Match.State.LIVE
    score = board.score if is_live else seat.score
    side = board.turn if state == WhereState.CORRESPONDENCE else None
    if state == WhereState.REPORTED and report is not None:
        side = report.side
    return Where(
        state=state,
        length=match.length,
        table=seat.table if state in (WhereState.CALLED, *IN_PLAY, WhereState.REPORTED, WhereState.DISPUTED) else "",
        since=_since(state, match, seat, board, report),
        score=score if state in (*IN_PLAY, WhereState.ADJOURNED) else None,
        side=side,
        waits_for=seat.waits_for if state == WhereState.WAITING else (),
        is_called_to_table=facts.at_tables is not None,
    )


def _state_of_open(match: HasState, seat: Seating, board: OnBoard) -> WhereState:
    if seat.adjourned_at is not None or board.is_adjourned:
        return WhereState.ADJOURNED
    if match.state == Match.State.LIVE and board.is_invitation:
        return WhereState.INVITED
    if match.state == Match.State.LIVE:
        return WhereState.CORRESPONDENCE if board.is_correspondence else WhereState.HERE
    if seat.started_at is not None or match.begun_at is not None:
        return WhereState.PLAYING
    if seat.called_at is not None:
        return WhereState.CALLED
    return WhereState.WAITING if seat.waits_for else WhereState.READY


def _since(state: WhereState, match: HasState, seat: Seating, board: OnBoard, report: Claim | None) -> datetime | None:
    match state:
        case WhereState.CALLED:
            return seat.called_at
        case WhereState.PLAYING:
            return seat.started_at or match.begun_at
        case WhereState.HERE | WhereState.CORRESPONDENCE | WhereState.INVITED:
            return board.since
        case WhereState.ADJOURNED:
            return seat.adjourned_at
        case WhereState.REPORTED if report is not None:
            return report.created_at
        case WhereState.PROVISIONAL | WhereState.SETTLED | WhereState.VOID:
            return match.finished_at
    return None


def in_words(where: Where, match: Match, side: int | None = None) -> str:
    """Return where a match is, in words for a reader who plays `side`, or neither."""
    score = "" if where.score is None else score_of(match, side or 0, where.score)
    name = match.names[where.side] if where.side is not None else ""
    text = _template(where, side, with_score=bool(score))
    return text.format(where=where.label, table=where.table, score=score, name=name)


def _template(where: Where, side: int | None, *, with_score: bool) -> str:
    if where.waits_for:
        return " ".join(where.waits_for).replace("{", "{{").replace("}", "}}")
    if where.state == WhereState.READY and where.is_called_to_table:
        return gettext("Not called yet")
    if where.state == WhereState.READY:
        return gettext("Ready to play")
    if where.state == WhereState.CALLED and where.table and side is not None:
        return gettext("You are called to table {table}.")
    if where.state == WhereState.REPORTED and where.side is not None:
        return gettext("Reported by {name}.")
    if where.side is not None:
        return gettext("Your turn") if where.side == side else gettext("Waiting for {name}")
    if side is not None and where.state in (WhereState.HERE, WhereState.CORRESPONDENCE, WhereState.INVITED):
        return gettext("The board of your match is open")
    return gettext("{where}, {score}") if with_score else "{where}"
