"""The event stream: `GET /live/?topic=match:…&topic=…`."""

import json
import time
from collections.abc import AsyncIterator, Mapping

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest, HttpResponseBadRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from core.live.hub import hub
from core.live.topics import authorise

MOST_TOPICS = 30
HEARTBEAT = 15.0
"""Seconds after which a silent stream shows that it is alive."""
LONGEST = 300.0
"""Seconds until a stream ends; the client connects again, which authorises it again."""


@require_GET
async def stream(request: HttpRequest) -> HttpResponseBase:
    """Stream the numbers of topics: first the current ones, then each new one. 404 unless all may be watched."""
    topics = list(dict.fromkeys(request.GET.getlist("topic")))
    if not 1 <= len(topics) <= MOST_TOPICS:
        return HttpResponseBadRequest(f"Name one to {MOST_TOPICS} topics.", content_type="text/plain")
    await sync_to_async(_authorised)(request, topics)
    response = StreamingHttpResponse(_events(request, topics), content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _authorised(request: HttpRequest, topics: list[str]) -> dict[str, int]:
    """The current numbers; the database connection is closed, since a stream would hold it for minutes."""
    try:
        return {topic: authorise(request, topic) for topic in topics}
    finally:
        connection.close()


async def _events(request: HttpRequest, topics: list[str]) -> AsyncIterator[bytes]:
    """The stream's text. Watching begins before the numbers are read, so that no change falls between the two."""
    ends_at = time.monotonic() + LONGEST
    with await hub().watch(topics) as watch:
        numbers = await sync_to_async(_authorised)(request, topics)
        for topic, seq in numbers.items():
            yield _event(topic, seq)
        async for change in watch.changes(every=HEARTBEAT):
            if change is None:
                yield b": alive\n\n"
            else:
                yield _event(*change)
            if time.monotonic() > ends_at:
                return


def _event(topic: str, seq: int) -> bytes:
    data: Mapping[str, object] = {"topic": topic, "seq": seq}
    return f"data: {json.dumps(data)}\n\n".encode()
