"""Keeping ratings up to date, and accepting a club whose matches count in a pool of its own."""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from statistics import fmean
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils.formats import get_format
from django.utils.translation import gettext_noop

from core.faults import each
from core.locks import for_update
from core.queue import claim_lasts, hint
from engine.errors import Refused
from formats.ratings import RatedMatch, RatingEffect, Standing, replay, standings_after
from matches.models import Match, PlayerRating, RatingChange, RatingMark, RatingPool, Result
from matches.models.pool_settings import ENOUGH_EVENT_MATCHES
from matches.ratings import rated
from matches.ratings.rated import BEGINNING, Key
from players.actors import Actor, log
from players.models import Club, Player
from players.notifications.kinds import NotificationGroup, NotificationKind, Params
from players.notifications.services import Notice, notify_each
from players.people.rows import club_topic, lock_club, people_of

# Notifications of changed ratings.


RATING_CHANGED = "rating_changed"
RECENT = timedelta(days=1)


def _figures(rows: Sequence[Params]) -> list[dict[str, str]]:
    """Return the rating and its change as the reader's language writes them."""
    separator = get_format("DECIMAL_SEPARATOR")
    return [
        {
            "after": row["after"].replace(".", separator),
            "difference": row["difference"].replace(".", separator).replace("-", "−"),
        }
        for row in rows
    ]


KIND = NotificationKind(
    code=RATING_CHANGED,
    label=gettext_noop("Your rating changes"),
    group=NotificationGroup.MATCHES,
    sentences={"": gettext_noop("Your rating after the match against {opponent}: {after} ({difference}).")},
    players=("opponent",),
    values=_figures,
    default=frozenset({"site"}),
)


def notify_changed(pool: RatingPool, changes: Iterable[RatingEffect], now: datetime) -> None:
    """Tell players what a match has changed. Changes to matches that were finished long ago are not announced."""
    recent = [
        change
        for change in changes
        if change.finished_at >= now - RECENT and change.rating_after != change.rating_before
    ]
    if not recent:
        return
    players = Player.objects.filter(pk__in={change.player for change in recent})
    known = {player.pk: (player.user_id, player.public_id) for player in players if player.user_id is not None}
    provisional = provisional_among(pool, known)
    notices = [
        Notice(
            user=known[change.player][0],
            params={
                "opponent": change.opponent,
                "after": f"{change.rating_after:.2f}{'?' if change.player in provisional else ''}",
                "difference": f"{change.rating_after - change.rating_before:+.2f}",
                "context": pool.name,
                "language": pool.club.effective_language if pool.club is not None else "",
            },
            url=reverse("player", args=[known[change.player][1]]),
            key=f"{RATING_CHANGED}:{pool.pk}:{change.match}",
        )
        for change in recent
        if change.player in known
    ]
    notify_each(kind=RATING_CHANGED, notices=notices, now=now)


# Accepting a club, whose matches count in a pool of its own until then.


@transaction.atomic
def accept_club(*, club: Club, with_past: bool, by: Actor, now: datetime) -> Club:
    """Let the matches of a club count for the site's ratings: all of them, or those that end from now on.

    Refused: `club_accepted`.
    """
    row = lock_club(club)
    if row.accepted_at is not None:
        raise Refused("club_accepted", club=row.name)
    row.accepted_at, row.accepted_by, row.accepted_from = now, by.user, None if with_past else now
    row.save(update_fields=["accepted_at", "accepted_by", "accepted_from"])
    log(by, "club_accepted", club_topic(row), club=row, with_past=with_past)
    # A match that ended a moment ago was perhaps replayed by the club as it was before.
    since = BEGINNING if with_past else Key(now, 0)
    for pool in (default_pool(), own_pool(row)):
        _mark(pool.pk, since)
    return row


# Keeping ratings up to date: mark where history changed, replay from there, and write the differences.
#
# Changing a result adds a mark in the same transaction. One worker at a time claims the pool with its marks, replays
# outside any transaction, and writes what differs. A result recorded meanwhile adds a mark of its own; a claim that
# has expired is taken over together with its marks.


REPLAY = "matches.replay_ratings"
"""Name of the Celery task that `hint` publishes."""
DEFAULT_NAME = gettext_noop("All matches")
OWN_NAME = gettext_noop("All matches of the club")
ROWS_AT_ONCE = 2000
CHANGE_FIELDS = [
    "opponent",
    "finished_at",
    "won",
    "length",
    "rating_before",
    "rating_after",
    "opponent_before",
    "experience_before",
    "deviation",
    "volatility",
    "expected",
]
STANDING_FIELDS = list(Standing._fields)

DERIVES = 4
"""Grows when a release derives more than the one before, whose workers may still have replayed after the migration."""

RowKey = TypeVar("RowKey")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Replayed:
    since: Key
    matches: int
    written: int
    """Changes and ratings that differed and were written or deleted."""


@dataclass(frozen=True, slots=True)
class Differences:
    """Differences between stored and derived ratings; None on the side where a row is missing."""

    changes: dict[tuple[int, int], tuple[RatingEffect | None, RatingEffect | None]] = field(default_factory=dict)
    """(stored, derived) by match and player."""
    standings: dict[int, tuple[Standing | None, Standing | None]] = field(default_factory=dict)
    """(stored, derived) by player."""
    unmoved: dict[int, tuple[bool, bool]] = field(default_factory=dict)
    """(stored, derived) value of `Match.moved`, by match."""

    def __bool__(self) -> bool:
        return bool(self.changes or self.standings or self.unmoved)


@dataclass(frozen=True, slots=True)
class _Claim:
    pool: RatingPool
    at: datetime
    since: Key
    same: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Fold:
    """What a replay derives, and what is stored of the same."""

    since: Key
    matches: int
    stored: Mapping[tuple[int, int], tuple[int, RatingEffect]]
    changes: Mapping[tuple[int, int], RatingEffect]
    stored_standings: Mapping[int, Standing]
    standings: Mapping[int, Standing]


def default_pool() -> RatingPool:
    """Return the pool of matches without one, creating it if necessary."""
    return RatingPool.objects.get_or_create(is_default=True, defaults={"name": str(DEFAULT_NAME)})[0]


def own_pool(club: Club) -> RatingPool:
    """Return the pool of a club's matches that do not count for the site, creating it if necessary."""
    return RatingPool.objects.get_or_create(club=club, is_own=True, defaults={"name": str(OWN_NAME)})[0]


def pool_counting(match: Match) -> RatingPool:
    """Return the pool that a finished match counts in if it is rated; `rated` has the same as a condition."""
    if match.pool is not None:
        return match.pool
    club = match.club
    since = None if club is None else club.accepted_from
    is_before = since is not None and match.finished_at is not None and match.finished_at < since
    if club is not None and (club.accepted_at is None or is_before):
        return own_pool(club)
    return default_pool()


def _pools_of(matches: Sequence[Match]) -> dict[int, list[int]]:
    """The pools that may count these matches, by match.

    For a club with a pool of its own these are that and the site's, so that nothing is missed if the club is being
    accepted at the same moment.
    """
    clubs = {match.club_id for match in matches if match.pool_id is None and match.club_id is not None}
    rows = RatingPool.objects.filter(Q(is_default=True) | Q(is_own=True, club__in=clubs))
    pool_of_club: dict[int | None, int] = {club: pk for pk, club in rows.order_by().values_list("pk", "club")}
    site = pool_of_club.get(None) or default_pool().pk
    pools = {}
    for match in matches:
        own = pool_of_club.get(match.club_id) if match.club_id is not None else None
        pools[match.pk] = [match.pool_id] if match.pool_id is not None else [site] if own is None else [site, own]
    return pools


def mark_dirty(*, match: Match, standing: Result | None = None) -> None:
    """Have the ratings replayed from this match on. Call it last in the transaction that changed the match.

    The new version of the result must have been written; `standing` is that version, if the caller has it. The mark is
    committed together with the change and locks nothing, so no replay misses it and no request waits for it.
    """
    if match.finished_at is None:
        return
    if not match.rated and not RatingChange.objects.filter(match=match).exists():
        return
    _store_moved(match, _moved(match) if standing is None else _moved_by(standing))
    for pool in _pools_of([match])[match.pk]:
        _mark(pool, Key(match.finished_at, match.pk))


def mark_all_dirty(matches: Sequence[Match]) -> None:
    """Apply `mark_dirty` to many matches of any pools, with one mark for each pool."""
    finished = {match.pk: match for match in matches if match.finished_at is not None}
    unrated = [pk for pk, match in finished.items() if not match.rated]
    counted = set(RatingChange.objects.filter(match__in=unrated).values_list("match", flat=True)) if unrated else set()
    dirty = [match for pk, match in finished.items() if match.rated or pk in counted]
    if not dirty:
        return
    versions = Result.objects.filter(match__in=dirty).exclude(kind=Result.Kind.VOID).order_by("version")
    standing = {version.match_id: version for version in versions}
    first: dict[int, Key] = {}
    pools = _pools_of(dirty)
    for match in dirty:
        assert match.finished_at is not None  # noqa: S101, filtered above
        _store_moved(match, match.pk not in standing or _moved_by(standing[match.pk]))
        key = Key(match.finished_at, match.pk)
        for pool in pools[match.pk]:
            first[pool] = min(key, first.get(pool, key))
    for pool, key in first.items():
        _mark(pool, key)


def rebuild_pool(*, pool: RatingPool, now: datetime) -> Replayed | None:
    """Replay the whole pool. Return None if another worker has claimed it; everything is then replayed after that."""
    with transaction.atomic():
        _mark(pool.pk, BEGINNING)
    return replay_pool(pool_id=pool.pk, now=now)


def forget_matches(*, pool: RatingPool, matches: Collection[int]) -> None:
    """Remove what matches that are about to be deleted changed, and have the whole pool replayed.

    Call it in the transaction that deletes them. Ratings of players without another rated match go at once, so that
    these players can be deleted, too.
    """
    row = for_update(RatingPool.objects.filter(pk=pool.pk)).get()
    if row.claimed_at is not None:
        # A replay that is under way still knows the matches; the mark below covers what it was about to do.
        row.claimed_at = row.claimed_from = row.claimed_match = None
        row.save(update_fields=["claimed_at", "claimed_from", "claimed_match"])
    changes = RatingChange.objects.filter(pool=row, match__in=matches)
    players = set(changes.values_list("player", flat=True))
    changes.delete()
    players -= set(RatingChange.objects.filter(pool=row, player__in=players).values_list("player", flat=True))
    PlayerRating.objects.filter(pool=row, player__in=players).delete()
    _mark(row.pk, BEGINNING)


def replay_pool(*, pool_id: int, now: datetime) -> Replayed | None:
    """Replay a pool from the first match that changed; None if it is up to date or claimed by another worker."""
    claim = _claim(pool_id, now)
    if claim is None:
        return None
    return _replay(claim)


def check_ratings(pool: RatingPool) -> Differences:
    """Derive the ratings of a pool again and compare them with the stored ones; nothing is written.

    Matches from a pending replay on are not compared, since they are about to be rewritten.
    """
    pool = RatingPool.objects.get(pk=pool.pk)
    same = rated.merged_players()
    until = pending_since(pool, same)
    fold = folded(pool, BEGINNING, same)
    stored = {key: change for key, (_, change) in fold.stored.items()}
    changes = _pairs(stored, fold.changes)
    if until is None:
        return Differences(changes, _pairs(fold.stored_standings, fold.standings), _unmoved())
    if pool.chosen.least_event_opponents:
        # The replay begins earlier where it gives somebody an anchor.
        until = min(until, _first_turned(pool, fold.stored_standings, fold.standings, same) or until)
    before = {
        key: pair
        for key, pair in changes.items()
        if all(Key(change.finished_at, change.match) < until for change in pair if change)
    }
    return Differences(before, {}, _unmoved())


def ratings_of(
    *, players: Collection[int], pool: RatingPool | None = None, club: Club | None = None
) -> dict[int, float]:
    """Ratings of these players in a pool; the first rating for players without rated matches.

    A pair has the mean of both, unless the pool rates pairs. Without a pool, it is the one that matches of this club
    count in today, by default the site's.
    """
    if pool is None:
        pool = own_pool(club) if club is not None and club.accepted_at is None else default_pool()
    same = rated.merged_players()
    people: Mapping[int, tuple[int, ...]] = {player: (same.get(player, player),) for player in players}
    if not pool.chosen.of_pairs:
        people = people_of(players)
    known = {person for persons in people.values() for person in persons}
    standings, starts = rated.stored_standings(pool, known), rated.starts_of(pool, same)
    ratings = {person: starts.get(person, (pool.start_rating, 0))[0] for person in known}
    ratings |= {person: standing.rating for person, standing in standings.items()}
    return {player: fmean(ratings[person] for person in people[player]) for player in players}


def provisional_among(pool: RatingPool, players: Collection[int]) -> set[int]:
    """Those of these players, by id, whose rating in a pool is provisional; 1 query."""
    rows = PlayerRating.objects.filter(pool=pool, player__in=players).exclude(pool.chosen.established)
    return set(rows.order_by().values_list("player", flat=True))


def send_again(*, now: datetime) -> int:
    """Publish the replay task for pools that need it and are not claimed; return how many.

    A pool needs a replay if it has marks, its claim has expired, or its settings or merged players have changed.
    """
    same = rated.merged_players()

    def send(pool: RatingPool) -> bool:
        is_due = not _is_claimed(pool, now) and _is_due(pool, same)
        if is_due:
            hint(REPLAY, pool.pk)
        return is_due

    return sum(each("ratings", RatingPool.objects.order_by("pk"), send))


# Marks and claims


def _lock(pool_id: int) -> RatingPool | None:
    return for_update(RatingPool.objects.filter(pk=pool_id)).first()


def _mark(pool_id: int, key: Key) -> None:
    RatingMark.objects.create(pool_id=pool_id, finished_at=key.finished_at, match=key.match)
    transaction.on_commit(partial(hint, REPLAY, pool_id), robust=True)


def _store_moved(match: Match, moved: bool) -> None:
    """Store on the match whether both sides moved, so that a replay does not have to read the records."""
    if moved != match.moved:
        match.moved = moved
        Match.objects.filter(pk=match.pk).update(moved=moved)


def _moved(match: Match) -> bool:
    """Whether both sides moved by the newest version that is not void, since a void one may let it stay rated."""
    version = match.results.exclude(kind=Result.Kind.VOID).order_by("-version").first()
    return version is None or _moved_by(version)


def _moved_by(result: Result) -> bool:
    return rated.both_moved(result.match_id, result.source, result.submission_id)


def dirty_since(pool: RatingPool) -> Key | None:
    """The first match that is marked in a pool; None without marks."""
    first = pool.marks.order_by("finished_at", "match").values_list("finished_at", "match").first()
    return None if first is None else Key(*first)


def pending_since(pool: RatingPool, same: Mapping[int, int]) -> Key | None:
    """The first match whose stored rating may be out of date; None if all are up to date.

    Considers marks, the claim of a worker, and changed settings or merged players (`same`). Fetch `pool` just before.
    """
    keys = (dirty_since(pool), _claimed(pool), _first_of_another_basis(pool, same))
    first = min(filter(None, keys), default=None)
    return None if first is None else rated.fold_start(pool, first)


def _claimed(pool: RatingPool) -> Key | None:
    return None if pool.claimed_from is None else Key(pool.claimed_from, pool.claimed_match or 0)


def _basis(pool: RatingPool, same: Mapping[int, int]) -> dict[str, Any]:
    settings = pool.settings
    starts = {str(player): list(start) for player, start in sorted(rated.starts_of(pool, same).items())}
    return {
        "start_rating": settings.start_rating,
        "start_experience": settings.start_experience,
        "ramp": pool.ramp,
        **({"k_scale": settings.k_scale} if settings.k_scale != 1 else {}),
        **({"counted": counted} if (counted := pool.chosen.counted) else {}),
        **({"zone": settings.glicko.zone} if settings.glicko is not None else {}),
        **({"starts": starts} if starts else {}),
        "derives": DERIVES,
        "merged": {str(player): into for player, into in sorted(same.items())},
    }


def _is_claimed(pool: RatingPool, now: datetime) -> bool:
    return pool.claimed_at is not None and pool.claimed_at > now - claim_lasts()


def _is_due(pool: RatingPool, same: Mapping[int, int]) -> bool:
    return pool.marks.exists() or pool.claimed_at is not None or pool.basis != _basis(pool, same)


def _claim(pool_id: int, now: datetime) -> _Claim | None:
    """Claim the pool with all its marks, unless it is up to date or claimed by another worker."""
    same = rated.merged_players()
    with transaction.atomic():
        pool = _lock(pool_id)
        if pool is None or _is_claimed(pool, now) or not _is_due(pool, same):
            return None
        marks = list(pool.marks.values_list("pk", "finished_at", "match"))
        marked = min((Key(finished_at, match) for _, finished_at, match in marks), default=None)
        keys = [marked, _claimed(pool), _first_of_another_basis(pool, same)]
        since = min(filter(None, keys), default=None)
        if since is None:
            # Players without a match were merged: only the basis changes.
            pool.basis = _basis(pool, same)
            pool.save(update_fields=["basis"])
            return None
        RatingMark.objects.filter(pk__in=[pk for pk, _, _ in marks]).delete()
        since = rated.fold_start(pool, since)
        pool.claimed_at, pool.claimed_from, pool.claimed_match = now, since.finished_at, since.match
        pool.save(update_fields=["claimed_at", "claimed_from", "claimed_match"])
        return _Claim(pool, now, since, same)


def _replay(claim: _Claim) -> Replayed | None:
    """Replay, then lock the pool and write the differences if the claim is still valid."""
    fold = folded(claim.pool, claim.since, claim.same)
    pool_id = claim.pool.pk
    with transaction.atomic():
        pool = _lock(pool_id)
        if pool is None or pool.claimed_at != claim.at:
            # The claim has expired, and another worker has taken over.
            return None
        written = _write(pool, fold)
        notify_changed(pool, [change for key, change in fold.changes.items() if key not in fold.stored], claim.at)
        pool.claimed_at = pool.claimed_from = pool.claimed_match = None
        pool.basis = _basis(claim.pool, claim.same)
        pool.save(update_fields=["claimed_at", "claimed_from", "claimed_match", "basis"])
        if pool.marks.exists():
            transaction.on_commit(partial(hint, REPLAY, pool_id), robust=True)
    return Replayed(fold.since, fold.matches, written)


def _first_of_another_basis(pool: RatingPool, same: Mapping[int, int]) -> Key | None:
    """The first match affected by settings or merged players that changed since the last replay; None if unchanged."""
    today = _basis(pool, same)
    if any(pool.basis.get(name) != today.get(name) for name in today.keys() | pool.basis.keys() if name != "merged"):
        return BEGINNING
    merged_before = {int(player): into for player, into in pool.basis["merged"].items()}
    changed = {player for player in merged_before.keys() | same.keys() if merged_before.get(player) != same.get(player)}
    return rated.first_match_of(changed)


# Replaying and writing


def folded(
    pool: RatingPool,
    since: Key,
    same: Mapping[int, int],
    without: Container[int] = (),
    added: Sequence[RatedMatch] = (),
) -> Fold:
    """Replay the matches of a pool from `since` on, or from before where it follows that earlier ones change.

    `without` are matches, by id, that are left out, and `added` others.
    """
    matches = [match for match in rated.rated_matches(pool, since, same) if match.match not in without]
    matches += added
    stored = rated.stored_changes(pool, since)
    players = {player for match in matches for player in (match.winner, match.loser)}
    players |= {player for _, player in stored}
    before, starts = rated.standings_before(pool, since, players), rated.starts_of(pool, same)
    changes = replay(pool.settings, before, matches, starts)
    standings = standings_after(before, changes)
    stored_standings = rated.stored_standings(pool, None if since == BEGINNING else players)
    # Whoever met somebody who has enough matches in events only now, or no longer, has another count of such opponents.
    turned = _seen_in_events(stored_standings) ^ _seen_in_events(standings)
    beside = rated.stored_standings(pool, _all_in(rated.met_before(pool, since, turned)) - players)
    stored_standings |= beside
    standings = _count_event_opponents(pool, since, standings | beside, changes)
    if pool.chosen.least_event_opponents:
        # No count depends on ratings. Whoever gets an anchor, or loses it, has another history of friendly matches.
        anchored = _anchored(pool, standings)
        first = _first_turned(pool, stored_standings, standings, same)
        if first is not None and first < since:
            return folded(pool, first, same, without, added)
        changes = replay(pool.settings, before, matches, starts, anchored)
        standings |= {
            player: row._replace(event_opponents=standings[player].event_opponents)
            for player, row in standings_after(before, changes).items()
        }
    return Fold(
        since=since,
        matches=len(matches),
        stored=stored,
        changes={(change.match, change.player): change for change in changes},
        stored_standings=stored_standings,
        standings=standings,
    )


def _anchored(pool: RatingPool, standings: Mapping[int, Standing]) -> set[int]:
    """Those whose rating is not provisional, so that friendly matches with others do not move it."""
    return {player for player, row in standings.items() if not pool.chosen.is_provisional(row)}


def _first_turned(
    pool: RatingPool, stored: Mapping[int, Standing], derived: Mapping[int, Standing], same: Mapping[int, int]
) -> Key | None:
    """The first match of those whose rating is provisional only in one of both; merged players are the same person."""
    turned = _anchored(pool, stored) ^ _anchored(pool, derived)
    first = rated.first_match_of(turned | {player for player, into in same.items() if into in turned})
    return None if first is None else rated.fold_start(pool, first)


def _count_event_opponents(
    pool: RatingPool, since: Key, standings: Mapping[int, Standing], changes: Iterable[RatingEffect]
) -> dict[int, Standing]:
    """Return the standings after `changes` with their `event_opponents`: one hop, so it needs no order."""
    met = rated.met_before(pool, since, standings)
    for change in changes:
        met.setdefault(change.player, set()).add(change.opponent)
    others = rated.stored_standings(pool, _all_in(met) - standings.keys())
    seen = _seen_in_events({**others, **standings})
    return {player: row._replace(event_opponents=len(met[player] & seen)) for player, row in standings.items()}


def _seen_in_events(standings: Mapping[int, Standing]) -> set[int]:
    return {player for player, row in standings.items() if row.event_matches >= ENOUGH_EVENT_MATCHES}


def _all_in(met: Mapping[int, set[int]]) -> set[int]:
    return set().union(*met.values())


def _write(pool: RatingPool, fold: Fold) -> int:
    """Write the changes and ratings that differ; return how many."""
    stored = {key: change for key, (_, change) in fold.stored.items()}
    changes, standings = _pairs(stored, fold.changes), _pairs(fold.stored_standings, fold.standings)
    obsolete = [fold.stored[key][0] for key, (_, derived) in changes.items() if derived is None]
    for start in range(0, len(obsolete), ROWS_AT_ONCE):
        RatingChange.objects.filter(pk__in=obsolete[start : start + ROWS_AT_ONCE]).delete()
    RatingChange.objects.bulk_create(
        [_change_row(pool, derived) for _, derived in changes.values() if derived],
        batch_size=ROWS_AT_ONCE,
        update_conflicts=True,
        unique_fields=["pool", "match", "player"],
        update_fields=CHANGE_FIELDS,
    )
    unrated = [player for player, (_, derived) in standings.items() if derived is None]
    for start in range(0, len(unrated), ROWS_AT_ONCE):
        PlayerRating.objects.filter(pool=pool, player__in=unrated[start : start + ROWS_AT_ONCE]).delete()
    PlayerRating.objects.bulk_create(
        [
            PlayerRating(pool=pool, player_id=player, **derived._asdict())
            for player, (_, derived) in standings.items()
            if derived
        ],
        batch_size=ROWS_AT_ONCE,
        update_conflicts=True,
        unique_fields=["pool", "player"],
        update_fields=STANDING_FIELDS,
    )
    return len(changes) + len(standings)


def _change_row(pool: RatingPool, change: RatingEffect) -> RatingChange:
    values = change._asdict()
    del values["in_event"]
    ids = {f"{name}_id": values.pop(name) for name in ("match", "player", "opponent")}
    return RatingChange(pool=pool, **ids, **values)


def _pairs(stored: Mapping[RowKey, Value], derived: Mapping[RowKey, Value]) -> dict[RowKey, Any]:
    """(stored, derived) where the two differ."""
    return {
        key: (stored.get(key), derived.get(key))
        for key in stored.keys() | derived.keys()
        if stored.get(key) != derived.get(key)
    }


def _unmoved() -> dict[int, tuple[bool, bool]]:
    """Rated matches with a record or a board here, whose stored `moved` differs from what that shows."""
    differences = {}
    has_plays = Q(results__submission__isnull=False) | Q(results__source=Result.Source.LIVE)
    matches = Match.objects.filter(has_plays, rated=True).distinct()
    for match in matches.order_by("pk").iterator():
        moved = _moved(match)
        if moved != match.moved:
            differences[match.pk] = (match.moved, moved)
    return differences
