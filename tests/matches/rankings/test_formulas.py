"""The comparison of rating formulas on a pool's page."""

from datetime import timedelta
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from core.queue import claim_lasts
from formats.rating_comparison import FEWEST
from matches.models import FormulaComparison, PoolSettings, RatingPool
from matches.rankings.formulas import (
    KEPT,
    Formulas,
    compare_next,
    formulas_of,
    newest_comparison,
    request_comparison,
    send_comparisons_again,
)
from matches.rankings.imports import apply_import
from matches.ratings.pools import create_pool
from players.actors import SYSTEM
from players.models import Club, User
from tests.clock import NOON as NOW

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
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


def compare(pool: RatingPool) -> Formulas:
    """Ask for a comparison, and compute it as the worker does."""
    comparison = request_comparison(pool=pool, by=SYSTEM, now=NOW)
    assert compare_next(comparison_id=comparison.pk, now=NOW)
    formulas = formulas_of(newest_comparison(pool))
    assert formulas is not None
    return formulas


def test_formulas_are_compared_on_the_matches_of_the_pool(ladder: RatingPool) -> None:
    import_matches(ladder, FEWEST + 60)
    formulas = compare(ladder)
    assert formulas.matches == FEWEST + 60
    assert len(formulas.rows) == 8
    assert formulas.rows[0].behind == "best"
    assert [row.is_own for row in formulas.rows].count(True) == 1
    assert formulas.rows[0].label in formulas.sentence


def test_a_director_compares_formulas_from_the_page_of_the_pool(
    client: Client, alice: User, club: Club, ladder: RatingPool
) -> None:
    client.force_login(alice)
    url, part = (reverse(name, args=[club.slug, ladder.pk]) for name in ("club-pool", "club-pool-formulas"))
    import_matches(ladder, FEWEST)
    assert "Compare formulas" in client.get(url).content.decode()
    answer = client.post(reverse("club-pool-compare", args=[club.slug, ladder.pk]))
    assert answer["Location"] == f"{url}#formulas"
    # Asked for again, by somebody else or in another tab, it is the same comparison.
    client.post(reverse("club-pool-compare", args=[club.slug, ladder.pk]))
    waiting = FormulaComparison.objects.get()
    for address in (url, part):
        page = client.get(address).content.decode()
        assert 'hx-trigger="every 2s"' in page
        assert "The result appears here" in page
    compare_next(comparison_id=waiting.pk, now=NOW)
    for address in (url, part):
        page = client.get(address).content.decode()
        assert "every 2s" not in page
        assert "Glicko-2, by weeks" in page
        assert "this pool" in page


def test_too_few_matches_are_said_to_be_too_few(client: Client, alice: User, club: Club, ladder: RatingPool) -> None:
    client.force_login(alice)
    assert compare(ladder).rows == ()
    page = client.get(reverse("club-pool", args=[club.slug, ladder.pk])).content.decode()
    assert f"0 of at least {FEWEST}" in page


@pytest.mark.parametrize(
    ("settings", "label"),
    [
        (PoolSettings("Plain"), "FIBS: √ of the length, K falls from 5"),
        (PoolSettings("North", family="danish", start_rating=1000), "A point at stake for each point of the match"),
        (PoolSettings("North", family="danish", start_rating=1500), "A point at stake for each point of the match"),
        (PoolSettings("Weeks", family="glicko2"), "Glicko-2, by weeks"),
    ],
)
def test_a_pool_with_the_settings_of_a_family_is_that_family(settings: PoolSettings, label: str, club: Club) -> None:
    pool = create_pool(club=club, settings=settings, by=SYSTEM)
    import_matches(pool, FEWEST)
    formulas = compare(pool)
    own = [row.label for row in formulas.rows if row.is_own]
    assert len(own) == 1
    assert own[0].startswith(label)
    assert len(formulas.rows) == 7


def test_a_comparison_that_a_worker_left_behind_is_computed_by_another(ladder: RatingPool) -> None:
    comparison = request_comparison(pool=ladder, by=SYSTEM, now=NOW)
    FormulaComparison.objects.update(claimed_at=NOW)
    soon, later = NOW + timedelta(seconds=1), NOW + claim_lasts() + timedelta(seconds=1)
    assert not compare_next(comparison_id=comparison.pk, now=soon)
    assert send_comparisons_again(now=soon) == 0
    assert send_comparisons_again(now=later) == 1
    assert compare_next(comparison_id=comparison.pk, now=later)
    assert not compare_next(comparison_id=comparison.pk, now=later + claim_lasts())
    assert send_comparisons_again(now=later + 2 * claim_lasts()) == 0


def test_only_the_newest_comparisons_are_kept(ladder: RatingPool) -> None:
    for number in range(KEPT + 2):
        comparison = request_comparison(pool=ladder, by=SYSTEM, now=NOW + timedelta(minutes=number))
        compare_next(comparison_id=comparison.pk, now=NOW + timedelta(minutes=number))
    assert FormulaComparison.objects.count() == KEPT
    assert newest_comparison(ladder) == comparison
