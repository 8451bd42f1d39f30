"""Table cards: the number of a table and a QR code that leads to the match that is played there."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from core.links import qr_svg
from matches.models import Match
from tournaments.floor.selectors import floor
from tournaments.models import Fixture, Table, Tournament


@dataclass(frozen=True, slots=True)
class TableCard:
    """The card of a table."""

    label: str
    url: str
    qr: str
    """SVG."""


def table_cards(tournament: Tournament, absolute: Callable[[str], str]) -> list[TableCard]:
    """Return the cards of all tables of an event; `absolute` makes a path a URL."""
    cards = []
    for table in Table.objects.filter(tournament=tournament):
        path = reverse("table-now", args=[tournament.club.slug, tournament.slug, table.public_id])
        cards.append(TableCard(table.label, absolute(path), qr_svg(absolute(path))))
    return cards


def match_at(table: Table, now: datetime) -> Match | None:
    """Return the match that is called to a table or played there."""
    view = floor(table.tournament, now, staff=False)
    row = view.tables[table.pk].match
    if row is None:
        return None
    return Fixture.objects.select_related("match").get(pk=row.row.fixture).match
