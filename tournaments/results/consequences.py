"""Where the players of a match go next, shown to them before they report its result."""

from django.utils.translation import gettext as _

from matches.models import Match
from tournaments.formats.settings import BY_ROUND, ELIMINATION
from tournaments.models import Fixture, Round, Slot
from tournaments.standings.layout import bracket_name
from tournaments.standings.rounds import round_names
from tournaments.state.names import match_names


def consequences_of(match: Match, winner: int, reader: int | None) -> list[str]:
    """Return where the players go next: only the reader, in the second person, or both if `reader` is None."""
    fixture = Fixture.objects.filter(match=match).select_related("stage", "round__bracket").first()
    if fixture is None:
        return []
    if fixture.stage.format not in ELIMINATION:
        return [_counting(fixture)]
    sides = (winner, 1 - winner) if reader is None else (reader,)
    return [_next_match(fixture, match, side, won=side == winner, reader=reader) for side in sides]


def _counting(fixture: Fixture) -> str:
    if fixture.stage.format in BY_ROUND:
        return _("It counts for round %(number)d.") % {"number": fixture.round.number}
    return _("It counts in the table.")


def _next_match(fixture: Fixture, match: Match, side: int, *, won: bool, reader: int | None) -> str:
    source = Slot.Source.WINNER if won else Slot.Source.LOSER
    slots = Slot.objects.filter(fixture__stage=fixture.stage_id, source=source, source_fixture=fixture.number)
    slot = slots.select_related("fixture__round__bracket").first()
    bracket = bracket_name(fixture.round.bracket.key)
    name = match_names(fixture, staff=False)[side]
    if slot is None:
        return _end_of_bracket(won, name, bracket, reader)
    following = slot.fixture
    rounds = round_names(Round.objects.filter(bracket=following.round.bracket_id))
    params = {
        "name": name,
        "match": f"M{following.number}",
        "round": f"{bracket_name(following.round.bracket.key)}, {rounds[following.round_id]}",
    }
    if reader is not None:
        return _("You advance to %(match)s (%(round)s).") % params
    return _("%(name)s advances to %(match)s (%(round)s).") % params


def _end_of_bracket(won: bool, name: str, bracket: str, reader: int | None) -> str:
    params = {"name": name, "bracket": bracket}
    if reader is not None:
        template = _("You win: %(bracket)s.") if won else _("You are out: %(bracket)s.")
    else:
        template = _("%(name)s wins: %(bracket)s.") if won else _("%(name)s is out: %(bracket)s.")
    return template % params
