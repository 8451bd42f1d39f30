"""Entries of players who are merged: two in a division become one, and two again once the merge is undone.

Nobody is withdrawn: the better place stands for both entries. What belongs to the other entry stays with it, and what
has to count for the one that stands is added to that; payments count for it as they are (`tournaments.ledger`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from engine.errors import Refused
from players.actors import Actor, log
from players.models import Merge, Player
from players.notifications.services import forget_notifications
from players.people.rows import PersonId, canonical, pairs_of, people_of
from tournaments.entries import check_in as presence
from tournaments.entries.event_links import revoke_links_of
from tournaments.entries.services import same_person, same_side
from tournaments.ledger.payments import desk_changed, lock_desk
from tournaments.models import (
    ByeRequest,
    CheckIn,
    Division,
    Entry,
    FinalPlace,
    JoinedEntry,
    KeptApart,
    Letter,
    PoolMember,
    Slot,
)
from tournaments.state.locks import division_changed, lock_division
from tournaments.state.places import fill_places, is_full
from tournaments.state.versions import DivisionPart


def lock_entered(players: Iterable[Player]) -> list[int]:
    """Lock the divisions that these people have entered and that are not over, and return their ids."""
    sides = reduce(or_, map(same_person, players))
    return [division.pk for division in _lock(_open_entries(sides))]


def join_entries(merge: Merge, players: Collection[int], locked: Collection[int], by: Actor) -> None:
    """Make the entries of players who were merged one in each division that is not over; these are locked.

    The better place stands: in before waiting, then the earlier one; a place that becomes free goes to whoever waits.
    Refused: `both_entered` where both are in the draw of a division, or play in it with different partners;
    `merge_partners` if they are a pair that plays or has played, `stale` if one of them has entered since.
    """
    person = same_side(merge.into)
    joined = []
    entered = _open_entries(same_person(merge.into)).select_related("player__merged_into", "division__tournament")
    if not {entry.division_id for entry in entered}.issubset(locked):
        raise Refused("stale")
    _refuse_partners(merge)
    _refuse_other_sides(merge, list(entered))
    for division in _lock(_open_entries(person)):
        entries = list(division.entries.filter(person).exclude(status=Entry.Status.OUT).select_related("player"))
        if len({entry.player_id in players for entry in entries}) == 2:
            joined.append(division)
            _join(division, entries, players, merge, by)
    _desks_changed(joined)


def _refuse_partners(merge: Merge) -> None:
    """Refuse to merge two who are a pair with an entry that stands, or one that was drawn: these are two people."""
    pairs = list(pairs_of([merge.into]))
    people = people_of(pair.pk for pair in pairs)
    alone = [pair for pair in pairs if len(set(people[pair.pk])) == 1]
    rows = Entry.objects.filter(~Q(status=Entry.Status.OUT) | Exists(Slot.objects.filter(entry=OuterRef("pk"))))
    entry = rows.filter(player__in=alone).select_related("division__tournament").order_by("pk").last()
    if entry is not None:
        raise _refusal("merge_partners", merge, entry.division)


def _refuse_other_sides(merge: Merge, entries: list[Entry]) -> None:
    """Refuse a merge after which somebody is in a division on two sides; those that are one side are joined."""
    people = people_of(entry.player_id for entry in entries)
    sides: dict[Division, set[frozenset[PersonId]]] = defaultdict(set)
    for entry in entries:
        sides[entry.division].add(frozenset(people[entry.player_id]))
    for division, couples in sides.items():
        if len(couples) > 1:
            raise _refusal("both_entered", merge, division)


def _refusal(code: str, merge: Merge, division: Division) -> Refused:
    name, other = merge.player.shown_name, merge.into.shown_name
    return Refused(code, name=name, other=other, division=f"{division.tournament.name} · {division.name}")


def _open_entries(persons: Q) -> QuerySet[Entry]:
    entries = Entry.objects.filter(persons).exclude(status=Entry.Status.OUT)
    return entries.exclude(division__status__in=(Division.Status.FINISHED, Division.Status.CANCELLED))


def _lock(entries: QuerySet[Any]) -> list[Division]:
    """Lock the divisions of these entries by ascending id."""
    divisions = Division.objects.filter(entries__in=entries).distinct().order_by("pk")
    return [lock_division(pk) for pk in divisions.values_list("pk", flat=True)]


def _join(division: Division, entries: list[Entry], players: Collection[int], merge: Merge, by: Actor) -> None:
    is_drawn = division.status != Division.Status.ENTRIES
    entered = [entry for entry in entries if entry.status == Entry.Status.IN]
    if is_drawn and len({entry.player_id in players for entry in entered}) == 2:
        raise _refusal("both_entered", merge, division)
    best, *others = sorted(entries, key=lambda entry: (entry not in entered, entry.entered_at, entry.pk))
    for entry in others:
        # Behind the first one, those that are in a draw are re-entries.
        if is_drawn and entry in entered:
            continue
        JoinedEntry.objects.create(merge=merge, entry=entry, into=best, before=entry.status, at=merge.merged_at)
        _add(entry, best, by, merge.merged_at)
        entry.status = Entry.Status.OUT
        entry.save(update_fields=["status"])
        log(by, "entries_joined", division.topic, club=division.tournament.club, entry=best.pk, entries=[entry.pk])
    fill_places(division, merge.merged_at)
    _point(division)
    division_changed(division, part=DivisionPart.ENTRIES)


def _add(entry: Entry, best: Entry, by: Actor, now: datetime) -> None:
    """Add to the entry that stands what only the other has: presence, side pools, byes, and who is kept apart."""
    if entry.checked_in_at is not None and best.checked_in_at is None:
        newest = presence.standing().filter(entry=entry).order_by("pk").last()
        source = newest.source if newest is not None else CheckIn.Source.DIRECTOR
        check_in = CheckIn(entry=best, state=CheckIn.State.HERE, source=source, at=now, by=by.user)
        presence.record(best.division, [check_in], by, {best.pk: entry.checked_in_at})
    members = PoolMember.objects.filter(taken_back_at=None)
    for member in members.filter(entry=entry).exclude(pool__in=members.filter(entry=best).values("pool")):
        PoolMember.objects.create(pool_id=member.pool_id, entry=best, at=now, by=by.user)
    byes = ByeRequest.objects.filter(taken_back_at=None)
    for bye in byes.filter(entry=entry):
        if not byes.filter(entry=best, stage=bye.stage_id, round=bye.round).exists():
            ByeRequest.objects.create(
                entry=best, stage_id=bye.stage_id, round=bye.round, kind=bye.kind, at=now, by=by.user
            )
    pairs = KeptApart.objects.filter(taken_back_at=None)
    for pair in pairs.filter(Q(first=entry) | Q(second=entry)):
        first, second = sorted((best.pk, pair.second_id if pair.first_id == entry.pk else pair.first_id))
        if first != second and not pairs.filter(first=first, second=second).exists():
            KeptApart.objects.create(division=best.division, first_id=first, second_id=second, at=now, by=by.user)


def _point(division: Division) -> None:
    """Store which entry stands for each joined one."""
    standing = JoinedEntry.standing(division)
    for entry in division.entries.filter(Q(pk__in=standing) | Q(joined_to__isnull=False)):
        if entry.joined_to_id != standing.get(entry.pk):
            entry.joined_to_id = standing.get(entry.pk)
            entry.save(update_fields=["joined_to"])


def _desks_changed(divisions: Iterable[Division]) -> None:
    for tournament in {row.tournament for row in divisions}:
        desk_changed(lock_desk(tournament))


def separate_entries(merge: Merge, players: Collection[int], by: Actor, now: datetime) -> None:
    """Give the entries that a merge joined their own place again, and end the links and messages of both players.

    A place that was filled meanwhile, or a draw, leaves the entry on the waiting list, as early as it was.
    """
    rows = JoinedEntry.objects.filter(merge=merge, undone_at=None).order_by("pk")
    separated = _lock(rows.values("entry"))
    for division in separated:
        for row in rows.filter(entry__division=division).select_related("entry", "into"):
            _separate(division, row, by, now)
        fill_places(division, now)
        _point(division)
        division_changed(division, part=DivisionPart.ENTRIES)
    _end_access(merge, players)
    _desks_changed(separated)


def _separate(division: Division, row: JoinedEntry, by: Actor, now: datetime) -> None:
    entry, best = row.entry, row.into
    row.undone_at = now
    row.save(update_fields=["undone_at"])
    is_in = row.before == Entry.Status.IN and division.status == Division.Status.ENTRIES and not is_full(division)
    again = division.entries.filter(player=entry.player_id, number=entry.number).exclude(status=Entry.Status.OUT)
    if not again.exists():
        entry.status = Entry.Status.IN if is_in else Entry.Status.WAITING
        entry.save(update_fields=["status"])
    for model in (PoolMember, ByeRequest):
        model.objects.filter(entry=best, at=row.at, taken_back_at=None).update(taken_back_at=now)
    pairs = KeptApart.objects.filter(Q(first=best) | Q(second=best), at=row.at, taken_back_at=None)
    pairs.update(taken_back_at=now)
    check_in = CheckIn.objects.filter(entry=best, at=row.at).order_by("pk").last()
    if check_in is not None:
        presence.undo_in(division, batch=check_in.batch, by=by, now=now)
    log(by, "entries_separated", division.topic, club=division.tournament.club, entry=best.pk, entries=[entry.pk])


def _end_access(merge: Merge, players: Collection[int]) -> None:
    """Revoke all links of the two who were one person, since each led to the matches of both, and delete messages."""
    person = canonical(merge.into)
    revoke_links_of(person)
    if person.user_id is None:
        return
    own = Entry.objects.filter(same_side(person)).exclude(player__in=players).values("division")
    entries = Entry.objects.filter(player__in=players).exclude(division__in=own)
    alone = entries.values("division__tournament")
    Letter.objects.filter(user=person.user_id, event__in=alone).exclude(event__divisions__in=own).delete()
    divisions = entries.values_list("division__public_id", flat=True)
    places = FinalPlace.objects.filter(player__in=players)
    about = {*divisions, *(key for place in places for key in place.notice_keys)}
    forget_notifications(user=person.user_id, since=merge.merged_at, about=about)
