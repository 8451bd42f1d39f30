"""What a match waits for, from whom, and until when: the same for pages, lists and programs."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from matches.models import Claim, Match, Proposal, Submission
from matches.presentation import labels as wording
from matches.reporting.services.notifications import respondent_of

Standing = Submission.Standing


@dataclass(frozen=True, slots=True)
class NextStep:
    """One thing a match waits for."""

    code: str
    """ruling, names, answer, sheet, verdict, times, appointment or play; the first of a list is the most pressing."""
    side: int | None = None
    """Who has to act; None where both players may, or nobody of them can."""
    until: datetime | None = None
    """When it is decided without them; for an appointment and for play: when to play, and by when."""


@dataclass(frozen=True, slots=True)
class Pending:
    """The rows of a match that are not answered yet."""

    claims: tuple[Claim, ...]
    records: tuple[Submission, ...]
    proposals: tuple[Proposal, ...]

    @classmethod
    def of(cls, claims: Iterable[Claim], records: Iterable[Submission], proposals: Iterable[Proposal]) -> "Pending":
        """From all rows of a match."""
        return cls(
            tuple(claim for claim in claims if claim.state in (Claim.State.OPEN, Claim.State.CONTESTED)),
            tuple(record for record in records if record.standing in (Standing.WAITING, Standing.NAMES)),
            tuple(one for one in proposals if one.state in (Proposal.State.OPEN, Proposal.State.ACCEPTED)),
        )

    @property
    def claim(self) -> Claim | None:
        """The signed report that waits for an answer."""
        return next((claim for claim in self.claims if claim.state == Claim.State.OPEN and claim.is_signed), None)

    @property
    def from_sheet(self) -> Claim | None:
        """The report from the score sheet that nobody has taken up."""
        return next((claim for claim in self.claims if not claim.is_signed), None)

    @property
    def offered(self) -> Proposal | None:
        """The times that wait for an answer."""
        return next((one for one in self.proposals if one.state == Proposal.State.OPEN), None)

    @property
    def agreed(self) -> Proposal | None:
        """The appointment."""
        return next((one for one in self.proposals if one.state == Proposal.State.ACCEPTED), None)


def next_steps(match: Match, pending: Pending, now: datetime) -> list[NextStep]:
    """What is awaited, the most pressing first; nothing for a match that is over."""
    if match.is_over:
        return []
    if match.state == Match.State.DISPUTED:
        return [NextStep("ruling")]
    found = [NextStep("names", record.side) for record in pending.records if record.standing == Standing.NAMES]
    if pending.claim is not None:
        found.append(NextStep("answer", respondent_of(pending.claim), pending.claim.stands_at))
    if any(record.standing == Standing.WAITING for record in pending.records):
        found.append(NextStep("verdict"))
    if not found and pending.from_sheet is not None:
        found.append(NextStep("sheet", respondent_of(pending.from_sheet)))
    if found:
        return found
    if pending.offered is not None:
        found.append(NextStep("times", 1 - pending.offered.side))
    if pending.agreed is not None and pending.agreed.agreed_at is not None and pending.agreed.agreed_at > now:
        found.append(NextStep("appointment", until=pending.agreed.agreed_at))
    return [*found, NextStep("play", until=match.due_at)]


def describe(one: NextStep, match: Match, pending: Pending, side: int | None) -> str:
    """What is awaited as a sentence, for the side that reads it; times stand beside it."""
    if one.code == "answer" and pending.claim is not None:
        return _answer(match, pending.claim, side)
    if one.code == "sheet" and pending.from_sheet is not None:
        return _sheet(match, pending.from_sheet, side)
    if one.code == "names":
        if one.side is not None and one.side == side:
            return gettext("Say which player of your record is which.")
        return gettext("A record waits for its sender to say which player is which.")
    if one.code == "times" and pending.offered is not None:
        name = match.players[pending.offered.side].shown_name
        if one.side == side:
            return gettext("{name} proposes times to play. Choose one, or propose others.").format(name=name)
        return gettext("Times are proposed by {name}.").format(name=name)
    return {
        "ruling": gettext("The players do not agree. One of them concedes, or the director rules."),
        "verdict": gettext("A match record is being checked."),
        "appointment": gettext("You have an appointment.") if side is not None else gettext("There is an appointment."),
        "play": gettext("Play, then report the result.") if side is not None else gettext("To be played."),
    }[one.code]


def _answer(match: Match, claim: Claim, side: int | None) -> str:
    if claim.is_own_loss:
        return _own_loss(match, claim, side)
    claimant, other = wording.reporter_of(match, claim), match.players[respondent_of(claim)].shown_name
    score = wording.score_of(match, claim.winner, claim.score)
    if side == claim.side:
        if claim.stands_at is None:
            return gettext("You report {score}. {other} has to confirm, or the director.").format(
                score=score, other=other
            )
        return gettext("You report {score}. {other} has seen it and is asked to confirm.").format(
            score=score, other=other
        )
    if side is not None:
        return gettext("{claimant} reports having won {score}. Is that right?").format(claimant=claimant, score=score)
    return gettext("{claimant} reports having won {score}; {other} is asked to confirm.").format(
        claimant=claimant, score=score, other=other
    )


def _own_loss(match: Match, claim: Claim, side: int | None) -> str:
    claimant, winner = wording.reporter_of(match, claim), match.players[claim.winner].shown_name
    score = wording.score_of(match, claim.winner, claim.score)
    if side == claim.side:
        return gettext("You report that {winner} won {score}. You can still take it back.").format(
            winner=winner, score=score
        )
    return gettext("{claimant} reports that {winner} won {score}.").format(
        claimant=claimant, winner=winner, score=score
    )


def _sheet(match: Match, claim: Claim, side: int | None) -> str:
    winner = match.players[claim.winner].shown_name
    score = wording.score_of(match, claim.winner, claim.score)
    told = gettext("{sender} reports that {winner} won {score}.").format(
        sender=wording.reporter_of(match, claim), winner=winner, score=score
    )
    if side is not None:
        return f"{told} " + gettext("It counts once you, your opponent or the director report it.")
    return f"{told} " + gettext("It counts once a player or the director reports it.")
