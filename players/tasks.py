"""Celery tasks; each calls a service."""

from celery import shared_task
from django.utils import timezone

from core.faults import each
from players import mail
from players.clubs.owners import tell_staff
from players.notifications import deliveries, emails, expiring_tokens, push
from players.notifications.services import SEND_EMAILS, SEND_PUSH
from players.privacy import retention
from players.privacy import services as privacy


@shared_task(name=SEND_EMAILS)
def send_notification_emails(user_id: int) -> None:
    emails.send_emails(user=user_id, now=timezone.now())


@shared_task(name=SEND_PUSH)
def send_push(delivery_id: int) -> None:
    """Send one notification to one browser, if it is due."""
    push.send_push(delivery=delivery_id, now=timezone.now())


@shared_task(name="players.sweep_deliveries")
def sweep_deliveries() -> None:
    """Publish the tasks of due deliveries, also of those that a lost message or a crashed worker left behind."""
    deliveries.send_again(now=timezone.now())


@shared_task(name=privacy.MAKE_EXPORT)
def make_data_export(export_id: int) -> None:
    """Make a copy of a person's data, if it still has to be made."""
    privacy.make_export(export_id=export_id, now=timezone.now())


@shared_task(name="players.sweep_data_exports")
def sweep_data_exports() -> None:
    """Publish the task again for copies that a lost message or a crashed worker left behind."""
    privacy.send_again(now=timezone.now())


@shared_task(name="players.delete_expired")
def delete_expired() -> None:
    """Delete what is older than the site keeps it; tell of tokens that expire soon, and of clubs without an owner."""
    sweeps = (retention.delete_expired, expiring_tokens.tell_owners, tell_staff)
    each("daily", sweeps, lambda sweep: sweep(now=timezone.now()))


@shared_task(name=mail.SEND)
def send_account_email(email_id: int) -> None:
    mail.send(email_id=email_id, now=timezone.now())


@shared_task(name="players.sweep_account_emails")
def sweep_account_emails() -> None:
    """Publish the tasks of e-mails that no worker has sent."""
    mail.send_again(now=timezone.now())
