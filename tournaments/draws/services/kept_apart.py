"""Two who are not to meet: kept apart by the draw as far as it can, and never paired in a round."""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from tournaments.draws.services.rounds import ask_again
from tournaments.formats.settings import BY_ROUND, ELIMINATION, GROUPS, KNOCKOUT
from tournaments.models import Division, Draw, Entry, KeptApart, Stage, Tournament
from tournaments.state.locks import lock_division

DRAWN_APART = (*ELIMINATION, GROUPS)
"""Formats in which the draw can keep two apart."""


def can_keep_apart(division: Division) -> bool:
    """Whether something is still to be drawn or paired in which two can be kept apart."""
    if division.tournament.status in (Tournament.Status.FINISHED, Tournament.Status.CANCELLED):
        return False
    stages = list(division.stages.order_by("number"))
    first = stages[0].format if stages else KNOCKOUT
    if division.status == Division.Status.ENTRIES and first in DRAWN_APART:
        return True
    return any(one.format in BY_ROUND and one.status != Stage.Status.FINISHED for one in stages)


def keep_apart(*, first: Entry, second: Entry, by: Actor, now: datetime) -> KeptApart:
    """Keeps two entries of a division apart from now on; what is paired already stands, the same again changes nothing.

    Refused: `pair_is_one`, `not_entered`, `nothing_to_keep_apart`, `draft_in_work`.
    """
    if first.pk == second.pk or first.division_id != second.division_id:
        raise Refused("pair_is_one")
    earlier, later = sorted((first, second), key=lambda entry: entry.pk)
    with transaction.atomic():
        division = lock_division(first.division_id)
        for entry in (earlier, later):
            entry.refresh_from_db(fields=["status"])
            if entry.status == Entry.Status.OUT:
                raise Refused("not_entered", name=entry.player.shown_name)
        if (same := _standing(division, earlier, later)) is not None:
            return same
        _open_to_change(division)
        made = KeptApart.objects.create(division=division, first=earlier, second=later, at=now, by=by.user)
        _told(division, "kept_apart", made, by, now)
    return made


def let_meet(*, first: Entry, second: Entry, by: Actor, now: datetime) -> KeptApart:
    """Lets two who were kept apart meet after all.

    Refused: `not_kept_apart`, `nothing_to_keep_apart`, `draft_in_work`.
    """
    earlier, later = sorted((first, second), key=lambda entry: entry.pk)
    with transaction.atomic():
        division = lock_division(first.division_id)
        pair = _standing(division, earlier, later)
        if pair is None:
            raise Refused("not_kept_apart", first=earlier.player.shown_name, second=later.player.shown_name)
        _open_to_change(division)
        pair.taken_back_at = now
        pair.save(update_fields=["taken_back_at"])
        _told(division, "let_meet", pair, by, now)
    return pair


def _standing(division: Division, first: Entry, second: Entry) -> KeptApart | None:
    return division.kept_apart.filter(first=first, second=second, taken_back_at=None).first()


def _open_to_change(division: Division) -> None:
    """Discards a draft of the whole draw, made without knowing; that of a round is outdated, as its basis tells."""
    if not can_keep_apart(division):
        raise Refused("nothing_to_keep_apart")
    whole = Draw.objects.filter(stage__division=division, round=0)
    if whole.filter(state=Draw.State.REQUESTED).exists():
        raise Refused("draft_in_work")
    whole.filter(state=Draw.State.DRAFT).update(state=Draw.State.DISCARDED)


def _told(division: Division, verb: str, pair: KeptApart, by: Actor, now: datetime) -> None:
    log(by, verb, division.topic, club=division.tournament.club, entries=[pair.first_id, pair.second_id])
    division.seq += 1
    division.save(update_fields=["seq"])
    ask_again(division, by=by, now=now)
