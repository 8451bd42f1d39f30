"""Helpers of one event: inviting them by e-mail, accepting the invitation, and removing them."""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import override

from core.locks import lock_row
from core.public_ids import hash_of
from engine.errors import Refused
from players.actors import Actor, log
from players.mail import language_of, request_invitation
from players.models import User
from tournaments.models import Helper, Tournament
from tournaments.state.locks import lock_event

INVITATION_LASTS = timedelta(days=14)
MAX_HELPERS = 50
"""Helpers and open invitations of an event together."""


class InvitedHelper(NamedTuple):
    """A new invitation and its link, which is known only now."""

    helper: Helper
    url: str


@transaction.atomic
def add_helper(
    *, tournament: Tournament, email: str, by: Actor, now: datetime, link: Callable[[str], str]
) -> InvitedHelper:
    """Invite whoever has this e-mail address to help at an event, and e-mail the link; an earlier one stops working.

    It makes no difference whether there is an account with this address. `link` returns the URL for a secret.
    Refused: `tournament_not_open` if the event is over, `too_many_helpers`.
    """
    event = lock_event(tournament.pk)
    if event.status in (Tournament.Status.FINISHED, Tournament.Status.CANCELLED):
        raise Refused("tournament_not_open")
    address = email.strip().casefold()
    active = Helper.objects.filter(tournament=event, removed_at=None)
    active.filter(email=address).update(removed_at=now, email="")
    if active.count() >= MAX_HELPERS:
        raise Refused("too_many_helpers", most=MAX_HELPERS)
    secret = secrets.token_urlsafe(24)
    helper = Helper.objects.create(
        tournament=event,
        email=address,
        secret_hash=hash_of(secret),
        added_at=now,
        added_by=by.user,
        expires_at=now + INVITATION_LASTS,
    )
    log(by, "helper_invited", event.topic, club=event.club, helper=helper.public_id)
    url = link(secret)
    with override(language_of(helper.email, event.effective_language)):
        request_invitation(
            to=helper.email,
            subject=_("Will you help at %(event)s?") % {"event": event.name},
            template="tournaments/events/mail/helper.txt",
            context={"helper": helper, "event": event, "club": event.club, "url": url},
            now=now,
        )
    return InvitedHelper(helper, url)


def must_be_open(helper: Helper, now: datetime) -> None:
    """Refused: `invitation_used`, `invitation_withdrawn`, `invitation_expired`."""
    club = helper.tournament.club.name
    if helper.removed_at is not None:
        raise Refused("invitation_withdrawn", club=club)
    if helper.accepted_at is not None:
        raise Refused("invitation_used")
    if helper.expires_at <= now:
        raise Refused("invitation_expired", club=club)


@transaction.atomic
def accept_helping(*, helper: Helper, user: User, by: Actor, now: datetime) -> Helper:
    """Make the account a helper of the event; harmless for an account that is a helper already.

    Refused: `invitation_used`, `invitation_withdrawn`, `invitation_expired`, `invitation_for_another`.
    """
    event = lock_event(helper.tournament_id)
    invitation = lock_row(Helper, helper.pk)
    already = Helper.objects.filter(tournament=event, user=user, removed_at=None).first()
    if already == invitation:
        return invitation
    must_be_open(invitation, now)
    if invitation.email != user.shown_email.casefold():
        raise Refused("invitation_for_another", club=event.club.name)
    invitation.email = ""
    if already is not None:
        invitation.removed_at = now
        invitation.save(update_fields=["email", "removed_at"])
        return already
    invitation.user, invitation.accepted_at = user, now
    invitation.save(update_fields=["email", "user", "accepted_at"])
    log(by, "helper_accepted", event.topic, club=event.club, helper=invitation.public_id)
    return invitation


@transaction.atomic
def remove_helper(*, helper: Helper, by: Actor, now: datetime) -> Helper:
    """Remove a helper, or withdraw an invitation; harmless the second time. What the helper recorded stays."""
    row = lock_row(Helper, helper.pk)
    if row.removed_at is None:
        row.email, row.removed_at = "", now
        row.save(update_fields=["email", "removed_at"])
        log(by, "helper_removed", row.tournament.topic, club=row.tournament.club, helper=row.public_id)
    return row


STATES = ("helps", "invited", "expired")


def helpers_of(tournament: Tournament) -> QuerySet[Helper]:
    """Return the helpers of an event and the invitations that are not withdrawn, oldest first."""
    return tournament.helpers.filter(removed_at=None).select_related("user", "added_by")


def state_of(helper: Helper, now: datetime) -> str:
    """Return where an invitation to help stands, as one of STATES."""
    if helper.accepted_at is not None:
        return "helps"
    return "invited" if now < helper.expires_at else "expired"
