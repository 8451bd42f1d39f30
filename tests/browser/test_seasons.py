"""The pages of a season, on a phone and a desk."""

from datetime import timedelta
from random import Random

import pytest
from django.utils import timezone

from players.actors import SYSTEM
from players.models import Club, Player, User
from tests.browser.conftest import NAMES, VIEWS, Check, OpenPage
from tests.tournaments.support.correcting import KNOCKOUT, Cup
from tournaments.models import Series, Tournament
from tournaments.seasons.services import SeriesInput, close_series, create_series
from tournaments.seasons.titles import award_title, proposals_left
from tournaments.seasons.views import ViewInput, save_view

SHEET = 1047
"""Width of A4 across without its margins of 10 mm, in CSS pixels."""


def nights(count: int, cast: list[Player]) -> None:
    """Evenings of the club that are over, a week apart; the last was a week ago."""
    for number in range(count):
        cup = Cup.of(cast, KNOCKOUT, f"Tuesday {number + 1}").play(Random(number), wild=False)
        starts = timezone.now() - timedelta(days=7 * (count - number))
        Tournament.objects.filter(pk=cup.division.tournament_id).update(starts_at=starts)


def last_night(cast: list[Player]) -> None:
    """An evening of tomorrow, which is not drawn yet."""
    cup = Cup.of(cast, KNOCKOUT, "the last one")
    Tournament.objects.filter(pk=cup.division.tournament_id).update(starts_at=timezone.now() + timedelta(days=1))


def autumn(club: Club) -> Series:
    """A season with these evenings."""
    today = timezone.localdate()
    days = SeriesInput("Tuesday Series, autumn", today - timedelta(days=90), today + timedelta(days=30), "usual")
    return create_series(club=club, series=days, by=SYSTEM, now=timezone.now())


def test_a_season_fits_and_is_accessible(club: Club, alice: User, open_page: OpenPage, looked_at: Check) -> None:
    alice_player = Player.objects.get(user=alice)
    nights(5, [alice_player, *(Player.objects.create(name=name) for name in NAMES[:7])])
    season = autumn(club)
    url = f"/clubs/{club.slug}/seasons/{season.slug}/"
    views = [
        save_view(series=season, view=ViewInput(name, rule, [alice_player]), by=SYSTEM)
        for name, rule in (("Ladies " * 11, "players"), ("Members", "members"), ("Masters", "class-6.5"))
    ]
    for width, scheme in VIEWS:
        for path in ("/", "/clubs/harbour/", f"/clubs/{club.slug}/seasons/", url, f"{url}edit/",
                     f"{url}?view={views[0].public_id}", f"{url}?view={views[2].public_id}",
                     f"/clubs/{club.slug}/seasons/new/"):  # fmt: skip
            page = open_page(path, width=width, scheme=scheme, user=alice)
            if path.endswith("edit/"):
                page.get_by_text("New view").click()
                page.locator(".rows details summary").first.click()
            if path == url:
                page.locator(".season-why > summary").first.click()
                assert "for coming" in page.locator(".season-why[open] .season-sentences").inner_text()
            looked_at(page)
            page.context.close()


def test_the_race_and_the_titles_fit_and_are_accessible(
    club: Club, alice: User, open_page: OpenPage, looked_at: Check
) -> None:
    alice_player = Player.objects.get(user=alice)
    cast = [alice_player, *(Player.objects.create(name=name) for name in NAMES[:7])]
    nights(5, cast)
    last_night(cast)
    season = autumn(club)
    Player.objects.filter(pk=cast[1].pk).update(name="Wolfeschlegelsteinhausenbergerdorff " * 2)
    closed = create_series(
        club=club,
        series=SeriesInput("The year before", season.first_day, season.last_day),
        by=SYSTEM,
        now=timezone.now(),
    )
    close_series(series=closed, after=0, by=SYSTEM, now=timezone.now())
    for proposal in proposals_left(closed)[:3]:
        award_title(
            club=club, kind=proposal.kind, player=proposal.player, of=closed, by=SYSTEM, now=timezone.now()
        )  # fmt: skip
    base = f"/clubs/{club.slug}/"
    winner = proposal_of(closed)
    paths = ("/", f"{base}seasons/{season.slug}/", f"{base}seasons/{closed.slug}/", f"{base}hall-of-fame/",
             f"{base}classes/", f"/players/{winner}/")  # fmt: skip
    for width, scheme in VIEWS:
        for path in paths:
            page = open_page(path, width=width, scheme=scheme, user=alice)
            if path.endswith("hall-of-fame/"):
                page.locator("details summary").first.click()
            looked_at(page)
            page.context.close()


def proposal_of(series: Series) -> str:
    """Who has a title of a season."""
    return str(series.titles.earliest("pk").player.public_id)


@pytest.mark.usefixtures("site")
def test_what_is_typed_changes_last_night_at_once(club: Club, alice: User, open_page: OpenPage) -> None:
    nights(1, [Player.objects.create(name=name) for name in NAMES[:8]])
    page = open_page(f"/clubs/{club.slug}/seasons/{autumn(club).slug}/edit/", user=alice)
    before = page.locator(".season-example li strong").first.inner_text()
    page.get_by_label("Points for coming").first.fill("9")
    page.get_by_role("button", name="Save these points").wait_for()
    after = page.locator(".season-example li strong").first.inner_text()
    assert float(after) == float(before) + 8
    page.get_by_role("button", name="Save these points").click()
    page.get_by_text("Version 2 of the points applies.").wait_for()


def test_a_year_fits_on_a_sheet_of_paper(club: Club, alice: User, open_page: OpenPage) -> None:
    cast = [Player.objects.create(name=name) for name in NAMES[:8]]
    cups = [Cup.of(cast, KNOCKOUT, f"Tuesday {number}").play(Random(number), wild=False) for number in range(24)]
    for number, cup in enumerate(cups):
        starts = timezone.now() - timedelta(days=3 * (24 - number))
        Tournament.objects.filter(pk=cup.division.tournament_id).update(starts_at=starts)
    page = open_page(f"/clubs/{club.slug}/seasons/{autumn(club).slug}/", width=SHEET, scheme="light", user=alice)
    page.emulate_media(media="print")
    assert page.locator(".season-table thead .night").count() == 24
    beyond = page.evaluate(
        "[...document.querySelectorAll('.season-table, .season-table .sum')]"
        ".filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth).length"
    )
    assert beyond == 0
    names = page.locator(".season-table tbody .who")
    assert min(box["width"] for name in names.all() if (box := name.bounding_box())) > 100
    assert page.locator(".season-scroll").evaluate("(part) => getComputedStyle(part).overflowX") == "visible"
    page.context.close()
