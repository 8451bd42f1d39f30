"""The codes of the refusals of prizes, splits and the cash desk, with their English sentences and HTTP statuses."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES: dict[str, str] = {
    "pool_closed": gettext_noop("“{pool}” closed with the first result, so nobody can join it any more."),
    "pool_not_joined": gettext_noop("{name} is not in this side pool."),
    "pool_other_division": gettext_noop("This side pool belongs to another division."),
    "bad_shares": gettext_noop("The shares must make 100 %, with a first prize in the first bracket."),
    "registration_too_large": gettext_noop("The registration share is larger than the entry fee."),
    "prizes_not_published": gettext_noop("Publish the prizes before you pay them out."),
    "nothing_due": gettext_noop("Nothing is due to {name} any more. Perhaps somebody else has just paid it."),
    "due_changed": gettext_noop("{amount} is due to {name} now. Check it and pay again."),
    "split_holders": gettext_noop("A split is between at least two players who hold prizes of the same bracket."),
    "split_sum": gettext_noop("The amounts must make {amount} together."),
}

STATUS = {
    "pool_closed": HTTPStatus.CONFLICT,
    "pool_not_joined": HTTPStatus.CONFLICT,
    "prizes_not_published": HTTPStatus.CONFLICT,
    "nothing_due": HTTPStatus.CONFLICT,
    "due_changed": HTTPStatus.CONFLICT,
}
