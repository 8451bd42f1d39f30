"""The ranking: filters, ranks and pages; finding players by name."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.core.paginator import Page
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.names import fold
from core.pagination import page_of
from core.requests import parse_int
from matches.models import BotPlayer, PlayerRating, RatingPool
from matches.models.pool_settings import ENOUGH_EVENT_MATCHES
from matches.ratings.services import default_pool
from players.access import Visitor
from players.models import Alias, Club, Membership, Pair, Player
from players.people.rows import is_person, is_present

ROWS = 50
ACTIVE_DAYS = 365
DAYS = (30, 90, 180, ACTIVE_DAYS, 730)
MIN_MATCHES = (1, 5, 10, 20, 50)
MAX_CLUBS = 500
ACCOUNT_DAYS = 7
"""An account is so old before its player has a place in the site's ranking, unless events alone give them one."""


@dataclass(frozen=True, slots=True)
class RankingFilters:
    days: int = ACTIVE_DAYS
    """Only players with a rated match within this number of days; 0 for no limit."""
    least: int = 1
    """Least number of rated matches."""
    club: str = ""
    provisional: bool = False
    """Whether players whose rating is provisional are in it, too."""
    q: str = ""
    """Words of a name. A search finds provisional ratings, too, and does not change the ranks."""
    pool: RatingPool | None = None
    """The pool whose ratings are shown; None for the site's."""

    @classmethod
    def read(cls, params: Mapping[str, str]) -> "RankingFilters":
        """Parse a query string; invalid values are ignored."""
        return cls(
            days=parse_int(params.get("days"), ACTIVE_DAYS),
            least=max(1, parse_int(params.get("least"), 1)),
            club=params.get("club", "")[:60],
            provisional=bool(parse_int(params.get("provisional"), 0)),
            q=" ".join(params.get("q", "").split())[:80],
        )

    @property
    def query(self) -> str:
        """The filters as a query string, without defaults."""
        default = RankingFilters()
        names = ("days", "least", "club", "provisional", "q")
        chosen = {name: getattr(self, name) for name in names if getattr(self, name) != getattr(default, name)}
        return urlencode({name: int(value) if value is True else value for name, value in chosen.items()})


@dataclass(frozen=True, slots=True)
class RankingRow:
    """A player in the ranking; `me` marks the reader."""

    rank: int | None
    """None for a player without a place whom a search has found."""
    standing: PlayerRating
    clubs: Sequence[str] = ()
    me: bool = False

    @property
    def player(self) -> Player:
        return self.standing.player

    @property
    def percent(self) -> int:
        """Share of rated matches won, in percent."""
        return won_percent(self.standing.wins, self.standing.matches)


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """A player's rank, and the page that shows it."""

    rank: int
    page: int


@dataclass(frozen=True, slots=True)
class Ranking:
    filters: RankingFilters
    page: Page[PlayerRating]
    rows: list[RankingRow] = field(default_factory=list)
    me: RankedPlace | None = None
    unranked: PlayerRating | None = None
    """The rating of a reader who is not in it; if it is provisional, the page says what is missing."""


def won_percent(wins: int, matches: int) -> int:
    """Share of matches won, in percent; 0 without matches.

    >>> won_percent(71, 120), won_percent(0, 0)
    (59, 0)
    """
    return round(100 * wins / matches) if matches else 0


def opened(filters: RankingFilters, reader: Visitor) -> RankingFilters:
    """Choose the pool to show: the site's, or the own pool of a club that waits to be accepted, if that is chosen.

    If the site ranks nobody, it is the own pool of a club of the reader, or else of the only club that has ratings.
    """
    pools = RatingPool.objects.filter(is_own=True).select_related("club")
    site = default_pool()
    if filters.club:
        return replace(filters, pool=pools.filter(club__slug=filters.club, club__accepted_at=None).first() or site)
    of_site = PlayerRating.objects.filter(Q() if filters.provisional else site.chosen.established, pool=site)
    if of_site.exists():
        return replace(filters, pool=site)
    rated = pools.filter(Exists(PlayerRating.objects.filter(pool=OuterRef("pk")))).order_by("pk")
    memberships = Membership.objects.filter(player__user=reader.pk, left_at__isnull=True)
    own_pool = rated.filter(club__in=memberships.values("club")).first() if reader.is_authenticated else None
    rated_pools = list(rated[:2])
    return replace(filters, pool=own_pool or (rated_pools[0] if len(rated_pools) == 1 else site))


def table(filters: RankingFilters, now: datetime) -> QuerySet[PlayerRating]:
    """The whole ranking, best first, without the search. Erased, suspended and merged players are left out and, unless
    they are asked for, provisional ratings and those of new accounts.
    """
    pool = filters.pool or default_pool()
    rows = PlayerRating.objects.filter(is_present("player__"), pool=pool)
    if filters.days:
        rows = rows.filter(last_played_at__gte=_days_before(now, filters.days))
    if not filters.provisional:
        rows = rows.filter(pool.chosen.established)
        if pool.is_default:
            is_old = Q(player__user=None) | Q(player__user__date_joined__lte=_days_before(now, ACCOUNT_DAYS))
            rows = rows.filter(is_old | Q(event_matches__gte=ENOUGH_EVENT_MATCHES))
    if filters.least > 1:
        rows = rows.filter(matches__gte=filters.least)
    if filters.club and not pool.is_own:
        members = Membership.objects.filter(club__slug=filters.club, left_at__isnull=True)
        rows = rows.filter(player__in=members.values("player"))
    return rows.order_by("-rating", "player_id")


def _days_before(now: datetime, days: int) -> datetime:
    return max(now - timedelta(days=min(days, 36500)), datetime.min.replace(tzinfo=now.tzinfo))


def named(words: str, prefix: str = "") -> Q:
    """Condition: a player's name or one of their aliases has all these words, ignoring case and accents.

    Players who show only their initials are not found, since a hit would reveal their name; nor are pairs.
    """
    is_findable = is_person(prefix) & Q(**{f"{prefix}initials_only": False, f"{prefix}erased_at": None})
    name, alias = Q(), Q()
    for word in fold(words).split():
        name &= Q(**{f"{prefix}name_key__contains": word})
        alias &= Q(name_key__contains=word)
    if not alias:
        return is_findable
    return is_findable & (name | Q(**{f"{prefix}pk__in": Alias.objects.filter(alias).values("player")}))


def side_named(words: str, prefix: str = "") -> Q:
    """Condition as `named`, or that a player is a pair of which one is called so."""
    people = Player.objects.filter(named(words)).values("pk")
    pairs = Pair.objects.filter(Q(first__in=people) | Q(second__in=people)).values("player")
    return named(words, prefix) | Q(**{f"{prefix}pk__in": pairs})


def ranking(filters: RankingFilters, page: int, now: datetime, viewer: int | None = None) -> Ranking:
    """Return a page of the ranking, or the nearest existing page; `viewer` is the reader's player."""
    standings = page_of(picked(filters, now).select_related("player", "pool"), page, ROWS)
    before = (standings.number - 1) * ROWS
    rows = ranked(filters, now, list(standings), before, viewer)
    me = place(replace(filters, q=""), now, viewer)
    unranked = None
    if viewer is not None and me is None:
        own = PlayerRating.objects.filter(pool=filters.pool or default_pool(), player=viewer).select_related("pool")
        unranked = own.first()
    return Ranking(filters, standings, rows, me, unranked)


def picked(filters: RankingFilters, now: datetime) -> QuerySet[PlayerRating]:
    """The ranking, or the ratings that match the search."""
    if not filters.q:
        return table(filters, now)
    return table(replace(filters, provisional=True), now).filter(side_named(filters.q, "player__"))


def ranked(
    filters: RankingFilters, now: datetime, standings: Sequence[PlayerRating], start: int, viewer: int | None = None
) -> list[RankingRow]:
    """Return `standings` with their ranks; they are consecutive rows of `picked` starting at index `start`."""
    everybody = table(filters, now)
    clubs = clubs_of([standing.player_id for standing in standings])
    ids = {standing.pk for standing in standings}
    ranks = _ranks_among(everybody, standings) if filters.q else _ranks_from(everybody, standings, start)
    placed = set(everybody.filter(pk__in=ids).values_list("pk", flat=True)) if filters.q else ids
    return [
        RankingRow(
            rank if standing.pk in placed else None,
            standing,
            clubs.get(standing.player_id, ()),
            standing.player_id == viewer,
        )
        for rank, standing in zip(ranks, standings, strict=True)
    ]


def _ranks_from(everybody: QuerySet[PlayerRating], standings: Sequence[PlayerRating], start: int) -> list[int]:
    """Ranks of consecutive rows; equal ratings share the better rank."""
    ranks: list[int] = []
    for index, standing in enumerate(standings):
        if index and standing.rating == standings[index - 1].rating:
            ranks.append(ranks[-1])
        else:
            ranks.append(start + index + 1 if index or not start else 1 + _better(everybody, standing.rating))
    return ranks


def _ranks_among(everybody: QuerySet[PlayerRating], standings: Sequence[PlayerRating]) -> list[int]:
    below = [-rating for rating in everybody.values_list("rating", flat=True)] if standings else []
    return [1 + bisect_left(below, -standing.rating) for standing in standings]


def _better(everybody: QuerySet[PlayerRating], rating: float) -> int:
    return everybody.order_by().filter(rating__gt=rating).count()


def place(filters: RankingFilters, now: datetime, player: int | None) -> RankedPlace | None:
    """The rank of a player in the ranking without the search; None if they are not in it."""
    if player is None:
        return None
    everybody = table(filters, now)
    standing = everybody.filter(player=player).first()
    if standing is None:
        return None
    return RankedPlace(rank=_better(everybody, standing.rating) + 1, page=index_of(standing, everybody) // ROWS + 1)


def index_of(standing: PlayerRating, everybody: QuerySet[PlayerRating]) -> int:
    """The number of rows before a row of the ranking, the search aside."""
    before = Q(rating__gt=standing.rating) | Q(rating=standing.rating, player__lt=standing.player_id)
    return everybody.order_by().filter(before).count()


def clubs_of(players: Collection[int]) -> dict[int, list[str]]:
    """Names of the clubs of these players, by player."""
    clubs: defaultdict[int, list[str]] = defaultdict(list)
    rows = Membership.objects.filter(player__in=players, left_at__isnull=True).order_by("club__search_key", "pk")
    for player, name in rows.values_list("player", "club__name"):
        clubs[player].append(name)
    return clubs


def club_choices() -> list[tuple[str, str]]:
    """Clubs as choices (slug, name)."""
    return list(Club.objects.order_by("search_key", "pk").values_list("slug", "name")[:MAX_CLUBS])


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player in a list of search results."""

    player: Player
    clubs: Sequence[str]
    standing: PlayerRating | None


def called(words: str, *, but: int | None = None) -> QuerySet[Player]:
    """Players by name, or all if `words` is empty. Merged, erased and initials-only players and bots are left out."""
    matching = Player.objects.filter(named(words), merged_into__isnull=True).order_by("name_key", "pk")
    matching = matching.exclude(pk__in=BotPlayer.objects.values("player"))
    return matching if but is None else matching.exclude(pk=but)


def with_standings(people: Sequence[Player]) -> list[PlayerRow]:
    ids = [player.pk for player in people]
    clubs = clubs_of(ids)
    ratings = PlayerRating.objects.filter(pool=default_pool(), player__in=ids).select_related("pool")
    standings = {rating.player_id: rating for rating in ratings}
    return [PlayerRow(player, clubs.get(player.pk, ()), standings.get(player.pk)) for player in people]


def players(words: str, page: int, *, but: int | None = None) -> tuple[Page[Player], list[PlayerRow]]:
    """Return a page of `called`, or the nearest existing page."""
    people = page_of(called(words, but=but), page, ROWS)
    return people, with_standings(list(people))
