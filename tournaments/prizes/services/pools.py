"""Side pools: creating them, joining and leaving."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from tournaments.ledger.services.desk import desk_changed, lock_desk
from tournaments.models import Division, Entry, PoolMember, SidePool
from tournaments.prizes.shares import Pot, is_whole
from tournaments.state.names import shown_entry


@dataclass(frozen=True, slots=True)
class PoolInput:
    """A side pool: shares in hundredths of a percent by place, and the places across brackets that rank its members."""

    name: str
    fee: int
    shares: Sequence[int]
    order: Sequence[tuple[str, int]]
    unit: int = 1


def create_pool(*, division: Division, pool: PoolInput, by: Actor, now: datetime) -> SidePool:
    """Add a side pool to a division. Refused: `bad_shares`, `name_taken`."""
    if not is_whole([Pot("pool", tuple(pool.shares))]):
        raise Refused("bad_shares")
    event = division.tournament
    with transaction.atomic():
        desk = lock_desk(event)
        if division.side_pools.filter(name=pool.name).exists():
            raise Refused("name_taken", name=pool.name)
        row = SidePool.objects.create(
            division=division,
            name=pool.name,
            fee=pool.fee,
            shares=list(pool.shares),
            order=[list(place) for place in pool.order],
            unit=pool.unit,
            at=now,
            by=by.user,
        )
        log(by, "pool_created", division.topic, club=event.club, name=pool.name)
        desk_changed(desk)
    return row


def join_pool(*, pool: SidePool, entry: Entry, by: Actor, now: datetime) -> PoolMember:
    """Put an entry into a side pool. Refused: `pool_other_division`, `pool_joined`."""
    if entry.division_id != pool.division_id:
        raise Refused("pool_other_division")
    event = pool.division.tournament
    with transaction.atomic():
        desk = lock_desk(event)
        if pool.members.filter(entry=entry, taken_back_at=None).exists():
            raise Refused("pool_joined", name=shown_entry(entry, staff=True))
        member = PoolMember.objects.create(pool=pool, entry=entry, at=now, by=by.user)
        log(by, "pool_joined", pool.division.topic, club=event.club, entry=entry.pk, name=pool.name)
        desk_changed(desk)
    return member


def leave_pool(*, pool: SidePool, entry: Entry, by: Actor, now: datetime) -> None:
    """Take an entry out of a side pool; what was paid for it is to be refunded. Refused: `pool_not_joined`."""
    event = pool.division.tournament
    with transaction.atomic():
        desk = lock_desk(event)
        if not pool.members.filter(entry=entry, taken_back_at=None).update(taken_back_at=now):
            raise Refused("pool_not_joined", name=shown_entry(entry, staff=True))
        log(by, "pool_left", pool.division.topic, club=event.club, entry=entry.pk, name=pool.name)
        desk_changed(desk)
