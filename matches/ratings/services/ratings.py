"""Keeping the ratings in step with the results: mark where history changed, replay from there, write differences.

Marks are the work. Whoever changes a result leaves one in the same transaction; one worker at a time claims the pool
with its marks, folds outside any transaction, and writes what differs. A result that comes in meanwhile leaves a mark
of its own; a claim that runs out is taken over with what was marked.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from django.db import transaction
from django.utils.translation import gettext_noop

from core.locks import for_update
from core.queue import claim_lasts, hint
from matches.models import Match, PlayerRating, RatingChange, RatingMark, RatingPool, Result
from matches.ratings import rated
from matches.ratings.rated import BEGINNING, Key
from players.ratings import Change, Standing, replay, standings_after

REPLAY = "matches.replay_ratings"
"""The task that a hint names."""
DEFAULT_NAME = gettext_noop("All matches")
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
]
STANDING_FIELDS = list(Standing._fields)

Place = TypeVar("Place")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Replayed:
    """What one replay did."""

    since: Key
    matches: int
    written: int
    """Changes and standings that differed and were written or removed."""


@dataclass(frozen=True, slots=True)
class Differences:
    """How what is stored differs from what the facts give: None where there is nothing on that side."""

    changes: dict[tuple[int, int], tuple[Change | None, Change | None]] = field(default_factory=dict)
    """By match and player: stored and derived."""
    standings: dict[int, tuple[Standing | None, Standing | None]] = field(default_factory=dict)
    """By player: stored and derived."""
    unmoved: dict[int, tuple[bool, bool]] = field(default_factory=dict)
    """By match: what is stored about each side having moved, and what the record shows."""

    def __bool__(self) -> bool:
        return bool(self.changes or self.standings or self.unmoved)


@dataclass(frozen=True, slots=True)
class _Claim:
    pool: RatingPool
    at: datetime
    since: Key
    same: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _Fold:
    matches: int
    stored: Mapping[tuple[int, int], tuple[int, Change]]
    changes: Mapping[tuple[int, int], Change]
    stored_standings: Mapping[int, Standing]
    standings: Mapping[int, Standing]


def default_pool() -> RatingPool:
    """The pool of every match that names none; made when it is first asked for."""
    return RatingPool.objects.get_or_create(is_default=True, defaults={"name": str(DEFAULT_NAME)})[0]


def mark_dirty(*, match: Match, at: datetime | None = None) -> None:
    """Have the ratings replayed from this match on. Call it last in the transaction that changed the match.

    The new version of its result must be written. `at`: its place in the order, if that is not `finished_at`. A mark
    is committed together with what it marks and locks nothing, so no replay can miss it and nobody waits for it.
    """
    place = at or match.finished_at
    if place is None:
        return
    pool = match.pool or default_pool()
    if not match.rated and not RatingChange.objects.filter(pool=pool, match=match).exists():
        return
    _note_moved(match)
    _mark(pool.pk, Key(place, match.pk))


def mark_all_dirty(matches: Sequence[Match]) -> None:
    """The same for many matches of any pools: one mark a pool, from the first of them on."""
    placed = {match.pk: match for match in matches if match.finished_at is not None}
    unrated = [pk for pk, match in placed.items() if not match.rated]
    counted = set(RatingChange.objects.filter(match__in=unrated).values_list("match", flat=True)) if unrated else set()
    dirty = [match for pk, match in placed.items() if match.rated or pk in counted]
    if not dirty:
        return
    records = dict(Result.objects.filter(match__in=dirty).order_by("version").values_list("match", "submission"))
    first: dict[int, Key] = {}
    for match in dirty:
        assert match.finished_at is not None  # noqa: S101, chosen so above
        _store_moved(match, rated.both_moved(records.get(match.pk)))
        pool, key = match.pool_id or default_pool().pk, Key(match.finished_at, match.pk)
        first[pool] = min(key, first.get(pool, key))
    for pool, key in first.items():
        _mark(pool, key)


def rebuild_pool(*, pool: RatingPool, now: datetime) -> Replayed | None:
    """Replay everything; None while another worker has the pool, which then replays everything after that."""
    with transaction.atomic():
        _mark(pool.pk, BEGINNING)
    return replay_pool(pool_id=pool.pk, now=now)


def replay_pool(*, pool_id: int, now: datetime) -> Replayed | None:
    """Replay a pool from the first match that changed; None where there is nothing to do, or another does it."""
    claim = _claim(pool_id, now)
    if claim is None:
        return None
    return _settle(claim)


def check_ratings(pool: RatingPool) -> Differences:
    """Derive everything again and compare; writes nothing.

    Only what comes before a pending replay is compared: what lies behind it is about to be written.
    """
    pool = RatingPool.objects.get(pk=pool.pk)
    same = rated.merged_players()
    until = pending_since(pool, same)
    fold = _fold(pool, BEGINNING, same)
    stored = {place: change for place, (_, change) in fold.stored.items()}
    changes = _pairs(stored, fold.changes)
    if until is None:
        return Differences(changes, _pairs(fold.stored_standings, fold.standings), _unmoved())
    before = {
        place: pair
        for place, pair in changes.items()
        if all(Key(change.finished_at, change.match) < until for change in pair if change)
    }
    return Differences(before, {}, _unmoved())


def ratings_of(*, players: Collection[int], pool: RatingPool | None = None) -> dict[int, float]:
    """The rating of each of these players in a pool (the default one if None); of the unrated the first rating."""
    here = pool or default_pool()
    same = rated.merged_players()
    standings = rated.stored_standings(here, {same.get(player, player) for player in players})
    starts = rated.starts_of(here, same)
    known = {player: standings.get(same.get(player, player)) for player in players}
    return {
        player: standing.rating if standing else starts.get(same.get(player, player), (here.start_rating, 0))[0]
        for player, standing in known.items()
    }


def send_again(*, now: datetime) -> int:
    """Hint at pools that are dirty, whose claim has run out, or whose settings or merged players changed; how many."""
    same = rated.merged_players()
    due = [pool.pk for pool in RatingPool.objects.order_by("pk") if not _is_held(pool, now) and _is_due(pool, same)]
    for pool_id in due:
        hint(REPLAY, pool_id)
    return len(due)


# Marks and claims


def _locked(pool_id: int) -> RatingPool | None:
    return for_update(RatingPool.objects.filter(pk=pool_id)).first()


def _mark(pool_id: int, key: Key) -> None:
    RatingMark.objects.create(pool_id=pool_id, finished_at=key.finished_at, match=key.match)
    transaction.on_commit(partial(hint, REPLAY, pool_id), robust=True)


def _note_moved(match: Match) -> None:
    """Keep beside the match what its record says, so that a replay need not read ten thousand records."""
    _store_moved(match, _moved(match))


def _store_moved(match: Match, moved: bool) -> None:
    if moved != match.moved:
        match.moved = moved
        Match.objects.filter(pk=match.pk).update(moved=moved)


def _moved(match: Match) -> bool:
    return rated.both_moved(match.results.order_by("-version").values_list("submission", flat=True).first())


def dirty_since(pool: RatingPool) -> Key | None:
    """The first place in the order from which a pool waits to be replayed; None where it waits for nothing."""
    first = pool.marks.order_by("finished_at", "match").values_list("finished_at", "match").first()
    return None if first is None else Key(*first)


def pending_since(pool: RatingPool, same: Mapping[int, int]) -> Key | None:
    """From where on what is stored may not be what the facts give, until a replay has come through; None: nowhere.

    Marks, what a worker is at just now, and settings or merged players (`same`) of today. Read `pool` anew before.
    """
    keys = (dirty_since(pool), _claimed(pool), _first_of_another_basis(pool, same))
    return min(filter(None, keys), default=None)


def _claimed(pool: RatingPool) -> Key | None:
    return None if pool.claimed_from is None else Key(pool.claimed_from, pool.claimed_match or 0)


def _basis(pool: RatingPool, same: Mapping[int, int]) -> dict[str, Any]:
    chosen = pool.settings
    starts = {str(player): list(start) for player, start in sorted(rated.starts_of(pool, same).items())}
    return {
        "start_rating": chosen.start_rating,
        "start_experience": chosen.start_experience,
        "ramp": chosen.ramp.value,
        **({"k_scale": chosen.k_scale} if chosen.k_scale != 1 else {}),
        **({"starts": starts} if starts else {}),
        "merged": {str(player): into for player, into in sorted(same.items())},
    }


def _is_held(pool: RatingPool, now: datetime) -> bool:
    return pool.claimed_at is not None and pool.claimed_at > now - claim_lasts()


def _is_due(pool: RatingPool, same: Mapping[int, int]) -> bool:
    return pool.marks.exists() or pool.claimed_at is not None or pool.basis != _basis(pool, same)


def _claim(pool_id: int, now: datetime) -> _Claim | None:
    """Take the pool and all its marks for ourselves, unless it is clean or another worker's claim still holds."""
    same = rated.merged_players()
    with transaction.atomic():
        pool = _locked(pool_id)
        if pool is None or _is_held(pool, now) or not _is_due(pool, same):
            return None
        marks = list(pool.marks.values_list("pk", "finished_at", "match"))
        marked = min((Key(finished_at, match) for _, finished_at, match in marks), default=None)
        keys = [marked, _claimed(pool), _first_of_another_basis(pool, same)]
        since = min(filter(None, keys), default=None)
        if since is None:
            # Players without a match were merged: nothing to replay, but to remember.
            pool.basis = _basis(pool, same)
            pool.save(update_fields=["basis"])
            return None
        RatingMark.objects.filter(pk__in=[pk for pk, _, _ in marks]).delete()
        pool.claimed_at, pool.claimed_from, pool.claimed_match = now, since.finished_at, since.match
        pool.save(update_fields=["claimed_at", "claimed_from", "claimed_match"])
        return _Claim(pool, now, since, same)


def _settle(claim: _Claim) -> Replayed | None:
    """Fold, then write under the lock if the claim still holds."""
    fold = _fold(claim.pool, claim.since, claim.same)
    pool_id = claim.pool.pk
    with transaction.atomic():
        pool = _locked(pool_id)
        if pool is None or pool.claimed_at != claim.at:
            # Our claim had run out, and another worker has taken over.
            return None
        written = _write(pool, fold)
        pool.claimed_at = pool.claimed_from = pool.claimed_match = None
        pool.basis = _basis(claim.pool, claim.same)
        pool.save(update_fields=["claimed_at", "claimed_from", "claimed_match", "basis"])
        if pool.marks.exists():
            transaction.on_commit(partial(hint, REPLAY, pool_id), robust=True)
    return Replayed(claim.since, fold.matches, written)


def _first_of_another_basis(pool: RatingPool, same: Mapping[int, int]) -> Key | None:
    """From where the settings and merged players of today give another history than those of the last replay."""
    today = _basis(pool, same)
    if any(pool.basis.get(name) != today.get(name) for name in today.keys() | pool.basis.keys() if name != "merged"):
        return BEGINNING
    then = {int(player): into for player, into in pool.basis["merged"].items()}
    others = {player for player in then.keys() | same.keys() if then.get(player) != same.get(player)}
    return rated.first_match_of(others)


# Fold and write


def _fold(pool: RatingPool, since: Key, same: Mapping[int, int]) -> _Fold:
    matches = rated.rated_matches(pool, since, same)
    stored = rated.stored_changes(pool, since)
    players = {player for match in matches for player in (match.winner, match.loser)}
    players |= {player for _, player in stored}
    before = rated.standings_before(pool, since, players)
    changes = replay(pool.settings, before, matches, rated.starts_of(pool, same))
    return _Fold(
        matches=len(matches),
        stored=stored,
        changes={(change.match, change.player): change for change in changes},
        stored_standings=rated.stored_standings(pool, None if since == BEGINNING else players),
        standings=standings_after(before, changes),
    )


def _write(pool: RatingPool, fold: _Fold) -> int:
    """Only what differs; how many rows."""
    stored = {place: change for place, (_, change) in fold.stored.items()}
    changes, standings = _pairs(stored, fold.changes), _pairs(fold.stored_standings, fold.standings)
    gone = [fold.stored[place][0] for place, (_, derived) in changes.items() if derived is None]
    for start in range(0, len(gone), ROWS_AT_ONCE):
        RatingChange.objects.filter(pk__in=gone[start : start + ROWS_AT_ONCE]).delete()
    RatingChange.objects.bulk_create(
        [_change_row(pool, derived) for _, derived in changes.values() if derived],
        batch_size=ROWS_AT_ONCE,
        update_conflicts=True,
        unique_fields=["pool", "match", "player"],
        update_fields=CHANGE_FIELDS,
    )
    left = [player for player, (_, derived) in standings.items() if derived is None]
    for start in range(0, len(left), ROWS_AT_ONCE):
        PlayerRating.objects.filter(pool=pool, player__in=left[start : start + ROWS_AT_ONCE]).delete()
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


def _change_row(pool: RatingPool, change: Change) -> RatingChange:
    values = change._asdict()
    ids = {f"{name}_id": values.pop(name) for name in ("match", "player", "opponent")}
    return RatingChange(pool=pool, **ids, **values)


def _pairs(stored: Mapping[Place, Value], derived: Mapping[Place, Value]) -> dict[Place, Any]:
    """What is stored and what should be, where the two differ."""
    return {
        place: (stored.get(place), derived.get(place))
        for place in stored.keys() | derived.keys()
        if stored.get(place) != derived.get(place)
    }


def _unmoved() -> dict[int, tuple[bool, bool]]:
    """Rated matches whose note about each side having moved is not what their record shows; others have none."""
    differences = {}
    recorded = Match.objects.filter(rated=True, results__submission__isnull=False).distinct()
    for match in recorded.order_by("pk").iterator():
        moved = _moved(match)
        if moved != match.moved:
            differences[match.pk] = (match.moved, moved)
    return differences
