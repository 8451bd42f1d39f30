"""Records of a club: most titles, best totals, the longest streak and the highest ratings. None of them is stored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from formats.series.numbers import number
from formats.series.plan import Plan, plan_from, plan_json
from matches.analysis import labels
from matches.models import Match, PlayerRating, RatingChange, RatingPool, Result
from matches.presentation.visibility import Viewer
from matches.ratings.rated import RATED_KINDS, merged_players
from players.models import Club, Player
from players.people.rows import canonical
from seasons.honours import DIGITS_OF_RATING, KEPT, LEAST_IN_A_ROW, counted_matches
from seasons.tables import display, players_by_public_id
from seasons.titles import TitleLine
from tournaments.models import SeriesClosing
from tournaments.state.names import names_in_club, shown

FORM = 1
"""Part of the keys of the cache: grows when what is cached changes its form."""
MOST_TITLES_NAMED = 3
LEAST_TITLES = 2
"""Nobody has a record with one title."""
EXPERIENCE = 400
"""Points that must have been played for a highest rating."""


class Holder(NamedTuple):
    """Who has a record."""

    player: str
    """Public id."""
    name: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record in words; those who are equal share it."""

    title: str
    """What it is for."""
    holders: Sequence[Holder]
    figure: str
    of: str = ""
    """What it is of: a season, a pool or a day."""
    url: str = ""
    """The season, or the match that shows it."""
    url_label: str = ""
    as_told: bool = False
    """Whether it rests on an imported past."""


def records_of(club: Club, viewer: Viewer, lines: Sequence[TitleLine], *, staff: bool) -> list[Record]:
    """Return the records of a club over the matches that the reader may see; `lines` are its titles."""
    return [
        *_most_titles(lines),
        *_best_totals(club, staff=staff),
        *_longest_streak(club, viewer, staff=staff),
        *_highest_ratings(club, viewer, staff=staff),
    ]


def _most_titles(lines: Sequence[TitleLine]) -> list[Record]:
    """Name whoever has at least as many titles as the third."""
    counts = Counter(line.player for line in lines if line.is_supported)
    names = {line.player: line.name for line in lines}
    by_count: dict[int, list[Holder]] = {}
    for player, count in counts.most_common():
        if count >= LEAST_TITLES and (len(by_count) < MOST_TITLES_NAMED or count in by_count):
            by_count.setdefault(count, []).append(Holder(player, names[player]))
    return [
        Record(_("Most titles"), holders, ngettext("%(count)d title", "%(count)d titles", count) % {"count": count})
        for count, holders in by_count.items()
    ]


# The best total by each plan.


def plan_key(plan: Plan) -> str:
    """Return the same for plans by which totals can be compared: those that differ in no figure."""
    same = replace(
        plan, name="", ties=(), tie_values=(), ties_for_first_only=False, show_digits=0, players=None, qualify={},
        details={},
    )  # fmt: skip
    return repr(plan_json(same))


def _best_totals(club: Club, *, staff: bool) -> list[Record]:
    """Return the best total of all closed seasons with the same plan; totals of different plans do not compare."""
    closings = SeriesClosing.objects.filter(series__club=club, reopened_at=None)
    rows = closings.select_related("series__club", "plan").order_by("series__last_day", "pk")
    imported = set(
        rows.filter(series__past_seasons__undone_at=None, series__past_seasons__isnull=False).values_list(
            "pk", flat=True
        )
    )
    by_plan: dict[str, list[tuple[SeriesClosing, Plan]]] = {}
    for closing in rows:
        plan = plan_from(closing.plan.plan)
        by_plan.setdefault(plan_key(plan), []).append((closing, plan))
    best: list[tuple[SeriesClosing, Plan, Fraction, list[str]]] = []
    for group in by_plan.values():
        totals = [
            (number(row["total"], ""), closing, plan, row["player"])
            for closing, plan in group
            for row in closing.table["rows"]
            if row["rank"] is not None
        ]
        highest = max((total for total, *_rest in totals), default=None)
        if highest is None:
            continue
        seasons: dict[int, list[str]] = {}
        for total, closing, _plan, player in totals:
            if total == highest:
                seasons.setdefault(closing.pk, []).append(player)
        best += [(closing, plan, highest, seasons[closing.pk]) for closing, plan in group if closing.pk in seasons]
    people = {
        key: canonical(row) for key, row in players_by_public_id(pk for *_rest, pks in best for pk in pks).items()
    }
    names = names_in_club(club, people.values(), staff=staff)
    return [
        Record(
            _("Best season total by the plan “%(plan)s”") % {"plan": _(plan.name)} if plan.name
            else _("Best season total by this plan"),
            [
                Holder(people[player].public_id, names[people[player].pk])
                for player in players
                if player in people
            ],
            _("%(points)s points") % {"points": display(total, plan.show_digits)},
            url=reverse("series", args=[club.slug, closing.series.slug]),
            url_label=closing.series.name,
            as_told=closing.pk in imported,
        )
        for closing, plan, total, players in best
    ]  # fmt: skip


def _holder(player: Player, staff: bool) -> Holder:
    person = canonical(player)
    return Holder(person.public_id, shown(person, staff))


# What follows from matches and ratings.


def _seen(club: Club, viewer: Viewer) -> QuerySet[Match]:
    return counted_matches(club).filter(viewer.visible())


def _cache_key(name: str, club: Club, matches: QuerySet[Match], *more: Any) -> str:
    state = matches.order_by().aggregate(Count("pk"), Sum("seq"), Sum("pk"), Max("pk"))
    merged = Player.objects.filter(merged_into__isnull=False, merged_into__memberships__club=club).count()
    seen = (FORM, club.pk, sorted(state.items()), merged, more)
    return f"record-{name}:{sha256(repr(seen).encode()).hexdigest()}"


class _Streak(NamedTuple):
    player: int
    wins: int
    match: str
    """Public id of the last match of the streak."""


def _longest_streak(club: Club, viewer: Viewer, *, staff: bool) -> list[Record]:
    matches = _seen(club, viewer)
    key = _cache_key("streak", club, matches)
    streaks: list[_Streak] | None = cache.get(key)
    if streaks is None:
        streaks = _streaks(matches)
        cache.set(key, streaks, KEPT)
    people = Player.objects.select_related("merged_into").in_bulk([row.player for row in streaks])
    return [
        Record(
            _("Longest winning streak"),
            [_holder(people[row.player], staff)],
            ngettext("%(figure)s win in a row", "%(figure)s wins in a row", row.wins) % {"figure": row.wins},
            url=reverse("match", args=[row.match]),
            url_label=_("The last match of it"),
        )
        for row in streaks
    ]


def _streaks(matches: QuerySet[Match]) -> list[_Streak]:
    """Return the longest streak, of everybody who has one of that length."""
    newer = Result.objects.filter(match=OuterRef("match"), version__gt=OuterRef("version"))
    results = Result.objects.filter(~Exists(newer), match__in=matches, kind__in=RATED_KINDS, winner__isnull=False)
    rows = results.order_by("match__finished_at", "match").values_list(
        "winner", "match__player_0", "match__player_1", "match__public_id"
    )
    same = merged_players()
    now: Counter[int] = Counter()
    longest: dict[int, _Streak] = {}
    for winner, player_0, player_1, match in rows:
        sides = same.get(player_0, player_0), same.get(player_1, player_1)
        won, lost = sides[winner or 0], sides[1 - (winner or 0)]
        now[lost] = 0
        now[won] += 1
        if won not in longest or now[won] > longest[won].wins:
            longest[won] = _Streak(won, now[won], match)
    most = max((row.wins for row in longest.values()), default=0)
    return [row for row in longest.values() if row.wins == most >= LEAST_IN_A_ROW]


class _Rating(NamedTuple):
    player: int
    pool: int
    rating: float
    match: str
    experience: int


def _highest_ratings(club: Club, viewer: Viewer, *, staff: bool) -> list[Record]:
    """Return the highest rating after a match of the club's events, in each pool in which they count.

    Ratings that are provisional today are left out.
    """
    matches = _seen(club, viewer)
    pools = {pool.pk: pool for pool in RatingPool.objects.filter(Q(club=club) | Q(is_default=True))}
    sums = PlayerRating.objects.filter(pool__in=pools).order_by("pool").values_list("pool")
    state = list(sums.annotate(Count("pk"), Sum("rating"), Sum("matches")))
    key = _cache_key("rating", club, matches, state)
    ratings: list[_Rating] | None = cache.get(key)
    if ratings is None:
        ratings = [row for pool in pools.values() for row in _highest_in(pool, matches)]
        cache.set(key, ratings, KEPT)
    people = Player.objects.select_related("merged_into").in_bulk([row.player for row in ratings])
    return [
        Record(
            _("Highest rating"),
            [_holder(people[row.player], staff)],
            labels.number(row.rating, DIGITS_OF_RATING),
            of=_("%(pool)s, after %(points)d points played") % {
                "pool": pools[row.pool].name, "points": row.experience
            },
            url=reverse("match", args=[row.match]),
            url_label=_("The match"),
        )
        for row in ratings
    ]  # fmt: skip


def _highest_in(pool: RatingPool, matches: QuerySet[Match]) -> list[_Rating]:
    changes = RatingChange.objects.filter(pool=pool, match__in=matches, experience_before__gte=EXPERIENCE - F("length"))
    established = PlayerRating.objects.filter(pool.chosen.established, pool=pool)
    changes = changes.filter(player__in=established.values("player"))
    best = changes.order_by("-rating_after", "finished_at", "pk").first()
    if best is None:
        return []
    rounded = round(best.rating_after, DIGITS_OF_RATING)
    close = changes.filter(rating_after__gt=rounded - 1).order_by("finished_at", "pk").select_related("match")
    first: dict[int, RatingChange] = {}
    for row in close:
        if round(row.rating_after, DIGITS_OF_RATING) == rounded:
            first.setdefault(row.player_id, row)
    return [
        _Rating(row.player_id, pool.pk, rounded, row.match.public_id, row.experience_before + row.length)
        for row in first.values()
    ]
