"""The codes with which the cash desk and the prizes refuse."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES: dict[str, str] = {
    "cash_closed": gettext_noop("The cash desk is closed. Reopen it to record payments."),
    "cash_not_closed": gettext_noop("The cash desk is open."),
    "owes_less": gettext_noop("{name} owes {amount} now. Perhaps somebody else has just taken the payment."),
    "refund_too_large": gettext_noop("{name} has paid {amount}. No more than that can be refunded."),
    "note_needed": gettext_noop("Say what the money was spent on."),
    "payment_undone": gettext_noop("This payment has already been taken back."),
    "payment_is_undo": gettext_noop("This line takes a payment back. Record the payment again instead."),
    "amount_needed": gettext_noop("Enter an amount other than 0."),
    "box_changed": gettext_noop("There should be {amount} in the box now. Check the payments and close again."),
    "difference_needs_note": gettext_noop("Say what happened: the box differs by {amount}."),
    "pool_joined": gettext_noop("{name} is already in this side pool."),
    "pool_not_joined": gettext_noop("{name} is not in this side pool."),
    "pool_other_division": gettext_noop("This side pool belongs to another division."),
    "bad_shares": gettext_noop("The shares must make 100 %, with a first prize in the first bracket."),
    "registration_too_large": gettext_noop("The registration share is larger than the entry fee."),
    "prizes_not_published": gettext_noop("Publish the prizes before you pay them out."),
    "nothing_due": gettext_noop("Nothing is due to {name} any more. Perhaps somebody else has just paid it."),
    "due_changed": gettext_noop("{amount} is due to {name} now. Check it and pay again."),
    "split_holders": gettext_noop("A split is between at least two players who hold prizes of the same bracket."),
    "split_sum": gettext_noop("The amounts must make {amount} together."),
    "split_taken_back": gettext_noop("This split has already been taken back."),
    "unpaid_entries": gettext_noop("Not everybody has paid: {names}. The draw waits until they have."),
    "currency_in_use": gettext_noop("The currency can no longer be changed, because payments were recorded in it."),
}
"""Code -> English template with `{parameter}` places."""

STATUS = dict.fromkeys(
    (
        "cash_closed",
        "cash_not_closed",
        "owes_less",
        "payment_undone",
        "payment_is_undo",
        "box_changed",
        "pool_joined",
        "pool_not_joined",
        "prizes_not_published",
        "nothing_due",
        "due_changed",
        "split_taken_back",
        "unpaid_entries",
        "currency_in_use",
    ),
    HTTPStatus.CONFLICT,
)
"""The HTTP status of a code, where it is not 422."""
