"""An empty form never has a meaning: sent to any page or endpoint of events, nothing changes and no page breaks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models, transaction
from django.test import Client

from core.packages import DJANGO_APPS
from tests.access.world import CLUB_ROUTES, EVENT_ROUTES, address
from tests.event_cast import RunningEvent
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db

BUTTONS = {
    # The address says everything that is done; the form has no field.
    "division-register", "division-withdraw", "event-publish", "draw-request",
    "api-register", "api-tournament-publish", "api-tournament-leave", "api-entry-check-in", "api-draws",
    "api-entry-withdraw", "api-tournament-cancel", "api-cash-take-back", "kiosk-add", "kiosk-pair",
    "series-final", "api-series-final", "series-remove", "api-series-remove", "api-join-withdraw",
    "kept-leave", "api-kept-leave", "offer-close", "api-offer-close", "offer-reopen", "api-offer-reopen",
}  # fmt: skip
SHOWS = {
    "design-show",
    "tonight-show",
    "api-outline",
    "api-correction-undo-preview",
    "past-matches-import",
    "add-player",
}
"""What is sent is shown back or asked for again, and nothing is stored."""


def everything() -> dict[str, list[dict[str, Any]]]:
    """All rows of our own apps."""
    posts = {}
    for label in DJANGO_APPS:
        for model in apps.get_app_config(label).get_models():
            fields = [
                field.attname for field in model._meta.concrete_fields if not isinstance(field, models.BinaryField)
            ]
            posts[model.__name__] = list(model._default_manager.order_by("pk").values(*fields))
    return posts


@contextmanager
def write_statements() -> Iterator[list[str]]:
    """The statements meanwhile that are not only reading or marking a transaction."""
    written: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        if not sql.startswith(("SELECT", "SAVEPOINT", "RELEASE", "ROLLBACK")):
            written.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield written


@pytest.mark.slow
def test_an_empty_form_changes_nothing(running: RunningEvent, alice_client: Client, subtests: pytest.Subtests) -> None:
    # An address may need rows of its own.
    addresses = {name: address(name, running) for name in (*EVENT_ROUTES, *CLUB_ROUTES) if name not in BUTTONS}
    # The first look at a day stores its puzzle.
    assert alice_client.get(addresses["club-puzzle"]).status_code == 200
    before = everything()
    assert before["Fixture"]
    assert before["Puzzle"]
    for name, url in addresses.items():
        with subtests.test(name), transaction.atomic():
            with write_statements() as written:
                answer = alice_client.post(url, {})
            # All rows are read again only where something was written, for example a session.
            after = everything() if written else before
            transaction.set_rollback(True)
            assert after == before
            assert answer.status_code in range(300, 500) or name in SHOWS, answer.status_code


def test_an_empty_form_does_not_call_an_event_off(running: RunningEvent, alice_client: Client) -> None:
    assert alice_client.post(f"{running.url}cancel/", {}).status_code == 422
    other = {"event": "elsewhere0", "reason": "snow"}
    assert alice_client.post(f"{running.url}cancel/", other).status_code == 422
    assert Tournament.objects.get().status == Tournament.Status.RUNNING
