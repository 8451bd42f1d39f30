"""Requests that never reach Django are answered with a sentence: on a page for people, else as problem details."""

import asyncio
import base64
import hashlib
import json
import re
from typing import Any

import pytest

from config.limits import BUSY, TOO_SLOW, Refusal, refuse

BROWSER = b"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def answer(refusal: Refusal, path: str, accept: bytes | None, method: str = "POST") -> tuple[int, dict[str, str], str]:
    """The status, headers and body with which a request is refused."""
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    scope = {"method": method, "path": path, "headers": [(b"accept", accept)] if accept else []}
    asyncio.run(refuse(scope, send, refusal))
    start, body = messages
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], headers, body["body"].decode()


@pytest.mark.parametrize(("refusal", "status"), [(BUSY, 503), (TOO_SLOW, 408)])
def test_a_browser_shows_a_page_with_a_sentence(refusal: Refusal, status: int) -> None:
    given, headers, page = answer(refusal, "/e/club-night/", BROWSER)
    assert (given, headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert refusal.detail("POST") in page
    style = re.search(r"<style>(.*)</style>", page)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in headers["content-security-policy"]


@pytest.mark.parametrize(("path", "accept"), [("/api/v1/events/", BROWSER), ("/e/club-night/", b"*/*"), ("/e/", None)])
def test_programs_get_problem_details(path: str, accept: bytes | None) -> None:
    status, headers, body = answer(BUSY, path, accept)
    assert (status, headers["content-type"]) == (503, "application/problem+json")
    assert headers["retry-after"]
    problem = json.loads(body)
    assert (problem["code"], problem["status"], problem["detail"]) == ("busy", 503, BUSY.detail("POST"))


@pytest.mark.parametrize(("method", "says_so"), [("POST", True), ("PATCH", True), ("GET", False), ("HEAD", False)])
def test_only_senders_are_told_that_nothing_was_saved(method: str, says_so: bool) -> None:
    _, _, page = answer(BUSY, "/e/club-night/", BROWSER, method)
    assert ("Nothing was saved." in page) is says_so
