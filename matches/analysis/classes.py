"""Classes of a club's members by performance rating, with the experience they rest on.

The bounds are those of the BMAB (usbgf.org). Their titles are given for matches analysed by another program under rules
of its own, so a class here is a *club class by* the program that analysed, and none of their titles.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db.models import Count, Sum
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.names import fold
from matches.analysis import labels
from matches.analysis.access import analyses_of_results, is_open_to_analysis, players_shown, side_in_match
from matches.analysis.profile import Total
from matches.analysis.values import LEFT_OUT
from matches.models import Analysis, Decision
from matches.presentation.visibility import Viewer
from matches.ratings.rated import merged_players
from players.models import Club, Membership, Player

YEARS = 3
"""Years whose matches count."""
CLASSES: tuple[tuple[float, str | Promise], ...] = (
    (2.5, _("Super Grandmaster")),
    (4, _("Grandmaster")),
    (6.5, _("Master")),
    (10, _("Advanced")),
    (16, _("Intermediate")),
)
"""The highest performance rating of each class, inclusive. Source: usbgf.org, “BMAB titles”."""
KEPT = 7 * 24 * 3600
"""Seconds for which the totals of an analysis are cached; a finished analysis does not change."""

Sides = dict[int, tuple[int, float]]
"""Side of a record -> counted decisions and the sum of their errors."""


def class_name(bound: float | None) -> str:
    """Return the name of the class with this bound; empty without one."""
    return str(dict(CLASSES).get(bound, "")) if bound is not None else ""


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A member: performance rating over all decisions, and how much was played for it."""

    player: str
    """Public id."""
    name: str
    total: Total
    points: int
    """Added up lengths of the matches."""
    matches: int
    needed: int

    @property
    def has_class(self) -> bool:
        """Whether enough was played for a class."""
        return self.points >= self.needed and bool(self.total.decisions)

    @property
    def bound(self) -> float | None:
        """The highest performance rating of the class; None without enough play, or above the last bound."""
        return next((bound for bound, _title in CLASSES if self.total.pr <= bound), None) if self.has_class else None

    @property
    def title(self) -> str:
        """The class in words; empty without one."""
        return class_name(self.bound)

    @property
    def pr_text(self) -> str:
        """The performance rating with as many decimals as tell it from a bound."""
        return labels.number(self.total.pr, 2)


@dataclass(frozen=True, slots=True)
class ClubClasses:
    """The classes of a club as one reader may see them."""

    rows: Sequence[ClassRow]
    """With a class, the best first; then those who have played too little, the most experienced first."""
    program: str
    """The program and its depth, e.g. “gnubg 2-ply”; empty without an analysed match."""
    needed: int
    """Points that must have been played."""
    years: int = YEARS


def club_classes(club: Club, viewer: Viewer, now: datetime) -> ClubClasses:
    """Return the classes of those members who let the viewer see how well they play.

    Only completely analysed matches of the club count, of the last years before `now` and by the program and depth that
    analysed most of them.
    """
    members = Membership.objects.filter(club=club, left_at__isnull=True).select_related("player")
    people: dict[int, Player] = {row.player_id: row.player for row in members}
    shown = players_shown(viewer, people)
    analyses = _analyses(club, viewer, now) if shown else []
    program = Counter(map(labels.program, analyses)).most_common(1)
    counted = [row for row in analyses if program and labels.program(row) == program[0][0]]
    totals, same = _totals([row.pk for row in counted]), merged_players()
    sums: dict[int, tuple[Total, int, int]] = {}
    for row in counted:
        match = row.analysed_match
        for side, (decisions, error) in totals[row.pk].items():
            own = match.players[side_in_match(row, side)].pk
            player = same.get(own, own)
            if player in shown and player in people:
                total, points, matches = sums.get(player, (Total(), 0, 0))
                sums[player] = total + Total(decisions, error), points + match.length, matches + 1
    rows = [
        ClassRow(people[pk].public_id, people[pk].shown_name, total, points, matches, club.class_points)
        for pk, (total, points, matches) in sums.items()
    ]
    rows.sort(key=lambda row: (not row.has_class, row.total.pr if row.has_class else -row.points, fold(row.name)))
    return ClubClasses(rows, program[0][0] if program else "", club.class_points)


def _analyses(club: Club, viewer: Viewer, now: datetime) -> list[Analysis]:
    """The newest complete analysis of each match of the club that the viewer may see."""
    rows = analyses_of_results().filter(
        viewer.visible("match__"),
        match__club=club,
        match__finished_at__lte=now,
        match__finished_at__gte=now - timedelta(days=365 * YEARS),
    )
    rows = rows.select_related("match__live", "match__player_0", "match__player_1").order_by("pk")
    newest = {row.match_id: row for row in rows}
    return [
        row
        for row in newest.values()
        if row.match is not None and is_open_to_analysis(row.match) and not row.settings.get(LEFT_OUT)
    ]


def _totals(analyses: Sequence[int]) -> dict[int, Sides]:
    """The counted decisions of each side of these analyses, and the sum of their errors."""
    keys = {pk: f"class-totals:{pk}" for pk in analyses}
    stored = cache.get_many(keys.values())
    totals: dict[int, Sides] = {pk: stored[key] for pk, key in keys.items() if key in stored}
    missing = [pk for pk in analyses if pk not in totals]
    rows = Decision.objects.filter(analysis__in=missing, counted=True).order_by().values_list("analysis", "side")
    sides_of: dict[int, Sides] = {pk: {} for pk in missing}
    for pk, side, decisions, error in rows.annotate(Count("pk"), Sum("error")):
        sides_of[pk][side] = decisions, error
    cache.set_many({keys[pk]: sides for pk, sides in sides_of.items()}, KEPT)
    return totals | sides_of
