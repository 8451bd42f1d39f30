"""E-mails about people."""

from django.utils.translation import gettext as _

from core.mail import send_mail
from players.models import Invitation


def send_invitation(invitation: Invitation, url: str) -> None:
    """Send the link of an invitation to the e-mail address it is for."""
    send_mail(
        to=invitation.email,
        subject=_("%(club)s invites you to Barpoint") % {"club": invitation.club.name},
        template="players/people/mail/invitation.txt",
        context={"invitation": invitation, "url": url},
    )
