"""A club chooses how it rates, and its players read it."""

from datetime import timedelta
from random import Random

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from matches.models import FormulaComparison, PoolSettings, RatingPool
from matches.rankings.formulas import compare_next
from matches.rankings.imports import apply_import
from matches.ratings.pools import create_pool
from matches.ratings.services import replay_pool
from players.actors import SYSTEM
from players.models import Club, Membership, Player, User
from tests.browser.conftest import PHONE, VIEWS, Check, OpenPage, view
from tests.journeys.conftest import Journey

NAMES = ("Ann", "Ben", "Cleo", "Dora", "Emil")


@pytest.fixture
def ladder(club: Club) -> RatingPool:
    """A pool of the club with the matches of some months."""
    pool = create_pool(club=club, settings=PoolSettings("Club ladder"), by=SYSTEM)
    rng, today = Random(4), timezone.localdate()
    lines = ["date,winner,loser,length"]
    for number in range(120):
        first, second = sorted(rng.sample(NAMES, 2))
        winner, loser = (first, second) if rng.random() < 0.7 else (second, first)
        lines.append(f"{today - timedelta(days=120 - number)},{winner},{loser},{rng.choice([3, 5, 7])}")
    apply_import(pool=pool, kind="matches", text="\n".join(lines), by=SYSTEM, now=timezone.now())
    replay_pool(pool_id=pool.pk, now=timezone.now())
    return pool


@pytest.mark.journey("another formula, previewed, and back")
def test_a_director_chooses_the_formula_of_the_club(
    journey: Journey, club: Club, ladder: RatingPool, alice: User
) -> None:
    director = journey.on_phone(alice)
    director.tap("Clubs", first=True)
    director.tap(club.name, first=True)
    director.tap("Rating pools")
    director.tap("Club ladder")
    director.sees("FIBS: √ of the length")
    director.tap("Compare formulas")
    director.sees("The formulas are being compared.")
    compare_next(comparison_id=FormulaComparison.objects.get().pk, now=timezone.now())
    director.sees("has predicted these matches best")
    director.choose("Formula", "Glicko-2, by weeks")
    director.tap_text("Which matches count")
    director.type("Least length (points)", "5")
    director.tap("Preview", within="Before anything changes")
    director.sees("5 ratings change.")
    director.sees("Matches that count: 120 today")
    director.tap("Apply these settings")
    director.sees("Rated by Glicko-2")
    replay_pool(pool_id=ladder.pk, now=timezone.now())
    director.tap("The list, as everybody sees it")
    director.sees("±")
    director.tap("Change formula and rules")
    director.tap("Go back to version 1")
    director.sees("What these settings would change")
    director.tap("Apply these settings")
    director.sees("Saved. Ratings are being recalculated.")
    director.sees("FIBS: √ of the length")


@pytest.mark.journey("how my club rates me")
def test_a_player_reads_how_the_club_rates(journey: Journey, club: Club, ladder: RatingPool, bob: User) -> None:
    player_of_bob = Player.objects.create(name="Bob", user=bob)
    Membership.objects.create(club=club, player=player_of_bob)
    player = journey.on_phone(bob)
    player.tap("Clubs", first=True)
    player.tap(club.name, first=True)
    player.tap("Ratings of the club")
    player.sees("Rated by this formula: FIBS")
    player.sees("Every rated player is in the list.")
    player.tap("Ann")
    player.sees("Ratings in clubs")
    player.sees("All rated matches of this pool count.")


def test_the_pages_are_accessible_and_fit(
    open_page: OpenPage,
    club: Club,
    ladder: RatingPool,
    alice: User,
    axe: Check,
    fits: Check,
) -> None:
    def sound(page: Page) -> None:
        for width, scheme in VIEWS:
            view(page, width, scheme)
            fits(page)
            axe(page)

    pool = f"/clubs/{club.slug}/pools/{ladder.pk}/"
    for path in (f"/clubs/{club.slug}/pools/", f"/clubs/{club.slug}/ratings/", pool):
        page = open_page(path, width=PHONE, user=alice)
        sound(page)
    page.get_by_label("Formula", exact=True).select_option("free")
    page.locator("form").filter(has=page.get_by_label("Formula", exact=True)).get_by_role(
        "button", name="Preview"
    ).click()
    page.get_by_role("button", name="Apply these settings").wait_for()
    sound(page)
