"""How long the bytes of match records and chat messages are kept."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from matches.models import ChatMessage, Match, Submission
from matches.privacy.erasure import AT_ONCE, empty_record
from players.privacy.retention import in_batches, kept_since, register


def _records(now: datetime) -> int:
    """Empty the files of records whose match ended long ago, and of those that were sent for no match.

    Plays and verdicts stay, so the match can still be replayed; the names in a record without a match go as well.
    """
    return _of_matches(now) + _without_match(now)


def _of_matches(now: datetime) -> int:
    before = kept_since(settings.RECORDS_KEPT_DAYS, now)
    if before is None:
        return 0
    never_finished = Q(match__state=Match.State.VOID, match__finished_at=None, created_at__lt=before)
    rows = Submission.objects.filter(Q(match__finished_at__lt=before) | never_finished).exclude(data=b"", file_name="")
    return in_batches(rows, lambda batch: batch.update(data=b"", file_name=""))


def _without_match(now: datetime) -> int:
    before = kept_since(settings.CHECKED_RECORDS_KEPT_DAYS, now)
    if before is None:
        return 0
    done = Q(state__in=[Submission.State.DONE, Submission.State.FAILED])
    rows = Submission.objects.filter(done, match=None, created_at__lt=before).exclude(data=b"", file_name="")
    return in_batches(rows, _empty)


def _empty(rows: QuerySet[Any]) -> None:
    for row in rows.defer("data").prefetch_related("verdicts").iterator(chunk_size=AT_ONCE):
        empty_record(row, set())


def _chat(now: datetime) -> int:
    before = kept_since(settings.CHAT_KEPT_DAYS, now)
    if before is None:
        return 0
    never_finished = Q(match__state=Match.State.VOID, match__finished_at=None, at__lt=before)
    rows = ChatMessage.objects.filter(Q(match__finished_at__lt=before) | never_finished)
    return in_batches(rows, lambda batch: batch.delete())


def connect() -> None:
    """Register what this app deletes."""
    register("records", _records)
    register("chat", _chat)
