"""A web process: its garbage collector and its pulse."""

import asyncio
import gc

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from core.live import presence
from matches.play import absences

THRESHOLDS = (5_000, 20, 20)
"""Python's own would run a full collection every four seconds while 200 matches are played, since the objects of a
request are often still in use when the youngest are collected."""


def collect_rarely() -> None:
    """Exclude what is loaded by now from garbage collection for good, and collect less often.

    A full one stops the process for some 200 ms with all modules loaded, and for as long with 400 streams open.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


# The pulse of a web process: begun by its first request, which waits until an outage before it was credited.


log = structlog.get_logger(__name__)


class WebPulse:
    """Notes every few seconds that this process is alive."""

    def __init__(self) -> None:
        self._beating: asyncio.Task[None] | None = None
        self._first = asyncio.Event()

    def begin(self) -> None:
        """Begin to beat, without waiting for the first time."""
        if settings.WEB_PULSE and self._beating is None:
            presence.note_start(now=timezone.now().timestamp())
            self._beating = asyncio.create_task(self._beat())

    async def begun(self) -> None:
        """Return once the first beat is noted."""
        self.begin()
        if self._beating is not None:
            await self._first.wait()

    async def _beat(self) -> None:
        while True:
            await asyncio.to_thread(_beat_once)
            self._first.set()
            await asyncio.sleep(absences.PERIOD)


def _beat_once() -> None:
    try:
        absences.beat(now=timezone.now())
    except DatabaseError as error:
        log.warning("pulse_not_noted", error=str(error))
    finally:
        connection.close()
