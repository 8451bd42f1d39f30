"""What an act on an entry would change, in words: coming back, coming late, and undoing a late entry."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.models import Player
from tournaments.entries.services.late_previews import LatePreview, Newcomer, UndoPreview
from tournaments.entries.services.returns import Part, ReturnPreview
from tournaments.models import Division, Entry, Fixture
from tournaments.standings.changes import ChangeLabels, ChangeLine
from tournaments.state.names import Names
from tournaments.state.preview import FixtureChange


@dataclass(frozen=True, slots=True)
class PartView:
    """What follows in one division."""

    division: str
    notes: list[str] = field(default_factory=list)
    changes: list[ChangeLine] = field(default_factory=list)


def return_view(preview: ReturnPreview) -> list[PartView]:
    """What follows from a return, division after division."""
    return [_returning(part) for part in preview.parts]


def _returning(part: Part) -> PartView:
    entry = part.entry
    name = {"name": ChangeLabels(entry.division).names.of(entry.pk)}
    notes = [_("%(name)s goes on the waiting list: all places are taken.") % name] if part.waits else []
    if not part.changes and not part.waits:
        notes.append(_("%(name)s takes part again. No match changes.") % name)
    return PartView(entry.division.name, notes, change_lines(entry.division, part.changes, part.reopened))


def late_view(preview: LatePreview) -> PartView:
    """What late entries lead to."""
    labels = ChangeLabels(preview.division)
    guests = {one.entry: Entry(player=one.player or Player(name=one.name)) for one in preview.newcomers}
    labels.names = Names({**labels.names.entries, **guests}, staff=True)
    notes = [_coming(one, labels, preview.changes) for one in preview.newcomers]
    return PartView(preview.division.name, notes, change_lines(preview.division, preview.changes, labels=labels))


def _coming(one: Newcomer, labels: ChangeLabels, changes: Sequence[FixtureChange]) -> str:
    """How one late entry comes in."""
    name = labels.names.of(one.entry)
    if one.waits:
        return _("%(name)s goes on the waiting list: no bye or place is free.") % {"name": name}
    if one.round is not None:
        return _("%(name)s plays from round %(round)d on.") % {"name": name, "round": one.round}
    if one.matches:
        return ngettext(
            "%(name)s plays %(count)d match.", "%(name)s plays %(count)d matches, against everybody.", one.matches
        ) % {"name": name, "count": one.matches}
    for change in changes:
        sides = [slot.entry for slot in change.after.slots]
        if one.entry in sides:
            other = labels.names.of(sides[1 - sides.index(one.entry)])
            return _("%(name)s takes the bye of %(other)s: M%(number)d.") % {
                "name": name, "other": other, "number": change.row.number,
            }  # fmt: skip
    return name


def undo_view(preview: UndoPreview) -> PartView:
    """What undoing a late entry leads to."""
    entry = preview.late.entry
    waits = preview.late.before == Entry.Status.WAITING
    text = _("%(name)s is on the waiting list again.") if waits else _("%(name)s is out again.")
    notes = [text % {"name": entry.player.name}]
    return PartView(entry.division.name, notes, change_lines(entry.division, preview.changes))


def change_lines(
    division: Division,
    changes: Sequence[FixtureChange],
    reopened: Sequence[Fixture] = (),
    labels: ChangeLabels | None = None,
) -> list[ChangeLine]:
    """The fixtures that change, in words; a walkover that is opened again says so."""
    labels = labels or ChangeLabels(division)
    again = {fixture.pk for fixture in reopened}
    return [
        ChangeLine(
            line.number,
            line.where,
            line.public_id,
            line.before,
            line.after,
            (*line.remarks, *((_("the walkover is taken back; to be played"),) if change.row.pk in again else ())),
            line.stopped,
        )
        for change, line in ((change, labels.change(change)) for change in changes)
    ]
