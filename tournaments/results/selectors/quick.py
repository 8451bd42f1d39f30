"""What became of each line of quick entry, as the console shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from core.messages import sentence
from tournaments.models import Fixture, Tournament
from tournaments.results.services.quick import Outcome, What, wording
from tournaments.state.preview import NewResult

CORRECTED = ("line_settled", "successor_begun", "undo_built_on")
"""Refusals after which the way on is a correction."""
OPENED = ("own_match_reason", "line_again")
"""Refusals after which the way on is the page of the match."""


@dataclass(frozen=True, slots=True)
class OutcomeLine:
    """What became of a line, and where to go on from it."""

    typed: str
    is_done: bool
    is_help: bool
    text: str
    url: str = ""
    link: str = ""


def outcome_lines(tournament: Tournament, outcomes: Sequence[Outcome]) -> list[OutcomeLine]:
    """Each outcome in a sentence."""
    return [_line(tournament, one) for one in outcomes]


def _line(tournament: Tournament, one: Outcome) -> OutcomeLine:
    done = one.what in (What.BOOKED, What.UNDONE)
    url, link = _way_on(tournament, one)
    return OutcomeLine(one.line, done, one.what == What.HELP, outcome_text(one), url, link)


def outcome_text(one: Outcome) -> str:
    """What became of a line, in words."""
    if one.refused is not None:
        return sentence(one.refused.code, one.refused.params)
    if one.what == What.BOOKED and one.fixture is not None and one.fixture.match is not None and one.result is not None:
        return f"M{one.fixture.number} · {wording(one.fixture.match, one.result)}"
    if one.what == What.UNDONE and one.fixture is not None:
        return _("The result of M%(number)d is taken back.") % {"number": one.fixture.number}
    return ""


def _way_on(tournament: Tournament, one: Outcome) -> tuple[str, str]:
    """The address of the page to go on with, and what its link says."""
    if one.refused is None or one.fixture is None:
        return "", ""
    at = (tournament.club.slug, tournament.slug, one.fixture.public_id)
    if one.refused.code in CORRECTED:
        return correction_url(tournament, one.fixture, one.new), _("See what would follow, and correct it")
    if one.refused.code in OPENED:
        return reverse("fixture", args=at), _("Open the match")
    return "", ""


def correction_url(tournament: Tournament, fixture: Fixture, new: NewResult | None) -> str:
    """The correction of a match, filled in with what was typed."""
    url = reverse("fixture-correct", args=(tournament.club.slug, tournament.slug, fixture.public_id))
    if new is None:
        return url
    score = {} if new.score is None else {"left": new.score[0], "right": new.score[1]}
    winner = "nobody" if new.winner is None else new.winner
    return f"{url}?{urlencode({'kind': new.kind, 'winner': winner, **score, 'rated': '1'})}"
