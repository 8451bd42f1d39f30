"""Matches as their players' pages list them, and the meetings of two players."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery

from core.numbers import parse_int
from matches.models import Match, RatingChange, Result
from matches.presentation import labels as wording
from matches.presentation.context import MatchContext, match_contexts
from matches.presentation.visibility import Viewer
from matches.rankings.tables import Pages, named
from matches.ratings import rated
from players.models import Player
from players.ratings import EXPERIENCE_PER_K, FIRST_K, LAST_K, STAKE, Ramp, Working, win_probability, working

ROWS = 25
RESULTS = ("won", "lost")
RATED = ("yes", "no")
YEARS = range(1900, 2200)
LENGTHS = (1, 3, 5, 7, 9, 11, 13, 15, 17, 21, 25)
CHANCES_OVER = (1, 3, 5, 7, 9, 11, 15, 25)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which matches of a player."""

    result: str = ""
    rated: str = ""
    length: int = 0
    year: int = 0
    opponent: str = ""
    """Words of a name."""

    @classmethod
    def read(cls, given: Mapping[str, str]) -> "Filters":
        """From the query of an address; whatever makes no sense is left out."""
        result, is_rated = given.get("result", ""), given.get("rated", "")
        year = parse_int(given.get("year"), 0)
        return cls(
            result=result if result in RESULTS else "",
            rated=is_rated if is_rated in RATED else "",
            length=parse_int(given.get("length"), 0),
            year=year if year in YEARS else 0,
            opponent=" ".join(given.get("opponent", "").split())[:80],
        )

    @property
    def query(self) -> str:
        """The same as the query of an address."""
        names = ("result", "rated", "length", "year", "opponent")
        return urlencode({name: value for name in names if (value := getattr(self, name))})


@dataclass(frozen=True, slots=True)
class Explained:
    """A change of rating, and every number that led to it."""

    change: RatingChange
    working: Working
    ramp: Ramp

    @classmethod
    def of(cls, change: RatingChange) -> "Explained":
        """`change` brings its pool along."""
        ramp = change.pool.settings.ramp
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
            ),
            ramp,
        )

    @property
    def counted(self) -> int:
        """The experience that K is taken from, in points."""
        return self.change.experience_before + (self.change.length if self.ramp is Ramp.INCLUDING else 0)

    @property
    def ramps(self) -> bool:
        """Whether K is more than what everybody ends with."""
        return self.working.k > LAST_K

    first_k = FIRST_K
    per_k = EXPERIENCE_PER_K
    stake = STAKE


@dataclass(frozen=True, slots=True)
class Line:
    """One match as one of its players sees it."""

    match: Match
    opponent: Player | None
    """None where the reader may not see the match."""
    won: bool | None
    """None where nobody won, or the match is void: who won it then, only its rating tells."""
    score: tuple[int, int] | None
    """His points first, no more than the length."""
    result: Result | None
    explained: Explained | None
    occasion: MatchContext | None

    @property
    def hidden(self) -> bool:
        """Whether the reader may not see the match; what it did to the rating is told all the same."""
        return self.opponent is None

    @property
    def url(self) -> str:
        """The page of the match."""
        return f"/matches/{self.match.public_id}/"

    @property
    def ending(self) -> str:
        """How it ended, where it was not simply played."""
        if self.result is None or self.result.kind == Result.Kind.PLAYED:
            return ""
        return wording.ending(self.match, self.result)


def identities(player: Player, same: Mapping[int, int]) -> list[int]:
    """A player and those who were merged into him."""
    return [player.pk, *(one for one, into in same.items() if into == player.pk)]


def ended(player: Player, same: Mapping[int, int]) -> QuerySet[Match]:
    """His matches that have a result, the last one first."""
    return _over(identities(player, same), Q(state=Match.State.SETTLED))


def listed(player: Player, same: Mapping[int, int]) -> QuerySet[Match]:
    """The same, and those that are void and still rated: his history explains every change of his rating."""
    changed = Exists(RatingChange.objects.filter(match=OuterRef("pk"), player=player))
    return _over(identities(player, same), Q(state=Match.State.SETTLED) | Q(Q(state=Match.State.VOID) & changed))


def _over(ids: Collection[int], states: Q) -> QuerySet[Match]:
    return (
        Match.objects.filter(Q(player_0__in=ids) | Q(player_1__in=ids), states)
        .filter(finished_at__isnull=False)
        # Between two players who were found to be one.
        .exclude(player_0__in=ids, player_1__in=ids)
        .order_by("-finished_at", "-pk")
    )


def with_winner(matches: QuerySet[Match]) -> QuerySet[Match]:
    """The same with `winner`, the side that won by the result that stands: a look at each match, so only if asked."""
    latest = Result.objects.filter(match=OuterRef("pk")).order_by("-version")
    return matches.annotate(winner=Subquery(latest.values("winner")[:1]))


def won_by(ids: Collection[int]) -> Q:
    """The condition on `with_winner` that one of these has won."""
    return Q(player_0__in=ids, winner=0) | Q(player_1__in=ids, winner=1)


def filtered(player: Player, filters: Filters, viewer: Viewer, same: Mapping[int, int]) -> QuerySet[Match]:
    """Those of his matches that were asked for."""
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
        matches = matches.filter(finished_at__year=filters.year)
    if filters.opponent:
        matches = matches.filter(viewer.visible()).filter(_against(ids, filters.opponent))
    return matches


def _against(ids: Collection[int], words: str) -> Q:
    """Whoever stands for the opponent today has such a name."""
    people = Player.objects.filter(named(words), merged_into__isnull=True).values("pk")
    condition = Q()
    for side, other in (("player_0", "player_1"), ("player_1", "player_0")):
        called_so = Q(**{f"{other}__in": people}) | Q(**{f"{other}__merged_into__in": people})
        condition |= Q(**{f"{side}__in": ids}) & called_so
    return condition


def lines(player: Player, matches: Iterable[Match], viewer: Viewer, same: Mapping[int, int]) -> list[Line]:
    """Matches as `player` sees them, in a number of queries that does not depend on how many they are."""
    rows = list(matches)
    ids = set(identities(player, same))
    results = latest_results(rows)
    changes = {
        change.match_id: change
        for change in RatingChange.objects.filter(player=player, match__in=rows).select_related("pool")
    }
    opponents = {row.pk: _other(row, ids, same) for row in rows}
    people = Player.objects.in_bulk(set(opponents.values()))
    known = match_contexts({row.parent_topic for row in rows})
    return [
        _line(
            row,
            side=0 if row.player_0_id in ids else 1,
            opponent=people[opponents[row.pk]] if viewer.sees(row) else None,
            result=results.get(row.pk),
            change=changes.get(row.pk),
            occasion=known.get(row.parent_topic),
        )
        for row in rows
    ]


def _other(row: Match, ids: Collection[int], same: Mapping[int, int]) -> int:
    other = row.player_1_id if row.player_0_id in ids else row.player_0_id
    return same.get(other, other)


def latest_results(matches: Sequence[Match]) -> dict[int, Result]:
    """The result of each of these matches that stands."""
    versions = Result.objects.filter(match__in=matches).order_by("match", "version")
    return {result.match_id: result for result in versions}


def _line(
    match: Match,
    *,
    side: int,
    opponent: Player | None,
    result: Result | None,
    change: RatingChange | None,
    occasion: MatchContext | None,
) -> Line:
    score = None
    if opponent is not None and result is not None and result.score is not None:
        points = wording.shown_score(match.length, result.score)
        score = points[side], points[1 - side]
    winner = None if result is None or result.kind == Result.Kind.VOID else result.winner
    return Line(
        match=match,
        opponent=opponent,
        won=None if winner is None else winner == side,
        score=score,
        result=result,
        explained=None if change is None else Explained.of(change),
        occasion=None if opponent is None else occasion,
    )


@dataclass(frozen=True, slots=True)
class History:
    """One page of a player's matches."""

    filters: Filters
    pages: Pages
    lines: list[Line]
    years: Sequence[int]


def history(player: Player, filters: Filters, page: int, viewer: Viewer, rows: int = ROWS) -> History:
    """The page that was asked for, or the nearest one."""
    same = rated.merged_players()
    found = filtered(player, filters, viewer, same)
    pages = Pages.of(page, rows, found.count())
    here = found.select_related("club")[pages.start : pages.end]
    first, last = listed(player, same).order_by().aggregate(Min("finished_at"), Max("finished_at")).values()
    years = range(last.year, first.year - 1, -1) if first and last else ()
    return History(filters, pages, lines(player, here, viewer, same), years)


# Head to head


@dataclass(frozen=True, slots=True)
class Chance:
    """What the formula expects of the next match of this length."""

    length: int
    first: float
    second: float

    @property
    def percents(self) -> tuple[int, int]:
        """The same in full percent, together a hundred."""
        first = round(100 * self.first)
        return first, 100 - first


@dataclass(frozen=True, slots=True)
class Versus:
    """The meetings of two players that the reader may see, as the first sees them."""

    wins: tuple[int, int]
    pages: Pages
    lines: list[Line]
    chances: list[Chance]


def versus(one: Player, other: Player, ratings: tuple[float, float], page: int, viewer: Viewer) -> Versus:
    """Who has won how often, match by match; `ratings` are theirs today."""
    same = rated.merged_players()
    theirs = identities(other, same)
    met = ended(one, same).filter(Q(player_0__in=theirs) | Q(player_1__in=theirs)).filter(viewer.visible())
    ids = identities(one, same)
    counts = with_winner(met.order_by()).aggregate(
        count=Count("pk"), first=Count("pk", filter=won_by(ids)), second=Count("pk", filter=won_by(theirs))
    )
    pages = Pages.of(page, ROWS, counts["count"])
    here = met.select_related("club")[pages.start : pages.end]
    return Versus((counts["first"], counts["second"]), pages, lines(one, here, viewer, same), chances(*ratings))


def chances(one: float, other: float) -> list[Chance]:
    """The chance (0–1) of either over the usual lengths."""
    expected = ((length, win_probability(one, other, length)) for length in CHANCES_OVER)
    return [Chance(length, chance, 1 - chance) for length, chance in expected]


@dataclass(frozen=True, slots=True)
class Rival:
    """Somebody he has met often."""

    player: Player
    matches: int
    wins: int

    @property
    def losses(self) -> int:
        """Matches the other has won."""
        return self.matches - self.wins


def rivals(player: Player, most: int) -> list[Rival]:
    """Those he has met most often in rated matches."""
    met = (
        RatingChange.objects.filter(player=player, match__visibility=Match.Visibility.PUBLIC)
        .filter(opponent__erased_at__isnull=True)
        .order_by()
        .values("opponent")
        .annotate(matches=Count("pk"), wins=Count("pk", filter=Q(won=True)))
        .order_by("-matches", "opponent")[:most]
    )
    rows = list(met)
    people = Player.objects.in_bulk([row["opponent"] for row in rows])
    return [Rival(people[row["opponent"]], row["matches"], row["wins"]) for row in rows]
