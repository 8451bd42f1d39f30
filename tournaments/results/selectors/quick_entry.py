"""What became of each line of quick entry, as the console shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from core.messages import sentence
from matches.lifecycle.finish import ResultInput
from tournaments.models import Fixture, Tournament
from tournaments.results.services.quick_entry import Outcome, What, wording

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
    return [_line(tournament, outcome) for outcome in outcomes]


def _line(tournament: Tournament, outcome: Outcome) -> OutcomeLine:
    done = outcome.what in (What.BOOKED, What.UNDONE)
    url, link = _way_on(tournament, outcome)
    return OutcomeLine(outcome.line, done, outcome.what == What.HELP, outcome_text(outcome), url, link)


def outcome_text(outcome: Outcome) -> str:
    """What became of a line, in words."""
    if outcome.refused is not None:
        return sentence(outcome.refused.code, outcome.refused.params)
    if (
        outcome.what == What.BOOKED
        and outcome.fixture is not None
        and outcome.fixture.match is not None
        and outcome.result is not None
    ):
        return f"M{outcome.fixture.number} · {wording(outcome.fixture.match, outcome.result)}"
    if outcome.what == What.UNDONE and outcome.fixture is not None:
        return _("The result of M%(number)d is taken back.") % {"number": outcome.fixture.number}
    return ""


def _way_on(tournament: Tournament, outcome: Outcome) -> tuple[str, str]:
    """The address of the page to go on with, and what its link says."""
    if outcome.refused is None or outcome.fixture is None:
        return "", ""
    at = (tournament.club.slug, tournament.slug, outcome.fixture.public_id)
    if outcome.refused.code in CORRECTED:
        return correction_url(tournament, outcome.fixture, outcome.new), _("See what would follow, and correct it")
    if outcome.refused.code in OPENED:
        return reverse("fixture", args=at), _("Open the match")
    return "", ""


def correction_url(tournament: Tournament, fixture: Fixture, new: ResultInput | None) -> str:
    """The correction of a match, filled in with what was typed."""
    url = reverse("fixture-correct", args=(tournament.club.slug, tournament.slug, fixture.public_id))
    if new is None:
        return url
    score = {} if new.score is None else {"left": new.score[0], "right": new.score[1]}
    winner = "nobody" if new.winner is None else new.winner
    return f"{url}?{urlencode({'kind': new.kind, 'winner': winner, **score, 'rated': '1'})}"
