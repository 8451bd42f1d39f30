"""Score sheets, table cards and link cards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from core.links import qr_svg
from formats.settings import DOUBLE, ELIMINATION
from matches.lifecycle import links
from matches.lifecycle.begun import is_untouched
from matches.models import Match
from players.actors import Actor
from players.models import Player
from players.people.rows import canonical, people_of
from tournaments.entries.event_links import ShownLink, links_of, log_shown, withheld_from
from tournaments.events import selectors as event_selectors
from tournaments.events.venues import tables_for_event
from tournaments.floor.selectors import floor
from tournaments.models import Division, Entry, Fixture, Round, Table, Tournament, VenueTable
from tournaments.standings.brackets import bracket_name
from tournaments.standings.rounds import called_in_order, playable
from tournaments.state.names import match_names
from tournaments.state.sheet_codes import code_of

# Cards with the players' personal links of an event, to cut apart and hand out.


def link_cards(
    tournament: Tournament, divisions: Sequence[Division], by: Actor, absolute: Callable[[str], str]
) -> tuple[list[ShownLink], int]:
    """Return the links of everybody in these divisions or on their waiting lists, by name and once each.

    Also the number of players whose links `by` does not get, since they are opponents. It is logged which links a
    director gets in a division that they play in.
    """
    entries = Entry.objects.filter(division__in=divisions, player__erased_at=None).exclude(status=Entry.Status.OUT)
    rows = [entry.player for entry in entries.select_related("player__merged_into")]
    people = {player.pk: player for player in (canonical(row) for row in rows) if player.parts is None}
    couples = people_of(row.pk for row in rows if row.parts is not None)
    both = Player.objects.filter(pk__in={person for couple in couples.values() for person in couple}, erased_at=None)
    by_name = sorted([*people.values(), *both], key=lambda player: (player.name_key, player.pk))
    players = {player.pk: player for player in by_name}
    withheld = withheld_from(tournament, by) & players.keys()
    links = links_of(tournament, [player for pk, player in players.items() if pk not in withheld], absolute)
    log_shown(tournament, by, links)
    return links, len(withheld)


# Table cards: the number or name of a table and a QR code that leads to the match that is played there.
#
# The code has the label of the table and not its id, since cards are printed and laid out before there are tables: the
# floor creates them when it is opened.


MIN_TABLES = 4
"""Tables of an event that does not say how many it has, and has hardly any entries yet."""
LABEL_SIZES = ((3, "short"), (6, "middle"))
"""The longest table labels in each size; longer ones are written on several lines."""


class TableCard(NamedTuple):
    """The card of a table: its label, the URL of the match there, and its QR code as SVG."""

    label: str
    url: str
    qr: str

    @property
    def size(self) -> str:
        """The size in which its label fits on the card."""
        return label_size(self.label)


def label_size(label: str) -> str:
    """Return the size in which the label of a table fits into a field: "short", "middle" or "long"."""
    return next((size for longest, size in LABEL_SIZES if len(label) <= longest), "long")


def table_labels(tournament: Tournament) -> list[str]:
    """Return the labels of the tables of an event, or those that it will have when its floor is opened.

    An event that does not say how many tables it has gets those of the venue, or one for two entries.
    """
    labels = list(Table.objects.filter(tournament=tournament).values_list("label", flat=True))
    if labels:
        return labels
    entered = Entry.objects.filter(division__tournament=tournament, status=Entry.Status.IN).count()
    count = tournament.tables or VenueTable.objects.filter(venue__club=tournament.club_id).count()
    return [label for label, _category in tables_for_event(tournament.club, count or max(MIN_TABLES, entered // 2))]


def table_cards(tournament: Tournament, absolute: Callable[[str], str]) -> list[TableCard]:
    """Return the cards of all tables of an event; `absolute` makes a path a URL."""
    path = reverse("table-now", args=[tournament.club.slug, tournament.slug])
    urls = [(label, absolute(f"{path}?{urlencode({'label': label})}")) for label in table_labels(tournament)]
    return [TableCard(label, url, qr_svg(url)) for label, url in urls]


def match_at(tournament: Tournament, label: str, now: datetime) -> Match | None:
    """Return the match that is called to the table with this label or played there."""
    tables = floor(tournament, now, staff=False).tables.values()
    row = next((table.match for table in tables if table.facts.label == label), None)
    if row is None:
        return None
    return Fixture.objects.select_related("match").get(pk=row.fixture).match


# Score sheets: one for each match that is to be played.


MAX_IN_ONE_ROW = 7
"""Points."""
MAX_BOXES_IN_A_ROW = 15

LinkUrl = Callable[[str], str]
"""Returns the absolute URL of the link with this token."""


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """What is printed on the sheet of one match."""

    number: int
    division: str
    bracket: str
    round: str
    length: int
    names: tuple[str, str]
    code: str
    """Six digits, as printed."""
    url: str
    qr: str
    """SVG."""
    table: str = ""
    start: tuple[int, int] = (0, 0)
    """The score at which it begins."""

    @property
    def where(self) -> str:
        """Division, bracket and round."""
        return " · ".join(dict.fromkeys(filter(None, (self.division, self.bracket, self.round))))

    @property
    def score_rows(self) -> list[list[int]]:
        """The numbers of the games that can be played, in rows of boxes: a match to n lasts 2n − 1 games at most.

        One row up to 7 points, two up to 15, then more.
        """
        most = 2 * self.length - 1
        rows = 1 if self.length <= MAX_IN_ONE_ROW else max(2, -(-most // MAX_BOXES_IN_A_ROW))
        in_a_row = -(-most // rows)
        games = list(range(1, most + 1))
        return [games[first : first + in_a_row] for first in range(0, most, in_a_row)]


def fixtures_to_print(tournament: Tournament, round_: Round | None) -> list[Fixture]:
    """Return the matches with known players that have not begun: of a round, or all that can be played.

    Matches that were reported or are being played have their sheet already.
    """
    fixtures = called_in_order(event_selectors.open_fixtures(tournament))
    chosen = playable(fixtures) if round_ is None else [row for row in fixtures if row.round_id == round_.pk]
    return [row for row in chosen if row.match is not None and is_untouched(row.match)]


def score_sheets(
    tournament: Tournament, fixtures: Sequence[Fixture], link_url: LinkUrl, tables: Mapping[int, str]
) -> list[ScoreSheet]:
    """Return the sheets of these fixtures; `tables` are the labels of their tables by fixture id, where known."""
    rounds = event_selectors.names_of_rounds(tournament)
    several = tournament.divisions.count() > 1
    sheets = []
    # Without those of a draw that was undone meanwhile.
    for fixture in (row for row in fixtures if row.round_id in rounds):
        match = fixture.match
        assert match is not None  # noqa: S101, only fixtures with a match are open
        url = link_url(links.token_for(match, None))
        sheet = ScoreSheet(
            number=fixture.number,
            division=fixture.stage.division.name if several else "",
            bracket=_bracket(fixture),
            round=rounds[fixture.round_id],
            length=match.length,
            start=match.start_score,
            names=match_names(fixture, staff=False),
            code=code_of(tournament, fixture.number),
            url=url,
            qr=qr_svg(url),
            table=tables.get(fixture.pk, ""),
        )
        sheets.append(sheet)
    return sheets


def _bracket(fixture: Fixture) -> str:
    """Return the name of the bracket; empty in formats with a single list of rounds."""
    stage = fixture.stage
    if stage.format not in ELIMINATION:
        return ""
    return bracket_name(fixture.round.bracket.key, upper=stage.format == DOUBLE)
