"""Previews in words: a return, late entries, and undoing a late entry."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from formats.plans import LateDrop
from formats.settings import BY_ROUND, PLACES
from formats.states import SlotStatus
from players.models import Player
from tournaments.entries.late import LatePreview, Newcomer, UndoLatePreview, standing_late_entry
from tournaments.entries.reentries import NEW_ENTRY, ReentryPreview
from tournaments.entries.returns import DivisionReturn, ReturnPreview
from tournaments.entries.services import DivisionWithdrawal
from tournaments.ledger.accounts import fees_of, paid_for, plans_of
from tournaments.ledger.money import Currency
from tournaments.models import Division, Entry, Fixture, Slot, Stage
from tournaments.standings.brackets import ranking_name
from tournaments.standings.changes import ChangeLabels, ChangeLine, FollowingView, following_view, sentences
from tournaments.state.names import Names, shown_entry
from tournaments.state.places import is_full, waiting_list
from tournaments.state.preview import NOTHING, Consequences, FixtureChange


@dataclass(frozen=True, slots=True)
class PartView:
    """What follows in one division; `following` without its matches, which are in `changes`."""

    division: str
    notes: list[str] = field(default_factory=list)
    changes: list[ChangeLine] = field(default_factory=list)
    following: FollowingView = field(default_factory=FollowingView)
    consequences: Consequences = NOTHING
    labels: ChangeLabels | None = None
    """With which the consequences are named; None if they are not for this reader."""


def _part(
    labels: ChangeLabels, notes: list[str], changes: list[ChangeLine], following: Consequences, *, staff: bool = True
) -> PartView:
    """Return what follows in the division of these labels; who is not `staff` reads of matches and sentences only."""
    name = labels.division.name
    if not staff:
        return PartView(name, notes, changes, FollowingView(sentences=sentences(following, labels)))
    view = following_view(replace(following, changes=()), labels)
    return PartView(name, notes, changes, view, following, labels)


def return_view(preview: ReturnPreview) -> list[PartView]:
    """Return the effects of a return, one part per division."""
    return [_returning(part) for part in preview.parts]


def _returning(part: DivisionReturn) -> PartView:
    entry, labels = part.entry, ChangeLabels(part.entry.division)
    name = {"name": labels.names.of(entry.pk)}
    notes = []
    if part.waits:
        place = 1 + sum(other.turn < entry.turn for other in waiting_list(entry.division))
        text = _("All places are taken: %(name)s goes on the waiting list, as number %(place)d.")
        notes.append(text % {**name, "place": place})
    elif entry.status == Entry.Status.OUT and is_full(entry.division):
        notes.append(_("All places are taken: with %(name)s there are more players than places.") % name)
    if not part.following.changes and not part.waits:
        notes.append(_("%(name)s takes part again. No match changes.") % name)
    notes += [_missed_note(labels.names.of(entry.pk), row.count, by_lot=row.by_lot) for row in part.missed]
    lines = change_lines(entry.division, part.following.changes, part.reopened, labels)
    return _part(labels, notes, lines, part.following)


def withdrawal_view(preview: Sequence[DivisionWithdrawal], *, staff: bool = True) -> list[PartView]:
    """Return the effects of a withdrawal, one part per division; `staff` as in `ChangeLabels`."""
    return [_withdrawing(part, staff=staff) for part in preview]


def _withdrawing(part: DivisionWithdrawal, *, staff: bool) -> PartView:
    entry, division = part.entry, part.entry.division
    name = {"name": shown_entry(entry, staff=staff)}
    if entry.status == Entry.Status.WAITING:
        return PartView(division.name, [_("%(name)s leaves the waiting list.") % name])
    if division.status == Division.Status.ENTRIES:
        notes = [_("%(name)s is no longer entered.") % name]
        if part.moves_up is not None:
            text = _("%(name)s moves up from the waiting list.")
            notes.append(text % {"name": shown_entry(part.moves_up, staff=staff)})
        return PartView(division.name, notes)
    labels = ChangeLabels(division, staff=staff)
    own = [change for change in part.following.changes if _is_missed(change, entry.pk)]
    notes = [note for change in own if (note := _walkover_note(change, entry.pk, labels))]
    brackets = dict.fromkeys(ranking_name(change.row.round.bracket.key) for change in own)
    if brackets:
        notes.append(_("%(name)s no longer plays in: %(brackets)s.") % {**name, "brackets": ", ".join(brackets)})
    notes += [
        _("%(name)s goes on to the next stage instead.") % {"name": labels.names.of(after)}
        if after is not None
        else _("Nobody is left to go on to the next stage instead.")
        for after in part.goes_on
    ]
    if not part.following.changes and division.stages.filter(format__in=BY_ROUND, status=Stage.Status.RUNNING).exists():
        notes.append(_("%(name)s is not paired again. No match changes.") % name)
    elif not part.following.changes:
        notes.append(_("%(name)s has no match left to play. No match changes.") % name)
    others = [change for change in part.following.changes if change not in own]
    return _part(labels, notes, change_lines(division, others, labels=labels), part.following, staff=staff)


def _is_missed(change: FixtureChange, entry: int) -> bool:
    """Whether the entry no longer plays in a fixture, or forfeits it, even one that it reaches only by withdrawing."""
    is_decided = change.before.result is None and change.after.result is not None
    forfeits = is_decided and entry in (change.after.entrants or ())
    return forfeits or any(slot.absent == entry for slot in change.after.slots)


def _is_forfeited(change: FixtureChange, entry: int) -> bool:
    """Whether the withdrawal decides a match of two known players."""
    entrants = change.before.entrants
    if entrants is None or entrants != change.after.entrants:
        return False
    return entry in entrants and change.before.result is None


def _walkover_note(change: FixtureChange, entry: int, labels: ChangeLabels) -> str:
    """Return who goes through because an entry does not come to a match; empty if nobody could have come."""
    side = next(side for side, slot in enumerate(change.after.slots) if slot.entrant == entry)
    other = change.after.slots[1 - side]
    if other.status is SlotStatus.BYE or other.absent is not None:
        return ""
    values = {
        "number": change.row.number,
        "loser": labels.names.of(entry),
        "winner": labels.slot(other, change.row, 1 - side),
    }
    if _is_forfeited(change, entry):
        return _("M%(number)d: %(loser)s forfeits, and %(winner)s goes through.") % values
    return _("M%(number)d: %(loser)s does not come, so %(winner)s goes through without playing.") % values


def late_view(preview: LatePreview) -> PartView:
    labels = ChangeLabels(preview.division)
    entries = {
        newcomer.entry: Entry(player=newcomer.player or Player(name=newcomer.name)) for newcomer in preview.newcomers
    }
    labels.names = Names({**labels.names.entries, **entries}, staff=True)
    notes = [_late_note(newcomer, labels) for newcomer in preview.newcomers]
    notes += _drop_notes(preview.newcomers, labels)
    if preview.at_least is not None:
        text = ngettext(
            "At least %(count)d match for everybody.", "At least %(count)d matches for everybody.", preview.at_least
        )
        notes.append(text % {"count": preview.at_least})
    notes += _passing_notes(preview.passes)
    return PartView(preview.division.name, notes)


def _passing_notes(passed: Sequence[Entry]) -> list[str]:
    """Return a sentence about who waits and has an earlier turn; none without anybody."""
    names = ", ".join(shown_entry(entry, staff=True) for entry in passed)
    return [_("Still waiting, with an earlier turn: %(names)s.") % {"names": names}] if passed else []


def has_one_match_only(preview: LatePreview) -> bool:
    """Whether the loser of a match that a late entry makes would play no other."""
    return any(newcomer.drop is LateDrop.OUT for newcomer in preview.newcomers)


def _drop_notes(newcomers: Sequence[Newcomer], labels: ChangeLabels) -> list[str]:
    """Return sentences about the losers of the matches that late entries play first, if the consolation has no bye."""
    notes = []
    if any(newcomer.drop is LateDrop.ANEW for newcomer in newcomers):
        notes.append(_drawn_again(labels.formats[1]))
    notes += [
        _(
            "The loser of the first match of %(name)s has this one match only, because the consolation has begun and "
            "no place in it is free."
        )
        % {"name": labels.names.of(newcomer.entry)}
        for newcomer in newcomers
        if newcomer.drop is LateDrop.OUT
    ]
    return notes


def _drawn_again(format_: str) -> str:
    """Return which matches are drawn again for one more or one fewer who lose in the first round."""
    if format_ == PLACES:
        return _("The lower half is drawn again, because none of its matches has begun.")
    return _("The consolation is drawn again, because none of its matches has begun.")


def _late_note(newcomer: Newcomer, labels: ChangeLabels) -> str:
    """Return a sentence about how a late entry joins; whose bye it takes is not decided before."""
    name = labels.names.of(newcomer.entry)
    if newcomer.waits:
        return _("%(name)s goes on the waiting list: no bye or place is free.") % {"name": name}
    if newcomer.lives is not None:
        left, lives = newcomer.lives
        return ngettext(
            "%(name)s enters with %(left)d of %(lives)d lives, because each has begun %(missed)d match at least.",
            "%(name)s enters with %(left)d of %(lives)d lives, because each has begun %(missed)d matches at least.",
            newcomer.missed or 0,
        ) % {"name": name, "left": left, "lives": lives, "missed": newcomer.missed}
    if newcomer.missed is not None:
        return _missed_note(name, newcomer.missed, by_lot=newcomer.by_lot and newcomer.missed > 0)
    if newcomer.round is not None:
        return _("%(name)s plays from round %(round)d.") % {"name": name, "round": newcomer.round}
    if newcomer.matches:
        return ngettext(
            "%(name)s plays %(count)d match.", "%(name)s plays %(count)d matches, against everybody.", newcomer.matches
        ) % {"name": name, "count": newcomer.matches}
    others = ", ".join(labels.names.of(entry) for entry in newcomer.byes)
    return ngettext(
        "%(name)s takes the only free bye, which is that of %(others)s.",
        "%(name)s takes one of %(count)d byes, drawn by lot when you let them in: %(others)s.",
        len(newcomer.byes),
    ) % {"name": name, "count": len(newcomer.byes), "others": others}


def _missed_note(name: str, count: int, *, by_lot: bool) -> str:
    if by_lot:
        text = ngettext(
            "%(name)s has missed %(count)d match, which costs a life or not, by lot.",
            "%(name)s has missed %(count)d matches, each of which costs a life or not, by lot.",
            count,
        )
    else:
        text = ngettext("%(name)s has missed %(count)d match.", "%(name)s has missed %(count)d matches.", count)
    return text % {"name": name, "count": count}


def bye_taken(entry: Entry) -> str:
    """Return a sentence about whose bye a late entry took; empty if it took none."""
    slots = Slot.objects.filter(source_entry=entry).select_related("fixture")
    slot = slots.order_by("fixture__number").first()
    other = slot and slot.fixture.slots.exclude(pk=slot.pk).select_related("entry__player").first()
    if slot is None or other is None or other.entry is None or standing_late_entry(entry) is None:
        return ""
    return _("%(name)s takes the bye of %(other)s in M%(number)d.") % {
        "name": shown_entry(entry, staff=True),
        "other": shown_entry(other.entry, staff=True),
        "number": slot.fixture.number,
    }


def reentry_view(preview: ReentryPreview) -> PartView:
    """Return the effects of a re-entry."""
    division = preview.previous.division
    labels = ChangeLabels(division)
    again = Entry(player=preview.previous.player, number=preview.number)
    labels.names = Names({**labels.names.entries, NEW_ENTRY: again}, staff=True)
    notes = [_late_note(preview.newcomer, labels), *_drop_notes([preview.newcomer], labels)]
    notes.append(_what_previous_does(preview, labels))
    notes += _passing_notes(preview.passes)
    fee = fees_of(division, plans_of([division]).get(division.pk)).of(is_reentry=True)
    if fee:
        notes.append(_("The fee is %(fee)s.") % {"fee": Currency.of(division.tournament).with_name(fee)})
    notes.append(_("It can be undone until the first match of the new entry begins."))
    return _part(labels, notes, change_lines(division, preview.following.changes, labels=labels), preview.following)


def _what_previous_does(preview: ReentryPreview, labels: ChangeLabels) -> str:
    name = {"name": labels.names.of(preview.previous.pk)}
    if preview.leaves:
        return _("The earlier entry of %(name)s is withdrawn; its matches not yet played are walkovers.") % name
    return _("The earlier entry of %(name)s keeps its place in the consolation, if it has one.") % name


def undo_view(preview: UndoLatePreview) -> PartView:
    entry = preview.late.entry
    waits = preview.late.before == Entry.Status.WAITING
    text = _("%(name)s goes back to the waiting list.") if waits else _("%(name)s is no longer entered.")
    notes = [text % {"name": shown_entry(entry, staff=True)}]
    if preview.late.withdrawal is not None and preview.late.withdrawal.taken_back_at is None:
        notes.append(_("The entry withdrawn with it takes part again."))
    if preview.anew is not None:
        notes.append(_drawn_again(preview.late.stage.format))
    notes += refund_notes(entry)
    labels = ChangeLabels(entry.division)
    return _part(
        labels, notes, change_lines(entry.division, preview.following.changes, labels=labels), preview.following
    )


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
