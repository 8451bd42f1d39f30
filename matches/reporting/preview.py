"""What a report would do, shown before it is sent."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext, ngettext

from matches.access import MatchSeat
from matches.lifecycle.events import events
from matches.lifecycle.finish import same_outcome
from matches.models import Claim, Match
from matches.presentation import labels
from matches.reporting.services.notifications import channels_of, respondent_of
from matches.reporting.who_knows import will_know


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of a report."""

    summary: str
    """“Carol wins 7–4.”"""
    follows: list[str]
    """What the result would mean for the players in their event."""
    next_step: str
    """Who would have to act next, or when the report would stand."""


def preview_of(seat: MatchSeat, winner: int, score: tuple[int, int]) -> Preview:
    """Preview a report of this score by the holder of this seat."""
    match = seat.match
    summary = gettext("{name} wins {score}.").format(
        name=match.names[winner], score=labels.score_of(match, winner, score)
    )
    return Preview(
        summary, events().consequences(match, winner, seat.side), _next_step(match, seat.side, winner, score)
    )


def _next_step(match: Match, side: int | None, winner: int, score: tuple[int, int]) -> str:
    if side is None:
        return _sheet_next_step(match, 1 - winner)
    other = match.claims.filter(side=1 - side, state=Claim.State.OPEN).first()
    if other is not None:
        if same_outcome(match.length, other.winner, other.score, winner, score):
            return gettext("The other player reported the same, so the result stands at once.")
        return gettext(
            "The other player reported a different result, so one of you has to agree to the other’s report, "
            "or the director rules."
        )
    if winner != side:
        minutes = settings.OWN_LOSS_PENDING // 60
        if not settings.OWN_LOSS_PENDING:
            return gettext("The result stands at once.")
        return ngettext(
            "You can withdraw it for {minutes} minute, then it stands.",
            "You can withdraw it for {minutes} minutes, then it stands.",
            minutes,
        ).format(minutes=minutes)
    name = match.names[1 - side]
    confirms = gettext("{name} or the director has to confirm it.").format(name=name)
    return f"{confirms} {will_know(channels_of(match, 1 - side), name)}"


def sheet_thanks(report: Claim) -> str:
    """Confirm a report from the score sheet and say who has to answer it."""
    return f"{gettext('Reported.')} {_sheet_next_step(report.match, respondent_of(report))}"


def _sheet_next_step(match: Match, loser: int) -> str:
    name = match.names[loser]
    unsigned = gettext(
        "The score sheet does not show who you are, so {name} is asked to confirm the score. "
        "The director can see your report, too."
    )
    return f"{unsigned.format(name=name)} {will_know(channels_of(match, loser), name)}"
