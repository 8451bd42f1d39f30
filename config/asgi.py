"""The ASGI application: `/live/` through Django's ASGI handler, everything else through WSGI on a few threads.

Plain Django views are two to ten times as fast through a2wsgi as through Django's own ASGI handler, and a few hundred
open streams do not slow them down.
"""

import os

from a2wsgi import WSGIMiddleware
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

live = get_asgi_application()

from config.arrival import stamped  # noqa: E402
from config.clients import CLIENT, Client, Receive, Scope, Send, StopOnDisconnect  # noqa: E402
from config.pulse import WebPulse  # noqa: E402
from config.wsgi import application as wsgi  # noqa: E402 (Django must be set up first)

LIVE_PREFIX = "/live/"
WSGI_THREADS = 8

# Django's response is an iterable of bytes, which its type does not say.
pages = WSGIMiddleware(StopOnDisconnect(wsgi), workers=WSGI_THREADS)  # type: ignore[arg-type]
pulse = WebPulse()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Pass a connection to the handler for its path; a small request is read and stamped before it waits."""
    if scope["type"] == "http":
        await pulse.begun()
    if scope["type"] == "http" and not scope["path"].startswith(LIVE_PREFIX):
        client = Client(await stamped(scope, receive), send)
        scope[CLIENT] = client
        await client.serve(pages, scope)
    else:
        await live(scope, receive, send)
