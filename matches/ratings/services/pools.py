"""Creating and changing the rating pools of a club."""

from dataclasses import asdict, dataclass

from django.db import IntegrityError, transaction

from core.locks import lock_row
from core.names import clean_name
from engine.errors import Refused
from matches.models import RatingPool
from players.actors import Actor, log
from players.models import Club
from players.people.rows import club_topic
from players.ratings import Ramp

LEAST_RATING, MOST_RATING = 0, 5000
LEAST_SCALE, MOST_SCALE = 0.1, 10.0
MOST_EXPERIENCE = 100_000


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """Settings of a pool that a club can choose; `k_scale` multiplies K."""

    name: str
    start_rating: float = 1500.0
    start_experience: int = 0
    ramp: str = Ramp.BEFORE.value
    k_scale: float = 1.0


def create_pool(*, club: Club, settings: PoolSettings, by: Actor) -> RatingPool:
    """Create a pool for a club. Refused: `pool_name_taken`, `name_missing`, `name_too_long`."""
    pool = RatingPool(club=club, **_fields(settings))
    with transaction.atomic():
        _save(pool)
        log(by, "pool_created", club_topic(club), club=club, pool=pool.pk, **_fields(settings))
    return pool


def update_pool(*, pool: RatingPool, settings: PoolSettings, by: Actor) -> RatingPool:
    """Change the settings; the next sweep replays the whole history of the pool. Refused: as for `create_pool`."""
    with transaction.atomic():
        row = lock_row(RatingPool, pool.pk)
        fields = _fields(settings)
        changed = {name: [getattr(row, name), value] for name, value in fields.items() if getattr(row, name) != value}
        if changed:
            for name, value in fields.items():
                setattr(row, name, value)
            _save(row, update_fields=list(fields))
            assert row.club is not None  # noqa: S101, only pools of clubs are changed here
            log(by, "pool_changed", club_topic(row.club), club=row.club, pool=row.pk, changed=changed)
    return row


def pool_choices(club: Club) -> list[tuple[int, str]]:
    """The pools of a club as choices (id, name)."""
    return list(RatingPool.objects.filter(club=club).order_by("name").values_list("pk", "name"))


def _fields(settings: PoolSettings) -> dict[str, object]:
    return {**asdict(settings), "name": clean_name(settings.name)}


def _save(pool: RatingPool, **options: list[str]) -> None:
    try:
        with transaction.atomic():
            pool.save(**options)  # type: ignore[arg-type]
    except IntegrityError:
        raise Refused("pool_name_taken", name=pool.name) from None
