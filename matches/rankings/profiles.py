"""Context of a player's page, with its rating chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Subquery

from core import times
from core.charts import Axes, ChartFrame, Drawing, Mark, path, scale
from matches.models import Action, Match, PlayerRating, RatingChange, RatingPool, Result
from matches.models.play import CLAIM_AWAY
from matches.presentation.visibility import Viewer
from matches.rankings import histories
from matches.rankings.histories import History
from matches.rankings.sentences import counted_sentence, formula_sentence
from matches.rankings.tables import RankingFilters, place, won_percent
from matches.ratings.services import default_pool
from players import access
from players.models import Membership, Player, User

# Rating charts as SVG coordinates, ready for the template.


MAX_POINTS = 240
"""Most points that are drawn; more would not be visible."""
MONTHS_FROM = timedelta(days=75)
YEARS_FROM = timedelta(days=700)


@dataclass(frozen=True, slots=True)
class Point:
    at: datetime
    rating: float


@dataclass(frozen=True, slots=True)
class RatingChartSize(ChartFrame):
    """The size of a drawing, and how many labels its axes have."""

    lines: int
    """Most horizontal lines."""
    dates: int


DESK = RatingChartSize("desk", width=940, height=300, left=56, right=8, top=10, bottom=28, lines=8, dates=7)
PHONE = RatingChartSize("phone", width=340, height=190, left=40, right=8, top=10, bottom=22, lines=5, dates=4)


@dataclass(frozen=True, slots=True)
class RatingChart:
    """The drawings, and their data for screen readers."""

    drawings: list[Drawing]
    points: list[Point]
    """Thinned, oldest first."""
    matches: int
    lowest: float
    highest: float


def chart(points: Sequence[Point], sizes: Sequence[RatingChartSize] = (DESK, PHONE)) -> RatingChart | None:
    """Draw at least two points, oldest first and evenly spaced; return None for fewer."""
    if len(points) < 2:
        return None
    thinned = thin(points, MAX_POINTS)
    ratings = [point.rating for point in points]
    return RatingChart(
        drawings=[_draw(thinned, size) for size in sizes],
        points=[point for _, point in thinned],
        matches=len(points) - 1,
        lowest=min(ratings),
        highest=max(ratings),
    )


def thin(points: Sequence[Point], most: int) -> list[tuple[int, Point]]:
    """Keep about `most` points with their indexes: the two ends, and the extremes of equal stretches between."""
    numbered = list(enumerate(points))
    if len(numbered) <= most:
        return numbered
    stretches = most // 2
    kept_indexes = {0, len(points) - 1}
    edges = [len(points) * number // stretches for number in range(stretches + 1)]
    for start, end in pairwise(edges):
        stretch = numbered[start:end]
        kept_indexes.add(min(stretch, key=lambda item: item[1].rating)[0])
        kept_indexes.add(max(stretch, key=lambda item: item[1].rating)[0])
    return [numbered[number] for number in sorted(kept_indexes)]


def _draw(numbered_points: Sequence[tuple[int, Point]], size: RatingChartSize) -> Drawing:
    ratings = [point.rating for _, point in numbered_points]
    levels = scale(min(ratings), max(ratings), size.lines)
    axes = Axes(size, numbered_points[-1][0], levels[0], levels[-1])
    places = [axes.place(number, point.rating) for number, point in numbered_points]
    dates = _dates(numbered_points, size, axes.across)
    return Drawing(size, axes.levels(levels), path(places), dates, end=places[-1])


def _dates(numbered_points: Sequence[tuple[int, Point]], size: RatingChartSize, across: float) -> list[Mark]:
    """Evenly spaced dates of the points above them, without repetitions and within the drawing."""
    span = numbered_points[-1][1].at - numbered_points[0][1].at
    style = "Y" if span >= YEARS_FROM else "M Y" if span >= MONTHS_FROM else "j M"
    marks: list[Mark] = []
    for number in range(size.dates):
        target = numbered_points[-1][0] * (number + 0.5) / size.dates
        index, point = min(numbered_points, key=lambda item: abs(item[0] - target))
        label = times.written(point.at, style)
        place = round(size.left + index * across, 1)
        if not marks or (label != marks[-1].label and place - marks[-1].place > _width(label)):
            marks.append(Mark(place, label))
    return [mark for mark in marks if mark.place + _width(mark.label) / 2 <= size.width]


def _width(label: str) -> float:
    """Approximate width of a label, with a margin."""
    return 8 * len(label) + 8


# How a player's matches on the site's board ended, for directors of their clubs: derived from results and actions.


class Completion(NamedTuple):
    """How a player's matches played here ended: counts."""

    finished: int
    """Played to their end, won or lost, and those the opponent did not finish."""
    flagged: int
    """Lost on time."""
    left: int
    """Lost because the opponent claimed while the player was away."""
    resigned: int
    """Conceded as a whole."""

    @property
    def matches(self) -> int:
        return sum(self)


def completion_for(user: access.Visitor, player: Player) -> Completion | None:
    """Return the record of a player for a director of one of their clubs; None for anybody else."""
    if not isinstance(user, User) or not user.is_active:
        return None
    clubs = Membership.objects.filter(player=player, left_at__isnull=True).values("club")
    roles = Membership.objects.filter(club__in=clubs, player__user=user, left_at__isnull=True).values_list("role")
    if not any(access.is_at_least(access.Role(role), access.Role.DIRECTOR) for (role,) in roles):
        return None
    return completion_of(player)


def completion_of(player: Player) -> Completion:
    """Return the record of a player, with the matches of those merged into them and without practice."""
    ids = {player.pk, *Player.objects.filter(merged_into=player).values_list("pk", flat=True)}
    latest = Result.objects.filter(match=OuterRef("pk")).order_by("-version")
    claimed = Action.objects.filter(live=OuterRef("pk"), kind=CLAIM_AWAY)
    between_people = Match.objects.filter(live__isnull=False, live__bot_side__isnull=True, live__lapsed_at=None)
    played = between_people.filter(state=Match.State.SETTLED).annotate(
        won_by=Subquery(latest.values("winner")[:1]),
        ending=Subquery(latest.values("kind")[:1]),
        claimed=Exists(claimed),
    )
    counts = dict.fromkeys(Completion._fields, 0)
    for side in (0, 1):
        rows = played.filter(**{f"player_{side}__in": ids}).values_list("won_by", "ending", "claimed")
        for winner, ending, was_claimed in rows:
            counts[_ended(lost=winner == 1 - side, ending=ending, was_claimed=was_claimed)] += 1
    return Completion(**counts)


def _ended(*, lost: bool, ending: str, was_claimed: bool) -> str:
    """The field of `Completion` that counts a match."""
    if lost and ending == Result.Kind.FLAG:
        return "left" if was_claimed else "flagged"
    return "resigned" if lost and ending == Result.Kind.CONCESSION else "finished"


# Context of a player's page.


RECENT = 10
"""Matches listed on the profile."""
FORM = 10
CHARTED = 120
"""Matches in the chart, unless all are requested."""


@dataclass(frozen=True, slots=True)
class Profile:
    player: Player
    clubs: Sequence[Membership]
    standing: PlayerRating | None
    """None without a rated match."""
    rank: int | None
    """Rank in the ranking with its default filters; None if the player is not in it."""
    peak: RatingChange | None
    form: Sequence[bool]
    """Whether the player won their latest rated matches, oldest first."""
    chart: RatingChart | None
    whole: bool
    """Whether the chart shows all matches."""
    recent: History
    start: float
    """The first rating of the pool."""
    of_clubs: Sequence["ClubRating"]
    """The ratings in the pools of clubs."""

    @property
    def losses(self) -> int:
        """Rated matches lost."""
        return self.standing.matches - self.standing.wins if self.standing else 0

    @property
    def percent(self) -> int:
        """Share of rated matches won, in percent."""
        return won_percent(self.standing.wins, self.standing.matches) if self.standing else 0

    @property
    def is_suspended(self) -> bool:
        """Whether the player's account is suspended, which everybody may know; why is not stored."""
        return self.player.user is not None and not self.player.user.is_active

    @property
    def more_in_chart(self) -> bool:
        """Whether there are more rated matches than the chart shows by default."""
        return self.standing is not None and self.standing.matches > CHARTED


def profile(player: Player, now: datetime, viewer: Viewer, *, whole: bool = False) -> Profile:
    """Build the profile; the number of queries does not depend on the number of matches."""
    pool = default_pool()
    standing = PlayerRating.objects.filter(pool=pool, player=player).select_related("pool").first()
    changes = RatingChange.objects.filter(pool=pool, player=player).order_by("-finished_at", "-match_id")
    drawn = list(
        changes.values_list("finished_at", "won", "rating_before", "rating_after")[: None if whole else CHARTED]
    )
    ranked = place(RankingFilters(), now, player.pk) if standing else None
    return Profile(
        player=player,
        clubs=list(
            Membership.objects.filter(player=player, left_at__isnull=True).select_related("club").order_by("joined_at")
        ),
        standing=standing,
        rank=ranked.rank if ranked else None,
        peak=changes.order_by("-rating_after", "finished_at").first() if standing else None,
        form=[won for _, won, _, _ in drawn[:FORM][::-1]],
        chart=chart(_points(drawn)),
        whole=whole,
        recent=histories.history(player, histories.HistoryFilters(), 1, viewer, RECENT),
        start=pool.start_rating,
        of_clubs=ratings_in_clubs(player, now),
    )


@dataclass(frozen=True, slots=True)
class ClubRating:
    """A player's rating in a pool of a club, with the formula and what counts in sentences."""

    pool: RatingPool
    standing: PlayerRating
    spread: float | None
    """Two deviations of Glicko-2, today."""
    sentences: Sequence[str]


def ratings_in_clubs(player: Player, now: datetime) -> list[ClubRating]:
    """Return the ratings of a player in the pools of clubs, by club and name; 1 query."""
    rows = PlayerRating.objects.filter(player=player, pool__club__isnull=False).select_related("pool__club")
    return [_in_club(row, now) for row in rows.order_by("pool__club__name", "pool__name")]


def _in_club(row: PlayerRating, now: datetime) -> ClubRating:
    glicko, chosen = row.pool.settings.glicko, row.pool.chosen
    deviation = glicko.deviation_at(row.as_standing, now) if glicko is not None else None
    sentences = [formula_sentence(chosen), counted_sentence(chosen)]
    return ClubRating(row.pool, row, None if deviation is None else 2 * deviation, sentences)


def _points(latest_first: Sequence[tuple[datetime, bool, float, float]]) -> list[Point]:
    """The rating before the first match and after each match."""
    if not latest_first:
        return []
    at, _, before, _ = latest_first[-1]
    return [Point(at, before), *(Point(at, after) for at, _, _, after in reversed(latest_first))]


def rating_of(player: Player, pool: RatingPool) -> float:
    """The player's current rating, or the initial rating before the first rated match."""
    rating = PlayerRating.objects.filter(pool=pool, player=player).values_list("rating", flat=True).first()
    return pool.start_rating if rating is None else rating
