"""Two members look at the puzzle of a day first, at once: there is one, and both get it."""

from datetime import timedelta
from functools import partial

from django.utils import timezone

from matches.models import Puzzle
from matches.puzzles.pool import puzzle_of
from players.models import Club
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once, without_locks

pytestmark = POSTGRESQL_ONLY


def test_two_first_looks_at_once_find_one_puzzle() -> None:
    club = Club.objects.create(name="Ace Point", slug="ace-point", time_zone="Europe/Copenhagen")
    for days in range(3):
        look = partial(puzzle_of, club, now=timezone.now() + timedelta(days=days))
        # Each has found none before the other stores it.
        with without_locks(before=Puzzle):
            outcomes = at_once(look, look)
        assert outcomes == [Puzzle.objects.latest("date")] * 2
    assert Puzzle.objects.count() == 3
