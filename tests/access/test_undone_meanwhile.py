"""Pages of an event read with several queries and without a lock: a draw is undone or published between any two."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client

from players.actors import Actor
from tests.access.roles import may
from tests.access.world import EVENT_ROUTES, address
from tests.event_cast import NOW, RunningEvent
from tests.tiers import TIER
from tournaments.draws.services import publish_draw
from tournaments.draws.undo import unpublish_draw
from tournaments.floor.evening import open_floor
from tournaments.models import Division

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("behind_tls")]

READ_ALL_EVENING = {"floor", "floor-match", "paper-snapshot", "paper-sheets", "event-wall"}
"""Pages that renew themselves after each act, are printed from the floor, or are open on phones."""
PREVIEWS = {"entry-withdraw", "api-entry-withdraw", "entry-re-enter", "api-entry-re-enter"}
"""Pages that still fail: they compare two states, and only whoever is about to send the act asks for them."""
CORRECTIONS = {name for name in EVENT_ROUTES if "correct" in name}
"""Pages that need a result, after which no draw is undone."""


class ActBefore:
    """Runs an act before the query of this number outside transactions, in which pages would hold a lock."""

    def __init__(self, number: int, act: Callable[[], object]) -> None:
        self.left, self.act, self.depth = number, act, len(connection.savepoint_ids)

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if self.left and len(connection.savepoint_ids) == self.depth and sql.startswith("SELECT"):
            self.left -= 1
            if not self.left:
                self.act()
        return execute(sql, params, many, context)


@pytest.mark.parametrize("published", [True, False], ids=["undone", "published"])
def test_a_page_is_whole_whatever_happens_to_the_draw_while_it_is_read(
    published: bool, running: RunningEvent, alice_client: Client, by_alice: Actor
) -> None:
    """All pages in `make soak`."""
    division = Division.objects.get(pk=running.division.pk)
    open_floor(tournament=running.tournament, by=by_alice, now=NOW)
    urls = {
        name: address(name, running)
        for name in EVENT_ROUTES
        if may("director", name) and name not in PREVIEWS | CORRECTIONS
        if TIER.every_page or name in READ_ALL_EVENING
    }

    def undo() -> None:
        unpublish_draw(division=division, by=by_alice, now=NOW)

    def publish() -> None:
        division.refresh_from_db()
        publish_draw(division=division, after=division.seq, by=by_alice, now=NOW)

    if not published:
        undo()
    reads = 0
    for name, url in urls.items():
        number = 1
        while True:
            with transaction.atomic():
                act = ActBefore(number, undo if published else publish)
                cache.clear()
                with connection.execute_wrapper(act):
                    answer = alice_client.get(url, secure=True)
                transaction.set_rollback(True)
            assert answer.status_code < 500, f"{name}, before query {number}"
            if act.left:
                break
            number += 1
        reads += number - 1
    assert set(urls) >= READ_ALL_EVENING
    assert reads > 20 * len(READ_ALL_EVENING)
