"""E-mails about accounts and invitations: stored with the change they follow from, and sent by a worker."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core import signing
from django.core.cache import cache
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext, override

from core import throttle
from core.languages import first_offered
from core.locks import for_update
from core.mail import blame_server, has_no_mailbox, send_mail, send_text
from core.queue import claim_lasts, hint
from engine.errors import Refused
from players.models import AccountEmail, Delivery, User

logger = structlog.get_logger(__name__)

SEND = "players.send_account_email"
SALT = "players.accounts.emails"
VERIFICATION_LASTS = timedelta(days=3)
KEPT_FOR = timedelta(hours=4)
"""An e-mail that could not be sent for so long is given up; whoever still wants it asks again."""
ALERTS_KEPT_FOR = timedelta(days=1)
"""Nobody asks again for what they have not heard of."""
SWEEP_AT_ONCE = 200
Kind = AccountEmail.Kind


def request_reset(*, email: str, now: datetime) -> AccountEmail:
    """Have the link to choose a new password sent to an address, whether there is an account with it or not."""
    return _store(AccountEmail(kind=Kind.RESET, email=email, created_at=now))


def request_verification(*, user: User, now: datetime) -> AccountEmail:
    """Have the link that confirms a new address sent to it. Refused: `too_many_emails`, with the minutes to wait.

    Anybody may type anybody's address, so it gets the first link at once and only a few in an hour, whoever asks.
    """
    for limit, ident in ((throttle.LINKS_BY, str(user.pk)), (throttle.LINKS_TO, user.new_email.strip())):
        try:
            throttle.count(limit, ident)
        except Refused as refused:
            raise Refused("too_many_emails", **refused.params) from None
    return _store(AccountEmail(kind=Kind.VERIFY, email=user.new_email, user=user, created_at=now))


def language_of(address: str, *codes: str) -> str:
    """Return the language of whoever has confirmed this address, or else the first of these that the site offers."""
    owner = User.objects.filter(email__iexact=address, email_verified_at__isnull=False).first()
    return first_offered(owner.language if owner is not None else "", *codes)


def request_invitation(*, to: str, subject: str, template: str, context: Mapping[str, Any], now: datetime) -> None:
    """Have an invitation sent, in the active language, which is `language_of` the address."""
    text = render_to_string(template, dict(context))
    subject = " ".join(subject.split())[: AccountEmail.MAX_SUBJECT_LENGTH]
    _store(AccountEmail(kind=Kind.INVITE, email=to, subject=subject, text=text, created_at=now))


def request_alert(*, user: User, to: str, subject: str, text: str, now: datetime) -> None:
    """Have the owner of an account told at this address what was changed; both texts are in their language."""
    _store(AccountEmail(kind=Kind.ALERT, email=to, user=user, subject=subject, text=text, created_at=now))


@transaction.atomic
def _store(row: AccountEmail) -> AccountEmail:
    row.save(force_insert=True)
    transaction.on_commit(lambda: hint(SEND, row.pk), robust=True)
    return row


def verification_secret(user: User, email: str) -> str:
    """Return the secret in the link that confirms this address for this user."""
    return signing.dumps([user.pk, email], salt=SALT)


def read_verification(secret: str) -> tuple[int, str] | None:
    """Return the id of the user and the address of a link; None if it is forged or has expired."""
    try:
        user_id, email = signing.loads(secret, salt=SALT, max_age=VERIFICATION_LASTS)
    except signing.BadSignature:
        return None
    return int(user_id), str(email)


def send(*, email_id: int, now: datetime) -> bool:
    """Send a stored e-mail, if no other worker does; return whether it was sent or is not needed."""
    row = _claim(email_id, now)
    if row is None:
        return False
    try:
        _send(row)
    except OSError as error:
        logger.warning("account_email_failed", kind=row.kind, error=type(error).__name__)
        if has_no_mailbox(error) and note_no_mailbox(address=row.email, now=now):
            row.delete()
            return False
        AccountEmail.objects.filter(pk=row.pk).update(claimed_at=now)
        return False
    row.delete()
    return True


@transaction.atomic
def _claim(email_id: int, now: datetime) -> AccountEmail | None:
    unclaimed = Q(claimed_at=None) | Q(claimed_at__lte=now - claim_lasts())
    row = for_update(AccountEmail.objects.filter(unclaimed, pk=email_id), skip_locked=True).first()
    if row is not None:
        row.claimed_at = now
        row.save(update_fields=["claimed_at"])
    return row


def send_again(*, now: datetime) -> int:
    """Give up e-mails that are too old, publish the tasks of the others again, and return how many."""
    for is_alert, kept_for in ((False, KEPT_FOR), (True, ALERTS_KEPT_FOR)):
        old = AccountEmail.objects.filter(created_at__lte=now - kept_for)
        (old.filter(kind=Kind.ALERT) if is_alert else old.exclude(kind=Kind.ALERT)).delete()
    unclaimed = Q(claimed_at=None) | Q(claimed_at__lte=now - claim_lasts())
    due = list(AccountEmail.objects.filter(unclaimed).order_by("pk").values_list("pk", flat=True)[:SWEEP_AT_ONCE])
    for pk in due:
        hint(SEND, pk)
    return len(due)


def _send(row: AccountEmail) -> None:
    if row.kind == Kind.VERIFY:
        _send_verification(row)
    elif row.kind == Kind.RESET:
        _send_reset(row)
    else:
        send_text(to=row.email, subject=row.subject, text=row.text)


def _send_verification(row: AccountEmail) -> None:
    """Send the link, or a hint to the owner of a verified account that somebody signed up with their address."""
    user = row.user
    if user is None or user.new_email != row.email:
        return
    owner = User.objects.filter(email__iexact=row.email, email_verified_at__isnull=False).exclude(pk=user.pk).first()
    with override(first_offered((owner or user).language)):
        path = reverse("sign-in") if owner else reverse("confirm-email", args=[verification_secret(user, row.email)])
        send_mail(
            to=row.email,
            subject=gettext("Someone signed up for Barpoint with this address")
            if owner
            else gettext("Confirm your email address"),
            template=f"players/accounts/mail/{'known' if owner else 'verify'}.txt",
            context={"user": owner or user, "url": settings.SITE_URL + path},
        )


def _send_reset(row: AccountEmail) -> None:
    """Send the link, if there is an account. It reaches the owner of the address, so that it verifies the address."""
    user = User.objects.filter(email__iexact=row.email, is_active=True).first()
    if user is None or not user.has_usable_password():
        return
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    path = reverse("password-choose", args=[uid, default_token_generator.make_token(user)])
    with override(first_offered(user.language)):
        send_mail(
            to=user.email,
            subject=gettext("Reset your Barpoint password"),
            template="players/accounts/mail/password.txt",
            context={"user": user, "url": settings.SITE_URL + path},
        )


# Addresses that have no mailbox any more, as mail servers say.


NO_MAILBOX = "no such mailbox"
"""Begins the reason of deliveries that were given up for it."""
SUSPICIOUS = 3
"""So many addresses of an hour, and more than it takes, a mail server turns away until that is its own fault."""
AT_FAULT = "mail-server-at-fault"


@transaction.atomic
def note_no_mailbox(*, address: str, now: datetime) -> bool:
    """Note that a mail server knows no mailbox of this address; return False if the fault is the server's.

    After two such answers on different days nothing more is sent there. The address stays confirmed, since that says
    whose it is. A server that says so of most addresses of an hour is left alone, and none of them is noted.
    """
    if cache.get(AT_FAULT) or _is_most(address, now):
        blame_server()
        return False
    rows = User.objects.filter(email__iexact=address, email_verified_at__isnull=False)
    for user in for_update(rows):
        if user.email_bounced_at is None:
            user.email_bounced_at = now
        elif user.email_bounced_at.date() != now.date():
            user.email_stopped_at = user.email_stopped_at or now
        user.save(update_fields=["email_bounced_at", "email_stopped_at"])
    return True


def _is_most(address: str, now: datetime) -> bool:
    """Whether most addresses of the last hour were turned away; then forget that for an hour, and try them again."""
    since = now - timedelta(seconds=throttle.HOUR)
    bounced = User.objects.filter(Q(email_bounced_at__gt=since) | Q(email_stopped_at__gt=since))
    emails = Delivery.objects.filter(channel=Delivery.Channel.EMAIL)
    count = bounced.exclude(email__iexact=address).count() + 1
    if count < SUSPICIOUS or count <= emails.filter(sent_at__gt=since).values("notification__user").distinct().count():
        return False
    logger.error("mail_server_knows_no_mailbox", addresses=count)
    cache.set(AT_FAULT, True, throttle.HOUR)
    given_up = emails.filter(notification__user__in=bounced, given_up_at__gt=since, reason__startswith=NO_MAILBOX)
    given_up.update(state=Delivery.State.WAITING, given_up_at=None, next_at=now)
    User.objects.filter(email_bounced_at__gt=since).update(email_bounced_at=None)
    User.objects.filter(email_stopped_at__gt=since).update(email_stopped_at=None)
    return True
