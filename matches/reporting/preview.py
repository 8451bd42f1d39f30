"""What a report would do, said before it is sent."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext, ngettext

from matches.access import Seat
from matches.lifecycle.finish import same_outcome
from matches.models import Claim, Match
from matches.presentation import labels as wording
from matches.presentation.consequences import consequences
from matches.reporting.services.notifications import email_of, respondent_of


@dataclass(frozen=True, slots=True)
class Preview:
    """A score as it would be reported."""

    words: str
    """“Carol wins 7–4.”"""
    follows: list[str]
    """What it means for the players in their event."""
    next_step: str
    """Who has to act then, or when it stands."""


def preview_of(seat: Seat, winner: int, score: tuple[int, int]) -> Preview:
    """What a report of this score by the reader would do now."""
    match = seat.match
    words = gettext("{name} wins {score}.").format(
        name=match.players[winner].shown_name, score=wording.score_of(match, winner, score)
    )
    return Preview(words, consequences(match, winner, seat.side), _next_step(match, seat.side, winner, score))


def _next_step(match: Match, side: int | None, winner: int, score: tuple[int, int]) -> str:
    if side is None:
        return _asked_from_sheet(match, 1 - winner)
    other = match.claims.filter(side=1 - side, state=Claim.State.OPEN).first()
    if other is not None:
        if same_outcome(match.length, other.winner, other.score, winner, score):
            return gettext("The other player reports the same, so it stands at once.")
        return gettext("The other player reports something else, so one of you concedes or the director rules.")
    if winner != side:
        minutes = settings.OWN_LOSS_PENDING // 60
        if not settings.OWN_LOSS_PENDING:
            return gettext("It stands at once.")
        return ngettext(
            "You can take it back for {minutes} minute, then it stands.",
            "You can take it back for {minutes} minutes, then it stands.",
            minutes,
        ).format(minutes=minutes)
    return gettext("{name} is asked to confirm it, or the director.").format(name=match.players[1 - side].shown_name)


def sheet_thanks(report: Claim) -> str:
    """Who is asked now about a report from the score sheet."""
    return f"{gettext('Reported.')} {_asked_from_sheet(report.match, respondent_of(report))}"


def _asked_from_sheet(match: Match, loser: int) -> str:
    name = match.players[loser].shown_name
    if email_of(match, loser):
        return gettext(
            "The score sheet does not say who you are: {name} is asked by e-mail, and the director sees it."
        ).format(name=name)
    return gettext(
        "The score sheet does not say who you are, and {name} cannot be asked by e-mail: only the director sees it."
    ).format(name=name)
