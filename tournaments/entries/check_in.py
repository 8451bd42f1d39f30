"""Who is here, away or missing: recorded, and taken back."""

import zoneinfo
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext as _

from core.faults import each
from core.public_ids import new_public_id
from engine.errors import Refused
from players.actors import Actor, log_all
from players.models import Pair, Player
from players.models.people import name_in_pair
from players.people.rows import PersonId, canonical, people_of
from tournaments.entries.services import plays_in
from tournaments.models import CheckIn, Division, Entry, Kiosk, Tournament
from tournaments.state.floor import OPEN
from tournaments.state.locks import division_changed, lock_division
from tournaments.state.names import shown_entry
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
    CheckIn.State.EXCUSED: "excused",
}


def state_of(entry: Entry) -> CheckIn.State:
    """Return whether the player of an entry is here, away or missing; a pair is here when both are."""
    if entry.checked_in_at is not None:
        return CheckIn.State.HERE
    return CheckIn.State.MISSING if entry.away_until is None else CheckIn.State.AWAY


class Attendee(NamedTuple):
    """A person who plays with an entry, and what is recorded of them for it."""

    entry: Entry
    person: PersonId
    named: int | None
    """The id by which check-ins name them: None for the only person of an entry."""
    place: int
    """Of a pair: 0 for the one who is named first, 1 for the other."""
    state: CheckIn.State
    until: datetime | None = None
    since: datetime | None = None

    def name(self, *, staff: bool) -> str:
        parts = self.entry.player.parts
        return shown_entry(self.entry, staff=staff) if parts is None else name_in_pair(parts[self.place], staff=staff)

    def partner(self, *, staff: bool) -> str:
        """Return the name of the other one of a pair; empty if they play alone."""
        parts = self.entry.player.parts
        return "" if parts is None else name_in_pair(parts[1 - self.place], staff=staff)

    @property
    def is_here(self) -> bool:
        return self.state == CheckIn.State.HERE

    @property
    def is_excused(self) -> bool:
        """Whether the pair plays without them."""
        return self.state == CheckIn.State.EXCUSED


def attendees(tournament: Tournament, entries: Iterable[Entry], now: datetime) -> list[Attendee]:
    """Return who plays with these entries of an event, which come with their players; two queries if there are pairs.

    Of a pair, the one who was named first comes first.
    """
    rows = list(entries)
    pairs = Pair.objects.filter(player__in=[row.player_id for row in rows if row.player.parts is not None])
    people: dict[int, tuple[tuple[int, PersonId], ...]] = {}
    if any(row.player.parts is not None for row in rows):
        columns = ("player", "first", "first__merged_into", "second", "second__merged_into")
        people = {
            pair: ((first, PersonId(first_into or first)), (second, PersonId(second_into or second)))
            for pair, first, first_into, second, second_into in pairs.values_list(*columns)
        }
    newest = _newest(tournament, [row for row in rows if row.player.parts is not None], now) if people else {}
    found = []
    for entry in rows:
        if entry.player.parts is None:
            person = PersonId(entry.player.merged_into_id or entry.player_id)
            found.append(Attendee(entry, person, None, 0, state_of(entry), entry.away_until, entry.checked_in_at))
        for place, (named, person) in enumerate(people.get(entry.player_id, ())):
            row = newest.get((entry.pk, person))
            state = CheckIn.State(row.state) if row is not None else CheckIn.State.MISSING
            until, since = (row.until, row.at) if row is not None else (None, None)
            found.append(Attendee(entry, person, named, place, state, until, since))
    return found


def _newest(tournament: Tournament, pairs: Collection[Entry], now: datetime) -> dict[tuple[int, PersonId], CheckIn]:
    """Return (entry id, person) -> what was last recorded of each of these pairs today."""
    rows = standing().filter(_counts_since(day_began(tournament, now)), entry__in=pairs, person__isnull=False)
    return {
        (row.entry_id, PersonId(row.person.merged_into_id or row.person.pk)): row
        for row in rows.select_related("person").order_by("pk")
        if row.person is not None
    }


def _counts_since(began: datetime) -> Q:
    """Return the condition for what holds on the day that `began` then; who is excused stays so."""
    return Q(at__gte=began) | Q(until__gte=began) | Q(state=CheckIn.State.EXCUSED)


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
    person: Player | None = None,
) -> Entry:
    """Record that a player is here, away until `until`, or missing; does nothing if that is recorded already.

    Of a pair it is recorded of `person`, or of both, but not of somebody who is excused. `excused` needs a person: from
    then on the pair plays without them, until they are recorded as something else.
    Refused: `not_entered`; `not_of_pair`, `pair_needs_one` if the other one is excused.
    """
    with transaction.atomic():
        division = lock_division(entry.division_id)
        row = Entry.objects.select_related("player", "division__tournament__club").get(pk=entry.pk)
        if row.status == Entry.Status.OUT:
            raise Refused("not_entered", name=row.player.shown_name)
        people = attendees(row.division.tournament, [row], now)
        marked = _named(people, person)
        if state == CheckIn.State.EXCUSED:
            _refuse_excuse(people, person)
        no_shows: Collection[PersonId] = ()
        if state == CheckIn.State.HERE and any(who.state == state for who in marked):
            no_shows = no_shows_today(row.division.tournament, now)
        batch = new_public_id()
        check_ins = [
            _check_in(who, state, until=until, source=source, batch=batch, at=now, by=by.user)
            for who in marked
            if (who.state, who.until) != (state, until) or who.person in no_shows
        ]
        record(division, check_ins, by)
    return row


def mark_everywhere(
    *,
    entry: Entry,
    state: str,
    by: Actor,
    now: datetime,
    until: datetime | None = None,
    person: Player | None = None,
) -> str:
    """Record of the player of an entry, of `person` or of both of a pair, what `mark` does, for all their entries.

    Where a pair plays without them it plays on so, unless that is this entry. Return the batch that `undo` takes; empty
    if all of it is recorded already. Refused: as `mark`.
    """
    tournament, player, batch = entry.division.tournament, entry.player, new_public_id()
    with transaction.atomic():
        people = set(people_of([player.pk])[player.pk])
        if person is not None:
            people &= set(people_of([person.pk])[person.pk])
        is_entered = Q(status=Entry.Status.IN) | (Q(pk=entry.pk) & ~Q(status=Entry.Status.OUT))
        own = Entry.objects.filter(plays_in(people), is_entered, division__tournament=tournament)
        divisions = {row.pk: row for row in _locked(tournament, None) if own.filter(division=row).exists()}
        marked = []
        for who in attendees(tournament, own.filter(division__in=divisions).select_related("player"), now):
            is_meant = who.entry.pk == entry.pk and (person is not None or not who.is_excused)
            if who.person in people and (is_meant or not who.is_excused):
                marked.append(who)
        if all(who.entry.pk != entry.pk for who in marked):
            raise Refused("not_entered", name=(person or player).shown_name)
        no_shows: Collection[PersonId] = ()
        if state == CheckIn.State.HERE and any(who.state == state for who in marked):
            no_shows = no_shows_today(tournament, now)
        changed = [who for who in marked if (who.state, who.until) != (state, until) or who.person in no_shows]
        for pk, division in divisions.items():
            rows = [who for who in changed if who.entry.division_id == pk]
            record(division, [_check_in(who, state, until=until, batch=batch, at=now, by=by.user) for who in rows], by)
    return batch if changed else ""


def _named(people: Sequence[Attendee], person: Player | None) -> list[Attendee]:
    """Return who of an entry is meant: this person, or all who play. Refused: `not_of_pair`."""
    if person is None:
        return [row for row in people if not row.is_excused]
    named = [row for row in people if row.person == canonical(person).pk]
    if not named:
        raise Refused("not_of_pair", name=person.shown_name)
    return named


def _refuse_excuse(people: Sequence[Attendee], person: Player | None) -> None:
    if len(people) == 1 or person is None:
        raise Refused("not_of_pair", name=people[0].entry.player.shown_name)
    if any(row.is_excused for row in people if row.person != canonical(person).pk):
        raise Refused("pair_needs_one")


def _check_in(who: Attendee, state: str, **values: Any) -> CheckIn:
    return CheckIn(entry=who.entry, person_id=who.named, state=state, **values)


def without_text(tournament: Tournament, entries: Iterable[Entry], now: datetime, *, staff: bool) -> dict[int, str]:
    """Return entry id -> that one of the pair plays without the other, for the pairs of which that is so."""
    excused = [who for who in attendees(tournament, entries, now) if who.is_excused]
    text = _("{player} plays without {name}.")
    return {who.entry.pk: text.format(player=who.partner(staff=staff), name=who.name(staff=staff)) for who in excused}


def mark_absentees(*, entry: Entry, people: Collection[Player], by: Actor, now: datetime) -> None:
    """Record that these of a pair did not come to a match that is forfeited, whatever was recorded of them before.

    Refused: `not_of_pair`.
    """
    if not people:
        return
    with transaction.atomic():
        division = lock_division(entry.division_id)
        rows = attendees(division.tournament, [entry], now)
        missing = [row for person in people for row in _named(rows, person)]
        if any(row.named is None for row in missing):
            raise Refused("not_of_pair", name=entry.player.shown_name)
        values = {"batch": new_public_id(), "at": now, "by": by.user}
        record(division, [_check_in(row, CheckIn.State.MISSING, **values) for row in missing], by)


def partners_in(tournament: Tournament) -> QuerySet[Player]:
    """Return the people who play in pairs at an event."""
    entered = Entry.objects.filter(division__tournament=tournament).exclude(status=Entry.Status.OUT)
    pairs = Pair.objects.filter(player__in=entered.values("player"))
    names = Q(pk__in=pairs.values("first")) | Q(pk__in=pairs.values("second"))
    merged = Player.objects.filter(names, merged_into__isnull=False)
    return Player.objects.filter(names | Q(pk__in=merged.values("merged_into")), merged_into=None)


def no_shows_today(tournament: Tournament, now: datetime) -> frozenset[PersonId]:
    """Return who did not come to a match of an event today and was not here since."""
    facts = presence_facts(tournament)
    return presence(facts, people_of(facts.players), now).no_shows


def mark_all_here(*, tournament: Tournament, division: Division | None, by: Actor, now: datetime) -> tuple[str, int]:
    """Check in everybody who is missing, in one division or all of them, but no player who did not come to a match.

    Return the batch that `undo` takes, and the number of people.
    """
    batch, people = new_public_id(), set[PersonId]()
    no_shows = no_shows_today(tournament, now)
    with transaction.atomic():
        for row in _locked(tournament, division):
            missing = row.entries.filter(status=Entry.Status.IN, checked_in_at=None).select_related("player")
            coming = [
                who
                for who in attendees(tournament, missing, now)
                if who.state == CheckIn.State.MISSING and who.person not in no_shows
            ]
            record(row, [_check_in(who, CheckIn.State.HERE, batch=batch, at=now, by=by.user) for who in coming], by)
            people.update(who.person for who in coming)
    return batch, len(people)


def mark_players_here(*, tournament: Tournament, players: Collection[Player], by: Actor, now: datetime) -> str:
    """Check people in, in every division they have entered, whatever was recorded of them before.

    Both of a pair are checked in; nobody is where a pair plays without them. Return the batch that `undo` takes.
    """
    batch = new_public_id()
    people = {person for persons in people_of(player.pk for player in players).values() for person in persons}
    with transaction.atomic():
        for division in _locked(tournament, None):
            entries = division.entries.filter(plays_in(people), status=Entry.Status.IN).select_related("player")
            check_ins = [
                _check_in(who, CheckIn.State.HERE, batch=batch, at=now, by=by.user)
                for who in attendees(tournament, entries, now)
                if who.person in people and not who.is_excused
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

    def end_day(division: Division) -> None:
        began = day_began(division.tournament, now)
        past = Q(checked_in_at__lt=began) | Q(away_until__lt=began)
        if division.entries.filter(past).exists():
            with transaction.atomic():
                locked = lock_division(division.pk)
                locked.entries.filter(past).update(checked_in_at=None, away_until=None)
                division_changed(locked, part=None)

    each("check-in-days", divisions.order_by("pk"), end_day)


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
    newest = standing().filter(entry__division=division).values("entry", "person").annotate(Max("pk"))
    changed = CheckIn.objects.filter(pk__in=newest.values("pk__max"), batch=batch)
    previous = _before(changed, day_began(division.tournament, now))
    check_ins = [
        CheckIn(
            entry=check_in.entry,
            person_id=check_in.person_id,
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
        for before in (previous.get((check_in.entry_id, check_in.person_id)),)
    ]
    record(division, check_ins, by, {entry: before.at for (entry, _person), before in previous.items()})
    return len({check_in.entry_id for check_in in check_ins})


def check_in_self(
    *,
    tournament: Tournament,
    player: Player,
    present: bool,
    by: Actor,
    now: datetime,
    source: str = CheckIn.Source.PLAYER,
    kiosk: Kiosk | None = None,
    batch: str = "",
) -> int:
    """Check a player in, or out again, in every division of an event that is open for it; return their number.

    `batch` is that by which `undo` takes it back. Where a pair plays without them, nothing changes.
    Refused: `check_in_not_entered`, `check_in_closed`.
    """
    with transaction.atomic():
        divisions = _locked(tournament, None)
        persons, batch = people_of([player.pk])[player.pk], batch or new_public_id()
        entries = Entry.objects.filter(plays_in(persons), division__in=divisions).exclude(status=Entry.Status.OUT)
        own = [
            who
            for who in attendees(tournament, entries.select_related("player"), now)
            if who.person in persons and not who.is_excused
        ]
        if not own:
            raise Refused("check_in_not_entered")
        entered = {who.entry.division_id for who in own}
        admitting = [row for row in divisions if row.pk in entered and is_open_for_players(row, now)]
        if not admitting:
            raise Refused("check_in_closed")
        state = CheckIn.State.HERE if present else CheckIn.State.MISSING
        for division in admitting:
            changed = [who for who in own if who.entry.division_id == division.pk and who.state != state]
            values = {"source": source, "kiosk": kiosk, "batch": batch, "at": now, "by": by.user}
            record(division, [_check_in(who, state, **values) for who in changed], by)
    return len(admitting)


def _locked(tournament: Tournament, only: Division | None) -> list[Division]:
    """Lock the divisions of an event that are not cancelled, or one of them, and return them."""
    rows = tournament.divisions.exclude(status=Division.Status.CANCELLED).order_by("pk").values_list("pk", flat=True)
    divisions = map(lock_division, rows if only is None else [only.pk])
    return [row for row in divisions if row.status != Division.Status.CANCELLED]


def _before(changed: Iterable[CheckIn], began: datetime) -> dict[tuple[int, int | None], CheckIn]:
    """Return (entry, whom it names) -> the check-in before each of these, of the day that `began` then."""
    newest = {(row.entry_id, row.person_id): row.pk for row in changed}
    rows = standing().filter(_counts_since(began), entry__in={entry for entry, _person in newest}).order_by("pk")
    return {(row.entry_id, row.person_id): row for row in rows if row.pk < newest.get((row.entry_id, row.person_id), 0)}


def standing() -> QuerySet[CheckIn]:
    """Return the check-ins that undo nothing and were not undone."""
    return CheckIn.objects.filter(undoes=None, undone_by=None)


def record(
    division: Division, check_ins: Sequence[CheckIn], by: Actor, here_since: Mapping[int, datetime] | None = None
) -> None:
    """Store check-ins of entries of a locked division, which come with their players, and what follows from them.

    One of a pair that names neither of the two is of both.
    `here_since` has the entries that are as they were before, and since when: nobody loses waiting time by an undo.
    """
    if not check_ins:
        return
    tournament, at = division.tournament, check_ins[0].at
    check_ins = list(_each_of_pairs(tournament, check_ins, at))
    CheckIn.objects.bulk_create(check_ins)
    entries = {row.entry.pk: row.entry for row in check_ins}
    for check_in in check_ins:
        if check_in.person_id is None:
            entry = entries[check_in.entry.pk]
            since = (here_since or {}).get(entry.pk, check_in.at)
            entry.checked_in_at = since if check_in.state == CheckIn.State.HERE else None
            entry.away_until = check_in.until
    _derive_pairs(tournament, entries.values(), at)
    values = {(entry.checked_in_at, entry.away_until) for entry in entries.values()}
    if len(values) == 1:
        # As of everybody at once: a statement with a case for each row is slow to build.
        ((checked_in_at, away_until),) = values
        Entry.objects.filter(pk__in=entries).update(checked_in_at=checked_in_at, away_until=away_until)
    else:
        Entry.objects.bulk_update(entries.values(), ["checked_in_at", "away_until"], batch_size=500)
    for state, verb in VERBS.items():
        lines = [(division.topic, _log_params(row)) for row in check_ins if row.state == state]
        log_all(by, verb, lines, club=tournament.club)
    division_changed(division, part=None)


def _each_of_pairs(tournament: Tournament, check_ins: Iterable[CheckIn], now: datetime) -> Iterator[CheckIn]:
    """Yield check-ins; those of a pair that name neither of the two once for each who is not excused."""
    rows = list(check_ins)
    of_both = {row.entry.pk: row.entry for row in rows if row.person_id is None and row.entry.player.parts is not None}
    people = attendees(tournament, of_both.values(), now) if of_both else []
    for row in rows:
        if row.entry.pk not in of_both or row.person_id is not None:
            yield row
            continue
        for who in people:
            if who.entry == row.entry and not who.is_excused:
                one = copy(row)
                one.person_id = who.named
                yield one


def _derive_pairs(tournament: Tournament, entries: Iterable[Entry], now: datetime) -> None:
    """Set what follows from the check-ins of pairs: they are here since both are, and away until the last is back."""
    of_entry: dict[Entry, list[Attendee]] = {}
    for who in attendees(tournament, [row for row in entries if row.player.parts is not None], now):
        of_entry.setdefault(who.entry, []).append(who)
    for entry, people in of_entry.items():
        playing = [who for who in people if not who.is_excused]
        here = [who.since for who in playing if who.state == CheckIn.State.HERE and who.since is not None]
        entry.checked_in_at = max(here) if len(here) == len(playing) else None
        entry.away_until = max((who.until for who in playing if who.until is not None), default=None)


def after_substitution(division: Division, entry: Entry, by: Actor, now: datetime) -> None:
    """Record who of an entry with another player is here: of a pair, whoever of the two was already.

    Else who was here, or away until a time, was the player who left the place.
    """
    if entry.player.parts is not None:
        _derive_pairs(division.tournament, [entry], now)
        entry.save(update_fields=["checked_in_at", "away_until"])
    elif state_of(entry) != CheckIn.State.MISSING:
        record(division, [CheckIn(entry=entry, state=CheckIn.State.MISSING, at=now, by=by.user)], by)


def _log_params(check_in: CheckIn) -> dict[str, Any]:
    """Return what the log keeps of a check-in: the entry, who of a pair, the kiosk it was recorded at, its name."""
    kiosk = {"kiosk": check_in.kiosk.public_id} if check_in.kiosk is not None else {}
    act = {"act": f"check-in-{check_in.pk}"} if check_in.undoes_id is None else {}
    about = {"about": check_in.person_id} if check_in.person_id is not None else {}
    return {"entry": check_in.entry_id, **about, **kiosk, **act}


# The times of the event, and the page on which players check themselves in.


def instant_of(clock: time, zone: str, now: datetime) -> datetime:
    """Return the next instant when clocks in a time zone show this time of day."""
    local = now.astimezone(zoneinfo.ZoneInfo(zone))
    instant = local.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
    return instant if instant > local else instant + timedelta(days=1)


def own_page(tournament: Tournament, player: Player | None, now: datetime) -> dict[str, Any]:
    """Return the context of the page for checking oneself in; `player` is None without an account."""
    own: list[Attendee] = []
    if player is not None:
        people = people_of([player.pk])[player.pk]
        rows = Entry.objects.filter(plays_in(people), division__tournament=tournament).exclude(status=Entry.Status.OUT)
        rows = rows.select_related("player", "division__tournament").order_by("division__order", "pk")
        own = [who for who in attendees(tournament, rows, now) if who.person in people]
    admitting = [who for who in own if is_open_for_players(who.entry.division, now) and not who.is_excused]
    return {
        "tournament": tournament,
        "club": tournament.club,
        "entries": [who.entry for who in own],
        "own_entries": [(who, who.partner(staff=False)) for who in own],
        "is_open": bool(admitting),
        "is_here": bool(own) and all(who.is_here or who.is_excused for who in own),
        "is_partly_missing": any(not who.is_here for who in admitting),
        "may_undo": any(who.is_here for who in admitting),
        "opens_at": opens_at(tournament) if now < opens_at(tournament) else None,
    }
