"""Instants as the clock counts them: whole milliseconds since the epoch."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def to_ms(moment: datetime) -> int:
    """A moment in whole milliseconds since the epoch, rounded down."""
    return (moment - EPOCH) // MILLISECOND


def from_ms(moment: int) -> datetime:
    """The moment that is so many milliseconds after the epoch."""
    return EPOCH + moment * MILLISECOND
