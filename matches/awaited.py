"""What a match waits for, from whom, and until when: the same for pages, lists and programs."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from matches.models import Claim, Match, Proposal, Submission

Standing = Submission.Standing


@dataclass(frozen=True, slots=True)
class Awaited:
    """One thing a match waits for."""

    code: str
    """ruling, names, answer, verdict, times, appointment or play; the first of a list is the most pressing."""
    side: int | None = None
    """Who has to act; None where both players may, or nobody of them can."""
    until: datetime | None = None
    """When it is decided without him; for an appointment and for play: when to play, and by when."""


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
        """The one that waits for an answer."""
        return next((claim for claim in self.claims if claim.state == Claim.State.OPEN), None)

    @property
    def offered(self) -> Proposal | None:
        """The times that wait for an answer."""
        return next((one for one in self.proposals if one.state == Proposal.State.OPEN), None)

    @property
    def agreed(self) -> Proposal | None:
        """The appointment."""
        return next((one for one in self.proposals if one.state == Proposal.State.ACCEPTED), None)


def awaited(match: Match, pending: Pending, now: datetime) -> list[Awaited]:
    """What is awaited, the most pressing first; nothing for a match that is over."""
    if match.is_over:
        return []
    if match.state == Match.State.DISPUTED:
        return [Awaited("ruling")]
    found = [Awaited("names", record.side) for record in pending.records if record.standing == Standing.NAMES]
    if pending.claim is not None:
        found.append(Awaited("answer", 1 - pending.claim.side, pending.claim.stands_at))
    if any(record.standing == Standing.WAITING for record in pending.records):
        found.append(Awaited("verdict"))
    if found:
        return found
    if pending.offered is not None:
        found.append(Awaited("times", 1 - pending.offered.side))
    if pending.agreed is not None and pending.agreed.agreed_at is not None and pending.agreed.agreed_at > now:
        found.append(Awaited("appointment", until=pending.agreed.agreed_at))
    return [*found, Awaited("play", until=match.due_at)]


def in_words(one: Awaited, match: Match, pending: Pending, side: int | None) -> str:
    """What is awaited as a sentence, for the side that reads it; times stand beside it."""
    if one.code == "answer" and pending.claim is not None:
        return _answer(match, pending.claim, side)
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
        "ruling": gettext("The players do not agree. The director rules."),
        "verdict": gettext("A match record is being checked."),
        "appointment": gettext("You have an appointment.") if side is not None else gettext("There is an appointment."),
        "play": gettext("Play, then report the result.") if side is not None else gettext("To be played."),
    }[one.code]


def _answer(match: Match, claim: Claim, side: int | None) -> str:
    claimant, other = match.players[claim.side].shown_name, match.players[1 - claim.side].shown_name
    score = f"{max(claim.score)}–{min(claim.score)}"
    if side == claim.side:
        if claim.stands_at is None:
            return gettext("You report {score}. {other} has to confirm, or the director.").format(
                score=score, other=other
            )
        return gettext("You report {score}. {other} is asked to confirm.").format(score=score, other=other)
    if side is not None:
        return gettext("{claimant} reports having won {score}. Is that right?").format(claimant=claimant, score=score)
    return gettext("{claimant} reports having won {score}; {other} is asked to confirm.").format(
        claimant=claimant, score=score, other=other
    )
