"""What an act on an entry would change, in words: coming back, coming late, and undoing a late entry."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from tournaments.foresight import FixtureChange
from tournaments.models import Division, Fixture
from tournaments.selectors.corrections import ChangeLine, Teller
from tournaments.services.returns import Part, ReturnPreview


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
    name = {"name": Teller(entry.division).names.of(entry.pk)}
    notes = [_("%(name)s goes on the waiting list: all places are taken.") % name] if part.waits else []
    if not part.changes and not part.waits:
        notes.append(_("%(name)s takes part again. No match changes.") % name)
    return PartView(entry.division.name, notes, change_lines(entry.division, part.changes, part.reopened))


def change_lines(
    division: Division, changes: Sequence[FixtureChange], reopened: Sequence[Fixture] = ()
) -> list[ChangeLine]:
    """The fixtures that change, in words; a walkover that is opened again says so."""
    told = Teller(division)
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
        for change, line in ((change, told.change(change)) for change in changes)
    ]
