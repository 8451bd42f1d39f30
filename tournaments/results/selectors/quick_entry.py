"""The outcome of each quick-entry line, as the console shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from core.messages import sentence
from matches.lifecycle.finish import ResultInput
from tournaments.models import Fixture, Tournament
from tournaments.results.services.quick_entry import LineOutcome, OutcomeKind, result_summary

LINK_TO_CORRECTION = ("line_settled", "successor_begun", "undo_built_on")
"""Refusals that link to the correction of the match."""
LINK_TO_MATCH = ("own_match_reason", "line_again")
"""Refusals that link to the page of the match."""


@dataclass(frozen=True, slots=True)
class OutcomeLine:
    """The outcome of a line as text, and a link to follow it up."""

    typed: str
    is_done: bool
    is_help: bool
    text: str
    url: str = ""
    link: str = ""


def outcome_lines(tournament: Tournament, outcomes: Sequence[LineOutcome]) -> list[OutcomeLine]:
    """Return each outcome as a line of text with a link."""
    return [_line(tournament, outcome) for outcome in outcomes]


def _line(tournament: Tournament, outcome: LineOutcome) -> OutcomeLine:
    done = outcome.what in (OutcomeKind.BOOKED, OutcomeKind.UNDONE, OutcomeKind.DONE)
    url, link = _link(tournament, outcome)
    return OutcomeLine(outcome.line, done, outcome.what == OutcomeKind.HELP, outcome_text(outcome), url, link)


def outcome_text(outcome: LineOutcome) -> str:
    """Return the outcome of a line as a sentence."""
    if outcome.refused is not None:
        return sentence(outcome.refused.code, outcome.refused.params)
    if outcome.text:
        return outcome.text
    if (
        outcome.what == OutcomeKind.BOOKED
        and outcome.fixture is not None
        and outcome.fixture.match is not None
        and outcome.result is not None
    ):
        return f"M{outcome.fixture.number} · {result_summary(outcome.fixture, outcome.result)}"
    if outcome.what == OutcomeKind.UNDONE and outcome.fixture is not None:
        return _("The result of M%(number)d was taken back.") % {"number": outcome.fixture.number}
    return ""


def _link(tournament: Tournament, outcome: LineOutcome) -> tuple[str, str]:
    """Return the URL and the text of the link that follows up a refusal."""
    if outcome.refused is None or outcome.fixture is None:
        return "", ""
    at = (tournament.club.slug, tournament.slug, outcome.fixture.public_id)
    if outcome.refused.code in LINK_TO_CORRECTION:
        return correction_url(tournament, outcome.fixture, outcome.new), _("Preview a correction")
    if outcome.refused.code in LINK_TO_MATCH:
        return reverse("fixture", args=at), _("Open the match")
    return "", ""


def correction_url(tournament: Tournament, fixture: Fixture, new: ResultInput | None) -> str:
    """Return the URL of a match's correction, prefilled with the result that was typed."""
    url = reverse("fixture-correct", args=(tournament.club.slug, tournament.slug, fixture.public_id))
    if new is None:
        return url
    score = {} if new.score is None else {"left": new.score[0], "right": new.score[1]}
    winner = "nobody" if new.winner is None else new.winner
    return f"{url}?{urlencode({'kind': new.kind, 'winner': winner, **score, 'rated': '1'})}"
