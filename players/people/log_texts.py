"""Removing what people wrote from the log, but not its entries."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from players.models import LogEntry

WRITTEN = ("reason", "note", "line", "message", "name", "alias", "changed", "text", "answer")
"""Parameters that hold what somebody wrote."""
BATCH = 500


def erase_log_texts(topics: QuerySet[Any] | Iterable[str]) -> None:
    """Remove what people wrote from the log entries of these topics."""
    erase_texts_of(LogEntry.objects.filter(topic__in=topics))


def erase_texts_of(entries: QuerySet[LogEntry]) -> None:
    """Remove what people wrote from these log entries."""
    written = Q()
    for name in WRITTEN:
        written |= Q(**{f"params__{name}__isnull": False})
    changed = []
    for entry in entries.filter(written).only("params").iterator(chunk_size=BATCH):
        entry.params = {name: value for name, value in entry.params.items() if name not in WRITTEN}
        changed.append(entry)
    LogEntry.objects.bulk_update(changed, ["params"], batch_size=BATCH)
