"""Score sheets: one for each match that is to be played."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.links import qr_svg
from matches.lifecycle import links
from matches.lifecycle.begun import is_untouched
from tournaments.events.selectors import events
from tournaments.formats.settings import DOUBLE, ELIMINATION
from tournaments.models import Fixture, Round, Tournament
from tournaments.standings.layout import bracket_name
from tournaments.standings.rounds import called_in_order, playable
from tournaments.state.names import match_names
from tournaments.state.sheet_codes import code_of

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
    """Return the matches whose players are known and that have not begun: those of a round, or all that can be played.

    Matches that were reported or are being played have their sheet already.
    """
    fixtures = called_in_order(events.open_fixtures(tournament))
    chosen = playable(fixtures) if round_ is None else [row for row in fixtures if row.round_id == round_.pk]
    return [row for row in chosen if row.match is not None and is_untouched(row.match)]


def score_sheets(
    tournament: Tournament, fixtures: Sequence[Fixture], link_url: LinkUrl, tables: Mapping[int, str]
) -> list[ScoreSheet]:
    """Return the sheets of these fixtures; `tables` are the labels of their tables by fixture id, where known."""
    rounds = events.names_of_rounds(tournament)
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
