"""When the evening is expected to go on and to end, in a few lines for the wall."""

from zoneinfo import ZoneInfo

from django.utils.formats import time_format
from django.utils.translation import gettext as _

from tournaments.floor.selectors import FloorView
from tournaments.pages.floor.forecast import evening_forecast
from tournaments.wall.board import ExpectedTime

MOST_BRACKETS = 2


def expected_times(view: FloorView) -> list[ExpectedTime]:
    """Return when the first brackets and the evening are expected to end; empty before the floor is opened."""
    if not view.is_open:
        return []
    evening = evening_forecast(view)
    zone = ZoneInfo(view.tournament.time_zone)
    if not evening.matches:
        return []
    ends = [(row.label, evening.forecast.finish_of(row.key)) for row in evening.rows]
    named = [(label, finish) for label, finish in ends if finish is not None][:MOST_BRACKETS]
    if len(ends) > 1:
        named.append((_("Last match ends"), evening.total))
    return [ExpectedTime(label, time_format(evening.at(finish.median).astimezone(zone))) for label, finish in named]
