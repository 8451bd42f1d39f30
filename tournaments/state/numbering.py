"""Match numbers: unique in the event and never reused, even if a draw is taken back (docs/locking.md).

`Tournament.last_number` is the highest number used so far. The row of the event is the lock for numbering. It is taken
before the locks of divisions; a transaction that already holds a division may only take it without waiting.
"""

from core.locks import for_update, lock_row
from tournaments.models import Tournament


def lock_event(tournament_id: int) -> Tournament:
    """Return the event, locked until the transaction ends. Call this before locking any of its divisions."""
    return lock_row(Tournament, tournament_id)


def lock_event_if_free(tournament_id: int) -> Tournament | None:
    """Lock the event without waiting, while holding a division; return None if another transaction holds it.

    Not waiting prevents a deadlock. A transaction that has already locked the event gets it again.
    """
    return for_update(Tournament.objects.filter(pk=tournament_id), skip_locked=True).first()


def take_numbers(event: Tournament, count: int) -> int:
    """Reserve `count` match numbers of a locked event and return the first one."""
    # Read again: the instance may have been loaded before other numbers were taken in this transaction.
    event.refresh_from_db(fields=["last_number"])
    first = event.last_number + 1
    event.last_number += count
    event.save(update_fields=["last_number"])
    return first
