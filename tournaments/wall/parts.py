"""The parts of the wall screen, and which of them a director shows."""

from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from tournaments.models import Tournament, Wall


class PartKey(StrEnum):
    """The parts of the wall screen, in the order in which they are shown."""

    FLOOR = "floor"
    BRACKETS = "brackets"
    STANDINGS = "standings"


PART_LABELS = {
    PartKey.FLOOR: _("Calls, tables and who plays next"),
    PartKey.BRACKETS: _("Brackets"),
    PartKey.STANDINGS: _("Standings"),
}


def wall_of(tournament: Tournament) -> Wall:
    """Return the settings of an event's wall screen, unsaved usual ones if nobody has changed them."""
    return Wall.objects.filter(tournament=tournament).first() or Wall(tournament=tournament)
