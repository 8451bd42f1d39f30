"""Who is here, away or missing: recorded, and taken back."""

import zoneinfo
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from core.public_ids import new_public_id
from engine.errors import Refused
from players.actors import Actor, log_all
from players.models import Player
from players.people.rows import people_of
from tournaments.entries.services import same_person
from tournaments.models import CheckIn, Division, Entry, Tournament
from tournaments.state.floor import OPEN
from tournaments.state.locks import division_changed, lock_division
from tournaments.state.presence import day_began, presence, presence_facts

# Recording who is here, away or missing, and taking that back.
#
# Presence never moves anybody in a draw; it is recorded at any time, also while a division is played.


OPENS_BEFORE_START = timedelta(hours=2)
"""How long before the start players can check themselves in, unless the event says otherwise."""
VERBS = {
    CheckIn.State.HERE: "checked_in",
    CheckIn.State.AWAY: "checked_in_away",
    CheckIn.State.MISSING: "checked_out",
}


def state_of(entry: Entry) -> CheckIn.State:
    """Return whether the player of an entry is here, away or missing."""
    if entry.checked_in_at is not None:
        return CheckIn.State.HERE
    return CheckIn.State.MISSING if entry.away_until is None else CheckIn.State.AWAY


def opens_at(tournament: Tournament) -> datetime:
    """Return when players can begin to check themselves in."""
    return tournament.check_in_opens_at or tournament.starts_at - OPENS_BEFORE_START


def is_open_for_players(division: Division, now: datetime) -> bool:
    """Whether players can check themselves in: by default from two hours before the start until the draw."""
    tournament = division.tournament
    if not tournament.is_open or now < opens_at(tournament):
        return False
    closes = tournament.check_in_closes_at
    return division.status == Division.Status.ENTRIES if closes is None else now < closes


def mark(
    *,
    entry: Entry,
    state: str,
    by: Actor,
    now: datetime,
    until: datetime | None = None,
    source: str = CheckIn.Source.DIRECTOR,
) -> Entry:
    """Record that a player is here, away until `until`, or missing; does nothing if that is recorded already.

    Refused: `not_entered`.
    """
    with transaction.atomic():
        division = lock_division(entry.division_id)
        row = Entry.objects.select_related("player", "division__tournament__club").get(pk=entry.pk)
        if row.status == Entry.Status.OUT:
            raise Refused("not_entered", name=row.player.shown_name)
        if state_of(row) != state or row.away_until != until or _is_no_show(row, state, now):
            check_in = CheckIn(entry=row, state=state, until=until, source=source, at=now, by=by.user)
            record(division, [check_in], by)
    return row


def _is_no_show(entry: Entry, state: str, now: datetime) -> bool:
    """Whether a player who is recorded as here did not come to a match since, and is to be here again."""
    if state != CheckIn.State.HERE:
        return False
    return entry.pk in no_shows_of(entry.division.tournament, now)


def no_shows_of(tournament: Tournament, now: datetime) -> frozenset[int]:
    """Return the entries, by id, of those who did not come to a match of an event today and were not here since."""
    facts = presence_facts(tournament)
    entries = dict(Entry.objects.filter(division__tournament=tournament).values_list("pk", "player"))
    people = people_of({*entries.values(), *(sign.player for sign in facts.signs)})
    no_shows = presence(facts, people, now).no_shows
    return frozenset(pk for pk, player in entries.items() if not no_shows.isdisjoint(people[player]))


def mark_all_here(*, tournament: Tournament, division: Division | None, by: Actor, now: datetime) -> tuple[str, int]:
    """Check in everybody who is missing, in one division or all of them, but no player who did not come to a match.

    Return the batch that `undo` takes, and the number of entries.
    """
    batch, count = new_public_id(), 0
    no_shows = no_shows_of(tournament, now)
    with transaction.atomic():
        for row in _locked(tournament, division):
            missing = row.entries.filter(status=Entry.Status.IN, checked_in_at=None, away_until=None)
            missing = missing.exclude(pk__in=no_shows)
            check_ins = [
                CheckIn(entry=entry, state=CheckIn.State.HERE, batch=batch, at=now, by=by.user)
                for entry in missing.select_related("player")
            ]
            record(row, check_ins, by)
            count += len(check_ins)
    return batch, count


def mark_players_here(*, tournament: Tournament, players: Collection[Player], by: Actor, now: datetime) -> str:
    """Check people in, in every division they have entered, whatever was recorded of them before.

    Return the batch that `undo` takes.
    """
    batch, persons = new_public_id(), reduce(or_, map(same_person, players))
    with transaction.atomic():
        for division in _locked(tournament, None):
            entries = division.entries.filter(persons, status=Entry.Status.IN).select_related("player")
            check_ins = [
                CheckIn(entry=entry, state=CheckIn.State.HERE, batch=batch, at=now, by=by.user) for entry in entries
            ]
            record(division, check_ins, by)
    return batch


def end_days(*, now: datetime) -> None:
    """Reset the presence that was recorded before the day of each open event; its check-ins stay as facts.

    Players of an event of several days are missing again on the next day.
    """
    entries = Entry.objects.exclude(checked_in_at=None, away_until=None)
    present = entries.filter(division__tournament__status__in=OPEN).exclude(status=Entry.Status.OUT)
    divisions = Division.objects.filter(pk__in=present.values("division")).select_related("tournament")
    for division in divisions.order_by("pk"):
        began = day_began(division.tournament, now)
        past = Q(checked_in_at__lt=began) | Q(away_until__lt=began)
        if division.entries.filter(past).exists():
            with transaction.atomic():
                locked = lock_division(division.pk)
                locked.entries.filter(past).update(checked_in_at=None, away_until=None)
                division_changed(locked)


def undo(*, tournament: Tournament, batch: str, by: Actor, now: datetime) -> int:
    """Undo one tap, except for players whose presence was changed since; return the number of entries.

    Refused: `check_in_changed` if there is nobody left, so also when it is undone already.
    """
    undo_batch = new_public_id()
    with transaction.atomic():
        divisions = _locked(tournament, None)
        count = sum(undo_in(row, batch=batch, undo_batch=undo_batch, by=by, now=now) for row in divisions)
        if not count:
            raise Refused("check_in_changed")
    return count


def undo_in(division: Division, *, batch: str, by: Actor, now: datetime, undo_batch: str = "") -> int:
    """Undo what one tap changed in a locked division, as `undo` does; return the number of entries."""
    newest = standing().filter(entry__division=division).values("entry").annotate(Max("pk"))
    changed = CheckIn.objects.filter(pk__in=newest.values("pk__max"), batch=batch)
    previous = _before(changed.values_list("pk", "entry"), day_began(division.tournament, now))
    check_ins = [
        CheckIn(
            entry=check_in.entry,
            state=before.state if before else CheckIn.State.MISSING,
            until=before.until if before else None,
            source=before.source if before else CheckIn.Source.DIRECTOR,
            kiosk=check_in.kiosk if by.user is None else None,
            batch=undo_batch or new_public_id(),
            undoes=check_in,
            at=now,
            by=by.user,
        )
        for check_in in changed.select_related("entry__player")
        for before in (previous.get(check_in.entry_id),)
    ]
    record(division, check_ins, by, {entry: before.at for entry, before in previous.items()})
    return len(check_ins)


def check_in_self(
    *,
    tournament: Tournament,
    player: Player,
    present: bool,
    by: Actor,
    now: datetime,
    source: str = CheckIn.Source.PLAYER,
) -> int:
    """Check a player in, or out again, in every division of an event that is open for it; return their number.

    Refused: `check_in_not_entered`, `check_in_closed`.
    """
    with transaction.atomic():
        divisions = _locked(tournament, None)
        entries = Entry.objects.filter(same_person(player), division__in=divisions).exclude(status=Entry.Status.OUT)
        own = {entry.division_id: entry for entry in entries.select_related("player")}
        if not own:
            raise Refused("check_in_not_entered")
        admitting = [division for division in divisions if division.pk in own and is_open_for_players(division, now)]
        if not admitting:
            raise Refused("check_in_closed")
        state = CheckIn.State.HERE if present else CheckIn.State.MISSING
        for division in admitting:
            entry = own[division.pk]
            if state_of(entry) != state:
                check_in = CheckIn(entry=entry, state=state, source=source, at=now, by=by.user)
                record(division, [check_in], by)
    return len(admitting)


def _locked(tournament: Tournament, only: Division | None) -> list[Division]:
    """Lock the divisions of an event that are not cancelled, or one of them, and return them."""
    rows = tournament.divisions.exclude(status=Division.Status.CANCELLED).order_by("pk")
    if only is not None:
        rows = rows.filter(pk=only.pk)
    return [lock_division(pk) for pk in rows.values_list("pk", flat=True)]


def _before(changed: Iterable[tuple[int, int]], began: datetime) -> dict[int, CheckIn]:
    """Return entry -> its check-in before each of these (check-in, entry) pairs, of the day that `began` then."""
    newest = {entry: pk for pk, entry in changed}
    rows = standing().filter(Q(at__gte=began) | Q(until__gte=began), entry__in=newest).order_by("pk")
    return {row.entry_id: row for row in rows if row.pk < newest[row.entry_id]}


def standing() -> QuerySet[CheckIn]:
    """Return the check-ins that undo nothing and were not undone."""
    return CheckIn.objects.filter(undoes=None, undone_by=None)


def record(
    division: Division, check_ins: Sequence[CheckIn], by: Actor, here_since: Mapping[int, datetime] | None = None
) -> None:
    """Store check-ins of entries of a locked division and what follows from them.

    `here_since` has the entries that are as they were before, and since when: nobody loses waiting time by an undo.
    """
    if not check_ins:
        return
    CheckIn.objects.bulk_create(check_ins)
    for check_in in check_ins:
        entry = check_in.entry
        since = (here_since or {}).get(entry.pk, check_in.at)
        entry.checked_in_at = since if check_in.state == CheckIn.State.HERE else None
        entry.away_until = check_in.until
    Entry.objects.bulk_update([row.entry for row in check_ins], ["checked_in_at", "away_until"], batch_size=500)
    for state, verb in VERBS.items():
        lines = [(division.topic, _log_params(row)) for row in check_ins if row.state == state]
        log_all(by, verb, lines, club=division.tournament.club)
    division_changed(division)


def _log_params(check_in: CheckIn) -> dict[str, Any]:
    """Return what the log keeps of a check-in: the entry, and the kiosk if it was recorded there."""
    kiosk = {"kiosk": check_in.kiosk.public_id} if check_in.kiosk is not None else {}
    return {"entry": check_in.entry_id, **kiosk}


# The times of the event, and the page on which players check themselves in.


def instant_of(clock: time, zone: str, now: datetime) -> datetime:
    """Return the next instant when clocks in a time zone show this time of day."""
    local = now.astimezone(zoneinfo.ZoneInfo(zone))
    instant = local.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
    return instant if instant > local else instant + timedelta(days=1)


def own_page(tournament: Tournament, player: Player | None, now: datetime) -> dict[str, Any]:
    """Return the context of the page for checking oneself in; `player` is None without an account."""
    entries: list[Entry] = []
    if player is not None:
        rows = Entry.objects.filter(same_person(player), division__tournament=tournament)
        rows = rows.exclude(status=Entry.Status.OUT)
        entries = list(rows.select_related("player", "division__tournament").order_by("division__order", "pk"))
    admitting = [entry for entry in entries if is_open_for_players(entry.division, now)]
    return {
        "tournament": tournament,
        "club": tournament.club,
        "entries": entries,
        "is_open": bool(admitting),
        "is_here": bool(entries) and all(entry.checked_in_at for entry in entries),
        "is_partly_missing": any(entry.checked_in_at is None for entry in admitting),
        "may_undo": any(entry.checked_in_at for entry in admitting),
        "opens_at": opens_at(tournament) if now < opens_at(tournament) else None,
    }
