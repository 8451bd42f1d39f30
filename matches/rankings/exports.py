"""The rows of the ranking and of the rated matches, for federations and spreadsheets; `csv_files` sends them."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from itertools import islice

from django.db.models import Q
from django.utils.dateparse import parse_date

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
FORMULA = ("=", "+", "-", "@", "\t", "\r")

Cell = str | int | float
Trust = frozenset[int] | None
"""Players whose federation numbers somebody may read; None is everybody's."""


def ranking_rows(filters: Filters, now: datetime, viewer: Viewer) -> Iterator[list[Cell]]:
    """The whole table in the order of the page, with a line of titles."""
    yield list(RANKING)
    rows = table(filters, now).select_related("player").iterator(chunk_size=AT_ONCE)
    numbered = entrusted_with(viewer)
    rank, last = 0, None
    place = 0
    while some := list(islice(rows, AT_ONCE)):
        clubs = clubs_of([one.player_id for one in some])
        for one in some:
            place += 1
            rank, last = (rank if one.rating == last else place), one.rating
            yield [
                rank,
                safe(one.player.shown_name),
                one.player.public_id,
                safe(number_of(one.player, numbered)),
                safe(" · ".join(clubs.get(one.player_id, ()))),
                round(one.rating, 2),
                round(one.last_change, 2),
                one.matches,
                one.wins,
                one.experience,
                one.last_played_at.astimezone(UTC).date().isoformat(),
            ]


def match_rows(
    viewer: Viewer, *, club: str = "", since: date | None = None, until: date | None = None
) -> Iterator[list[Cell]]:
    """The rated matches that the reader may see, the first one first; dates are UTC and both count."""
    yield list(MATCHES)
    asked = Q()
    if club:
        asked &= Q(match__club__slug=club)
    if since:
        asked &= Q(finished_at__gte=datetime.combine(since, time.min, UTC))
    if until:
        asked &= Q(finished_at__lte=datetime.combine(until, time.max, UTC))
    pool = default_pool()
    numbered = entrusted_with(viewer)
    changes = RatingChange.objects.filter(asked, viewer.visible("match__"), pool=pool)
    winners = changes.filter(won=True).select_related("match__club", "player", "opponent")
    rows = winners.order_by("finished_at", "match").iterator(chunk_size=AT_ONCE)
    while some := list(islice(rows, AT_ONCE)):
        yield from _lines(some, numbered)


def _lines(winners: list[RatingChange], numbered: Trust) -> Iterator[list[Cell]]:
    matches = [change.match for change in winners]
    pool = winners[0].pool_id
    losers = {one.match_id: one for one in RatingChange.objects.filter(pool=pool, won=False, match__in=matches)}
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


def entrusted_with(viewer: Viewer) -> Trust:
    """Whose federation numbers he may read: his own, and those of the clubs he directs."""
    if viewer.everything:
        return None
    members = Membership.objects.filter(club__in=viewer.directs, left_at__isnull=True).values_list("player", flat=True)
    return frozenset(members if viewer.directs else ()) | viewer.players


def number_of(player: Player, numbered: Trust) -> str:
    """The federation number for whoever may read it; else nothing."""
    return player.federation_number if numbered is None or player.pk in numbered else ""


def safe(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def day(text: str | None) -> date | None:
    """A date from an address; None for whatever is none."""
    try:
        return parse_date(text or "")
    except ValueError:
        return None
