"""Rows of the ranking and of the rated matches for CSV downloads (`core.downloads`)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from itertools import islice

from django.db.models import Q
from django.utils.dateparse import parse_date

from core.downloads import safe
from matches.models import RatingChange
from matches.presentation.visibility import Viewer
from matches.rankings.histories import latest_results
from matches.rankings.tables import Filters, clubs_of, table
from matches.ratings.services.ratings import default_pool
from players.models import Membership, Player

AT_ONCE = 500
RANKING = (
    "rank", "player", "public_id", "federation_number", "clubs", "rating", "last_change", "matches", "wins",
    "experience", "last_played",
)  # fmt: skip
MATCHES = (
    "finished", "match", "club", "length", "winner", "winner_federation_number", "winner_rating_before",
    "winner_rating_after", "loser", "loser_federation_number", "loser_rating_before", "loser_rating_after",
    "winner_points", "loser_points", "ending",
)  # fmt: skip

Cell = str | int | float
Trust = frozenset[int] | None
"""Ids of players whose federation numbers the reader may see; None for all."""


def ranking_rows(filters: Filters, now: datetime, viewer: Viewer) -> Iterator[list[Cell]]:
    """The whole ranking in the order of the page, starting with a row of column names."""
    yield list(RANKING)
    rows = table(filters, now).select_related("player").iterator(chunk_size=AT_ONCE)
    numbered = players_with_visible_number(viewer)
    rank, last = 0, None
    place = 0
    while chunk := list(islice(rows, AT_ONCE)):
        clubs = clubs_of([standing.player_id for standing in chunk])
        for standing in chunk:
            place += 1
            rank, last = (rank if standing.rating == last else place), standing.rating
            yield [
                rank,
                safe(standing.player.shown_name),
                standing.player.public_id,
                safe(number_of(standing.player, numbered)),
                safe(" · ".join(clubs.get(standing.player_id, ()))),
                round(standing.rating, 2),
                round(standing.last_change, 2),
                standing.matches,
                standing.wins,
                standing.experience,
                standing.last_played_at.astimezone(UTC).date().isoformat(),
            ]


def match_rows(
    viewer: Viewer, *, club: str = "", since: date | None = None, until: date | None = None
) -> Iterator[list[Cell]]:
    """The rated matches that the reader may see, oldest first; both dates are inclusive and in UTC."""
    yield list(MATCHES)
    condition = Q()
    if club:
        condition &= Q(match__club__slug=club)
    if since:
        condition &= Q(finished_at__gte=datetime.combine(since, time.min, UTC))
    if until:
        condition &= Q(finished_at__lte=datetime.combine(until, time.max, UTC))
    pool = default_pool()
    numbered = players_with_visible_number(viewer)
    changes = RatingChange.objects.filter(condition, viewer.visible("match__"), pool=pool)
    winners = changes.filter(won=True).select_related("match__club", "player", "opponent")
    rows = winners.order_by("finished_at", "match").iterator(chunk_size=AT_ONCE)
    while chunk := list(islice(rows, AT_ONCE)):
        yield from _match_lines(chunk, numbered)


def _match_lines(winners: list[RatingChange], numbered: Trust) -> Iterator[list[Cell]]:
    matches = [change.match for change in winners]
    pool = winners[0].pool_id
    lost_changes = RatingChange.objects.filter(pool=pool, won=False, match__in=matches)
    losers = {change.match_id: change for change in lost_changes}
    results = latest_results(matches)
    for won in winners:
        lost, result = losers[won.match_id], results[won.match_id]
        score: tuple[Cell, Cell] = ("", "")
        if result.score is not None and result.winner is not None:
            score = result.score[result.winner], result.score[1 - result.winner]
        yield [
            won.finished_at.isoformat(),
            won.match.public_id,
            safe(won.match.club.name if won.match.club else ""),
            won.length,
            safe(won.player.shown_name),
            safe(number_of(won.player, numbered)),
            round(won.rating_before, 2),
            round(won.rating_after, 2),
            safe(won.opponent.shown_name),
            safe(number_of(won.opponent, numbered)),
            round(lost.rating_before, 2),
            round(lost.rating_after, 2),
            *score,
            result.kind,
        ]


def players_with_visible_number(viewer: Viewer) -> Trust:
    """Players whose federation number the reader may see: themselves and the members of clubs they direct."""
    if viewer.everything:
        return None
    members = Membership.objects.filter(club__in=viewer.directs, left_at__isnull=True).values_list("player", flat=True)
    return frozenset(members if viewer.directs else ()) | viewer.players


def number_of(player: Player, numbered: Trust) -> str:
    """The federation number if the reader may see it; else an empty string."""
    return player.federation_number if numbered is None or player.pk in numbered else ""


def day(text: str | None) -> date | None:
    """Parse a date from a query string; None if it is not a date."""
    try:
        return parse_date(text or "")
    except ValueError:
        return None
