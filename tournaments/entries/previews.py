"""Previews in words: a return, late entries, and undoing a late entry."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.models import Player
from tournaments.entries.late import NEW_ENTRY, LatePreview, Newcomer, ReentryPreview, UndoPreview
from tournaments.entries.returns import DivisionReturn, ReturnPreview
from tournaments.ledger.accounts import fees_of, paid_for, plans_of
from tournaments.ledger.money import Currency
from tournaments.models import Division, Entry, Fixture
from tournaments.standings.changes import ChangeLabels, ChangeLine
from tournaments.state.names import Names, shown_entry
from tournaments.state.preview import FixtureChange


@dataclass(frozen=True, slots=True)
class PartView:
    """The effects in one division."""

    division: str
    notes: list[str] = field(default_factory=list)
    changes: list[ChangeLine] = field(default_factory=list)


def return_view(preview: ReturnPreview) -> list[PartView]:
    """Return the effects of a return, one part per division."""
    return [_returning(part) for part in preview.parts]


def _returning(part: DivisionReturn) -> PartView:
    entry = part.entry
    name = {"name": ChangeLabels(entry.division).names.of(entry.pk)}
    notes = [_("%(name)s goes on the waiting list: all places are taken.") % name] if part.waits else []
    if not part.changes and not part.waits:
        notes.append(_("%(name)s takes part again. No match changes.") % name)
    return PartView(entry.division.name, notes, change_lines(entry.division, part.changes, part.reopened))


def late_view(preview: LatePreview) -> PartView:
    """Return the effects of late entries."""
    labels = ChangeLabels(preview.division)
    entries = {
        newcomer.entry: Entry(player=newcomer.player or Player(name=newcomer.name)) for newcomer in preview.newcomers
    }
    labels.names = Names({**labels.names.entries, **entries}, staff=True)
    notes = [_late_note(newcomer, labels, preview.changes) for newcomer in preview.newcomers]
    return PartView(preview.division.name, notes, change_lines(preview.division, preview.changes, labels=labels))


def _late_note(newcomer: Newcomer, labels: ChangeLabels, changes: Sequence[FixtureChange]) -> str:
    """Return a sentence about how a late entry joins."""
    name = labels.names.of(newcomer.entry)
    if newcomer.waits:
        return _("%(name)s goes on the waiting list: no bye or place is free.") % {"name": name}
    if newcomer.round is not None:
        return _("%(name)s plays from round %(round)d.") % {"name": name, "round": newcomer.round}
    if newcomer.matches:
        return ngettext(
            "%(name)s plays %(count)d match.", "%(name)s plays %(count)d matches, against everybody.", newcomer.matches
        ) % {"name": name, "count": newcomer.matches}
    for change in changes:
        sides = [slot.entry for slot in change.after.slots]
        if newcomer.entry in sides:
            other = labels.names.of(sides[1 - sides.index(newcomer.entry)])
            return _("%(name)s takes the bye of %(other)s in M%(number)d.") % {
                "name": name, "other": other, "number": change.row.number,
            }  # fmt: skip
    return name


def reentry_view(preview: ReentryPreview) -> PartView:
    """Return the effects of a re-entry."""
    division = preview.previous.division
    labels = ChangeLabels(division)
    again = Entry(player=preview.previous.player, number=preview.number)
    labels.names = Names({**labels.names.entries, NEW_ENTRY: again}, staff=True)
    newcomer = Newcomer(NEW_ENTRY, preview.previous.player, labels.names.of(NEW_ENTRY))
    notes = [_late_note(newcomer, labels, preview.changes), _what_previous_does(preview, labels)]
    fee = fees_of(division, plans_of([division]).get(division.pk)).of(is_reentry=True)
    if fee:
        notes.append(_("The fee is %(fee)s.") % {"fee": Currency.of(division.tournament).with_name(fee)})
    notes.append(_("It can be undone until the first match of the new entry begins."))
    return PartView(division.name, notes, change_lines(division, preview.changes, labels=labels))


def _what_previous_does(preview: ReentryPreview, labels: ChangeLabels) -> str:
    name = {"name": labels.names.of(preview.previous.pk)}
    if preview.leaves:
        return _("The earlier entry of %(name)s is withdrawn; its matches not yet played are walkovers.") % name
    return _("The earlier entry of %(name)s keeps its place in the consolation, if it has one.") % name


def undo_view(preview: UndoPreview) -> PartView:
    """Return the effects of undoing a late entry."""
    entry = preview.late.entry
    waits = preview.late.before == Entry.Status.WAITING
    text = _("%(name)s goes back to the waiting list.") if waits else _("%(name)s is no longer entered.")
    notes = [text % {"name": shown_entry(entry, staff=True)}]
    if preview.late.withdrawal is not None and preview.late.withdrawal.taken_back_at is None:
        notes.append(_("The entry withdrawn with it takes part again."))
    notes += refund_notes(entry)
    return PartView(entry.division.name, notes, change_lines(entry.division, preview.changes))


def refund_notes(entry: Entry) -> list[str]:
    """Return a sentence about what was paid for a late entry that is undone; none if nothing was paid."""
    paid = paid_for([entry]).get(entry.pk, 0)
    if not paid:
        return []
    text = _("Paid so far: %(amount)s. The cash desk lists it as a refund due.")
    return [text % {"amount": Currency.of(entry.division.tournament).with_name(paid)}]


def change_lines(
    division: Division,
    changes: Sequence[FixtureChange],
    reopened: Sequence[Fixture] = (),
    labels: ChangeLabels | None = None,
) -> list[ChangeLine]:
    """Return the changed fixtures in words, with a remark on walkovers that are opened again."""
    labels = labels or ChangeLabels(division)
    again = {fixture.pk for fixture in reopened}
    return [
        ChangeLine(
            line.number,
            line.where,
            line.public_id,
            line.before,
            line.after,
            (*line.remarks, *((_("walkover undone; to be played"),) if change.row.pk in again else ())),
            line.stopped,
        )
        for change, line in ((change, labels.change(change)) for change in changes)
    ]
