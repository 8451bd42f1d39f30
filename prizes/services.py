"""Prizes of a division, side pools, splits, and paying prizes out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Min

from engine.errors import Refused
from matches.models import Match
from players.actors import Actor, log
from players.models import Player
from players.people.rows import canonical
from prizes.prizes import FINALISTS, DivisionPrizes, final_sum, prizes_of, shares_of_people
from tournaments.ledger.money import Currency
from tournaments.ledger.payments import (
    PaymentInput,
    PaymentPart,
    desk_changed,
    lock_desk,
    lock_open_desk,
    record,
    recorded,
)
from tournaments.ledger.shares import Pot, is_whole
from tournaments.ledger.sides import Sides
from tournaments.models import AgreedSplit, Division, Entry, Fixture, Payment, PoolMember, PrizePlan, SidePool
from tournaments.state.names import display_name, shown_entry

# Saving and publishing the prizes of a division, and the splits that players agree on.


MIN_HOLDERS = 2


@dataclass(frozen=True, slots=True)
class PlanInput:
    """The prizes of a division; amounts in whole minor units."""

    pots: Sequence[Pot]
    registration: int = 0
    reentry: int | None = None
    guaranteed: int = 0
    unit: int = 1
    ties_share: bool = False
    kept: int = 0
    """What the club keeps of the sum of all fees, in hundredths of a percent."""


def unsaved_plan(division: Division, plan: PlanInput) -> PrizePlan:
    """Return the prizes as they would be saved. Refused: `bad_shares`, `registration_too_large`."""
    if not plan.pots or not is_whole(plan.pots):
        raise Refused("bad_shares")
    if plan.registration > division.fee:
        raise Refused("registration_too_large")
    return PrizePlan(
        division=division,
        registration=plan.registration,
        reentry=plan.reentry,
        guaranteed=plan.guaranteed,
        unit=plan.unit,
        ties_share=plan.ties_share,
        kept=plan.kept,
        shares=[[pot.key, list(pot.shares)] for pot in plan.pots],
    )


def save_plan(*, division: Division, plan: PlanInput, publish: bool, by: Actor, now: datetime) -> PrizePlan:
    """Save a new version of the prizes, published or as a draft. Refused: `bad_shares`, `registration_too_large`."""
    event = division.tournament
    with transaction.atomic():
        desk = lock_desk(event)
        last = division.prize_plans.order_by("-version").first()
        row = unsaved_plan(division, plan)
        row.version = 1 if last is None else last.version + 1
        row.published, row.at, row.by = publish, now, by.user
        row.save()
        log(by, "prizes_published" if publish else "prizes_saved", division.topic, club=event.club)
        desk_changed(desk)
    return row


def agree_split(
    *, division: Division, pot: str, amounts: Mapping[int, int], by: Actor, now: datetime, note: str = ""
) -> AgreedSplit:
    """Record what holders of prizes of one pot agreed to receive, by entry id; it replaces their earlier splits.

    The two of a final can agree before they play it, on the prizes of both.

    Refused: `split_holders`, `split_sum`.
    """
    event = division.tournament
    with transaction.atomic():
        desk = lock_desk(event)
        for earlier in division.agreed_splits.filter(pot=pot, taken_back_at=None):
            if any(entry in amounts for entry, _amount in earlier.amounts):
                earlier.taken_back_at = now
                earlier.save(update_fields=["taken_back_at"])
        total, places = _to_split(prizes_of(division), pot, amounts)
        if sum(amounts.values()) != total:
            raise Refused("split_sum", amount=Currency.of(event).text(total))
        row = AgreedSplit.objects.create(
            division=division,
            pot=pot,
            amounts=[[entry, amount] for entry, amount in amounts.items()],
            places=places,
            note=note,
            at=now,
            by=by.user,
        )
        log(by, "split_agreed", division.topic, club=event.club, entries=list(amounts))
        desk_changed(desk)
    return row


def _to_split(prizes: DivisionPrizes, pot: str, amounts: Mapping[int, int]) -> tuple[int, list[int]]:
    """Return the sum that these entries can split, and the places they hold or play for. Refused: `split_holders`."""
    if len(amounts) < MIN_HOLDERS or min(amounts.values()) < 0:
        raise Refused("split_holders")
    if set(amounts) == set(prizes.finals.get(pot, ())):
        return final_sum(prizes, pot), list(range(1, FINALISTS + 1))
    held = [row for row in prizes.rows if row.pot == pot and row.entry in amounts and row.prize]
    if len(held) != len(amounts):
        raise Refused("split_holders")
    return sum(row.due for row in held), sorted(row.prize.first for row in held if row.prize is not None)


def undo_split(*, split: AgreedSplit, by: Actor, now: datetime) -> None:
    """Take an agreed split back; its prizes are due as published. Refused: `split_taken_back`."""
    event = split.division.tournament
    with transaction.atomic():
        desk = lock_desk(event)
        if not AgreedSplit.objects.filter(pk=split.pk, taken_back_at=None).update(taken_back_at=now):
            raise Refused("split_taken_back")
        entries = [entry for entry, _amount in split.amounts]
        log(by, "split_taken_back", split.division.topic, club=event.club, entries=entries)
        desk_changed(desk)


# Side pools: creating them, joining and leaving.


@dataclass(frozen=True, slots=True)
class SidePoolInput:
    """A side pool: shares in hundredths of a percent by place, and the places across brackets that rank its members."""

    name: str
    fee: int
    shares: Sequence[int]
    order: Sequence[tuple[str, int]]
    unit: int = 1
    kept: int = 0
    """What the club keeps of the sum of its fees, in hundredths of a percent."""


def create_pool(*, division: Division, pool: SidePoolInput, by: Actor, now: datetime) -> SidePool:
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
            kept=pool.kept,
            at=now,
            by=by.user,
        )
        log(by, "pool_created", division.topic, club=event.club, name=pool.name)
        desk_changed(desk)
    return row


def pools_closed_at(divisions: Iterable[Division]) -> dict[int, datetime]:
    """Return division id -> when its side pools closed: with the first result of its matches, while that stands."""
    decided = Fixture.objects.filter(stage__division__in=list(divisions), match__finished_at__isnull=False)
    decided = decided.exclude(match__state=Match.State.VOID).order_by()
    return dict(decided.values_list("stage__division").annotate(Min("match__finished_at")))


def join_pool(*, pool: SidePool, entry: Entry, by: Actor, now: datetime) -> PoolMember:
    """Put an entry into a side pool. Refused: `pool_other_division`, `pool_joined`, `pool_closed`."""
    if entry.division_id != pool.division_id:
        raise Refused("pool_other_division")
    event = pool.division.tournament
    with transaction.atomic():
        desk = lock_desk(event)
        if pool.members.filter(entry=entry, taken_back_at=None).exists():
            raise Refused("pool_joined", name=shown_entry(entry, staff=True))
        if pool.division_id in pools_closed_at([pool.division]):
            raise Refused("pool_closed", pool=pool.name)
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


# Paying prizes out.


def pay_out(
    *, entry: Entry, pot: str, payment: PaymentInput, by: Actor, now: datetime, player: Player | None = None
) -> list[Payment]:
    """Pay an entry what is still due to it from a pot; the amount is what the director saw.

    Of a pair, `player` gets their half; without one, both get theirs.

    Two directors cannot pay the same prize twice: the second is refused, since nothing is due any more.
    Refused: `cash_closed`, `prizes_not_published`, `nothing_due`, `due_changed`.
    """
    division = entry.division
    with transaction.atomic():
        desk = lock_open_desk(division.tournament)
        if earlier := recorded(desk, payment.key):
            return earlier
        prizes = prizes_of(division)
        pool = SidePool.objects.filter(division=division, public_id=pot.removeprefix("pool:")).first()
        if pool is None and (prizes.plan is None or not prizes.plan.published):
            raise Refused("prizes_not_published")
        rows = [row for row in prizes.every_row if (row.pot, row.entry) == (pot, entry.pk)]
        shares = shares_of_people(entry.pk, rows, Sides([entry]))
        if player is not None:
            shares = [share for share in shares if share.player == canonical(player)]
        due = sum(max(0, share.open) for share in shares)
        name = shown_entry(entry, staff=True) if player is None else display_name(player, staff=True)
        if due <= 0:
            raise Refused("nothing_due", name=name)
        if due != payment.amount:
            raise Refused("due_changed", name=name, amount=Currency.of(division.tournament).text(due))
        is_pair = entry.player.parts is not None
        parts = [
            PaymentPart(
                Payment.Kind.PAYOUT, -max(0, share.open), entry, pool, pot, player=share.player if is_pair else None
            )
            for share in shares
        ]
        return record(desk, parts, payment, by=by, now=now)
