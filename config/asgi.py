"""The ASGI application: `/live/` through Django's ASGI handler, everything else through WSGI on a few threads.

Plain Django views are two to ten times as fast through WSGI on a thread as through Django's own ASGI handler, and a few
hundred open streams do not slow them down. Requests are read to their end before that (`config.wsgi_threads`), and
public pages come from a cache (`config.page_cache`).
"""

import os
import re

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import get_resolver

from core.queue import require_broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

require_broker()
django_asgi = get_asgi_application()

# The rest reads settings and models while it is imported, so Django has to be set up first.

from config.database import wait_as_web_process  # noqa: E402
from config.disconnects import Receive, Scope, Send  # noqa: E402
from config.limits import PageLimit, StreamLimit  # noqa: E402
from config.monitoring import health  # noqa: E402
from config.page_cache import PageCache  # noqa: E402
from config.web_process import WebPulse, collect_rarely  # noqa: E402
from config.wsgi import application as wsgi  # noqa: E402
from config.wsgi_threads import CompleteRequests, WSGIThreads  # noqa: E402
from core.live.stream import ReportDisconnects  # noqa: E402

LIVE_PREFIX = "/live/"
HEALTH_CHECKS = frozenset({"/healthz", "/readyz", "/metrics"})
PLAY_PATH = re.compile(r"/api/v1/matches/[^/]+/live/")
WSGI_THREADS = 8
PLAY_THREADS = 2
"""Threads of their own for matches that are played here, so that no slow page delays them. As they never wait long,
more threads would only interrupt each other."""

# With so many requests in progress another one is refused: a read sooner than a write, which somebody waits for. All
# players of an event may act at once, and their requests are short.
wsgi_pages = PageLimit(WSGIThreads(wsgi, threads=WSGI_THREADS), reads=64, writes=192)
play = PageLimit(WSGIThreads(wsgi, threads=PLAY_THREADS), reads=192, writes=256)
# Threads of their own, so that they answer while all others are busy; one may wait for the database's lock.
health_checks = WSGIThreads(wsgi, threads=2)


async def render(scope: Scope, receive: Receive, send: Send) -> None:
    """Run a view on the threads for its path."""
    threads = play if PLAY_PATH.match(scope["path"]) else wsgi_pages
    await threads(scope, receive, send)


if settings.GC_FREEZE:
    get_resolver().url_patterns  # noqa: B018, imports all views
    collect_rarely()

pages = PageCache(render)
live = StreamLimit(ReportDisconnects(django_asgi))
pulse = WebPulse()


async def handle(scope: Scope, receive: Receive, send: Send) -> None:
    """Pass a connection to the handler for its path."""
    if scope["type"] == "http" and scope["path"] in HEALTH_CHECKS:
        # The supervisor's check after a start begins the pulse.
        pulse.begin()
        await health_checks(scope, receive, send)
        return
    if scope["type"] == "http":
        await pulse.begun()
    if scope["type"] == "http" and not scope["path"].startswith(LIVE_PREFIX):
        await pages(scope, receive, send)
    else:
        await live(scope, receive, send)


wait_as_web_process()
health.listen()
application = CompleteRequests(handle)
