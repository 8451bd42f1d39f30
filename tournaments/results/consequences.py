"""What a result would mean for the players of a match, registered with `matches.presentation.consequences`."""

from django.utils.translation import gettext as _

from matches.models import Match
from tournaments.formats.settings import BY_ROUND, ELIMINATION
from tournaments.models import Fixture, Round, Slot
from tournaments.standings.layout import bracket_name
from tournaments.standings.rounds import round_names


def consequences_of(match: Match, winner: int, reader: int | None) -> list[str]:
    """Where winner and loser go next, to one of them in the second person, to anybody else of both."""
    fixture = Fixture.objects.filter(match=match).select_related("stage", "round__bracket").first()
    if fixture is None:
        return []
    if fixture.stage.format not in ELIMINATION:
        return [_counts(fixture)]
    sides = (winner, 1 - winner) if reader is None else (reader,)
    return [_goes(fixture, match, side, won=side == winner, reader=reader) for side in sides]


def _counts(fixture: Fixture) -> str:
    if fixture.stage.format in BY_ROUND:
        return _("It counts for round %(number)d.") % {"number": fixture.round.number}
    return _("It counts in the table.")


def _goes(fixture: Fixture, match: Match, side: int, *, won: bool, reader: int | None) -> str:
    source = Slot.Source.WINNER if won else Slot.Source.LOSER
    slots = Slot.objects.filter(fixture__stage=fixture.stage_id, source=source, source_fixture=fixture.number)
    slot = slots.select_related("fixture__round__bracket").first()
    bracket = bracket_name(fixture.round.bracket.key)
    name = match.players[side].shown_name
    if slot is None:
        return _ends(won, name, bracket, reader)
    following = slot.fixture
    rounds = round_names(Round.objects.filter(bracket=following.round.bracket_id))
    words = {
        "name": name,
        "match": f"M{following.number}",
        "round": f"{bracket_name(following.round.bracket.key)}, {rounds[following.round_id]}",
    }
    if reader is not None:
        return _("You go on to %(match)s (%(round)s).") % words
    return _("%(name)s goes on to %(match)s (%(round)s).") % words


def _ends(won: bool, name: str, bracket: str, reader: int | None) -> str:
    words = {"name": name, "bracket": bracket}
    if reader is not None:
        template = _("You win: %(bracket)s.") if won else _("You are out: %(bracket)s.")
    else:
        template = _("%(name)s wins: %(bracket)s.") if won else _("%(name)s is out: %(bracket)s.")
    return template % words
