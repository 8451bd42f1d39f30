"""Uploads made to use up time or memory are refused with a code. What they cost: `python -m benchmarks.bench_bombs`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from players.models import User
from tests.bombs import BOMBS, MIB, Bomb, Site, peak, reset_peak
from tests.event_cast import as_user, by_alice, club, make_division, tournament
from tests.tiers import first_in_make_test
from tournaments.models import Division

__all__ = ["as_user", "by_alice", "club", "make_division", "tournament"]


@pytest.fixture
def site(make_division: Callable[..., Division], alice: User, as_user: Callable[[User], Client]) -> Site:
    return Site(make_division(), as_user(alice))


IN_A_LIMITED_PROCESS = (Site.spreadsheet, Site.emblem, Site.entry_list)
"""What sends files that a limited process reads; the client of the tests holds the others several times."""
QUICK = sorted((bomb for bomb in BOMBS if bomb.is_quick), key=lambda bomb: bomb.name != "strings without end")


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux says what a process has held")
@pytest.mark.parametrize("bomb", first_in_make_test(*QUICK), ids=lambda bomb: bomb.name)
def test_it_is_refused_with_a_code_and_takes_no_memory_of_the_web_process(site: Site, bomb: Bomb) -> None:
    data = bomb.data()
    reset_peak()
    before = peak()
    assert bomb.send(site, data) == bomb.code
    assert bomb.send not in IN_A_LIMITED_PROCESS or peak() - before <= 64 * MIB
