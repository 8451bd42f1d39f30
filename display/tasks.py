"""Celery tasks; the work itself is in the services."""

from celery import shared_task
from django.utils import timezone

from display.sharing import services as sharing


@shared_task(name=sharing.DRAW)
def draw_share_picture(picture_id: int) -> None:
    """Draw the picture of a shared page, if it is still wanted."""
    sharing.draw_picture(picture_id=picture_id, now=timezone.now())


@shared_task(name=sharing.PREPARE)
def prepare_share_picture(kind: str, key: str) -> None:
    """Have the picture of a page that a visitor reads drawn before it is requested."""
    sharing.prepare_picture(kind=kind, key=key, now=timezone.now())


@shared_task(name="tournaments.sweep_share_pictures")
def sweep_share_pictures() -> None:
    """Send the task again for pictures that a lost message or a crashed worker left behind."""
    sharing.send_again(now=timezone.now())
