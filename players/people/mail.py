"""The letters this room sends."""

from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from players.models import Invitation


def send_invitation(invitation: Invitation, url: str) -> None:
    """The link of an invitation to the address it names."""
    # A name may hold no line break (clean_name), so a subject made of it is one line.
    subject = _("%(club)s invites you to Barpoint") % {"club": invitation.club.name}
    body = render_to_string("players/people/mail/invitation.txt", {"invitation": invitation, "url": url})
    EmailMessage(subject, body, to=[invitation.email]).send()
