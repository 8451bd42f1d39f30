"""Tasks of the operator."""

from datetime import timedelta

import structlog
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from config.backup import back_up_if_due

log = structlog.get_logger(__name__)


@shared_task(name="config.sweep_backups", ignore_result=True)
def sweep_backups() -> None:
    """Write a backup if one is due; none without settings.BACKUP_DIR."""
    if settings.BACKUP_DIR is None:
        return
    every = timedelta(hours=settings.BACKUP_EVERY_HOURS)
    now = timezone.now()
    path = back_up_if_due(settings.BACKUP_DIR, every=every, keep=settings.BACKUPS_KEPT, now=now)
    if path is not None:
        seconds = (timezone.now() - now).total_seconds()
        log.info("backup_written", path=str(path), bytes=path.stat().st_size, seconds=round(seconds, 1))
