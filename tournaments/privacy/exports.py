"""What an export says about events: entries, check-in, withdrawals, money and the floor."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from players.privacy.sections import ExportSection, Person, Row, register, values
from tournaments.models import (
    AgreedSplit,
    ByeRequest,
    CheckIn,
    Entry,
    FloorEvent,
    Helper,
    LateEntry,
    Payment,
    PoolMember,
    Return,
    Substitution,
    Withdrawal,
)


def _in(person: Person, rows: QuerySet[Any], *fields: str, entry: str = "entry") -> Iterable[Row]:
    """Return fields of the rows of this person's entries, with the event and the division."""
    of_person = rows.filter(**{f"{entry}__player__in": person.players})
    names = {"event": F(f"{entry}__division__tournament__name"), "division_name": F(f"{entry}__division__name")}
    return values(of_person, *fields, **names)


def _entries(person: Person) -> Iterable[Row]:
    rows = Entry.objects.filter(player__in=person.players)
    names = {"event": F("division__tournament__name"), "division_name": F("division__name")}
    return values(rows, "public_id", "status", "entered_at", **names)


def _check_ins(person: Person) -> Iterable[Row]:
    return _in(person, CheckIn.objects.all(), "state", "until", "source", "at")


def _withdrawals(person: Person) -> Iterable[Row]:
    return _in(person, Withdrawal.objects.all(), "reason", "at", "taken_back_at")


def _returns(person: Person) -> Iterable[Row]:
    return _in(person, Return.objects.all(), "reason", "at", entry="withdrawal__entry")


def _late(person: Person) -> Iterable[Row]:
    return _in(person, LateEntry.objects.all(), "reason", "at")


def _byes(person: Person) -> Iterable[Row]:
    return _in(person, ByeRequest.objects.all(), "round", "kind", "at", "taken_back_at")


def _payments(person: Person) -> Iterable[Row]:
    return _in(person, Payment.objects.all(), "public_id", "kind", "method", "amount", "note", "at")


def _pools(person: Person) -> Iterable[Row]:
    return _in(person, PoolMember.objects.all(), "at", "taken_back_at")


def _splits(person: Person) -> Iterator[Row]:
    """The person's own amounts; those of the others are theirs."""
    mine = set(Entry.objects.filter(player__in=person.players).values_list("pk", flat=True))
    rows = AgreedSplit.objects.filter(division__entries__in=mine).distinct().select_related("division__tournament")
    for split in rows.order_by("pk"):
        for entry, amount in split.amounts:
            if entry in mine:
                event = split.division.tournament.name
                yield {"event": event, "amount": amount, "at": split.at, "taken_back_at": split.taken_back_at}


def _substitutions(person: Person) -> Iterable[Row]:
    rows = Substitution.objects.filter(Q(before__in=person.players) | Q(after__in=person.players))
    names = {"event": F("entry__division__tournament__name"), "division_name": F("entry__division__name")}
    return values(rows, "at", left_player=F("before__public_id"), new_player=F("after__public_id"), **names)


def _floor(person: Person) -> Iterable[Row]:
    rows = FloorEvent.objects.filter(player__in=person.players)
    return values(rows, "kind", "params", "at", event=F("tournament__name"))


def _helping(person: Person) -> Iterable[Row]:
    if person.user is None:
        return ()
    rows = Helper.objects.filter(user=person.user)
    return values(rows, "added_at", "accepted_at", "removed_at", event=F("tournament__name"))


SECTIONS = (
    ExportSection("entries", _("Events that you entered."), (Entry,), _entries),
    ExportSection("check-ins", _("When you were checked in."), (CheckIn,), _check_ins),
    ExportSection("withdrawals", _("When you withdrew."), (Withdrawal,), _withdrawals),
    ExportSection("returns", _("When you were let back in."), (Return,), _returns),
    ExportSection("late-entries", _("When you entered late."), (LateEntry,), _late),
    ExportSection("requested-byes", _("Byes that you asked for."), (ByeRequest,), _byes),
    ExportSection("payments", _("What you paid and received."), (Payment,), _payments),
    ExportSection("side-pools", _("Side pools that you joined."), (PoolMember,), _pools),
    ExportSection("agreed-splits", _("Prizes that you agreed to divide."), (AgreedSplit,), _splits),
    ExportSection("substitutions", _("When you replaced somebody, or somebody you."), (Substitution,), _substitutions),
    ExportSection("helping", _("Events at which you help."), (Helper,), _helping),
    ExportSection("floor", _("What directors recorded about you at the tables."), (FloorEvent,), _floor),
)


def connect() -> None:
    """Register what an export says about events."""
    register(*SECTIONS)
