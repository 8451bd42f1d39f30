"""What has to happen next in a match, who has to act, and until when; used by pages, lists and the API."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from matches.lifecycle.own_match import who_decides
from matches.lifecycle.where import Where, in_words
from matches.models import Claim, Match, Proposal, Provisional, Submission
from matches.presentation import labels
from matches.reporting.notifications import respondent_of

Standing = Submission.Standing


@dataclass(frozen=True, slots=True)
class NextStep:
    code: str
    """ruling, board, names, answer, sheet, verdict, times, appointment, play or, of a provisional result, result."""
    side: int | None = None
    """The side that has to act; None if either player may, or if neither can."""
    until: datetime | None = None
    """When a report stands without an answer, or a provisional result is final; for an appointment its time, for play
    the deadline."""


@dataclass(frozen=True, slots=True)
class Pending:
    """The reports, records and proposals of a match that are open, the accepted proposal, and a provisional result."""

    claims: tuple[Claim, ...]
    records: tuple[Submission, ...]
    proposals: tuple[Proposal, ...]
    provisional: Provisional | None = None

    @classmethod
    def of(
        cls,
        claims: Iterable[Claim],
        records: Iterable[Submission],
        proposals: Iterable[Proposal],
        provisional: Provisional | None = None,
    ) -> "Pending":
        """Select the open rows from all rows of a match."""
        return cls(
            tuple(claim for claim in claims if claim.state in (Claim.State.OPEN, Claim.State.CONTESTED)),
            tuple(record for record in records if record.standing in (Standing.WAITING, Standing.NAMES)),
            tuple(row for row in proposals if row.state in (Proposal.State.OPEN, Proposal.State.ACCEPTED)),
            provisional,
        )

    @property
    def report(self) -> Claim | None:
        """The signed report that waits for an answer."""
        return next((claim for claim in self.claims if claim.state == Claim.State.OPEN and claim.is_signed), None)

    @property
    def from_sheet(self) -> Claim | None:
        """The open report from the score sheet."""
        return next((claim for claim in self.claims if not claim.is_signed), None)

    @property
    def offered(self) -> Proposal | None:
        return next((row for row in self.proposals if row.state == Proposal.State.OPEN), None)

    @property
    def agreed(self) -> Proposal | None:
        return next((row for row in self.proposals if row.state == Proposal.State.ACCEPTED), None)


def reports_of(match: Match) -> list[Claim]:
    """All reports of a match, each with its record, but without the record's bytes and transcript."""
    return list(match.claims.select_related("submission").defer("submission__data", "submission__transcript"))


def next_steps(match: Match, where: Where, pending: Pending, now: datetime) -> list[NextStep]:
    """The steps that a match is waiting for, the most urgent first; empty once the match is over."""
    if match.is_over:
        row = pending.provisional
        return [] if row is None else [NextStep("result", row.against, row.ends_at)]
    if match.state == Match.State.DISPUTED:
        return [NextStep("ruling")]
    if match.state == Match.State.LIVE:
        return [NextStep("board", where.side, until=match.due_at)]
    steps = [NextStep("names", record.side) for record in pending.records if record.standing == Standing.NAMES]
    if pending.report is not None:
        steps.append(NextStep("answer", respondent_of(pending.report), pending.report.stands_at))
    if any(record.standing == Standing.WAITING for record in pending.records):
        steps.append(NextStep("verdict"))
    if not steps and pending.from_sheet is not None:
        steps.append(NextStep("sheet", respondent_of(pending.from_sheet)))
    if steps:
        return steps
    if pending.offered is not None:
        steps.append(NextStep("times", 1 - pending.offered.side))
    if pending.agreed is not None and pending.agreed.agreed_at is not None and pending.agreed.agreed_at > now:
        steps.append(NextStep("appointment", until=pending.agreed.agreed_at))
    return [*steps, NextStep("play", until=match.due_at)]


def describe(step: NextStep, match: Match, where: Where, pending: Pending, side: int | None) -> str:
    """A step as a sentence for the reader, who plays `side` or neither; times are shown separately."""
    if step.code in ("board", "play"):
        return in_words(where, match, side)
    if step.code == "answer" and pending.report is not None:
        return _answer(match, pending.report, side)
    if step.code == "sheet" and pending.from_sheet is not None:
        return _sheet(match, pending.from_sheet)
    if step.code == "names":
        if step.side is not None and step.side == side:
            return gettext("Say which player of your record is which.")
        return gettext("The sender of a record has to say which player is which.")
    if step.code == "times" and pending.offered is not None:
        proposed = gettext("{name} has proposed times to play.").format(name=match.names[pending.offered.side])
        if step.side == side:
            return f"{proposed} {gettext('Choose one, or propose others.')}"
        return proposed
    if step.code == "result" and pending.provisional is not None:
        return _result(match, pending.provisional, side)
    if step.code == "ruling":
        return _ruling(match, pending, side)
    return {
        "verdict": gettext("A match record is being checked."),
        "appointment": gettext("A time to play is agreed."),
    }[step.code]


def _ruling(match: Match, pending: Pending, side: int | None) -> str:
    if side is None:
        return " ".join([gettext("The players disagree."), who_decides(match)])
    other = match.names[1 - side]
    if may_concede(pending.claims, side):
        said = gettext("You and {name} disagree.").format(name=other)
    else:
        said = gettext("{name} contests your report.").format(name=other)
    return f"{said} {who_decides(match)}"


def may_concede(claims: Sequence[Claim], side: int) -> bool:
    """Whether there is a report of the other side to agree to, in a dispute."""
    return any(claim.side == 1 - side for claim in claims)


def _answer(match: Match, report: Claim, side: int | None) -> str:
    if report.is_own_loss:
        return _own_loss(match, report, side)
    reporter, other = labels.reporter_of(match, report), match.names[respondent_of(report)]
    score = labels.won_score(match, report)
    to_confirm = gettext("{name} or the director has to confirm it.").format(name=other)
    if side is not None and side == report.side:
        if match.players[side].parts is None:
            reported = gettext("You reported {score}.").format(score=score)
        else:
            reported = gettext("Reported for you both: {score}.").format(score=score)
        if report.stands_at is None:
            return f"{reported} {to_confirm}"
        return f"{reported} {gettext('{name} has seen it.').format(name=other)}"
    if side is not None:
        return gettext("{reporter} reports a {score} win against you. Is that right?").format(
            reporter=reporter, score=score
        )
    said = gettext("{reporter} reports that {winner} won {score}.").format(
        reporter=reporter, winner=match.names[report.winner], score=score
    )
    return f"{said} {to_confirm}"


def _result(match: Match, row: Provisional, side: int | None) -> str:
    if side in row.sides:
        return gettext("A provisional result goes against you. Object if it is wrong.")
    untold = [match.names[other] for other in row.sides if row.told[other] is None]
    sentences = [gettext("This result is provisional.")]
    if untold:
        sentences.append(gettext("{name} has not seen it.").format(name=", ".join(untold)))
    return " ".join(sentences)


def _own_loss(match: Match, report: Claim, side: int | None) -> str:
    reporter, winner = labels.reporter_of(match, report), match.names[report.winner]
    score = labels.won_score(match, report)
    if side == report.side:
        return gettext("You reported that {winner} won {score}. You can still withdraw it.").format(
            winner=winner, score=score
        )
    return gettext("{reporter} reports that {winner} won {score}.").format(
        reporter=reporter, winner=winner, score=score
    )


def _sheet(match: Match, report: Claim) -> str:
    winner = match.names[report.winner]
    score = labels.won_score(match, report)
    said = gettext("{reporter} reports that {winner} won {score}.").format(
        reporter=labels.reporter_of(match, report), winner=winner, score=score
    )
    return f"{said} {gettext('It counts once a player or the director reports it.')}"
