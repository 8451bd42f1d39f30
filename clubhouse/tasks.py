"""Celery tasks; the work itself is in the services."""

from celery import shared_task
from django.utils import timezone

from clubhouse.letters import sending


@shared_task(name="clubhouse.sweep_letters")
def sweep_letters() -> None:
    """Plan the letters about the events that have become ready."""
    sending.sweep(now=timezone.now())


@shared_task(name="clubhouse.sweep_letter_corrections")
def sweep_letter_corrections() -> None:
    """Plan the corrections that are due this morning."""
    sending.sweep_corrections(now=timezone.now())
