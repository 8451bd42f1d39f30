"""Queries of rated matches in their order (docs/rules.md §6), and of a pool's stored ratings."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from core.names import fold
from engine.actions import Act
from engine.transcript import Kind as EventKind
from formats.ratings import RatedMatch, RatingEffect, Standing, Start, gained
from matches.models import (
    Action,
    Match,
    PlayerRating,
    PoolSettings,
    RatingChange,
    RatingPool,
    RatingStart,
    Result,
    Submission,
)
from matches.models.pool_settings import AT_TABLES, HERE
from players.models import Club, Membership, Player

RATED_KINDS = (Result.Kind.PLAYED, Result.Kind.CONCESSION, Result.Kind.FLAG)
"""Kinds of results that are rated. Reported and entered scores are of kind `played`."""
COUNTED_KINDS = (*RATED_KINDS, Result.Kind.VOID)
"""A void version has a winner only if the match was played and stays rated (`voiding.void_matches`)."""
COUNTS = Q(
    finality=Result.Finality.FINAL,
    kind__in=COUNTED_KINDS,
    winner__isnull=False,
    match__rated=True,
    match__moved=True,
)
"""Whether a version of a result is rated, if it stands: the one condition, which `measures_play` repeats for a row."""
MOVED = (EventKind.PLAY.value, EventKind.ILLEGAL.value)
BATCH_SIZE = 500
"""Players in one query, well below the limit on parameters of any database."""


class Key(NamedTuple):
    """The position of a match in the order of rated matches."""

    finished_at: datetime
    match: int


BEGINNING = Key(datetime(1900, 1, 1, tzinfo=UTC), 0)


def rated_matches(
    pool: RatingPool, since: Key, same: Mapping[int, int], chosen: PoolSettings | None = None
) -> list[RatedMatch]:
    """The rated matches of a pool from `since` on. `same` maps merged players to the player they were merged into.

    With `chosen`, those that would count by these settings instead of the pool's own.
    """
    return _rated_where(_pool_of_match(pool) & _counted_by(chosen or pool.chosen, "match__"), since, same)


def counted_by(pool: RatingPool, matches: Collection[int]) -> set[int]:
    """Those of these matches, by id, that the settings of a pool let count."""
    rows = Match.objects.filter(_counted_by(pool.chosen, ""), pk__in=matches)
    return set(rows.order_by().values_list("pk", flat=True))


def counts_imported(chosen: PoolSettings, length: int) -> bool:
    """Whether these settings let a past match count that is about to be imported."""
    is_left_out = chosen.events_only or not chosen.imported or chosen.where == HERE or chosen.of_pairs
    return length >= chosen.least_length and not is_left_out


def _counted_by(chosen: PoolSettings, match: str) -> Q:
    """Condition: these settings let a match count; `match` is the prefix of its fields."""
    condition = Q(**{f"{match}length__gte": chosen.least_length})
    # Pairs and single players are rated apart, whatever was set for a match.
    is_person = not chosen.of_pairs
    condition &= Q(**{f"{match}player_0__parts__isnull": is_person, f"{match}player_1__parts__isnull": is_person})
    # A board that nobody came to was not played on.
    here = Q(**{f"{match}live__isnull": False, f"{match}live__lapses_at": None, f"{match}live__lapsed_at": None})
    if chosen.where == HERE:
        condition &= here
    if chosen.where == AT_TABLES:
        condition &= ~here
    if chosen.events_only:
        condition &= ~Q(**{f"{match}parent_topic": ""})
    if not chosen.imported:
        condition &= Q(**{f"{match}as_told": False})
    return condition


def matches_apart(club: Club, since: Key, same: Mapping[int, int]) -> list[RatedMatch]:
    """The rated matches of a club from `since` on that would count for the site if its whole past did."""
    return _rated_where(_apart(club.pk), since, same)


def _rated_where(condition: Q, since: Key, same: Mapping[int, int]) -> list[RatedMatch]:
    newer = Result.objects.filter(match=OuterRef("match"), version__gt=OuterRef("version"))
    rows = (
        Result.objects.filter(
            condition,
            _from(since, "match__finished_at", "match_id"),
            COUNTS,
            ~Exists(newer),
        )
        .order_by()
        .values_list(
            "match__finished_at",
            "match_id",
            "winner",
            "match__player_0_id",
            "match__player_1_id",
            "match__length",
            "match__parent_topic",
            "match__told_event",
            "match__as_told",
        )
    )
    return list(as_rated(rows.iterator(), same))


def measures_play(result: Result) -> bool:
    """Whether a version that is not void is rated, provided that its match is."""
    is_final = result.finality == Result.Finality.FINAL
    return is_final and result.winner is not None and result.kind in RATED_KINDS


def is_still_rated(match: Match, result: Result) -> bool:
    """Whether this version is void but the match stays rated."""
    is_void = result.kind == Result.Kind.VOID
    return is_void and result.winner is not None and match.rated and match.moved


def as_rated(
    rows: Iterable[tuple[datetime | None, int, int | None, int, int, int, str, str, bool]], same: Mapping[int, int]
) -> Iterator[RatedMatch]:
    """Convert rows of (finished_at, match, winner, player_0, player_1, length, parent_topic, told_event, as_told),
    replacing merged players.
    """
    for finished_at, match, winner, player_0, player_1, length, topic, told_event, as_told in rows:
        if finished_at is None or winner is None:
            # The query excludes both; this satisfies the type checker.
            continue
        sides = same.get(player_0, player_0), same.get(player_1, player_1)
        # A match between two players who were merged is not rated.
        if sides[0] != sides[1]:
            event = topic or told_event_key(told_event, finished_at)
            kind = bool(topic), not (topic or as_told)
            yield RatedMatch(finished_at, match, sides[winner], sides[1 - winner], length, event, *kind)


def told_event_key(name: str, finished_at: datetime) -> str:
    """What imported matches of an event have in common: its name, and the week, since club nights return."""
    year, week, _day = finished_at.isocalendar()
    return f"{fold(name)}:{year}-{week}" if name else ""


_OF_SITE = (
    Q(match__club__isnull=True)
    | Q(match__club__accepted_at__isnull=False, match__club__accepted_from__isnull=True)
    | Q(match__club__accepted_at__isnull=False, match__finished_at__gte=F("match__club__accepted_from"))
)
"""Whether the site's pool counts a match without a pool: not those of a club before it was accepted."""


def fold_start(pool: RatingPool, key: Key) -> Key:
    """Where a replay begins that has to include `key`: with Glicko-2 at the beginning, since whole weeks are folded."""
    return key if pool.settings.glicko is None else BEGINNING


def _pool_of_match(pool: RatingPool) -> Q:
    """Condition: the pool counts this match. Each match counts in one pool."""
    if pool.is_default:
        return Q(match__pool=pool) | Q(match__pool__isnull=True) & _OF_SITE
    if pool.is_own and pool.club_id is not None:
        return Q(match__pool=pool) | _apart(pool.club_id)
    return Q(match__pool=pool)


def _apart(club: int) -> Q:
    """Condition: a match of this club without a pool that the site's does not count: the opposite of `_OF_SITE`."""
    before = Q(match__club__accepted_at__isnull=True) | Q(match__finished_at__lt=F("match__club__accepted_from"))
    return Q(match__pool__isnull=True, match__club=club) & before


def _from(key: Key, finished_at: str, match: str) -> Q:
    """Condition: at or after `key`. Databases use an index for the first part only."""
    return Q(**{f"{finished_at}__gte": key.finished_at}) & ~Q(
        **{finished_at: key.finished_at, f"{match}__lt": key.match}
    )


def starts_of(pool: RatingPool, same: Mapping[int, int]) -> dict[int, Start]:
    """Imported starting ratings of a pool, by player. The newest import counts; merged players are replaced."""
    rows = RatingStart.objects.filter(source__pool=pool, source__undone_at=None).order_by(
        "source__at", "source_id", "pk"
    )
    return {
        same.get(player, player): (rating, experience)
        for player, rating, experience in rows.values_list("player", "rating", "experience")
    }


def merged_players() -> dict[int, int]:
    """Merged players, each with the player they were finally merged into."""
    into = dict(Player.objects.filter(merged_into__isnull=False).values_list("pk", "merged_into_id"))
    return {player: _merged_into(player, into) for player in into}


def _merged_into(player: int, into: Mapping[int, int]) -> int:
    while player in into:
        player = into[player]
    return player


def first_match_of(players: Collection[int]) -> Key | None:
    """The first finished match of these players: merging them, or undoing it, changes ratings from there on."""
    keys = []
    for chunk in _chunks(players):
        matches = Match.objects.filter(Q(player_0__in=chunk) | Q(player_1__in=chunk), finished_at__isnull=False)
        first = matches.order_by("finished_at", "pk").first()
        if first is not None and first.finished_at is not None:
            keys.append(Key(first.finished_at, first.pk))
    return min(keys, default=None)


def _chunks(players: Collection[int]) -> Iterator[list[int]]:
    ordered = sorted(players)
    for start in range(0, len(ordered), BATCH_SIZE):
        yield ordered[start : start + BATCH_SIZE]


def each_side_moved(transcript: Mapping[str, Any] | None) -> bool:
    """Whether both sides have played at least one roll; True without a record."""
    if transcript is None:
        return True
    events = (event for game in transcript["games"] for event in game["events"])
    return {event["side"] for event in events if event["kind"] in MOVED} == {0, 1}


def both_moved(match: int, source: str, submission: int | None) -> bool:
    """Whether both sides made a play, by a version of the result with this source and this record.

    The plays are in the record or, where the match ended on its board here, on the board. True where the result rests
    on neither: players report what they played, and a ruling says that the match counts.
    """
    if submission is not None:
        return each_side_moved(Submission.objects.values_list("transcript", flat=True).get(pk=submission))
    if source != Result.Source.LIVE:
        return True
    plays = Action.objects.filter(live=match, kind=Act.PLAY).order_by()
    return set(plays.values_list("side", flat=True).distinct()) == {0, 1}


def vouched_for_by_nobody_else() -> QuerySet[Result]:
    """The rated results, newest first, that the only director of a club ruled about two players nobody else has met.

    Others have met a player who finished a match in another club or is named in a ruling by somebody else.
    """
    officers = Membership.objects.filter(
        club=OuterRef("match__club"),
        role__in=(Membership.Role.OWNER, Membership.Role.DIRECTOR),
        left_at__isnull=True,
    )
    newer = Result.objects.filter(match=OuterRef("match"), version__gt=OuterRef("version"))
    rows = Result.objects.filter(
        COUNTS,
        ~Exists(newer),
        Exists(officers.filter(player__user=OuterRef("user"))),
        source=Result.Source.DIRECTOR,
        match__finished_at__isnull=False,
    )
    others = officers.filter(Q(player__user__isnull=True) | ~Q(player__user=OuterRef("user")))
    rows = rows.filter(~Exists(others))
    for side in ("match__player_0", "match__player_1"):
        for seat in ("player_0", "player_1"):
            elsewhere = Match.objects.filter(**{seat: OuterRef(side)}, club__isnull=False, finished_at__isnull=False)
            ruled = Result.objects.filter(
                **{f"match__{seat}": OuterRef(side)}, source=Result.Source.DIRECTOR, user__isnull=False
            )
            rows = rows.filter(
                ~Exists(elsewhere.exclude(club=OuterRef("match__club"))), ~Exists(ruled.exclude(user=OuterRef("user")))
            )
    return rows.order_by("-at", "-pk").select_related("match__club", "match__player_0", "match__player_1", "user")


_IN_EVENT = ~Q(match__parent_topic="")
"""Whether the match of a change was played in an event; in the site's pool, of a club accepted by then (`_OF_SITE`)."""


def players_since(pool: RatingPool, since: Key) -> set[int]:
    """Players whose ratings were changed by a match from `since` on."""
    later = _changes(pool).filter(_from(since, "finished_at", "match_id")).order_by()
    return set(later.values_list("player", flat=True).distinct())


def stored_changes(pool: RatingPool, since: Key) -> dict[tuple[int, int], tuple[int, RatingEffect]]:
    """The stored changes from `since` on, by match and player, each with its id."""
    rows = (
        _changes(pool)
        .filter(_from(since, "finished_at", "match_id"))
        .annotate(in_event=_IN_EVENT)
        .order_by()
        .values_list(
            "pk", "match_id", "player_id", "opponent_id", "finished_at", "won", "length",
            "rating_before", "rating_after", "opponent_before", "experience_before", "in_event",
            "deviation", "volatility", "expected",
        )
    )  # fmt: skip
    return {(row[1], row[2]): (row[0], RatingEffect._make(row[1:])) for row in rows.iterator()}


def stored_standings(pool: RatingPool, players: Collection[int] | None = None) -> dict[int, Standing]:
    rows = PlayerRating.objects.filter(pool=pool).order_by()
    columns = ("player_id", *Standing._fields)
    if players is None:
        return {row[0]: Standing._make(row[1:]) for row in rows.values_list(*columns)}
    return {
        row[0]: Standing._make(row[1:])
        for chunk in _chunks(players)
        for row in rows.filter(player__in=chunk).values_list(*columns)
    }


def standings_before(pool: RatingPool, key: Key, players: Collection[int]) -> dict[int, Standing]:
    """The ratings of these players just before `key`, by the stored changes."""
    if key == BEGINNING:
        return {}
    standings: dict[int, Standing] = {}
    for chunk in _chunks(players):
        standings |= _standings_before(pool, key, chunk)
    return standings


def met_before(pool: RatingPool, key: Key, players: Collection[int]) -> dict[int, set[int]]:
    """The opponents whom these players had met before `key`, by the stored changes."""
    met: dict[int, set[int]] = {}
    for chunk in _chunks(players) if key != BEGINNING else ():
        pairs = _before(pool, key, chunk).order_by().values_list("player", "opponent").distinct()
        for player, opponent in pairs:
            met.setdefault(player, set()).add(opponent)
    return met


def _before(pool: RatingPool, key: Key, players: Collection[int]) -> QuerySet[RatingChange]:
    is_earlier = Q(finished_at__lte=key.finished_at) & ~Q(finished_at=key.finished_at, match_id__gte=key.match)
    return _changes(pool).filter(is_earlier, player__in=players)


def _standings_before(pool: RatingPool, key: Key, players: Collection[int]) -> dict[int, Standing]:
    before = _before(pool, key, players)
    counts = {
        row["player"]: row
        for row in before.order_by()
        .values("player")
        .annotate(
            matches=Count("pk"),
            wins=Count("pk", filter=Q(won=True)),
            event_matches=Count("pk", filter=_IN_EVENT),
        )
    }
    last = before.filter(player=OuterRef("pk")).order_by("-finished_at", "-match_id").values("pk")[:1]
    latest = Player.objects.filter(pk__in=list(counts)).annotate(last=Subquery(last)).order_by().values("last")
    return {
        change.player_id: Standing(
            rating=change.rating_after,
            experience=change.experience_before + gained(change.length, change.rating_before, change.rating_after),
            matches=counts[change.player_id]["matches"],
            wins=counts[change.player_id]["wins"],
            last_played_at=change.finished_at,
            last_change=change.change,
            deviation=change.deviation,
            volatility=change.volatility,
            event_matches=counts[change.player_id]["event_matches"],
        )
        for change in RatingChange.objects.filter(pk__in=latest)
    }


def _changes(pool: RatingPool) -> QuerySet[RatingChange]:
    return RatingChange.objects.filter(pool=pool)
