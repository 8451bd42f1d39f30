"""What the ratings would be if some matches had ended otherwise. Nothing is written, nothing is locked.

The fold is that of the replay, from the earliest match that would change: what lies before is taken from the changes
that are stored.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from matches.models import Match, RatingPool, Result
from matches.ratings import rated
from matches.ratings.rated import COUNTED_KINDS, Key
from matches.ratings.services.ratings import default_pool, pending_since
from players.ratings import RatedMatch, replay, standings_after


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match would end.

    It counts for the ratings if it has a winner, is of a kind that counts and is `rated`. A void one counts as what
    the match had before it was voided, if that counted (`voiding.void_matches` with `rated`).
    """

    winner: int | None
    """Side 0 or 1; None: nobody, and the match is not rated."""
    kind: str
    """Of `Result.Kind`."""
    rated: bool = True
    submission: int | None = None
    """The record that would prove it, by its number. A void outcome goes on with the one it had."""

    @classmethod
    def of(cls, result: Result) -> "Outcome":
        """As this version has it, such as the newest that is not void for a match to be reinstated."""
        return cls(result.winner, result.kind, submission=result.submission_id)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A player whose rating would be another; ratings in FIBS points, of the unrated the first rating."""

    pool: int
    player: int
    """The numbers of the pool and of the player; of merged players, of the one who stands for them."""
    before: float
    """As it is stored now."""
    after: float

    @property
    def change(self) -> float:
        """Points won, or lost (negative)."""
        return self.after - self.before


def foresee_ratings(outcomes: Mapping[int, Outcome]) -> list[Foreseen]:
    """Whose ratings would be others if these matches (by their number) ended so; the largest change comes first.

    A match that never ended has no place in the order and is left out, as is one that is not to be rated. What a
    pending replay is about to change is counted in, so this is what will be stored after that and the new results.
    """
    matches = Match.objects.select_related("pool").in_bulk(outcomes)
    same, site = rated.merged_players(), default_pool()
    by_pool: dict[RatingPool, list[Match]] = {}
    for match in matches.values():
        if match.rated and match.finished_at is not None:
            by_pool.setdefault(match.pool or site, []).append(match)
    found = [one for pool, theirs in by_pool.items() for one in _foresee(pool, theirs, outcomes, same)]
    return sorted(found, key=lambda one: (-abs(one.change), one.pool, one.player))


def _foresee(
    pool: RatingPool, changed: Collection[Match], outcomes: Mapping[int, Outcome], same: Mapping[int, int]
) -> Iterable[Foreseen]:
    keys = [Key(match.finished_at, match.pk) for match in changed if match.finished_at is not None]
    since = min(filter(None, [*keys, pending_since(pool, same)]))
    matches = [match for match in rated.rated_matches(pool, since, same) if match.match not in outcomes]
    matches += _counting(changed, outcomes, same)
    players = {player for match in matches for player in (match.winner, match.loser)}
    players |= rated.players_since(pool, since)
    before = rated.standings_before(pool, since, players)
    starts = rated.starts_of(pool, same)
    after = standings_after(before, replay(pool.settings, before, matches, starts))
    stored = rated.stored_standings(pool, players)
    for player in players:
        first = starts.get(player, (pool.start_rating, 0))[0]
        was = stored[player].rating if player in stored else first
        becomes = after[player].rating if player in after else first
        if was != becomes:
            yield Foreseen(pool.pk, player, was, becomes)


def _counting(
    changed: Collection[Match], outcomes: Mapping[int, Outcome], same: Mapping[int, int]
) -> Iterable[RatedMatch]:
    """Those of the changed matches that would count, as they would."""
    had = _before_void([match.pk for match in changed if outcomes[match.pk].kind == Result.Kind.VOID])
    rows = []
    for match in changed:
        outcome = _really(outcomes[match.pk], had.get(match.pk))
        if outcome is not None and rated.both_moved(outcome.submission):
            sides = match.player_0_id, match.player_1_id
            rows.append((match.finished_at, match.pk, outcome.winner, *sides, match.length))
    return rated.as_rated(rows, same)


def _really(outcome: Outcome, had: Result | None) -> Outcome | None:
    """The outcome that counts: of a void match, the one it had. None where none does."""
    if not outcome.rated or outcome.winner is None or outcome.kind not in COUNTED_KINDS:
        return None
    if outcome.kind != Result.Kind.VOID:
        return outcome
    return Outcome.of(had) if had is not None and rated.measures_play(had) else None


def _before_void(matches: Collection[int]) -> dict[int, Result]:
    """The newest version of each that is not void."""
    versions = Result.objects.filter(match__in=matches).exclude(kind=Result.Kind.VOID)
    return {result.match_id: result for result in versions.order_by("version")}
