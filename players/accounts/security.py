"""What the owner of an account is told when somebody changes how to get into it.

They are told on the site and by e-mail, whatever they have chosen, at the address that was confirmed before the change.
"""

from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from core.times import reader_time
from players.mail import request_alert
from players.models import User
from players.notifications.kinds import NotificationKind, written_for
from players.notifications.services import notify


class SecurityEvent(NamedTuple):
    """A change that the owner of an account is told of."""

    sentence: str
    page: str
    """The name of the page on which the owner sees it."""


EVENTS = {
    "address_asked": SecurityEvent(
        gettext_noop(
            "Another email address was entered for your Barpoint account. It takes effect once it is confirmed."
        ),
        "preferences",
    ),
    "address_changed": SecurityEvent(
        gettext_noop("Your Barpoint account has another email address now."), "preferences"
    ),
    "password_changed": SecurityEvent(
        gettext_noop("The password of your Barpoint account was changed."), "preferences"
    ),
    "second_factor_on": SecurityEvent(
        gettext_noop("A second factor was set up for your Barpoint account."), "second-factor"
    ),
    "second_factor_off": SecurityEvent(
        gettext_noop("The second factor of your Barpoint account was turned off."), "second-factor"
    ),
    "codes_renewed": SecurityEvent(
        gettext_noop("The recovery codes of your Barpoint account were replaced."), "second-factor"
    ),
    "token_made": SecurityEvent(gettext_noop("An API token of your Barpoint account was created."), "make-token"),
    "signed_out": SecurityEvent(
        gettext_noop("Your other devices were signed out of your Barpoint account."), "sessions"
    ),
}
SECURITY = NotificationKind(
    code="security",
    label=gettext_noop("Something changed how to get into your account"),
    sentences={code: event.sentence for code, event in EVENTS.items()},
    details=dict.fromkeys(EVENTS, gettext_noop("If it was not you, choose a new password.")),
    # Its e-mail is one of its own: it goes to the address that the account had, and nobody can turn it off.
    default=frozenset({"site", "push"}),
    is_chosen=False,
    is_urgent=True,
)


def tell_owner(*, user: User, event: str, now: datetime, email: str = "") -> None:
    """Tell the owner of an account of one of the EVENTS, in the transaction that makes the change.

    `email` is the address that was confirmed before, if it is no longer that of the account. An address that was never
    confirmed may be somebody else's, and is sent nothing.
    """
    security_event = EVENTS[event]
    notify(
        users=[user.pk],
        kind=SECURITY.code,
        params={"variant": event},
        url=reverse(security_event.page),
        key=f"security:{event}:{now.isoformat()}",
        now=now,
    )
    to = email or (user.email if user.email_verified_at is not None else "")
    if not to:
        return
    with written_for(user):
        sentence = gettext(security_event.sentence)
        context = {
            "user": user,
            "sentence": sentence,
            "at": reader_time(now),
            # Whoever no longer has the address of the account is sent no link to choose a new password.
            "url": "" if email else settings.SITE_URL + reverse("password-forgotten"),
            "contact": settings.SECURITY_CONTACT.removeprefix("mailto:"),
        }
        text = render_to_string("players/accounts/mail/security.txt", context)
        request_alert(user=user, to=to, subject=sentence.split(". ")[0].rstrip("."), text=text, now=now)
