"""Saving and publishing the prizes of a division, and the splits that players agree on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from tournaments.ledger.money import Currency
from tournaments.ledger.services.desk import desk_changed, lock_desk
from tournaments.models import AgreedSplit, Division, PrizePlan
from tournaments.prizes.selectors.prizes import prizes_of
from tournaments.prizes.shares import Pot, is_whole

FEWEST_HOLDERS = 2


@dataclass(frozen=True, slots=True)
class PlanInput:
    """The prizes of a division; amounts in whole minor units."""

    pots: Sequence[Pot]
    registration: int = 0
    reentry: int | None = None
    guaranteed: int = 0
    unit: int = 1
    ties_share: bool = False


def save_plan(*, division: Division, plan: PlanInput, publish: bool, by: Actor, now: datetime) -> PrizePlan:
    """Save a new version of the prizes, published or as a draft. Refused: `bad_shares`, `registration_too_large`."""
    if not plan.pots or not is_whole(plan.pots):
        raise Refused("bad_shares")
    if plan.registration > division.fee:
        raise Refused("registration_too_large")
    event = division.tournament
    with transaction.atomic():
        desk = lock_desk(event)
        last = division.prize_plans.order_by("-version").first()
        row = PrizePlan.objects.create(
            division=division,
            version=1 if last is None else last.version + 1,
            registration=plan.registration,
            reentry=plan.reentry,
            guaranteed=plan.guaranteed,
            unit=plan.unit,
            ties_share=plan.ties_share,
            shares=[[pot.key, list(pot.shares)] for pot in plan.pots],
            published=publish,
            at=now,
            by=by.user,
        )
        log(by, "prizes_published" if publish else "prizes_saved", division.topic, club=event.club)
        desk_changed(desk)
    return row


def agree_split(
    *, division: Division, pot: str, amounts: Mapping[int, int], by: Actor, now: datetime, note: str = ""
) -> AgreedSplit:
    """Record what holders of prizes of one pot agreed to receive, by entry id; it replaces their earlier splits.

    Refused: `split_holders`, `split_sum`.
    """
    event = division.tournament
    with transaction.atomic():
        desk = lock_desk(event)
        for earlier in division.agreed_splits.filter(pot=pot, taken_back_at=None):
            if any(entry in amounts for entry, _amount in earlier.amounts):
                earlier.taken_back_at = now
                earlier.save(update_fields=["taken_back_at"])
        prize_rows = [row for row in prizes_of(division).rows if row.pot == pot and row.entry in amounts and row.prize]
        if len(amounts) < FEWEST_HOLDERS or len(prize_rows) != len(amounts) or min(amounts.values()) < 0:
            raise Refused("split_holders")
        total = sum(row.due for row in prize_rows)
        if sum(amounts.values()) != total:
            raise Refused("split_sum", amount=Currency.of(event).text(total))
        row = AgreedSplit.objects.create(
            division=division,
            pot=pot,
            amounts=[[entry, amount] for entry, amount in amounts.items()],
            places=sorted(row.prize.first for row in prize_rows if row.prize is not None),
            note=note,
            at=now,
            by=by.user,
        )
        log(by, "split_agreed", division.topic, club=event.club, entries=list(amounts))
        desk_changed(desk)
    return row


def take_back_split(*, split: AgreedSplit, by: Actor, now: datetime) -> None:
    """Take an agreed split back; its prizes are due as published. Refused: `split_taken_back`."""
    event = split.division.tournament
    with transaction.atomic():
        desk = lock_desk(event)
        if not AgreedSplit.objects.filter(pk=split.pk, taken_back_at=None).update(taken_back_at=now):
            raise Refused("split_taken_back")
        entries = [entry for entry, _amount in split.amounts]
        log(by, "split_taken_back", split.division.topic, club=event.club, entries=entries)
        desk_changed(desk)
