"""The event stream: `GET /live/?topic=match:…&topic=…`."""

import json
import random
import time
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponseBadRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from core.live import audience
from core.live.disconnects import on_disconnect
from core.live.hub import TopicChange, Watch, hub
from core.live.topics import authorise

MOST_TOPICS = 30
HEARTBEAT = 15.0
"""Seconds after which a silent stream shows that it is alive. Pages reconnect after 25 seconds without a byte."""
LONGEST = 300.0
"""Seconds until a stream ends at the latest; the client connects again, which authorises it again."""
SHORTEST = 240.0
"""Streams that were opened together, as after a restart, end at random times between the two."""
ALIVE = b"event: alive\ndata: {}\n\n"
"""An event rather than a comment, since the EventSource of browsers does not report comments."""
END = b"event: end\ndata: {}\n\n"


@require_GET
async def stream(request: HttpRequest) -> HttpResponseBase:
    """Stream the numbers of topics: first the current ones, then each new one.

    404 if none of the topics may be watched. Those among several that may not be watched are named by an event
    `refused` each: the tabs of a browser share a stream, and one of them must not end it for the others.
    """
    topics = list(dict.fromkeys(request.GET.getlist("topic")))
    if not 1 <= len(topics) <= MOST_TOPICS:
        return HttpResponseBadRequest(f"Name one to {MOST_TOPICS} topics.", content_type="text/plain")
    # Watching begins before the numbers are read, so that no change falls between the two.
    watch = await hub().watch(topics)
    numbers = await sync_to_async(_authorised)(request, topics)
    events = _events(watch, numbers, audience.joined(request))
    on_disconnect(request, watch.stop)
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _authorised(request: HttpRequest, topics: list[str]) -> dict[str, int | None]:
    """The current number of each topic, None for those that may not be watched. Raises Http404 if that is all of them.

    Closes the database connection, since a stream would hold it for minutes.
    """
    numbers: dict[str, int | None] = {}
    try:
        for topic in topics:
            try:
                numbers[topic] = authorise(request, topic)
            except (Http404, PermissionDenied):
                numbers[topic] = None
    finally:
        connection.close()
    if all(number is None for number in numbers.values()):
        raise Http404
    return numbers


async def _events(watch: Watch, numbers: dict[str, int | None], audiences: frozenset[str]) -> AsyncIterator[bytes]:
    """The stream's text: the current numbers, then the changes of the topics that may be watched."""
    ends_at = time.monotonic() + random.uniform(SHORTEST, LONGEST)  # noqa: S311, spreads load, decides nothing
    confirm_at = time.monotonic() + HEARTBEAT
    with watch:
        for topic, seq in numbers.items():
            yield _event(TopicChange(topic, seq)) if seq is not None else _refused(topic)
        async with audience.attending(audiences) as attendance:
            async for change in watch.changes(every=HEARTBEAT):
                if change is None:
                    yield ALIVE
                elif numbers[change.topic] is not None:
                    yield _event(change)
                if time.monotonic() > confirm_at:
                    confirm_at += HEARTBEAT
                    await attendance.confirm()
                if time.monotonic() > ends_at:
                    break
    yield END


def _event(change: TopicChange) -> bytes:
    """The event of a change; the content is JSON already, on one line."""
    head = f'data: {{"topic": {json.dumps(change.topic)}, "seq": {change.seq}'.encode()
    return head + (b', "content": ' + change.content if change.content else b"") + b"}\n\n"


def _refused(topic: str) -> bytes:
    return f"event: refused\ndata: {json.dumps({'topic': topic})}\n\n".encode()
