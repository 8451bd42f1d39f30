"""Storing a record, and adjudicating it exactly once."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import structlog
from django.db import transaction
from django.db.models import Q

from core import limited
from core.locks import for_update
from core.messages import sentence
from core.queue import claim_lasts, hint, resend_after
from engine.errors import Refused
from engine.version import VERSION
from matches.models import MAX_BYTES, MAX_FILE_NAME_LENGTH, MAX_MEBIBYTES, Match, Submission, Verdict
from matches.records.repeats import note_plays
from matches.records.verdicts import Json, checked_record, rejected
from players.models import User


def with_messages(findings: list[Mapping[str, Any]]) -> list[Json]:
    """Add messages in the active language to the findings."""
    return [{**finding, "message": sentence(finding["code"], finding["params"])} for finding in findings]


# Storing a record and adjudicating it exactly once, even if processes crash.
#
# The row is the unit of work; a message to a worker is only a hint. A worker claims the row, adjudicates outside any
# transaction, then locks the row again and writes the verdict unless another worker has written it.


log = structlog.get_logger(__name__)

ADJUDICATE = "matches.adjudicate"
"""Name of the Celery task that `hint` publishes."""
MAX_ATTEMPTS = 3
"""Attempts to check a record before it is marked as failed."""
SWEEP_AT_ONCE = 100
GAVE_UP = "adjudication_gave_up"


class Submitted(NamedTuple):
    """A stored submission, and whether this request created it."""

    submission: Submission
    created: bool


class RecordFile(NamedTuple):
    data: bytes
    source: str
    """A `Submission.Source`."""
    name: str = ""


def submit(
    *,
    file: RecordFile,
    now: datetime,
    submitter: User | None = None,
    match: Match | None = None,
    side: int | None = None,
) -> Submitted:
    """Store a record and have it checked by a worker.

    With a `match`, which the caller has locked, it is a record of that match, sent by `side` (None: a director); the
    same bytes return the existing submission of the match.

    The same file with the same name from the same user returns the existing submission (all clients without an account
    count as one user): sending a file twice is harmless, and a client that gets an existing link has proven that it
    knows the content.
    Refused: `file_empty`, `record_too_large`.
    """
    _check_size(file.data)
    new = Submission(
        source=file.source,
        file_name=_base_name(file.name),
        data=file.data,
        size=len(file.data),
        sha256=hashlib.sha256(file.data).hexdigest(),
        submitter=submitter,
        match=match,
        side=side,
        standing=Submission.Standing.WAITING if match is not None else Submission.Standing.NONE,
        created_at=now,
        sent_at=now,
    )
    return _stored(new)


def _check_size(data: bytes) -> None:
    if not data.strip():
        raise Refused("file_empty")
    if len(data) > MAX_BYTES:
        raise Refused("record_too_large", limit=MAX_BYTES, mebibytes=MAX_MEBIBYTES)


def _stored(new: Submission) -> Submitted:
    """Save the row and publish its task, or return the existing submission."""
    if (existing := _existing(new)) is not None:
        return Submitted(existing, created=False)
    with transaction.atomic():
        new.save(force_insert=True)
        transaction.on_commit(lambda: hint(ADJUDICATE, new.pk), robust=True)
    return Submitted(new, created=True)


def _existing(new: Submission) -> Submission | None:
    if new.match is not None:
        return new.match.submissions.filter(sha256=new.sha256).first()
    return (
        Submission.objects.filter(submitter=new.submitter, match=None)
        .filter(sha256=new.sha256, file_name=new.file_name, source=new.source)
        .exclude(state=Submission.State.FAILED)
        # A record that an older engine has judged is judged again.
        .filter(~Q(state=Submission.State.DONE) | Q(verdicts__engine_version=VERSION))
        .first()
    )


def _base_name(name: str) -> str:
    """The file name without folders and control characters; of a very long name the end, with its extension."""
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(character for character in base if character.isprintable()).strip()[-MAX_FILE_NAME_LENGTH:]


def write_verdict(
    *, submission_id: int, now: datetime, then: Callable[[Verdict], object] | None = None
) -> Verdict | None:
    """Claim a record, adjudicate it and write the verdict; None if there was nothing left to do.

    `then` is called with the verdict in the same transaction: if it fails, the record is checked again.
    """
    submission = _claim(submission_id, now)
    if submission is None:
        return None
    checked = _checked(bytes(submission.data))
    with transaction.atomic():
        row = _lock(submission_id)
        if row is None or not row.is_open:
            # The claim has expired, and another worker has finished first.
            return None
        row.state = Submission.State.DONE
        row.format, row.dialect, row.transcript = checked["format"], checked["dialect"], checked["transcript"]
        row.save(update_fields=["state", "format", "dialect", "transcript"])
        if row.match_id is not None:
            note_plays(row.match_id, checked["fingerprints"], row)
        verdict, _ = Verdict.objects.get_or_create(
            submission=row,
            engine_version=VERSION,
            defaults={"outcome": checked["verdict"]["outcome"], "content": checked["verdict"]},
        )
        if then is not None:
            then(verdict)
    return verdict


def _checked(data: bytes) -> Json:
    """Return the verdict on a record and its transcript, as `checked_record` does."""
    try:
        return limited.read(checked_record, data)
    except Refused as refused:
        if refused.code != limited.TOO_HEAVY:
            raise
        return rejected(refused)


def _lock(submission_id: int) -> Submission | None:
    return for_update(Submission.objects.filter(pk=submission_id)).first()


def _claim(submission_id: int, now: datetime) -> Submission | None:
    """Claim the row, unless it is finished or claimed by another worker."""
    with transaction.atomic():
        row = _lock(submission_id)
        if row is None or not row.is_open:
            return None
        if row.claimed_at is not None and row.claimed_at > now - claim_lasts():
            return None
        if row.attempts >= MAX_ATTEMPTS:
            row.state, row.failure = Submission.State.FAILED, GAVE_UP
            row.save(update_fields=["state", "failure"])
            log.error("submission_gave_up", submission=row.public_id, attempts=row.attempts)
            return None
        row.state, row.claimed_at, row.attempts = Submission.State.WORKING, now, row.attempts + 1
        row.save(update_fields=["state", "claimed_at", "attempts"])
        return row


def send_again(*, now: datetime) -> int:
    """Publish the task again for rows that are unclaimed or whose claim has expired; return how many.

    Rows whose task was published recently are skipped, so that a long backlog does not multiply its messages.
    """
    resend_before = now - resend_after()
    due = Q(state=Submission.State.QUEUED) | Q(state=Submission.State.WORKING, claimed_at__lte=now - claim_lasts())
    ids = list(
        Submission.objects.filter(due, sent_at__lte=resend_before)
        .order_by("sent_at", "pk")
        .values_list("pk", flat=True)[:SWEEP_AT_ONCE]
    )
    Submission.objects.filter(pk__in=ids).update(sent_at=now)
    for submission_id in ids:
        hint(ADJUDICATE, submission_id)
    return len(ids)
