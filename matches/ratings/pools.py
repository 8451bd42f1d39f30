"""The rating pools of a club: creating one, and changing its settings, previewed, in versions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial

from django.db import IntegrityError, transaction

from core.locks import lock_row
from core.names import clean_name
from core.queue import hint
from engine.errors import Refused
from formats.ratings import Standing, replay, standings_after
from matches.models import PoolSettings, RatingChange, RatingPool, RatingPoolVersion
from matches.models.pool_settings import ELO, IN_COLUMNS, stakes_of
from matches.ratings import rated
from matches.ratings.lists import Listed, Publication, absent_among, listed, members_of, publication
from matches.ratings.rated import BEGINNING
from matches.ratings.services import REPLAY
from players.actors import Actor, log
from players.models import Club, Player
from players.people.rows import club_topic

MIN_RATING, MAX_RATING = 0, 5000
USUAL_RATINGS = (100, MAX_RATING)
"""Of two readings of a number, such as 1,650, the one in this range is the rating."""
MIN_SCALE, MAX_SCALE = 0.1, 10.0
MAX_EXPERIENCE = 100_000
MIN_STAKE, MAX_STAKE = 0.1, 1000.0
MIN_SPREAD, MAX_SPREAD = 50.0, 10_000.0
"""Of the scale of ratings: the difference for odds of 10 to 1 in a match of one point."""
MIN_DEVIATION, MAX_DEVIATION = 30.0, 1000.0
MIN_TAU, MAX_TAU = 0.1, 1.5
MAX_DAYS = 3650
MAX_MATCHES = 1000


def create_pool(*, club: Club, settings: PoolSettings, by: Actor) -> RatingPool:
    """Create a pool for a club. Refused: `pool_name_taken`, `pool_bad_stakes`, `name_missing`, `name_too_long`."""
    chosen = _checked(settings)
    pool = RatingPool(club=club, **_columns(chosen))
    with transaction.atomic():
        _save(pool)
        log(by, "pool_created", club_topic(club), club=club, pool=pool.pk, **_stored(chosen))
    return pool


def update_pool(*, pool: RatingPool, settings: PoolSettings, after: int, by: Actor, now: datetime) -> RatingPool:
    """Change the settings in a new version; a worker then replays the pool. Equal settings make no version.

    Refused: `stale`, and as for `create_pool`.
    """
    return _apply(pool, settings, after=after, by=by, now=now)


def restore_version(*, pool: RatingPool, number: int, after: int, by: Actor, now: datetime) -> RatingPool:
    """Let the settings of an earlier version hold again, in a new version.

    Refused: `stale`, `no_pool_version`, `pool_name_taken`.
    """
    return _apply(pool, version_of(pool, number).chosen, after=after, by=by, now=now, restores=number)


def version_of(pool: RatingPool, number: int) -> RatingPoolVersion:
    """Return a version of the settings. Refused: `no_pool_version`."""
    version = pool.versions.filter(number=number).first()
    if version is None:
        raise Refused("no_pool_version", number=number)
    return version


def _apply(
    pool: RatingPool, settings: PoolSettings, *, after: int, by: Actor, now: datetime, restores: int | None = None
) -> RatingPool:
    chosen = _checked(settings)
    with transaction.atomic():
        row = lock_row(RatingPool, pool.pk)
        if row.seq != after:
            raise Refused("stale")
        before = row.chosen
        if chosen == before:
            return row
        assert row.club is not None  # noqa: S101, only pools of clubs are changed here
        newest = row.versions.first()
        number = newest.number if newest is not None else 1
        if newest is None:
            RatingPoolVersion.objects.create(pool=row, number=1, values=_stored(before), at=now)
        columns = _columns(chosen)
        for name, value in columns.items():
            setattr(row, name, value)
        row.seq += 1
        _save(row, update_fields=[*columns, "seq"])
        RatingPoolVersion.objects.create(
            pool=row, number=number + 1, values=_stored(chosen), restores=restores, at=now, by=by.user
        )
        old, new = asdict(before), asdict(chosen)
        changed = {name: [old[name], new[name]] for name in new if old[name] != new[name]}
        verb = "pool_changed" if restores is None else "pool_restored"
        log(by, verb, club_topic(row.club), club=row.club, pool=row.pk, version=number + 1, changed=changed)
        transaction.on_commit(partial(hint, REPLAY, row.pk), robust=True)
    return row


def pool_choices(club: Club) -> list[tuple[int, str]]:
    """The pools of a club as choices (id, name)."""
    return list(RatingPool.objects.filter(club=club, is_own=False).order_by("name").values_list("pk", "name"))


def _checked(settings: PoolSettings) -> PoolSettings:
    """The settings without what their formula does not use. Refused: `pool_bad_stakes`, and for the name."""
    if settings.family == ELO:
        try:
            stakes_of(settings.stakes)
        except ValueError:
            raise Refused("pool_bad_stakes") from None
    return replace(settings, name=clean_name(settings.name)).normal()


def _stored(chosen: PoolSettings) -> dict[str, object]:
    return {**{name: getattr(chosen, name) for name in IN_COLUMNS}, **chosen.options}


def _columns(chosen: PoolSettings) -> dict[str, object]:
    return {**{name: getattr(chosen, name) for name in IN_COLUMNS}, "options": chosen.options}


def _save(pool: RatingPool, **options: list[str]) -> None:
    try:
        with transaction.atomic():
            pool.save(**options)  # type: ignore[arg-type]
    except IntegrityError:
        raise Refused("pool_name_taken", name=pool.name) from None


# What other settings would change.


@dataclass(frozen=True, slots=True)
class SettingsEffect:
    """A rated player, as placed today and by other settings; None where they have no rating."""

    player: Player
    before: Listed | None
    after: Listed | None

    @property
    def change(self) -> float:
        """In rating points; 0 without a rating on either side."""
        if self.before is None or self.after is None:
            return 0.0
        return self.after.standing.rating - self.before.standing.rating


@dataclass(frozen=True, slots=True)
class SettingsPreview:
    chosen: PoolSettings
    matches: tuple[int, int]
    """How many matches count, before and after."""
    effects: Sequence[SettingsEffect]
    """All players with a rating before or after, in the order of the new list."""

    @property
    def changed(self) -> int:
        return sum(1 for effect in self.effects if effect.before is None or effect.after is None or effect.change)


def preview_settings(*, pool: RatingPool, settings: PoolSettings, now: datetime) -> SettingsPreview:
    """Return what other settings would do; nothing is written. Refused: as for `create_pool`, but for a taken name."""
    chosen = _checked(settings)
    same = rated.merged_players()
    starts = rated.starts_of(pool, same)
    sides = []
    for rules in (pool.chosen, chosen):
        formula = rules.formula(_zone(pool))
        matches = rated.rated_matches(pool, BEGINNING, same, rules)
        sides.append((rules, formula, matches, standings_after({}, replay(formula, {}, matches, starts))))
    players = {player for *_, standings in sides for player in standings}
    members = members_of(pool.club_id, same) if pool.club_id is not None else set()
    absent = absent_among(players)
    before, after = (
        {row.player: row for row in listed(rules, formula, standings, members=members, absent=absent, now=now)}
        for rules, formula, _, standings in sides
    )
    people = Player.objects.in_bulk(players)
    order = [*after, *(player for player in before if player not in after)]
    effects = [SettingsEffect(people[player], before.get(player), after.get(player)) for player in order]
    return SettingsPreview(chosen, (len(sides[0][2]), len(sides[1][2])), effects)


def list_of(pool: RatingPool, now: datetime) -> tuple[list[Listed], Mapping[int, Player]]:
    """Return all rated players of a pool in the order of its list, and the players by id.

    If the list changes on a day of the week, it is as it was on the last of these days.
    """
    standings: dict[int, Standing] = rated.stored_standings(pool)
    last = publication_of(pool, now)
    if last is not None:
        standings = _standings_until(pool, last.until, standings)
        now = last.at
    same = rated.merged_players() if pool.chosen.members_only else {}
    members = members_of(pool.club_id, same) if pool.club_id is not None and pool.chosen.members_only else set()
    people = Player.objects.in_bulk(list(standings))
    absent = absent_among(people)
    return listed(pool.chosen, pool.settings, standings, members=members, absent=absent, now=now), people


def _standings_until(pool: RatingPool, until: datetime, players: Collection[int]) -> dict[int, Standing]:
    settings = pool.settings
    if settings.glicko is None or not settings.glicko.by_event:
        # Whole weeks of Glicko-2, too: each ends with its week.
        return rated.standings_before(pool, rated.Key(until, 0), players)
    same = rated.merged_players()
    matches = [match for match in rated.rated_matches(pool, BEGINNING, same) if match.finished_at < until]
    return standings_after({}, replay(settings, {}, matches, rated.starts_of(pool, same)))


def publication_of(pool: RatingPool, now: datetime) -> Publication | None:
    """Return the last publication of the list of a pool; None if it changes after every match."""
    return publication(pool.chosen, _zone(pool), now)


def waiting_matches(pool: RatingPool, last: Publication, player: int) -> int:
    """Return how many matches of a player count from the next publication on."""
    changes = RatingChange.objects.filter(pool=pool, player=player)
    return changes.filter(finished_at__gte=last.until, finished_at__lt=last.next_until).count()


def _zone(pool: RatingPool) -> str:
    return pool.club.time_zone if pool.club is not None else "UTC"
