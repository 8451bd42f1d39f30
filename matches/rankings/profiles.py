"""Context of a player's page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from matches.models import PlayerRating, RatingChange, RatingPool
from matches.presentation.visibility import Viewer
from matches.rankings import charts, histories
from matches.rankings.charts import Chart, Point
from matches.rankings.histories import History
from matches.rankings.tables import Filters as RankingFilters
from matches.rankings.tables import place, won_percent
from matches.ratings.services.ratings import default_pool
from players.models import Membership, Player

RECENT = 10
"""Matches listed on the profile."""
FORM = 10
CHARTED = 120
"""Matches in the chart, unless all are requested."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A player, their rating and their recent matches."""

    player: Player
    clubs: Sequence[Membership]
    standing: PlayerRating | None
    """None without a rated match."""
    rank: int | None
    """Rank in the ranking with its default filters; None if the player is not in it."""
    peak: RatingChange | None
    form: Sequence[bool]
    """Whether the player won their latest rated matches, oldest first."""
    chart: Chart | None
    whole: bool
    """Whether the chart shows all matches."""
    recent: History
    start: float
    """The first rating of the pool."""

    @property
    def losses(self) -> int:
        """Rated matches lost."""
        return self.standing.matches - self.standing.wins if self.standing else 0

    @property
    def percent(self) -> int:
        """Share of rated matches won, in percent."""
        return won_percent(self.standing.wins, self.standing.matches) if self.standing else 0

    @property
    def more_in_chart(self) -> bool:
        """Whether there are more rated matches than the chart shows by default."""
        return self.standing is not None and self.standing.matches > CHARTED


def profile(player: Player, now: datetime, viewer: Viewer, *, whole: bool = False) -> Profile:
    """Build the profile; the number of queries does not depend on the number of matches."""
    pool = default_pool()
    standing = PlayerRating.objects.filter(pool=pool, player=player).first()
    changes = RatingChange.objects.filter(pool=pool, player=player).order_by("-finished_at", "-match")
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
        chart=charts.chart(_points(drawn)),
        whole=whole,
        recent=histories.history(player, histories.Filters(), 1, viewer, RECENT),
        start=pool.start_rating,
    )


def _points(latest_first: Sequence[tuple[datetime, bool, float, float]]) -> list[Point]:
    """The rating before the first match and after each match."""
    if not latest_first:
        return []
    at, _, before, _ = latest_first[-1]
    return [Point(at, before), *(Point(at, after) for at, _, _, after in reversed(latest_first))]


def rating_of(player: Player, pool: RatingPool) -> float:
    """The player's current rating; the first rating without rated matches."""
    rating = PlayerRating.objects.filter(pool=pool, player=player).values_list("rating", flat=True).first()
    return pool.start_rating if rating is None else rating
