"""A process that is killed at any write leaves nothing half: no role without its offer, no offer without its notice."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from django.db import connection

from players.access import Role
from players.actors import SYSTEM, Actor
from players.clubs.owners import ownerless
from players.handover.services import answer_request, ask_for_owner, decline
from players.models import Club, User
from players.people.leaving import suspend
from tests.concurrency.racing import WRITE
from tests.players.conftest import NOW
from tests.players.handover.test_handover import LATER, accept, offer, take_back
from tests.repeats.rows import all_rows

pytestmark = pytest.mark.django_db


class KilledError(Exception):
    """Takes the place of a signal that nothing survives."""


@contextmanager
def killed_at(number: int) -> Iterator[None]:
    """Raise instead of the write of this number, from 0."""
    writes = count()

    def execute(run: Callable[..., Any], sql: str, *args: Any) -> Any:
        if WRITE.match(sql) and next(writes) == number:
            raise KilledError
        return run(sql, *args)

    with connection.execute_wrapper(execute):
        yield


def survives(act: Callable[[], object]) -> int:
    """Kill an act at each of its writes, then let it end; return the number of its writes."""
    before = all_rows()
    for number in count():
        try:
            with killed_at(number):
                act()
        except KilledError:
            assert all_rows() == before
        else:
            return number
    raise AssertionError


def test_what_is_killed_has_not_happened(full_club: Club, olga: User, alice: User, bob: User) -> None:
    by = Actor.of(olga)
    writes = [survives(lambda: offer(olga, alice, full_club, Role.MEMBER))]
    row = full_club.owner_offers.get()
    writes += [survives(lambda: accept(row, alice)), survives(lambda: take_back(row, olga))]
    second = offer(olga, bob, full_club)
    writes += [survives(lambda: decline(offer=second, by=Actor.of(bob), now=NOW))]
    writes += [
        survives(lambda: suspend(user=olga, by=SYSTEM, now=NOW)),
        survives(lambda: ask_for_owner(club=full_club, reason="Gone.", by=Actor.of(alice), now=LATER)),
    ]
    (request,) = ownerless(LATER + timedelta(days=14))
    answer = {"request": request, "player": alice.player, "reason": "Directs it.", "by": by}
    writes += [survives(lambda: answer_request(**answer, now=LATER + timedelta(days=14)))]
    assert min(writes) > 1
