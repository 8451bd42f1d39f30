"""Celery tasks; the work itself is in the services."""

from celery import shared_task
from django.utils import timezone

from seasons import finals


@shared_task(name="tournaments.sweep_finals")
def sweep_finals() -> None:
    """Offer the places of finals that nobody has answered about in time to the next ranks."""
    finals.offer_expired(timezone.now())
