"""Uploads made to use up time or memory are refused with a code. What they cost: `python -m benchmarks.bench_bombs`."""

from collections.abc import Callable

import pytest
from django.test import Client

from players.models import User
from tests.bombs import BOMBS, Bomb, Site
from tests.tournaments.conftest import as_user, by_alice, club, make_division, tournament
from tournaments.models import Division

__all__ = ["as_user", "by_alice", "club", "make_division", "tournament"]


@pytest.fixture
def site(make_division: Callable[..., Division], alice: User, as_user: Callable[[User], Client]) -> Site:
    return Site(make_division(), as_user(alice))


@pytest.mark.slow
@pytest.mark.parametrize("bomb", [bomb for bomb in BOMBS if bomb.is_quick], ids=lambda bomb: bomb.name)
def test_it_is_refused_with_a_code(site: Site, bomb: Bomb) -> None:
    assert bomb.send(site, bomb.data()) == bomb.code
