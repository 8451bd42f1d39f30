"""Preview of the ratings if some matches had other results. Nothing is written or locked.

The ratings are replayed from the earliest match that would change; what comes before is taken from the stored changes.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from formats.ratings import RatedMatch
from matches.models import Match, RatingPool, Result
from matches.ratings import rated
from matches.ratings.rated import BEGINNING, COUNTED_KINDS, Key
from matches.ratings.services import default_pool, folded, pending_since, pool_counting
from players.models import Club


@dataclass(frozen=True, slots=True)
class SupposedResult:
    """A result that a match would have.

    It counts for the ratings if it has a winner, is of a rated kind and `rated` is set. A void result counts like the
    result the match had before, if that counted (`voiding.void_matches` with `rated`).
    """

    winner: int | None
    """Side 0 or 1; None if nobody wins, and the match is not rated."""
    kind: str
    """Of `Result.Kind`."""
    rated: bool = True
    submission: int | None = None
    """Id of the record it would be based on. A void outcome keeps the record the match had."""
    source: str = ""
    """Of `Result.Source`, where it is that of a stored version."""

    @classmethod
    def of(cls, result: Result) -> "SupposedResult":
        """Return the outcome of a stored version, e.g. of the one to be reinstated."""
        return cls(result.winner, result.kind, submission=result.submission_id, source=result.source)


@dataclass(frozen=True, slots=True)
class RatingPreview:
    """A player whose rating would change; in FIBS points. A player without rated matches has the first rating."""

    pool: int
    player: int
    """Ids of the pool and the player; for merged players, of the player they were merged into."""
    before: float
    """The stored rating."""
    after: float

    @property
    def change(self) -> float:
        """Difference in rating points; negative if the rating falls."""
        return self.after - self.before


def preview_ratings(outcomes: Mapping[int, SupposedResult]) -> list[RatingPreview]:
    """Return the ratings that would change if these matches, by id, had these outcomes; the largest change first.

    Matches that never ended and unrated matches are left out. Pending replays are included, so the preview shows the
    ratings as they will be after those replays and the new results.
    """
    matches = Match.objects.select_related("pool", "club").in_bulk(outcomes)
    same = rated.merged_players()
    by_pool: dict[RatingPool, list[Match]] = {}
    for match in matches.values():
        if match.rated and match.finished_at is not None:
            by_pool.setdefault(pool_counting(match), []).append(match)
    previews = [row for pool, changed in by_pool.items() for row in _preview(pool, changed, outcomes, same)]
    return sorted(previews, key=lambda row: (-abs(row.change), row.pool, row.player))


def _preview(
    pool: RatingPool, changed: Collection[Match], outcomes: Mapping[int, SupposedResult], same: Mapping[int, int]
) -> Iterable[RatingPreview]:
    keys = [Key(match.finished_at, match.pk) for match in changed if match.finished_at is not None]
    since = rated.fold_start(pool, min(filter(None, [*keys, pending_since(pool, same)])))
    counted = rated.counted_by(pool, [match.pk for match in changed])
    supposed = list(_counting([match for match in changed if match.pk in counted], outcomes, same))
    return _differences(pool, since, outcomes, supposed, same)


def preview_past_of(club: Club) -> list[RatingPreview]:
    """Return the ratings that would change if the past matches of a waiting club counted for the site."""
    same, site = rated.merged_players(), default_pool()
    own = RatingPool.objects.filter(club=club, is_own=True).first()
    moved = rated.matches_apart(club, BEGINNING, same)
    if own is None or not moved:
        return []
    first, gone = min(Key(match.finished_at, match.match) for match in moved), {match.match for match in moved}
    rows: list[RatingPreview] = []
    for pool in (site, own):
        since = rated.fold_start(pool, min(filter(None, [first, pending_since(pool, same)])))
        rows += _differences(pool, since, gone, moved if pool == site else [], same)
    return sorted(rows, key=lambda row: (row.pool != site.pk, -abs(row.change), row.player))


def _differences(
    pool: RatingPool, since: Key, without: Container[int], added: Sequence[RatedMatch], same: Mapping[int, int]
) -> Iterable[RatingPreview]:
    """The stored ratings of a pool that differ if it counts other matches from `since` on."""
    fold = folded(pool, since, same, without, added)
    starts = rated.starts_of(pool, same)
    for player in fold.standings.keys() | fold.stored_standings.keys():
        first = starts.get(player, (pool.start_rating, 0))[0]
        stored, derived = fold.stored_standings.get(player), fold.standings.get(player)
        old, new = (first if standing is None else standing.rating for standing in (stored, derived))
        if old != new:
            yield RatingPreview(pool.pk, player, old, new)


def _counting(
    changed: Collection[Match], outcomes: Mapping[int, SupposedResult], same: Mapping[int, int]
) -> Iterable[RatedMatch]:
    """The changed matches that would be rated, with their new outcomes."""
    played = _before_void([match.pk for match in changed if outcomes[match.pk].kind == Result.Kind.VOID])
    rows = []
    for match in changed:
        outcome = _rated_outcome(outcomes[match.pk], played.get(match.pk))
        if outcome is not None and rated.both_moved(match.pk, outcome.source, outcome.submission):
            sides = match.player_0_id, match.player_1_id
            event = match.parent_topic, match.told_event, match.as_told
            rows.append((match.finished_at, match.pk, outcome.winner, *sides, match.length, *event))
    return rated.as_rated(rows, same)


def _rated_outcome(outcome: SupposedResult, played: Result | None) -> SupposedResult | None:
    """The outcome that is rated: for a void match, the one it had before. None if it is not rated."""
    if not outcome.rated or outcome.winner is None or outcome.kind not in COUNTED_KINDS:
        return None
    if outcome.kind != Result.Kind.VOID:
        return outcome
    return SupposedResult.of(played) if played is not None and rated.measures_play(played) else None


def _before_void(matches: Collection[int]) -> dict[int, Result]:
    """The newest version that is not void, by match."""
    versions = Result.objects.filter(match__in=matches).exclude(kind=Result.Kind.VOID)
    return {result.match_id: result for result in versions.order_by("version")}
