"""The cash box of an event: what should be in it, the list of payments, and whether it is closed."""

from tournaments.ledger.fees import Box, Movement, count_box
from tournaments.models import CashCount, CashDesk, Payment, Tournament


def payments_of(tournament: Tournament) -> list[Payment]:
    """Return all payments of an event, the newest first, with their players and with what took them back."""
    rows = Payment.objects.filter(tournament=tournament)
    related = rows.select_related("entry__player", "entry__division", "pool", "by", "undone_by", "undoes")
    return list(related.order_by("-at", "-pk"))


def box_of(tournament: Tournament) -> Box:
    """Return what should be in the box now."""
    rows = Payment.objects.filter(tournament=tournament).select_related("undone_by")
    movements = [
        Movement(row.kind, row.method, row.amount, undone=row.undoes_id is not None or hasattr(row, "undone_by"))
        for row in rows
    ]
    return count_box(movements, Payment.Kind.values)


def standing_count(tournament: Tournament) -> CashCount | None:
    """Return the count that closed the cash desk, unless it was reopened since."""
    last = CashCount.objects.filter(tournament=tournament).select_related("reopened", "by").order_by("-pk").first()
    return None if last is None or hasattr(last, "reopened") else last


def draw_needs_payment(tournament: Tournament) -> bool:
    """Return whether a draw is published only once everybody in it has paid."""
    return CashDesk.objects.filter(tournament=tournament, draw_needs_payment=True).exists()
