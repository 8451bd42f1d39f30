"""How a match at a table stands, as its pages show it, and the steppers with which its players enter that."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from matches.access import MatchSeat, action_url
from matches.lifecycle.length_offers import LengthOffer
from matches.lifecycle.running_scores import AtTables
from matches.lifecycle.where import Where, WhereState
from matches.models import Match


@dataclass(frozen=True, slots=True)
class ShownRunningScore:
    """How a match stands that goes on. Until somebody enters that, `who` is empty and `score` is the start score."""

    score: tuple[int, int]
    who: str
    at: datetime | None
    notes: tuple[str, ...] = ()
    offer: LengthOffer | None = None
    players_offer_from: datetime | None = None


@dataclass(frozen=True, slots=True)
class Stepper:
    """The points of one player, with the field's name and the labels of its buttons."""

    field: str
    name: str
    is_me: bool
    points: int
    label_less: str
    label_more: str


@dataclass(frozen=True, slots=True)
class RunningForm:
    """A form for the running score: where it posts, the most points of a player, and both players."""

    url: str
    most: int
    steppers: tuple[Stepper, Stepper]


def running_score(match: Match, row: AtTables | None) -> ShownRunningScore | None:
    """How an open match stands; None unless it belongs to an event whose tables are run here."""
    if row is None or match.state != Match.State.OPEN:
        return None
    common = (row.notes, row.offer, row.players_offer_from)
    running = row.running
    if running is None:
        return ShownRunningScore(match.start_score, "", None, *common)
    who = match.names[running.side] if running.side is not None else gettext("the director")
    return ShownRunningScore(running.score, who, running.at, *common)


def running_form(seat: MatchSeat, running: ShownRunningScore | None, where: Where) -> RunningForm | None:
    """The form for a player of a match that is called or played; None for everybody else, and other matches."""
    match = seat.match
    if seat.side is None or running is None or match.length == 1:
        return None
    if where.state not in (WhereState.CALLED, WhereState.PLAYING):
        return None
    first, second = (_stepper(match, side, seat.side, running.score[side]) for side in (0, 1))
    return RunningForm(action_url(seat, "running-score"), match.length - 1, (first, second))


def _stepper(match: Match, side: int, mine: int, points: int) -> Stepper:
    name = match.names[side]
    return Stepper(
        field=f"score_{side}",
        name=name,
        is_me=side == mine,
        points=points,
        label_less=gettext("One point less for {name}").format(name=name),
        label_more=gettext("One point more for {name}").format(name=name),
    )
