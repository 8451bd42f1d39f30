"""Acts whose undo starts from their line in the log: withdrawals, returns, late entries, payments, match lengths.

The log also says which acts have no undo here, so that none is passed over for an older one.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from engine.errors import Refused
from players.actors import Actor
from players.models import KeptAct, LogEntry
from tournaments.draws.round_lengths import LENGTHS_CHANGED, change_round_lengths, lengths_stand, reverse_of
from tournaments.entries import late, returns
from tournaments.entries.services import preview_withdrawal, same_person, withdraw, withdraw_all
from tournaments.floor.kept.decisions import LEFT, reopen
from tournaments.floor.kept.needs import described
from tournaments.ledger.accounts import standing_count
from tournaments.ledger.money import Currency
from tournaments.ledger.payments import undo_payment
from tournaments.models import CheckIn, Division, Entry, Fixture, FloorKind, LateEntry, Payment, Return, Tournament
from tournaments.state.names import shown_entry

WITHDRAWN, RETURNED, PAID = "entry_withdrawn", "entry_returned", "payment_recorded"
LATE = ("entered_late", "re_entered")
UNDONE = f"floor_{FloorKind.UNDONE}"
"""The verb of an undo in the log."""

BEFORE_THE_FLOOR = frozenset({
    "tournament_created", "tournament_published", "floor_opened", "floor_shut", "evening_started",
    "evening_start_undone",
})  # fmt: skip
"""Nothing older than these is undone on the floor."""
TAKEN_BACK_BY = {
    "substitution_undone": "substituted",
    "bye_taken_back": "bye_requested",
    "let_meet": "kept_apart",
    "split_taken_back": "split_agreed",
    "cash_reopened": "cash_closed",
    "pool_left": "pool_joined",
    "kiosk_revoked": "kiosk_created",
    "entries_separated": "entries_joined",
    "draw_unpublished": "draw_published",
    "draw_taken_back": "draw_published",
    "round_taken_back": "draw_published",
}
"""Acts with an undo of their own: what takes one back -> what is taken back."""
NOT_UNDONE_HERE = frozenset({
    "tournament_changed", "tournament_cancelled", "helper_invited", "helper_removed", "division_created",
    "division_changed", "stages_changed", "deadlines_changed", "deadline_moved", "rounds_changed", "entered",
    "bracket_withdrawn", "countdown_stopped", "batch_made", "pairing_taken_back", "missed_taken_back", "flow_changed",
    "floor_changed", "floor_table_added", "floor_table_changed", "results_closed", "correction_left", "link_revoked",
    "objection_upheld", "objection_dismissed", "cash_settings_changed", "pool_created", "prizes_saved", "offer_opened",
    "offer_changed", "offer_closed", "prizes_published", "wall_changed", "live_ruling",
    *(f"{name}_set" for name in Entry.FIELDS), *TAKEN_BACK_BY.values(),
})  # fmt: skip
"""Acts of the staff that are undone elsewhere, or not at all."""


NOUNS: dict[str, Promise] = {
    "result": pgettext_lazy("undo", "result"),
    "check-in": pgettext_lazy("undo", "check-in"),
    PAID: pgettext_lazy("undo", "fee"),
    WITHDRAWN: pgettext_lazy("undo", "withdrawal"),
    RETURNED: pgettext_lazy("undo", "return"),
    **dict.fromkeys(LATE, pgettext_lazy("undo", "late entry")),
    **dict.fromkeys((FloorKind.CALLED, FloorKind.CALLED_AGAIN), pgettext_lazy("undo", "call")),
    **dict.fromkeys((FloorKind.STARTED, FloorKind.CONTINUED, FloorKind.START_SET), pgettext_lazy("undo", "start")),
    **dict.fromkeys((FloorKind.MOVED, FloorKind.NEEDS_ACCESSIBLE), pgettext_lazy("undo", "table")),
    **dict.fromkeys((FloorKind.PINNED, FloorKind.HELD, FloorKind.RELEASED), pgettext_lazy("undo", "order")),
    **dict.fromkeys((FloorKind.ADJOURNED, FloorKind.STOPPED), pgettext_lazy("undo", "stop")),
    FloorKind.REST_WAIVED: pgettext_lazy("undo", "rest"),
    FloorKind.RUNNING_SCORE: pgettext_lazy("undo", "score"),
    FloorKind.LATE: pgettext_lazy("undo", "late"),
    FloorKind.CLOCKS: pgettext_lazy("undo", "clocks"),
    FloorKind.SHORTENED: pgettext_lazy("undo", "length"),
}
"""What acts are whose sentences begin with a name, in a word that stands before it where names are cut."""


class LoggedAct(NamedTuple):
    """How the acts with one verb of the log are undone."""

    text: Callable[[LogEntry], str]
    """What was done, as a sentence."""
    stands: Callable[[LogEntry], bool]
    """Whether nobody has undone it, or done the same again since."""
    follows: Callable[[LogEntry], str]
    """What undoing it does beside, empty if nothing. Refused: why it cannot be undone."""
    undo: Callable[[LogEntry, Actor, datetime], object]
    """Refused: as `follows`."""


def _entry(row: LogEntry) -> Entry:
    return Entry.objects.select_related("player__merged_into", "division__tournament__club").get(pk=row.params["entry"])


def _name(row: LogEntry) -> dict[str, str]:
    return {"name": shown_entry(_entry(row), staff=True)}


def _is_newest(row: LogEntry) -> bool:
    """Whether the entry did not leave, come back or enter again since; what was undone since does not count."""
    verbs = (WITHDRAWN, RETURNED, *LATE, "late_entry_undone")
    later = LogEntry.objects.filter(topic=row.topic, verb__in=verbs, pk__gt=row.pk, params__entry=row.params["entry"])
    keys = set(later.values_list("pk", flat=True))
    if keys:
        undone = LogEntry.objects.filter(verb=UNDONE, club=row.club_id, pk__gt=row.pk, params__has_key="since")
        for pk, params in undone.values_list("pk", "params"):
            keys -= {int(params["undoes"].rpartition("-")[2]), *range(params["since"] + 1, pk)}
    return not keys


def _of_person(entry: Entry) -> QuerySet[Entry]:
    rows = Entry.objects.filter(same_person(entry.player), division__tournament=entry.division.tournament_id)
    return rows.select_related("player", "division__tournament__club").order_by("pk")


def _matches(fixtures: Iterable[Fixture]) -> str:
    return ", ".join(f"M{number}" for number in sorted({fixture.number for fixture in fixtures}))


def _withdrawn_with(row: LogEntry) -> list[Entry]:
    """Return the entries that were withdrawn by the same tap."""
    entry = _entry(row)
    return list(_of_person(entry).filter(status=Entry.Status.OUT, withdrawn_at=entry.withdrawn_at, joined_to=None))


def _withdrawal_stands(row: LogEntry) -> bool:
    entry = _entry(row)
    comes_with_reentry = LateEntry.objects.filter(withdrawal__entry=entry, withdrawal__taken_back_at=None)
    return entry.status == Entry.Status.OUT and _is_newest(row) and not comes_with_reentry.exists()


def _before_return(row: LogEntry) -> str:
    parts = returns.preview_undo(_withdrawn_with(row)).parts
    if waiting := next((part.entry for part in parts if part.waits), None):
        raise Refused("undo_place_taken", name=waiting.player.shown_name)
    reopened = [fixture for part in parts for fixture in part.reopened]
    played = _matches(reopened)
    return _("To be played after all: %(matches)s.") % {"matches": played} if played else ""


def _let_back(row: LogEntry, by: Actor, now: datetime) -> None:
    _before_return(row)
    returns.undo_withdrawals(entries=_withdrawn_with(row), by=by, now=now)


def _return_of(row: LogEntry) -> Return | None:
    """Return the return that a line of the log is about; None before the draw."""
    rows = Return.objects.filter(withdrawal__entry=row.params["entry"]).select_related("withdrawal")
    return rows.order_by("-pk").first()


def _returned_with(row: LogEntry) -> list[Entry]:
    """Return the entries that came back by the same tap."""
    back, entry = _return_of(row), _entry(row)
    return [entry] if back is None else list(_of_person(entry).filter(withdrawals__returned__at=back.at).distinct())


def _return_stands(row: LogEntry) -> bool:
    back = _return_of(row)
    comes_with_undo = back is not None and LateEntry.objects.filter(withdrawal=back.withdrawal).exists()
    return _entry(row).status != Entry.Status.OUT and _is_newest(row) and not comes_with_undo


def _before_leaving(row: LogEntry) -> str:
    back, entries = _return_of(row), _returned_with(row)
    if back is not None:
        if back.withdrawal.bracket_id is not None:
            raise Refused("not_undone_here")
        begun = Fixture.objects.filter(slots__entry__in=entries, match__begun_at__gt=back.at).order_by("number").first()
        if begun is not None:
            raise Refused("undo_built_on", fixture=begun.number)
    changes = [
        change.row for entry in entries for part in preview_withdrawal(entry=entry) for change in part.following.changes
    ]
    return _("Not played then: %(matches)s.") % {"matches": _matches(changes)} if changes else ""


def _leave_again(row: LogEntry, by: Actor, now: datetime) -> None:
    _before_leaving(row)
    back = _return_of(row)
    rows = Entry.objects.filter(pk__in=[entry.pk for entry in _returned_with(row)])
    withdraw_all(rows, by=by, now=now, reason="" if back is None else back.withdrawal.reason)


def _late_stands(row: LogEntry) -> bool:
    return _entry(row).status != Entry.Status.OUT and _is_newest(row)


def _before_undo_late(row: LogEntry) -> str:
    entry = _entry(row)
    if entry.status == Entry.Status.WAITING:
        return ""
    changed = _matches(change.row for change in late.preview_undo(entry=entry).following.changes)
    return _("Changed by it: %(matches)s.") % {"matches": changed} if changed else ""


def _undo_late(row: LogEntry, by: Actor, now: datetime) -> None:
    entry = _entry(row)
    if entry.status == Entry.Status.WAITING:
        withdraw(entry=entry, by=by, now=now)
    else:
        late.undo_late(entry=entry, after=entry.division.seq, by=by, now=now)


def _payments(row: LogEntry) -> list[Payment]:
    """Return what was booked by the same tap, apart from what was taken back since."""
    payment = Payment.objects.select_related("tournament").get(public_id=row.params["payment"])
    rows = Payment.objects.filter(tournament=payment.tournament, key=payment.key, undoes=None, undone_by=None)
    return list(rows.select_related("tournament", "entry__player__merged_into", "player__merged_into").order_by("pk"))


def _payment_text(row: LogEntry) -> str:
    first = Payment.objects.select_related("tournament").get(public_id=row.params["payment"])
    rows = Payment.objects.filter(tournament=first.tournament, key=first.key, undoes=None)
    rows = rows.select_related("entry__player__merged_into", "player__merged_into")
    names = {shown_entry(part.entry, staff=True) for part in rows if part.entry is not None}
    names |= {part.player.shown_name for part in rows if part.player is not None}
    total = sum(part.amount for part in rows)
    values = {"amount": Currency.of(first.tournament).with_name(abs(total)), "name": min(names, default="")}
    if total > 0 and len(names) > 1:
        text = ngettext("%(count)d player paid %(amount)s.", "%(count)d players paid %(amount)s.", len(names))
        return text % {**values, "count": len(names)}
    if total > 0 and names:
        return _("%(name)s paid %(amount)s.") % values
    return " · ".join([capfirst(first.get_kind_display()), values["amount"], *names])


def _payment_stands(row: LogEntry) -> bool:
    rows = _payments(row)
    # What was paid on arrival is undone with the check-in.
    return bool(rows) and not CheckIn.objects.filter(batch=rows[0].key, undoes=None, undone_by=None).exists()


def _before_refund(row: LogEntry) -> str:
    rows = _payments(row)
    if rows and standing_count(rows[0].tournament) is not None:
        raise Refused("cash_closed")
    return _("Booked back as a line of its own; no payment is deleted.")


def _pay_back(row: LogEntry, by: Actor, now: datetime) -> None:
    with transaction.atomic():
        for payment in _payments(row):
            undo_payment(payment=payment, by=by, now=now)


def _lengths_text(row: LogEntry) -> str:
    changes = ", ".join(f"{name}: {before} → {after}" for name, (before, after) in row.params["changes"].items())
    return _("Match lengths changed: %(changes)s") % {"changes": changes}


def _before_reverse(row: LogEntry) -> str:
    if not reverse_of(row):
        raise Refused("length_round_begun", round=row.params["rounds"][0][0])
    return ""


def _restore_lengths(row: LogEntry, by: Actor, now: datetime) -> None:
    _before_reverse(row)
    division = Division.objects.select_related("tournament").get(public_id=row.topic.removeprefix("division:"))
    change_round_lengths(tournament=division.tournament, changes=reverse_of(row), by=by, now=now)


# Decisions about what was kept without a connection.


def _kept_act(row: LogEntry) -> KeptAct:
    return KeptAct.objects.select_related("outbox").get(pk=row.params["kept"])


def _left_text(row: LogEntry) -> str:
    (need,) = described(_event_of(row), [_kept_act(row)], row.at)
    return f"{_('Left as it is.')} {need.text}"


def _left_stands(row: LogEntry) -> bool:
    """Whether the act has not been opened again, or decided again, since."""
    later = LogEntry.objects.filter(topic=row.topic, verb=LEFT, pk__gt=row.pk, params__kept=row.params["kept"])
    return KeptAct.objects.filter(pk=row.params["kept"], is_open=False).exists() and not later.exists()


def _event_of(row: LogEntry) -> Tournament:
    return Tournament.objects.select_related("club").get(public_id=row.topic.removeprefix("tournament:"))


def _reopen_kept(row: LogEntry, by: Actor, now: datetime) -> None:
    reopen(tournament=_event_of(row), act=_kept_act(row))


UNDO: dict[str, LoggedAct] = {
    WITHDRAWN: LoggedAct(
        lambda row: _("%(name)s has withdrawn.") % _name(row), _withdrawal_stands, _before_return, _let_back
    ),
    RETURNED: LoggedAct(lambda row: _("%(name)s is back.") % _name(row), _return_stands, _before_leaving, _leave_again),
    **dict.fromkeys(
        LATE,
        LoggedAct(
            lambda row: _("%(name)s was entered late.") % _name(row), _late_stands, _before_undo_late, _undo_late
        ),
    ),
    PAID: LoggedAct(_payment_text, _payment_stands, _before_refund, _pay_back),
    LEFT: LoggedAct(_left_text, _left_stands, lambda row: "", _reopen_kept),
    LENGTHS_CHANGED: LoggedAct(_lengths_text, lengths_stand, _before_reverse, _restore_lengths),
}
"""Verb of the log -> how such an act is undone. What an undo logs itself is no act."""
