"""What the owner of an account is told when somebody changes how to get into it.

They are told on the site and by e-mail, whatever they have chosen, at the address that was confirmed before the change.
"""

from datetime import datetime

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from core.times import reader_time
from players.mail import request_alert
from players.models import User
from players.notifications.kinds import NotificationGroup, NotificationKind, written_for
from players.notifications.services import notify

EVENTS = {
    "address_asked": gettext_noop(
        "Another email address was entered for your Barpoint account. It takes effect once it is confirmed."
    ),
    "address_changed": gettext_noop("The email address of your Barpoint account was changed."),
    "password_changed": gettext_noop("The password of your Barpoint account was changed."),
    "second_factor_on": gettext_noop("A second factor was set up for your Barpoint account."),
    "second_factor_off": gettext_noop("The second factor of your Barpoint account was turned off."),
    "codes_renewed": gettext_noop("The recovery codes of your Barpoint account were replaced."),
    "token_made": gettext_noop("An API token of your Barpoint account was created."),
    "signed_out": gettext_noop("Your other devices were signed out of your Barpoint account."),
}
"""The changes that the owner of an account is told of, and what they are told."""
SECURITY = NotificationKind(
    code="security",
    label=gettext_noop("A change to how you sign in to your account"),
    group=NotificationGroup.SECURITY,
    sentences=EVENTS,
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
    key, url = f"security:{event}:{now.isoformat()}", reverse("preferences")
    notify(users=[user.pk], kind=SECURITY.code, params={"variant": event}, url=url, key=key, now=now)
    to = email or (user.email if user.email_verified_at is not None else "")
    if not to:
        return
    with written_for(user):
        sentence = gettext(EVENTS[event])
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
