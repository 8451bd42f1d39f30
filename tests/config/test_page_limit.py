"""While many requests are in progress more of them are refused at once, reads before writes."""

import asyncio
from typing import Any

from config.limits import RETRY_AFTER, PageLimit


class Pages:
    """Requests that end when `go` is set."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})


async def receive() -> Any:
    raise AssertionError


def test_reads_are_refused_before_writes_and_both_go_on_once_others_have_ended() -> None:
    answers: list[Any] = []

    async def send(message: Any) -> None:
        answers.append(message)

    async def scenario() -> None:
        pages = Pages()
        limit = PageLimit(pages, reads=1, writes=2)

        def ask(method: str) -> asyncio.Task[None]:
            return asyncio.create_task(limit({"method": method, "path": "/", "headers": []}, receive, send))

        waiting = [ask("GET")]
        await asyncio.sleep(0)
        for method in ("GET", "HEAD"):
            await ask(method)
        waiting.append(ask("POST"))
        await asyncio.sleep(0)
        await ask("POST")
        pages.go.set()
        await asyncio.gather(*waiting)
        await ask("GET")

    asyncio.run(asyncio.wait_for(scenario(), timeout=60))
    starts = [message for message in answers if message["type"] == "http.response.start"]
    assert [start["status"] for start in starts] == [503, 503, 503, 200, 200, 200]
    assert dict(starts[0]["headers"])[b"retry-after"] == str(RETRY_AFTER).encode()
