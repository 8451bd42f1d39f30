"""What the page of a player shows."""

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
"""Matches in the chart, unless all are asked for."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A player, his rating and what led to it."""

    player: Player
    clubs: Sequence[Membership]
    standing: PlayerRating | None
    """None of somebody who has no rated match."""
    rank: int | None
    """In the ranking as it opens; None for whoever is not in it."""
    peak: RatingChange | None
    form: Sequence[bool]
    """Whether he won his last rated matches, oldest first."""
    chart: Chart | None
    whole: bool
    """Whether the chart shows all matches."""
    recent: History
    start: float
    """Where everybody begins."""

    @property
    def losses(self) -> int:
        """Rated matches lost."""
        return self.standing.matches - self.standing.wins if self.standing else 0

    @property
    def percent(self) -> int:
        """Of the rated matches, won."""
        return won_percent(self.standing.wins, self.standing.matches) if self.standing else 0

    @property
    def more_in_chart(self) -> bool:
        """Whether there are more rated matches than the chart opens with."""
        return self.standing is not None and self.standing.matches > CHARTED


def profile(player: Player, now: datetime, viewer: Viewer, *, whole: bool = False) -> Profile:
    """Everything on the page, in a number of queries that does not depend on how much he has played."""
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
    """The rating after each match, and before the first."""
    if not latest_first:
        return []
    at, _, before, _ = latest_first[-1]
    return [Point(at, before), *(Point(at, after) for at, _, _, after in reversed(latest_first))]


def rating_of(player: Player, pool: RatingPool) -> float:
    """His rating today; of the unrated the first rating."""
    rating = PlayerRating.objects.filter(pool=pool, player=player).values_list("rating", flat=True).first()
    return pool.start_rating if rating is None else rating
