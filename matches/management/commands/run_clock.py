"""`./manage.py run_clock`: the process that lets flags fall and pauses end in matches played here."""

import signal
from contextlib import suppress
from threading import Event
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from core.faults import ItemsFailed
from core.queue import require_broker
from matches.play import clock_worker


class Command(BaseCommand):
    help = "Let flags fall and pauses end in matches played here, until stopped. Several may run at once."

    def handle(self, *args: Any, **options: Any) -> None:
        """Work every half second until SIGINT or SIGTERM."""
        require_broker()
        stopped = Event()

        def stop(_number: int, _frame: FrameType | None) -> None:
            stopped.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        while not stopped.wait(clock_worker.INTERVAL):
            # Each failure was logged and listed; the other matches go on.
            with suppress(ItemsFailed):
                clock_worker.work(now=timezone.now())
