"""Pairs that are kept apart: as far as possible by a draw, and always when rounds are paired."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from core.names import fold
from engine.errors import Refused
from formats.settings import BY_ROUND, ELIMINATION, GROUPS, KNOCKOUT
from players.actors import Actor, log
from tournaments.draws.rounds import request_again_if_refused
from tournaments.models import Division, Draw, Entry, KeptApart, Stage, Tournament
from tournaments.state.locks import division_changed, lock_division
from tournaments.state.names import Names

DRAWN_APART = (*ELIMINATION, GROUPS)
"""Formats whose draw can keep two entries apart."""


def can_keep_apart(division: Division) -> bool:
    """Whether a draw or round that can keep two entries apart is still to come."""
    if division.tournament.status in (Tournament.Status.FINISHED, Tournament.Status.CANCELLED):
        return False
    stages = list(division.stages.order_by("number"))
    first = stages[0].format if stages else KNOCKOUT
    if division.status == Division.Status.ENTRIES and first in DRAWN_APART:
        return True
    return any(stage.format in BY_ROUND and stage.status != Stage.Status.FINISHED for stage in stages)


def keep_apart(*, first: Entry, second: Entry, by: Actor, now: datetime) -> KeptApart:
    """Keep two entries apart from now on; paired rounds stay as they are, and repeating the call changes nothing.

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
        if (existing := _active_pair(division, earlier, later)) is not None:
            return existing
        _discard_drafts(division)
        pair = KeptApart.objects.create(division=division, first=earlier, second=later, at=now, by=by.user)
        _record_change(division, "kept_apart", pair, by, now)
    return pair


def let_meet(*, first: Entry, second: Entry, by: Actor, now: datetime) -> KeptApart:
    """Let two entries that were kept apart meet.

    Refused: `not_kept_apart`, `nothing_to_keep_apart`, `draft_in_work`.
    """
    earlier, later = sorted((first, second), key=lambda entry: entry.pk)
    with transaction.atomic():
        division = lock_division(first.division_id)
        pair = _active_pair(division, earlier, later)
        if pair is None:
            raise Refused("not_kept_apart", first=earlier.player.shown_name, second=later.player.shown_name)
        _discard_drafts(division)
        pair.taken_back_at = now
        pair.save(update_fields=["taken_back_at"])
        _record_change(division, "let_meet", pair, by, now)
    return pair


def _active_pair(division: Division, first: Entry, second: Entry) -> KeptApart | None:
    return division.kept_apart.filter(first=first, second=second, taken_back_at=None).first()


def _discard_drafts(division: Division) -> None:
    """Discard a draft of the whole draw. A draft of a round becomes outdated by itself, since its basis changes."""
    if not can_keep_apart(division):
        raise Refused("nothing_to_keep_apart")
    whole = Draw.objects.filter(stage__division=division, round=0)
    if whole.filter(state=Draw.State.REQUESTED).exists():
        raise Refused("draft_in_work")
    whole.filter(state=Draw.State.DRAFT).update(state=Draw.State.DISCARDED)


def _record_change(division: Division, verb: str, pair: KeptApart, by: Actor, now: datetime) -> None:
    """Log a change of a pair, raise the division's `seq` and request a refused round again."""
    log(by, verb, division.topic, club=division.tournament.club, entries=[pair.first_id, pair.second_id])
    division_changed(division)
    request_again_if_refused(division, by=by, now=now)


@dataclass(frozen=True, slots=True)
class Apart:
    """Two entries that are kept apart, with their names."""

    first: Entry
    second: Entry
    names: tuple[str, str]


@dataclass(frozen=True, slots=True)
class ApartView:
    """All pairs, and the entries (public id, name) a director can choose for another pair."""

    pairs: list[Apart]
    choices: list[tuple[str, str]]


def pairs_apart(division: Division, names: Names) -> list[Apart]:
    """Return the pairs that are kept apart, oldest first."""
    rows = KeptApart.objects.filter(division=division, taken_back_at=None)
    return [
        Apart(
            names.entries[row.first_id],
            names.entries[row.second_id],
            (names.of(row.first_id), names.of(row.second_id)),
        )
        for row in rows
    ]


def apart_view(division: Division, names: Names) -> ApartView | None:
    """Return the pairs and choices; None if nothing is left to draw or pair."""
    if not can_keep_apart(division):
        return None
    entries = [entry for entry in names.entries.values() if entry.status != Entry.Status.OUT]
    choices = [(entry.public_id, names.of(entry.pk)) for entry in entries]
    return ApartView(pairs_apart(division, names), sorted(choices, key=lambda choice: fold(choice[1])))
