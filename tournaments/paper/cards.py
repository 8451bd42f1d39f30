"""Score sheets, table cards, link cards and the poster."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core.links import absolute_url, qr_svg
from matches.lifecycle import links
from matches.lifecycle.begun import is_untouched
from matches.models import Match
from players.actors import Actor
from players.people.rows import canonical
from tournaments import access
from tournaments.entries.event_links import ShownLink, links_of, log_shown, withheld_from
from tournaments.events import selectors as event_selectors
from tournaments.events.pages import account_needed, event_url_args
from tournaments.floor.selectors import floor
from tournaments.formats.settings import DOUBLE, ELIMINATION
from tournaments.models import CheckIn, Division, Entry, Fixture, Round, Table, Tournament
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
    rows = entries.select_related("player__merged_into").order_by("player__name_key", "pk")
    players = {player.pk: player for player in (canonical(row.player) for row in rows)}
    withheld = withheld_from(tournament, by) & players.keys()
    links = links_of(tournament, [player for pk, player in players.items() if pk not in withheld], absolute)
    log_shown(tournament, by, links)
    return links, len(withheld)


# Table cards: the number of a table and a QR code that leads to the match that is played there.


def table_cards(tournament: Tournament, absolute: Callable[[str], str]) -> list[tuple[str, str, str]]:
    """Return the cards of all tables of an event: label, URL, and QR code as SVG; `absolute` makes a path a URL."""
    cards = []
    for table in Table.objects.filter(tournament=tournament):
        path = reverse("table-now", args=[tournament.club.slug, tournament.slug, table.public_id])
        cards.append((table.label, absolute(path), qr_svg(absolute(path))))
    return cards


def match_at(table: Table, now: datetime) -> Match | None:
    """Return the match that is called to a table or played there."""
    view = floor(table.tournament, now, staff=False)
    row = view.tables[table.pk].match
    if row is None:
        return None
    return Fixture.objects.select_related("match").get(pk=row.fixture).match


# The poster at the door, with the QR code of the page on which players check themselves in.


@account_needed
@never_cache
@require_safe
def poster(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print the poster."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    url = absolute_url(request, reverse("arrive", args=event_url_args(event)))
    scanned = f"{url}?from={CheckIn.Source.POSTER}"
    context = {"tournament": event, "club": event.club, "url": url, "scanned_url": scanned, "qr": qr_svg(scanned)}
    return render(request, "tournaments/paper/poster.html", context)


# Score sheets: one for each match that is to be played.


LONGEST_IN_ONE_ROW = 7
"""Points."""
MOST_BOXES_IN_A_ROW = 15

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
        rows = 1 if self.length <= LONGEST_IN_ONE_ROW else max(2, -(-most // MOST_BOXES_IN_A_ROW))
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
    for fixture in fixtures:
        match = fixture.match
        assert match is not None  # noqa: S101, only fixtures with a match are open
        url = link_url(links.token_for(match, None))
        sheet = ScoreSheet(
            number=fixture.number,
            division=fixture.stage.division.name if several else "",
            bracket=_bracket(fixture),
            round=rounds[fixture.round_id],
            length=match.length,
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
