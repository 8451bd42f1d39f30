"""Row locks, which last until the transaction ends. Their order is in docs/locking.md."""

from typing import TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def for_update(rows: QuerySet[Row], *, skip_locked: bool = False) -> QuerySet[Row]:
    """Lock the rows of a query, but let rows that refer to them be inserted.

    With `skip_locked`, rows that another transaction has locked are left out instead of waited for.
    """
    return rows.select_for_update(no_key=True, of=("self",), skip_locked=skip_locked)


def lock_row(model: type[Row], pk: int) -> Row:
    """Lock one row and return it as it is now. Raises the model's DoesNotExist if it is gone."""
    # Every model has this manager, whatever it calls its own.
    return for_update(model._default_manager.all()).get(pk=pk)  # noqa: SLF001
