"""E-mails about events."""

from django.utils.translation import gettext as _

from core.mail import send_mail
from tournaments.models import Helper


def send_helper_invitation(helper: Helper, url: str) -> None:
    """Send the link of an invitation to help at an event to the e-mail address it is for."""
    send_mail(
        to=helper.email,
        subject=_("Help at %(event)s") % {"event": helper.tournament.name},
        template="tournaments/events/mail/helper.txt",
        context={"helper": helper, "event": helper.tournament, "club": helper.tournament.club, "url": url},
    )
