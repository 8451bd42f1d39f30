"""Offers of side events as pages show them: their lists are divisions, and are folded into one line."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from math import ceil
from typing import NamedTuple

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.events.selectors import DivisionCounts
from tournaments.ledger.money import Currency
from tournaments.models import Division, Entry, Offer, Tournament

MIN_NAMES = 2
"""With which a list can start."""
FIRST_NAMES = (8, 4)
"""Of how many names a list can be started with the first, and the others refunded."""


class ListState(StrEnum):
    OPEN = "open"
    FULL = "full"
    """It waits for money, or for a director who took its draw back."""
    STARTS = "starts"
    RUNNING = "running"
    OVER = "over"
    CALLED_OFF = "called_off"


class ShortStart(NamedTuple):
    """A way to start a list that is not full."""

    names: int
    label: str


@dataclass(frozen=True, slots=True)
class RunLine:
    division: Division
    names: int
    state: ListState
    text: str
    """How far it is, in words."""

    @property
    def number(self) -> int:
        return self.division.run or 0

    @property
    def takes_names(self) -> bool:
        """Whether it has not started."""
        return self.division.status == Division.Status.ENTRIES

    @property
    def short_starts(self) -> list[ShortStart]:
        """With how many names it can be started now."""
        if not self.takes_names or self.names < MIN_NAMES:
            return []
        starts = [ShortStart(self.names, _("Start with %(names)d") % {"names": self.names})]
        first = next((number for number in FIRST_NAMES if number < self.names), None)
        if first is not None:
            text = _("Start with the first %(first)d, %(others)d refunded")
            starts.append(ShortStart(first, text % {"first": first, "others": self.names - first}))
        return starts


@dataclass(slots=True)
class OfferLine:
    offer: Offer
    fee: str
    """The fee as text; empty if there is none."""
    runs: list[RunLine] = field(default_factory=list)

    @property
    def waiting(self) -> list[RunLine]:
        """The lists that have not started."""
        return [run for run in self.runs if run.takes_names]

    @property
    def next(self) -> RunLine | None:
        """The list that takes the next name; None if none does."""
        if self.offer.closed_at is not None:
            return None
        return next((run for run in self.runs if run.state == ListState.OPEN), None)

    @property
    def close_label(self) -> str:
        """What the button says that calls off the lists that have not started."""
        names = sum(run.names for run in self.waiting)
        if not names:
            return _("Close")
        return ngettext("Close, %(count)d refunded", "Close, %(count)d refunded", names) % {"count": names}


def folded(counts: Sequence[DivisionCounts], now: datetime) -> tuple[list[DivisionCounts], list[OfferLine]]:
    """Return the divisions that are no lists, and the offers with their lists; no query.

    A list that was called off without a name is left out.
    """
    lines: dict[int, OfferLine] = {}
    for row in sorted(counts, key=lambda row: row.division.run or 0):
        if row.division.offer is not None:
            line = lines.setdefault(row.division.offer.pk, _line(row.division.offer, row.division.tournament))
            _add(line, row.division, row.figures.entered, now)
    offers = sorted(lines.values(), key=lambda line: (line.offer.created_at, line.offer.pk))
    return [row for row in counts if row.division.offer_id is None], offers


def offers_of(tournament: Tournament, now: datetime) -> list[OfferLine]:
    """Return the offers of an event with their lists; one query."""
    names = Count("entries", filter=Q(entries__status=Entry.Status.IN))
    runs = tournament.divisions.filter(offer__isnull=False).select_related("offer").annotate(names=names)
    lines: dict[int, OfferLine] = {}
    for run in runs.order_by("offer__created_at", "offer_id", "run"):
        assert run.offer is not None  # noqa: S101, filtered above
        line = lines.setdefault(run.offer.pk, _line(run.offer, tournament))
        _add(line, run, run.names, now)
    return list(lines.values())


def _add(line: OfferLine, run: Division, names: int, now: datetime) -> None:
    if names or run.status != Division.Status.CANCELLED:
        line.runs.append(_run_line(run, names, now))


def _run_line(run: Division, names: int, now: datetime) -> RunLine:
    state = _state(run, names)
    values = {"names": names, "size": run.capacity, "seconds": 0}
    if state == ListState.STARTS and run.starts_at is not None:
        values["seconds"] = max(0, ceil((run.starts_at - now).total_seconds()))
    texts = {
        ListState.OPEN: _("%(names)s of %(size)s"),
        ListState.FULL: _("full"),
        ListState.STARTS: _("full, starts in %(seconds)s s"),
        ListState.RUNNING: _("running"),
        ListState.OVER: _("over"),
        ListState.CALLED_OFF: _("called off"),
    }
    return RunLine(run, names, state, texts[state] % values)


def _state(run: Division, names: int) -> ListState:
    match run.status:
        case Division.Status.RUNNING:
            return ListState.RUNNING
        case Division.Status.FINISHED:
            return ListState.OVER
        case Division.Status.CANCELLED:
            return ListState.CALLED_OFF
    if run.capacity is None or names < run.capacity:
        return ListState.OPEN
    return ListState.FULL if run.starts_at is None else ListState.STARTS


def _line(offer: Offer, tournament: Tournament) -> OfferLine:
    offer.tournament = tournament
    return OfferLine(offer, Currency.of(tournament).text(offer.fee) if offer.fee else "")


def names_on(runs: Sequence[RunLine]) -> Mapping[int, list[Entry]]:
    """Return division id -> who is on these lists, in the order of entry; one query."""
    rows = Entry.objects.filter(division__in=[run.division.pk for run in runs], status=Entry.Status.IN)
    by_run: dict[int, list[Entry]] = defaultdict(list)
    for entry in rows.select_related("player__merged_into").order_by("entered_at", "pk"):
        by_run[entry.division_id].append(entry)
    return by_run


def to_decide(tournament: Tournament, divisions: Sequence[Division], now: datetime) -> list[OfferLine]:
    """Return the offers that a director has to close, or to start short, since closing time has come.

    That is at the end of the event or, without one, once nothing else is left to be played. Without offers, no query.
    """
    lists = [row for row in divisions if row.offer_id is not None]
    if not any(row.status == Division.Status.ENTRIES for row in lists):
        return []
    over = (Division.Status.FINISHED, Division.Status.CANCELLED)
    unstarted = [row.pk for row in lists if row.status == Division.Status.ENTRIES]
    others_over = all(row.status in over for row in divisions if row.pk not in unstarted)
    is_late = tournament.ends_at is not None and now >= tournament.ends_at
    if not (is_late or others_over):
        return []
    return [line for line in offers_of(tournament, now) if line.waiting]
