"""The comparison of rating formulas on a pool's page."""

from datetime import UTC, datetime
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from matches.models import PoolSettings, RatingPool
from matches.rankings.formulas import formulas_of
from matches.rankings.imports import apply_import
from matches.ratings.pools import create_pool
from players.actors import SYSTEM
from players.models import Club, User
from players.rating_comparison import FEWEST

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
NAMES = ("Ann", "Ben", "Cleo", "Dora", "Emil")


@pytest.fixture
def ladder(club: Club) -> RatingPool:
    return create_pool(club=club, settings=PoolSettings("Club ladder", k_scale=0.5), by=SYSTEM)


def import_matches(pool: RatingPool, count: int) -> None:
    """Import matches in which the first of two names in the alphabet mostly wins."""
    rng = Random(4)
    lines = ["date,winner,loser,length"]
    for number in range(count):
        first, second = sorted(rng.sample(NAMES, 2))
        winner, loser = (first, second) if rng.random() < 0.8 else (second, first)
        lines.append(f"2025-{1 + number % 12:02d}-{1 + number % 28:02d},{winner},{loser},7")
    apply_import(pool=pool, kind="matches", text="\n".join(lines), by=SYSTEM, now=NOW)


def test_formulas_are_compared_on_the_matches_of_the_pool(ladder: RatingPool) -> None:
    import_matches(ladder, FEWEST + 60)
    formulas = formulas_of(ladder)
    assert formulas.matches == FEWEST + 60
    assert len(formulas.rows) == 8
    assert formulas.rows[0].behind == "best"
    assert [row.is_own for row in formulas.rows].count(True) == 1
    assert formulas.rows[0].label in formulas.sentence


def test_a_director_compares_formulas_from_the_page_of_the_pool(
    client: Client, alice: User, club: Club, ladder: RatingPool
) -> None:
    client.force_login(alice)
    url = reverse("club-pool", args=[club.slug, ladder.pk])
    assert 'href="?formulas=1#formulas"' in client.get(url).content.decode()
    assert f"0 of at least {FEWEST}" in client.get(url, {"formulas": "1"}).content.decode()
    import_matches(ladder, FEWEST)
    page = client.get(url, {"formulas": "1"}).content.decode()
    assert "Glicko-2, by weeks, without the length" in page
    assert "this pool" in page


def test_a_pool_with_the_settings_of_a_family_is_that_family(club: Club) -> None:
    pool = create_pool(club=club, settings=PoolSettings("Plain"), by=SYSTEM)
    import_matches(pool, FEWEST)
    own = [row.label for row in formulas_of(pool).rows if row.is_own]
    assert own == ["FIBS: √ of the length, K falls from 5"]
    assert len(formulas_of(pool).rows) == 7
