"""The ranking table: who is in it, at which rank, and the page of it that was asked for."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import ceil
from urllib.parse import urlencode

from django.db.models import Q, QuerySet

from core.names import fold
from core.numbers import parse_int
from matches.models import PlayerRating, RatingPool
from matches.ratings.services.ratings import default_pool
from players.models import Alias, Club, Membership, Player

ROWS = 50
ACTIVE_DAYS = 365
DAYS = (30, 90, 180, ACTIVE_DAYS, 730)
LEAST_MATCHES = (1, 5, 10, 20, 50)
MOST_CLUBS = 500


@dataclass(frozen=True, slots=True)
class Filters:
    """Who is in the table."""

    days: int = ACTIVE_DAYS
    """Played within so many days; 0 is ever."""
    least: int = 1
    """At least so many rated matches."""
    club: str = ""
    q: str = ""
    """Words of a name: picks rows, and leaves their ranks as they are."""

    @classmethod
    def read(cls, given: Mapping[str, str]) -> "Filters":
        """From the query of an address; whatever makes no sense is left out."""
        return cls(
            days=parse_int(given.get("days"), ACTIVE_DAYS),
            least=max(1, parse_int(given.get("least"), 1)),
            club=given.get("club", "")[:60],
            q=" ".join(given.get("q", "").split())[:80],
        )

    @property
    def query(self) -> str:
        """The same as the query of an address, without what is the default."""
        usual = Filters()
        names = ("days", "least", "club", "q")
        return urlencode({name: getattr(self, name) for name in names if getattr(self, name) != getattr(usual, name)})


@dataclass(frozen=True, slots=True)
class Pages:
    """Where a page stands in a long list."""

    number: int
    size: int
    count: int

    @classmethod
    def of(cls, asked: int, size: int, count: int) -> "Pages":
        """The page nearest to the one asked for."""
        return cls(min(max(asked, 1), max(1, ceil(count / size))), size, count)

    @property
    def last(self) -> int:
        """The number of the last page."""
        return max(1, ceil(self.count / self.size))

    @property
    def start(self) -> int:
        """How many rows come before."""
        return (self.number - 1) * self.size

    @property
    def end(self) -> int:
        """How many rows there are up to the end of this page."""
        return min(self.start + self.size, self.count)

    @property
    def previous(self) -> int | None:
        """The page before; None on the first."""
        return self.number - 1 if self.number > 1 else None

    @property
    def next(self) -> int | None:
        """The page after; None on the last."""
        return self.number + 1 if self.number < self.last else None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    rank: int
    standing: PlayerRating
    clubs: Sequence[str] = ()
    me: bool = False

    @property
    def player(self) -> Player:
        """Whose line it is."""
        return self.standing.player

    @property
    def percent(self) -> int:
        """Of the matches, won."""
        return won_percent(self.standing.wins, self.standing.matches)


@dataclass(frozen=True, slots=True)
class Place:
    """Where one player stands in the table."""

    rank: int
    page: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """One page of the table."""

    filters: Filters
    pages: Pages
    rows: list[Row] = field(default_factory=list)
    me: Place | None = None


def won_percent(wins: int, matches: int) -> int:
    """Of these matches, how many in a hundred were won.

    >>> won_percent(71, 120), won_percent(0, 0)
    (59, 0)
    """
    return round(100 * wins / matches) if matches else 0


def table(filters: Filters, now: datetime, pool: RatingPool | None = None) -> QuerySet[PlayerRating]:
    """The whole table, best first, without the search. The erased and the merged are not in it."""
    rows = PlayerRating.objects.filter(pool=pool or default_pool(), player__erased_at__isnull=True)
    if filters.days:
        rows = rows.filter(last_played_at__gte=_days_before(now, filters.days))
    if filters.least > 1:
        rows = rows.filter(matches__gte=filters.least)
    if filters.club:
        members = Membership.objects.filter(club__slug=filters.club, left_at__isnull=True)
        rows = rows.filter(player__in=members.values("player"))
    return rows.order_by("-rating", "player")


def _days_before(now: datetime, days: int) -> datetime:
    return max(now - timedelta(days=min(days, 36500)), datetime.min.replace(tzinfo=now.tzinfo))


def named(words: str, prefix: str = "") -> Q:
    """The condition that a player's name, or another one remembered, has all these words in any capitals and accents.

    Who shows only initials is not found: a hit would tell the name behind them.
    """
    shown = Q(**{f"{prefix}initials_only": False, f"{prefix}erased_at": None})
    name, alias = Q(), Q()
    for word in fold(words).split():
        name &= Q(**{f"{prefix}name_key__contains": word})
        alias &= Q(name_key__contains=word)
    if not alias:
        return shown
    return shown & (name | Q(**{f"{prefix}pk__in": Alias.objects.filter(alias).values("player")}))


def ranking(filters: Filters, page: int, now: datetime, viewer: int | None = None) -> Ranking:
    """The page of the table that was asked for, or the nearest one; `viewer` is the player who looks."""
    found = picked(filters, now)
    pages = Pages.of(page, ROWS, found.count())
    standings = list(found.select_related("player")[pages.start : pages.end])
    rows = ranked(filters, now, standings, pages.start, viewer)
    return Ranking(filters, pages, rows, place(replace(filters, q=""), now, viewer))


def leaders(count: int, now: datetime) -> list[Row]:
    """The head of the site's ranking."""
    filters = Filters()
    return ranked(filters, now, list(table(filters, now).select_related("player")[:count]), 0)


def picked(filters: Filters, now: datetime) -> QuerySet[PlayerRating]:
    """The table, or what a search finds in it."""
    everybody = table(filters, now)
    return everybody.filter(named(filters.q, "player__")) if filters.q else everybody


def ranked(
    filters: Filters, now: datetime, standings: Sequence[PlayerRating], start: int, viewer: int | None = None
) -> list[Row]:
    """Rows of `picked` that follow one another, `start` of them left out before, with their ranks in the table."""
    everybody = table(filters, now)
    clubs = clubs_of([one.player_id for one in standings])
    ranks = _ranks_among(everybody, standings) if filters.q else _ranks_from(everybody, standings, start)
    return [
        Row(rank, one, clubs.get(one.player_id, ()), one.player_id == viewer)
        for rank, one in zip(ranks, standings, strict=True)
    ]


def _ranks_from(everybody: QuerySet[PlayerRating], standings: Sequence[PlayerRating], start: int) -> list[int]:
    """Ranks of rows that follow one another; equal ratings share the better rank."""
    ranks: list[int] = []
    for index, one in enumerate(standings):
        if index and one.rating == standings[index - 1].rating:
            ranks.append(ranks[-1])
        else:
            ranks.append(start + index + 1 if index or not start else 1 + _better(everybody, one.rating))
    return ranks


def _ranks_among(everybody: QuerySet[PlayerRating], standings: Sequence[PlayerRating]) -> list[int]:
    """Ranks of rows picked from all over the table."""
    below = [-rating for rating in everybody.values_list("rating", flat=True)] if standings else []
    return [1 + bisect_left(below, -one.rating) for one in standings]


def _better(everybody: QuerySet[PlayerRating], rating: float) -> int:
    return everybody.order_by().filter(rating__gt=rating).count()


def place(filters: Filters, now: datetime, player: int | None) -> Place | None:
    """Where somebody stands in the table without a search; None where he is not in it."""
    if player is None:
        return None
    everybody = table(filters, now)
    mine = everybody.filter(player=player).first()
    if mine is None:
        return None
    better = _better(everybody, mine.rating)
    before = better + everybody.order_by().filter(rating=mine.rating, player__lt=player).count()
    return Place(rank=better + 1, page=before // ROWS + 1)


def clubs_of(players: Collection[int]) -> dict[int, list[str]]:
    """The names of the clubs these players are in."""
    clubs: defaultdict[int, list[str]] = defaultdict(list)
    rows = Membership.objects.filter(player__in=players, left_at__isnull=True).order_by("club__name")
    for player, name in rows.values_list("player", "club__name"):
        clubs[player].append(name)
    return clubs


def club_choices() -> list[tuple[str, str]]:
    """Clubs to choose from, as slug and name."""
    return list(Club.objects.order_by("name").values_list("slug", "name")[:MOST_CLUBS])


@dataclass(frozen=True, slots=True)
class Found:
    """Somebody whom a search has found."""

    player: Player
    clubs: Sequence[str]
    standing: PlayerRating | None


def called(words: str, *, but: int | None = None) -> QuerySet[Player]:
    """Players by name, everybody if `words` is empty; the merged, the erased and initials are left out."""
    found = Player.objects.filter(named(words), merged_into__isnull=True).order_by("name_key", "pk")
    return found if but is None else found.exclude(pk=but)


def with_standings(people: Sequence[Player]) -> list[Found]:
    """Players with their clubs and standings."""
    ids = [player.pk for player in people]
    clubs = clubs_of(ids)
    standings = {one.player_id: one for one in PlayerRating.objects.filter(pool=default_pool(), player__in=ids)}
    return [Found(player, clubs.get(player.pk, ()), standings.get(player.pk)) for player in people]


def players(words: str, page: int, *, but: int | None = None) -> tuple[Pages, list[Found]]:
    """The page of `called` that was asked for, or the nearest one."""
    found = called(words, but=but)
    pages = Pages.of(page, ROWS, found.count())
    return pages, with_standings(list(found[pages.start : pages.end]))
