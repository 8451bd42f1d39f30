"""What a request leaves behind is freed without the garbage collector, whose collections stop a busy process."""

import asyncio
import gc
from collections.abc import Iterator
from typing import Any
from weakref import ref

import pytest
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from config.disconnects import CLIENT
from config.wsgi_threads import WSGIThreads

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def _no_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Endpoint(APIView):
    """Answers with some data."""

    permission_classes = (AllowAny,)
    throttle_classes = ()

    def get(self, request: Request) -> Response:
        return Response({"points": [7, 5]})


def test_a_response_of_the_api_is_freed_once_it_is_sent() -> None:
    response = Endpoint.as_view()(APIRequestFactory().get("/")).render()
    assert response.content == b'{"points":[7,5]}'
    freed = ref(response)
    del response
    assert freed() is None


@pytest.mark.parametrize("more_body", [False, True], ids=["small", "streaming"])
def test_the_client_of_a_request_is_freed_with_the_request(more_body: bool) -> None:
    clients = []

    class Body(list[bytes]):
        streaming = more_body

    def hello(environ: dict[str, Any], start_response: Any) -> Body:
        clients.append(ref(environ["asgi.scope"][CLIENT]))
        start_response("200 OK", [])
        return Body([b"hello"])

    async def request() -> None:
        messages = [{"type": "http.request", "body": b"", "more_body": False}]
        sent: list[Any] = []

        async def receive() -> Any:
            # Like a server, it reports the request first, and later at most a disconnection.
            return messages.pop() if messages else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/",
            "query_string": b"",
            "headers": [],
            "http_version": "1.1",
        }
        await WSGIThreads(hello, threads=1)(scope, receive, send)
        assert [message.get("body") for message in sent][1] == b"hello"
        # The thread and what watches the client of a stream have to end first.
        async with asyncio.timeout(PATIENCE):
            while clients[0]() is not None:
                await asyncio.sleep(0.01)

    asyncio.run(request())
