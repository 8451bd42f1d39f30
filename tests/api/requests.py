"""Helpers for tests of the API: send a JSON request, and read the code of a problem."""

from typing import Any

from django.test import Client

API = "/api/v1/"


def send(client: Client, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """Send a JSON request to a path below the root of the API."""
    return getattr(client, method)(API + path, body or {}, content_type="application/json", headers=headers)


def problem_code(answer: Any) -> tuple[int, str]:
    """Return the status and the code of a problem."""
    assert answer["Content-Type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]
