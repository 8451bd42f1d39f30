"""Erasing a person from their matches: records, notes, reasons, chat and friendly matches. Results are kept."""

from collections.abc import Collection, Iterable

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Concat

from core.locks import for_update
from matches.analysis.erasure import forget_decisions
from matches.models import (
    Action,
    Challenge,
    ChatMessage,
    ChatReport,
    Claim,
    FriendlyBlock,
    Match,
    Objection,
    Proposal,
    Result,
    Submission,
)
from matches.records.masking import Mask
from matches.records.names import names_of
from matches.records.services.submissions import GAVE_UP
from players.models import Player, User
from players.people import mentions
from players.people.mentions import erase_log_texts
from players.people.stored_elsewhere import StoredElsewhere, register

NAMELESS = ["", ""]
RULINGS_WITH_REASON = Q(data__has_key="reason")
AT_ONCE = 50
"""Records that are in memory at a time, without their files."""


def forget(players: list[Player], user: User | None) -> None:
    """Erase what was written in these players' matches and by the account; plays, verdicts and results are kept."""
    matches = Match.objects.filter(Q(player_0__in=players) | Q(player_1__in=players))
    _forget_friendlies(players)
    _forget_chat(players, user)
    # In the order in which the worker that applies a verdict changes rows.
    _forget_records(players, user)
    _forget_notes(matches)


def _forget_notes(matches: QuerySet[Match]) -> None:
    """Empty the notes and reasons of these matches, whoever wrote them: they are about both players."""
    Claim.objects.filter(match__in=matches).update(note="", answer_note="")
    Objection.objects.filter(match__in=matches).update(reason="", answer="")
    Proposal.objects.filter(match__in=matches).update(note="")
    Result.objects.filter(match__in=matches).update(reason="")
    ChatReport.objects.filter(message__match__in=matches).update(reason="")
    for action in Action.objects.filter(RULINGS_WITH_REASON, live__match__in=matches):
        action.data.pop("reason")
        action.save(update_fields=["data"])
    erase_log_texts(matches.annotate(own_topic=Concat(Value("match:"), "public_id")).order_by().values("own_topic"))


def _forget_records(players: list[Player], user: User | None) -> None:
    """Empty the records of these players' matches and those sent by the account.

    Both names are erased from a record, since the match itself still has the name of the other player.
    """
    concerned = Q(match__player_0__in=players) | Q(match__player_1__in=players)
    if user is not None:
        concerned |= Q(submitter=user)
    known = {name for player in players for name in names_of(player)}
    # Locked, because a worker may be about to store the verdict of a record that it has read before.
    rows = for_update(Submission.objects.filter(concerned)).defer("data").prefetch_related("verdicts").order_by("pk")
    for row in rows.iterator(chunk_size=AT_ONCE):
        if user is not None and row.submitter_id == user.pk:
            # Keys are unique among submissions without a sender, so this one must not remain.
            row.submitter, row.key = None, ""
        empty_record(row, known)


def empty_record(row: Submission, names: set[str]) -> None:
    """Empty the file of a record and remove these names and those of its players; plays and verdicts stay."""
    mask = _mask(row, names)
    row.data, row.file_name, row.refusal = b"", "", mask.inside(row.refusal, keys=False)
    if row.is_open:
        row.state, row.failure = Submission.State.FAILED, GAVE_UP
    if row.transcript is not None:
        row.transcript = {**mask.transcript(row.transcript), "players": NAMELESS, "info": {}}
    row.save(update_fields=["data", "file_name", "transcript", "refusal", "submitter", "key", "state", "failure"])
    for verdict in row.verdicts.all():
        verdict.content = {**mask.verdict(verdict.content), "players": NAMELESS}
        verdict.save(update_fields=["content"])


def _mask(submission: Submission, names: set[str]) -> Mask:
    """Return a mask of these names and of those in the record."""
    return Mask(dict.fromkeys({*names, *((submission.transcript or {}).get("players") or ())}, mentions.ERASED))


def _forget_friendlies(players: list[Player]) -> None:
    """Withdraw the open challenges of these players, and delete whom they blocked and who blocked them."""
    concerned = Q(challenger__in=players) | Q(opponent__in=players)
    Challenge.objects.filter(concerned, state=Challenge.State.OPEN).update(state=Challenge.State.WITHDRAWN)
    FriendlyBlock.objects.filter(Q(player__in=players) | Q(blocked__in=players)).delete()


def _forget_chat(players: list[Player], user: User | None) -> None:
    """Delete what these players and this account wrote."""
    written = Q(match__player_0__in=players, side=0) | Q(match__player_1__in=players, side=1)
    if user is not None:
        written |= Q(user=user)
    ChatMessage.objects.filter(written).delete()


class StoredByMatches(StoredElsewhere):
    """Matches, and what was written and analysed of them."""

    def forget(self, players: list[Player], user: User | None) -> None:
        forget(players, user)
        forget_decisions(players)

    def clubs_of(self, players: Collection[Player]) -> Iterable[int | None]:
        return Match.objects.filter(Q(player_0__in=players) | Q(player_1__in=players)).values_list("club", flat=True)


def connect() -> None:
    """Register what matches store about a person, and where people write freely."""
    register(StoredByMatches())
    mentions.register(Action, "data", club="live__match__club", only=RULINGS_WITH_REASON)
    mentions.register(Claim, "note", "answer_note", club="match__club")
    mentions.register(Objection, "reason", "answer", club="match__club")
    mentions.register(Proposal, "note", club="match__club")
    mentions.register(Result, "reason", club="match__club")
    mentions.register(ChatMessage, "text", club="match__club", match="match")
    mentions.register(ChatReport, "reason", club="message__match__club")
