"""Match numbers: unique in the event and never given twice, whatever is taken back (docs/locking.md).

`Tournament.last_number` is the highest number given so far. Its row is the lock of the numbering and comes before the
divisions' locks; whoever holds a division already may take it only if it is free, without waiting.
"""

from core.locks import for_update, lock_row
from tournaments.models import Tournament


def lock_event(tournament_id: int) -> Tournament:
    """The event, locked until the transaction ends; to be called before any of its divisions is locked."""
    return lock_row(Tournament, tournament_id)


def lock_event_if_free(tournament_id: int) -> Tournament | None:
    """The same for whoever holds a division: None where another transaction holds the event, so none waits in a ring.

    A transaction that has locked the event itself is given it again.
    """
    return for_update(Tournament.objects.filter(pk=tournament_id), skip_locked=True).first()


def take_numbers(event: Tournament, count: int) -> int:
    """Gives out `count` match numbers of a locked event; returns the first of them."""
    # Read again: the instance may have been loaded before other numbers were given in this transaction.
    event.refresh_from_db(fields=["last_number"])
    first = event.last_number + 1
    event.last_number += count
    event.save(update_fields=["last_number"])
    return first
