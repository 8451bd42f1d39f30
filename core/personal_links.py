"""Forms behind personal links, which act without an account."""

from collections.abc import Callable

from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt

View = Callable[..., HttpResponse]


def by_personal_link(view: View) -> View:
    """Let a form be sent without a CSRF token: no other site knows the link, and no cookie counts.

    Pages of personal links send no referrer, so browsers do not say which site their forms come from.
    """
    return csrf_exempt(view)
