"""Match histories of players, head-to-head comparisons, and the rows of CSV downloads."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import islice
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.core.paginator import Page
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.template.defaultfilters import floatformat
from django.utils.dateparse import parse_date

from core.downloads import safe
from core.pagination import page_of
from core.requests import parse_int
from core.times import in_zone
from formats.ratings import (
    EXPERIENCE_PER_K,
    EXPERIENCE_PER_SLOW_K,
    FIBS,
    FIRST_K,
    FIRST_SLOW_K,
    LAST_K,
    STAKE,
    Ramp,
    Working,
    win_probability,
    working,
)
from matches.lifecycle.events import MatchContext, events
from matches.models import Match, RatingChange, RatingPool, Result
from matches.models.pool_settings import FIBS_FAMILY
from matches.presentation import labels
from matches.presentation.visibility import Viewer
from matches.rankings.sentences import FAMILIES
from matches.rankings.tables import RankingFilters, clubs_of, opened, side_named, table
from matches.ratings import rated
from matches.ratings.services import default_pool
from players.access import Visitor
from players.models import Membership, Player

# Match histories of players, and head-to-head comparisons.


ROWS = 25
RESULTS = ("won", "lost")
RATED = ("yes", "no")
YEARS = range(1900, 2200)
LENGTHS = (1, 3, 5, 7, 9, 11, 13, 15, 17, 21, 25)
CHANCES_OVER = (1, 3, 5, 7, 9, 11, 15, 25)


@dataclass(frozen=True, slots=True)
class HistoryFilters:
    result: str = ""
    rated: str = ""
    length: int = 0
    year: int = 0
    opponent: str = ""
    """Words of the opponent's name."""

    @classmethod
    def read(cls, params: Mapping[str, str]) -> "HistoryFilters":
        """Parse a query string; invalid values are ignored."""
        result, is_rated = params.get("result", ""), params.get("rated", "")
        year = parse_int(params.get("year"), 0)
        return cls(
            result=result if result in RESULTS else "",
            rated=is_rated if is_rated in RATED else "",
            length=parse_int(params.get("length"), 0),
            year=year if year in YEARS else 0,
            opponent=" ".join(params.get("opponent", "").split())[:80],
        )

    @property
    def query(self) -> str:
        """The filters as a query string, without the empty ones."""
        names = ("result", "rated", "length", "year", "opponent")
        return urlencode({name: value for name in names if (value := getattr(self, name))})


@dataclass(frozen=True, slots=True)
class Explained:
    """A rating change with the numbers it was computed from."""

    change: RatingChange
    working: Working | None
    """None by Glicko-2, which counts the matches of a week together."""
    ramp: Ramp
    pool: RatingPool

    @classmethod
    def of(cls, change: RatingChange) -> "Explained":
        """Explain a change; its pool and the club of that must have been fetched."""
        settings = change.pool.settings
        if settings.glicko is not None:
            return cls(change, None, settings.ramp, change.pool)
        ramp = settings.ramp
        return cls(
            change,
            working(
                change.rating_before,
                change.opponent_before,
                change.length,
                experience=change.experience_before,
                won=change.won,
                ramp=ramp,
                k_scale=change.pool.k_scale,
                formula=settings.formula,
            ),
            ramp,
            change.pool,
        )

    @property
    def is_kept(self) -> bool:
        """Whether the match did not move the rating, whose player has an anchor that the opponent lacks."""
        return self.working is not None and self.change.rating_after == self.change.rating_before

    @property
    def label(self) -> str:
        """The formula, if it is not that of FIBS."""
        family = self.pool.chosen.family
        return "" if family == FIBS_FAMILY else str(FAMILIES[family])

    @property
    def is_of_fibs(self) -> bool:
        """Whether the stake is 4·√n."""
        return self.pool.settings.formula == FIBS

    @property
    def spread(self) -> float | None:
        """Two deviations of Glicko-2 after the week of the match."""
        return None if self.change.deviation is None else 2 * self.change.deviation

    @property
    def weight(self) -> float:
        """What Glicko-2 multiplied the difference from the expected score with, in rating points."""
        surprise = self.change.won - (self.change.expected or 0.0)
        return self.change.change / surprise if surprise else 0.0

    @property
    def counted(self) -> int:
        """The experience that determines K, in points."""
        return self.change.experience_before + (self.change.length if self.ramp is Ramp.INCLUDING else 0)

    @property
    def ramps(self) -> bool:
        """Whether K is still above its final value."""
        return self.working is not None and self.working.k > LAST_K

    @property
    def first_k(self) -> int:
        """K of a player without experience."""
        return FIRST_SLOW_K if self.ramp is Ramp.SLOW else FIRST_K

    @property
    def per_k(self) -> int:
        """Points of experience with which K falls by 1."""
        return EXPERIENCE_PER_SLOW_K if self.ramp is Ramp.SLOW else EXPERIENCE_PER_K

    @property
    def stake(self) -> str:
        """Stake × K, and by FIBS its factors."""
        if self.working is None:
            return ""
        k, root = floatformat(self.working.k, 2), floatformat(self.working.root, 3)
        return f"{STAKE} × {k} × {root}" if self.is_of_fibs else f"{floatformat(self.working.stake, 3)} × {k}"


@dataclass(frozen=True, slots=True)
class HistoryLine:
    match: Match
    opponent: Player | None
    """None if the reader may not see the match."""
    won: bool | None
    """None if nobody won, or if the match is void; the rating change of a void match shows who won."""
    score: tuple[int, int] | None
    """The player's points first, at most the length."""
    result: Result | None
    explained: Explained | None
    context: MatchContext | None

    @property
    def hidden(self) -> bool:
        """Whether the reader may not see the match; its rating change is shown anyway."""
        return self.opponent is None

    @property
    def zone(self) -> str:
        """The time zone of its event or club; empty if it has none, or if the reader may not see the match."""
        if self.context is not None:
            return self.context.zone
        return self.match.club.time_zone if self.match.club is not None and not self.hidden else ""

    @property
    def url(self) -> str:
        return f"/matches/{self.match.public_id}/"

    @property
    def ending(self) -> str:
        """How the match ended, unless it was played out."""
        if self.result is None or self.result.kind == Result.Kind.PLAYED:
            return ""
        return labels.ending(self.match, self.result)


def identities(player: Player, same: Mapping[int, int]) -> list[int]:
    """Ids of a player and of the players merged into them."""
    return [player.pk, *(merged for merged, into in same.items() if into == player.pk)]


def ended(player: Player, same: Mapping[int, int]) -> QuerySet[Match]:
    """The player's matches that have a result, newest first."""
    return _over(identities(player, same), Q(state=Match.State.SETTLED))


def listed(player: Player, same: Mapping[int, int]) -> QuerySet[Match]:
    """The player's matches with a result, and void ones that are still rated, so that every rating change is listed."""
    changed = Exists(RatingChange.objects.filter(match=OuterRef("pk"), player=player))
    return _over(identities(player, same), Q(state=Match.State.SETTLED) | Q(Q(state=Match.State.VOID) & changed))


def _over(ids: Collection[int], states: Q) -> QuerySet[Match]:
    return (
        Match.objects.filter(Q(player_0__in=ids) | Q(player_1__in=ids), states)
        .filter(finished_at__isnull=False)
        # Matches between two players who were merged.
        .exclude(player_0__in=ids, player_1__in=ids)
        .order_by("-finished_at", "-pk")
    )


def with_winner(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Annotate `winner`, the side that won by the newest result. It costs a subquery for each match."""
    latest = Result.objects.filter(match=OuterRef("pk")).order_by("-version")
    return matches.annotate(winner=Subquery(latest.values("winner")[:1]))


def won_by(ids: Collection[int]) -> Q:
    """Condition on matches of `with_winner`: one of these players won."""
    return Q(player_0__in=ids, winner=0) | Q(player_1__in=ids, winner=1)


def filtered(player: Player, filters: HistoryFilters, viewer: Viewer, same: Mapping[int, int]) -> QuerySet[Match]:
    ids = identities(player, same)
    matches = ended(player, same) if filters.result else listed(player, same)
    if filters.result == "won":
        matches = with_winner(matches).filter(won_by(ids))
    elif filters.result == "lost":
        matches = with_winner(matches).filter(Q(winner__isnull=False)).exclude(won_by(ids))
    if filters.rated:
        counted = RatingChange.objects.filter(player=player).values("match")
        matches = matches.filter(pk__in=counted) if filters.rated == "yes" else matches.exclude(pk__in=counted)
    if filters.length:
        matches = matches.filter(length=filters.length)
    if filters.year:
        matches = matches.filter(_in_year(matches, filters.year))
    if filters.opponent:
        matches = matches.filter(viewer.visible()).filter(_against(ids, filters.opponent))
    return matches


def _in_year(matches: QuerySet[Match], year: int) -> Q:
    """The matches that finished in a year on the clocks of their clubs, or in UTC without one."""
    zones, found = set(matches.order_by().values_list("club__time_zone", flat=True)), Q(pk__in=[])
    for zone in zones:
        first, next_ = (datetime(each, 1, 1, tzinfo=ZoneInfo(zone or "UTC")) for each in (year, year + 1))
        found |= Q(club__time_zone=zone, finished_at__gte=first, finished_at__lt=next_)
    return found


def _against(ids: Collection[int], words: str) -> Q:
    """Condition: the opponent, or the player they were merged into, or one of a pair, is called so."""
    people = Player.objects.filter(side_named(words), merged_into__isnull=True).values("pk")
    condition = Q()
    for side, other in (("player_0", "player_1"), ("player_1", "player_0")):
        opponent_named = Q(**{f"{other}__in": people}) | Q(**{f"{other}__merged_into__in": people})
        condition |= Q(**{f"{side}__in": ids}) & opponent_named
    return condition


def lines(player: Player, matches: Iterable[Match], viewer: Viewer, same: Mapping[int, int]) -> list[HistoryLine]:
    """Lines of `player`'s history; the number of queries does not depend on the number of matches."""
    rows = list(matches)
    ids = set(identities(player, same))
    results = latest_results(rows)
    changes = {
        change.match_id: change
        for change in RatingChange.objects.filter(player=player, match__in=rows).select_related("pool__club")
    }
    opponents = {row.pk: _other(row, ids, same) for row in rows}
    people = Player.objects.in_bulk(set(opponents.values()))
    contexts = events().contexts({row.parent_topic for row in rows})
    return [
        _line(
            row,
            side=0 if row.player_0_id in ids else 1,
            opponent=people[opponents[row.pk]] if viewer.sees(row) else None,
            result=results.get(row.pk),
            change=changes.get(row.pk),
            context=contexts.get(row.parent_topic),
        )
        for row in rows
    ]


def _other(row: Match, ids: Collection[int], same: Mapping[int, int]) -> int:
    other = row.player_1_id if row.player_0_id in ids else row.player_0_id
    return same.get(other, other)


def latest_results(matches: Sequence[Match]) -> dict[int, Result]:
    """The result that stands, by match."""
    versions = Result.objects.filter(match__in=matches).order_by("match_id", "version")
    return {result.match_id: result for result in versions}


def _line(
    match: Match,
    *,
    side: int,
    opponent: Player | None,
    result: Result | None,
    change: RatingChange | None,
    context: MatchContext | None,
) -> HistoryLine:
    score = None
    points = labels.final_score(match, result) if opponent is not None else None
    if points is not None:
        score = points[side], points[1 - side]
    winner = None if result is None or result.kind == Result.Kind.VOID else result.winner
    return HistoryLine(
        match=match,
        opponent=opponent,
        won=None if winner is None else winner == side,
        score=score,
        result=result,
        explained=None if change is None else Explained.of(change),
        context=None if opponent is None else context,
    )


@dataclass(frozen=True, slots=True)
class History:
    filters: HistoryFilters
    page: Page[Match]
    lines: list[HistoryLine]
    years: Sequence[int]


def history(player: Player, filters: HistoryFilters, page: int, viewer: Viewer, rows: int = ROWS) -> History:
    """Return a page of a player's matches, or the nearest existing page."""
    same = rated.merged_players()
    matches = filtered(player, filters, viewer, same)
    matches_page = page_of(matches.select_related("club"), page, rows)
    ends = listed(player, same).order_by().values_list("club__time_zone", Min("finished_at"), Max("finished_at"))
    found = {in_zone(at, zone or "UTC").year for zone, *first_and_last in ends for at in first_and_last if at}
    years = range(max(found), min(found) - 1, -1) if found else ()
    return History(filters, matches_page, lines(player, list(matches_page), viewer, same), years)


def latest(player: Player, viewer: Viewer, same: Mapping[int, int], most: int) -> list[HistoryLine]:
    matches = filtered(player, HistoryFilters(), viewer, same).select_related("club")
    return lines(player, list(matches[:most]), viewer, same)


# Head to head


@dataclass(frozen=True, slots=True)
class Chance:
    """The chances in a match of this length, by the rating formula."""

    length: int
    first: float
    second: float

    @property
    def percents(self) -> tuple[int, int]:
        """Both chances in whole percent, which add up to 100."""
        first = round(100 * self.first)
        return first, 100 - first


@dataclass(frozen=True, slots=True)
class Versus:
    """The matches of two players that the reader may see, from the first player's side."""

    wins: tuple[int, int]
    page: Page[Match]
    lines: list[HistoryLine]
    chances: list[Chance]


def versus(player: Player, other: Player, ratings: tuple[float, float], page: int, viewer: Viewer) -> Versus:
    """Compare two players: wins, a page of their matches, and chances by their current ratings."""
    same = rated.merged_players()
    ids, other_ids = identities(player, same), identities(other, same)
    met = ended(player, same).filter(Q(player_0__in=other_ids) | Q(player_1__in=other_ids)).filter(viewer.visible())
    counts = with_winner(met.order_by()).aggregate(
        count=Count("pk"), first=Count("pk", filter=won_by(ids)), second=Count("pk", filter=won_by(other_ids))
    )
    matches_page = page_of(met.select_related("club"), page, ROWS, count=counts["count"])
    wins = (counts["first"], counts["second"])
    return Versus(wins, matches_page, lines(player, list(matches_page), viewer, same), chances(*ratings))


def chances(rating: float, other: float) -> list[Chance]:
    """The chances (0–1) of both players over the usual lengths, by their ratings."""
    expected = ((length, win_probability(rating, other, length)) for length in CHANCES_OVER)
    return [Chance(length, chance, 1 - chance) for length, chance in expected]


def rivals(player: Player, most: int) -> list[dict[str, Any]]:
    """The player's most frequent opponents in rated public matches."""
    met = (
        RatingChange.objects.filter(player=player, match__visibility=Match.Visibility.PUBLIC)
        .filter(opponent__erased_at__isnull=True)
        .order_by()
        .values("opponent")
        .annotate(matches=Count("pk"), wins=Count("pk", filter=Q(won=True)))
        .order_by("-matches", "opponent__name", "opponent_id")[:most]
    )
    rows = list(met)
    people = Player.objects.in_bulk([row["opponent"] for row in rows])
    return [row | {"player": people[row["opponent"]], "losses": row["matches"] - row["wins"]} for row in rows]


# Rows of the ranking and of the rated matches for CSV downloads (`core.downloads`).


BATCH_SIZE = 500
RANKING = (
    "rank", "player", "public_id", "federation_number", "clubs", "rating", "last_change", "matches", "wins",
    "experience", "last_played", "is_provisional",
)  # fmt: skip
MATCHES = (
    "finished", "match", "club", "length", "winner", "winner_federation_number", "winner_rating_before",
    "winner_rating_after", "loser", "loser_federation_number", "loser_rating_before", "loser_rating_after",
    "winner_points", "loser_points", "ending",
)  # fmt: skip

Cell = str | int | float
Trust = frozenset[int] | None
"""Ids of players whose federation numbers the reader may see; None for all."""


def ranking_rows(filters: RankingFilters, now: datetime, reader: Visitor) -> Iterator[list[Cell]]:
    """The whole ranking in the order of the page, starting with a row of column names.

    Nothing is read before the first row is, since a download may be refused.
    """
    yield list(RANKING)
    rows = table(opened(filters, reader), now).select_related("player", "pool").iterator(chunk_size=BATCH_SIZE)
    numbered = players_with_visible_number(Viewer.of(reader))
    rank, last = 0, None
    place = 0
    while chunk := list(islice(rows, BATCH_SIZE)):
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
                int(standing.is_provisional),
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
    rows = winners.order_by("finished_at", "match_id").iterator(chunk_size=BATCH_SIZE)
    while chunk := list(islice(rows, BATCH_SIZE)):
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
