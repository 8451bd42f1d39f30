"""The report of an evening or an event: who played best, who was luckiest, and the biggest swing."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Abs
from django.urls import reverse
from django.utils import timezone

from core.downloads import safe
from matches.analysis import labels
from matches.analysis.access import (
    SeenAnalysis,
    analyses_of_results,
    decisions_of,
    replay_url,
    seen_of_matches,
    side_in_match,
)
from matches.analysis.match_analysis import place
from matches.analysis.profile import Total
from matches.models import Analysis, Decision, Match
from matches.presentation.visibility import Viewer
from matches.ratings.rated import merged_players
from matches.records.replays import event_path
from players.models import Club

# The report of an evening: who played best, who was luckiest, and the biggest swing.


ENOUGH_DECISIONS = 40
"""Decisions from which a performance rating is listed among the best."""
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2999, 12, 31)
"""Days that can be asked for: at the ends of the calendar, time zones do not work."""


@dataclass(slots=True)
class ReportRow:
    """How one player did in the evening, added up over their matches."""

    name: str
    public_id: str
    matches: int = 0
    total: Total = field(default_factory=Total)
    luck_winning: float = 0.0

    @property
    def has_enough(self) -> bool:
        """Whether there are enough decisions to be listed among the best."""
        return self.total.decisions >= ENOUGH_DECISIONS

    @property
    def pr(self) -> float | None:
        """The performance rating; None without a decision that counts."""
        return self.total.pr if self.total.decisions else None

    @property
    def sampling_error(self) -> float | None:
        """The standard error of the rating; None with fewer than two decisions that count."""
        return self.total.sampling_error if self.total.decisions > 1 else None

    @property
    def url(self) -> str:
        return reverse("player", args=[self.public_id])

    @property
    def luck(self) -> str:
        return labels.signed_percent(self.luck_winning)


@dataclass(frozen=True, slots=True)
class Swing:
    """The roll that changed the chances most."""

    name: str
    public_id: str
    """Of the player."""
    match: str
    """Its public id."""
    decision: Decision
    luck_winning: float
    url: str

    @property
    def place(self) -> str:
        return place(self.decision)

    @property
    def played(self) -> str:
        return labels.action(self.decision.played)

    @property
    def luck(self) -> str:
        return labels.signed_percent(self.luck_winning)


@dataclass(frozen=True, slots=True)
class EventReport:
    rows: tuple[ReportRow, ...]
    """The best performance rating first; those with few decisions last."""
    luckiest: tuple[ReportRow, ...]
    swing: Swing | None
    matches: int
    pending: int
    """Matches that are still to be analysed."""


def night(matches: Q, viewer: Viewer) -> EventReport:
    """Return the report of the matches with this condition, as far as the viewer may see them and their players."""
    visible = Match.objects.filter(viewer.visible(), matches)
    analyses = analyses_of_results().filter(match__in=visible)
    analyses = analyses.select_related(
        "match__live", "match__player_0__merged_into", "match__player_1__merged_into", "submission"
    )
    newest = {row.match_id: row for row in analyses.order_by("pk")}
    waiting = Analysis.objects.filter(match__in=visible, state__in=[Analysis.State.QUEUED, Analysis.State.WORKING])
    seen = seen_of_matches(newest.values(), viewer)
    players = _player_rows(seen)
    rows = sorted(players, key=lambda row: (not row.has_enough, row.total.pr))
    by_luck = sorted(players, key=lambda row: -row.luck_winning)
    return EventReport(
        rows=tuple(rows),
        luckiest=tuple(row for row in by_luck[:3] if row.luck_winning > 0),
        swing=_swing(seen),
        matches=len(seen),
        pending=waiting.order_by().values("match").distinct().count(),
    )


def _player_rows(seen: Collection[SeenAnalysis]) -> list[ReportRow]:
    """How each player did, merged ones together."""
    same, rows, totals = merged_players(), dict[int, ReportRow](), _totals(seen)
    for row in seen:
        match = row.analysis.analysed_match
        for side, is_shown in enumerate(row.shown):
            if not is_shown:
                continue
            player = match.players[side_in_match(row.analysis, side)]
            player = player.merged_into or player
            own = rows.setdefault(same.get(player.pk, player.pk), ReportRow(player.shown_name, player.public_id))
            total, luck = totals.get((row.analysis.pk, side), (Total(), 0.0))
            own.matches += 1
            own.total += total
            own.luck_winning += luck
    return list(rows.values())


def _totals(seen: Collection[SeenAnalysis]) -> dict[tuple[int, int], tuple[Total, float]]:
    """The totals of the decisions that count, and the luck, by analysis and side of the record."""
    counts = Q(counted=True)
    rows = (
        decisions_of(seen)
        .values_list("analysis", "side")
        .annotate(
            number=Count("pk", filter=counts),
            lost=Sum("error", filter=counts),
            squares=Sum(F("error") * F("error"), filter=counts),
            luck_sum=Sum("luck_winning"),
        )
    )
    return {
        (analysis, side): (Total(number, lost or 0.0, squares or 0.0), luck or 0.0)
        for analysis, side, number, lost, squares, luck in rows
    }


def _swing(seen: Collection[SeenAnalysis]) -> Swing | None:
    rolls = decisions_of(seen).filter(luck_winning__isnull=False).exclude(luck_winning=0)
    decision = rolls.order_by(-Abs("luck_winning"), "pk").first()
    if decision is None:
        return None
    analysis = next(row.analysis for row in seen if row.analysis.pk == decision.analysis_id)
    match = analysis.analysed_match
    player = match.players[side_in_match(analysis, decision.side)]
    player = player.merged_into or player
    return Swing(
        name=player.shown_name,
        public_id=player.public_id,
        match=match.public_id,
        decision=decision,
        luck_winning=decision.luck_winning or 0.0,
        url=event_path(replay_url(analysis, match), decision.game, decision.event),
    )


@dataclass(frozen=True, slots=True)
class ClubNight:
    day: date | None
    """None if the viewer may see no analysed match of the club."""
    night: EventReport | None
    earlier: date | None
    """The latest evening before with an analysed match."""


def club_night(club: Club, viewer: Viewer, day: date | None = None) -> ClubNight:
    """Return the report of a day in the club's time zone; by default of the latest day with an analysed match."""
    with timezone.override(ZoneInfo(club.time_zone)):
        if day is None or not FIRST_DAY <= day <= LAST_DAY:
            day = latest_day(club, viewer)
        if day is None:
            return ClubNight(None, None, None)
        return ClubNight(day, night(of_day(club, day), viewer), latest_day(club, viewer, before=day))


def of_day(club: Club, day: date) -> Q:
    """The matches of a club that finished on a day, in the current time zone."""
    start = timezone.make_aware(datetime.combine(day, time.min))
    end = timezone.make_aware(datetime.combine(day + timedelta(days=1), time.min))
    return Q(club=club, finished_at__gte=start, finished_at__lt=end)


def latest_day(club: Club, viewer: Viewer, *, before: date | None = None) -> date | None:
    """The latest day with an analysed match that the viewer may see, in the current time zone; None without one."""
    rows = analyses_of_results().filter(viewer.visible("match__"), match__club=club)
    if before is not None:
        rows = rows.filter(match__finished_at__lt=timezone.make_aware(datetime.combine(before, time.min)))
    latest = rows.order_by("-match__finished_at").values_list("match__finished_at", flat=True).first()
    return timezone.localdate(latest) if latest is not None else None


# The decisions of an analysis, and the report of an evening or an event, as rows of CSV files.


HEADERS = [
    "game", "event", "player", "kind", "phase", "xgid", "cube", "played", "best", "error", "error_winning", "winning",
    "luck", "luck_winning", "counted",
]  # fmt: skip
NIGHT_COLUMNS: dict[str, Callable[[ReportRow], str | float | None]] = {
    "player": lambda row: safe(row.name),
    "public_id": lambda row: row.public_id,
    "matches": lambda row: row.matches,
    "decisions": lambda row: row.total.decisions,
    "pr": lambda row: _rounded(row.pr),
    "sampling_error": lambda row: _rounded(row.sampling_error),
    "luck_winning": lambda row: round(row.luck_winning, 5),
}
"""The columns of the report; None is an empty field."""


def decision_rows(seen: SeenAnalysis | None, names: tuple[str, str]) -> Iterator[list[Any]]:
    """Yield the header and the decisions that the reader may see; `names` belong to sides 0 and 1 of the match."""
    yield list(HEADERS)
    if seen is None:
        return
    for decision in seen.decisions:
        values = [getattr(decision, name) for name in HEADERS if name != "player"]
        values.insert(HEADERS.index("player"), names[side_in_match(seen.analysis, decision.side)])
        yield [safe(value) if isinstance(value, str) else value for value in values]


def night_rows(night: EventReport | None) -> Iterator[list[Any]]:
    """Yield the header and the players in the order of the page; figures that take more decisions are empty."""
    yield list(NIGHT_COLUMNS)
    for row in night.rows if night is not None else ():
        yield [value(row) for value in NIGHT_COLUMNS.values()]


def _rounded(figure: float | None) -> float | None:
    return round(figure, 3) if figure is not None else None
