"""The pages of a season, on a phone and a desk."""

from datetime import timedelta
from random import Random

import pytest
from django.utils import timezone

from players.actors import SYSTEM
from players.models import Club, Player, User
from seasons.season_views import ViewInput, save_view
from seasons.services import SeriesInput, close_series, create_series
from seasons.titles import award_title, proposals_left
from tests.browser.conftest import NAMES, PHONE, VIEWS, Check, OpenPage, view
from tests.tournaments.support.correcting import KNOCKOUT, Cup
from tournaments.models import PastPlacing, PastSeason, Series, Tournament

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


@pytest.mark.slow
def test_a_season_fits_and_is_accessible(
    club: Club, alice: User, open_page: OpenPage, looked_at: Check, in_both_views: Check
) -> None:
    alice_player = Player.objects.get(user=alice)
    nights(5, [alice_player, *(Player.objects.create(name=name) for name in NAMES[:7])])
    season = autumn(club)
    url = f"/clubs/{club.slug}/seasons/{season.slug}/"
    views = [
        save_view(series=season, view=ViewInput(name, rule, [alice_player]), by=SYSTEM)
        for name, rule in (("Ladies " * 11, "players"), ("Members", "members"), ("Masters", "class-6.5"))
    ]
    page = open_page("/", width=PHONE, user=alice)
    for path in ("/", "/clubs/harbour/", f"/clubs/{club.slug}/seasons/", f"{url}edit/",
                 f"{url}?view={views[0].public_id}", f"{url}?view={views[2].public_id}",
                 f"/clubs/{club.slug}/seasons/new/"):  # fmt: skip
        page.goto(path)
        if path.endswith("edit/"):
            page.get_by_text("New view").click()
            page.locator(".rows details summary").first.click()
        in_both_views(page)
    for width, scheme in VIEWS:
        view(page, width, scheme)
        page.goto(url)
        own, other = page.locator(".season-open.is-own"), page.locator(".season-open:visible")
        assert own.is_visible() == (page.locator(".season-table tr.is-own").count() > 0), "one's own is open"
        page.locator("tr:not(.is-own) .season-why > summary").first.click()
        assert other.count() == 1, "one row at a time"
        assert "for coming" in other.inner_text()
        bars = page.locator("tr:not(.season-open) .bars svg").first
        assert bars.is_visible() == (width < 640)
        assert bars.locator("rect").count() == 5
        assert page.locator("thead .night").first.is_visible() == (width >= 640)
        looked_at(page)


@pytest.mark.slow
def test_the_race_and_the_titles_fit_and_are_accessible(
    club: Club, alice: User, open_page: OpenPage, in_both_views: Check
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
    page = open_page("/", width=PHONE, user=alice)
    for path in paths:
        page.goto(path)
        if path.endswith("hall-of-fame/"):
            page.locator("details summary").first.click()
        in_both_views(page)


def proposal_of(series: Series) -> str:
    """Who has a title of a season."""
    return str(series.titles.earliest("pk").player.public_id)


@pytest.mark.usefixtures("site")
def test_what_is_typed_changes_last_night_at_once(
    club: Club, alice: User, open_page: OpenPage, looked_at: Check
) -> None:
    names = [*NAMES[:7], "Wolfeschlegelsteinhausenbergerdorff " * 2]
    nights(1, [Player.objects.create(name=name) for name in names])
    page = open_page(f"/clubs/{club.slug}/seasons/{autumn(club).slug}/edit/", user=alice)
    before = page.locator(".season-example li strong").first.inner_text()
    page.get_by_label("Points for coming").first.fill("9")
    page.get_by_role("button", name="Save these points").wait_for()
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        looked_at(page)
    after = page.locator(".season-example li strong").first.inner_text()
    assert float(after) == float(before) + 8
    page.get_by_role("button", name="Save these points").click()
    page.get_by_text("Saved.").wait_for()


def test_a_year_fits_on_a_sheet_of_paper(club: Club, alice: User, open_page: OpenPage) -> None:
    cast = [Player.objects.create(name=name) for name in NAMES[:8]]
    season = autumn(club)
    told_evenings(club, season, cast, 24)
    page = open_page(f"/clubs/{club.slug}/seasons/{season.slug}/", width=SHEET, scheme="light", user=alice)
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


def told_evenings(club: Club, series: Series, players: list[Player], count: int) -> None:
    """Evenings with places and points from an import, with everybody at two of three of them, or at a single one."""
    past = PastSeason.objects.create(club=club, name="As told", digest=str(count), counts_in=series)
    rows = []
    for night in range(count):
        came = [player for number, player in enumerate(players) if count == 1 or (number + night) % 3]
        Random(night).shuffle(came)
        day = series.first_day + timedelta(days=2 * night)
        rows += [
            PastPlacing(season=past, player=player, event=f"Night {night + 1}", day=day, place=place, points=70 - place)
            for place, player in enumerate(came, start=1)
        ]
    PastPlacing.objects.bulk_create(rows)


@pytest.mark.parametrize(("players", "evenings"), [(60, 3), (6, 40), (3, 1), (0, 0)])
def test_a_season_of_any_size_fits_and_is_accessible(
    club: Club, alice: User, open_page: OpenPage, looked_at: Check, players: int, evenings: int
) -> None:
    names = ("Wolfeschlegelsteinhausenbergerdorff " * 2, "מרים בן־דוד", "Ada")
    cast = [
        Player.objects.create(name=names[number] if number < 3 else f"Player {number} of the town")
        for number in range(players - 1)
    ]
    cast += [Player.objects.get(user=alice)] if players else []
    season = autumn(club)
    told_evenings(club, season, cast, evenings)
    for width, scheme in VIEWS:
        page = open_page(f"/clubs/{club.slug}/seasons/{season.slug}/", width=width, scheme=scheme, user=alice)
        looked_at(page)
        if not players:
            page.get_by_text("The table begins when the first evening is over.").wait_for()
            assert page.locator(".season-table").count() == 0
        else:
            rows = page.locator(".season-table tbody tr:not(.season-open)")
            assert rows.count() == players
            if width < 640:
                right = max(
                    box["x"] + box["width"] for cell in rows.locator(".sum").all() if (box := cell.bounding_box())
                )
                assert right <= width, "no scrolling sideways on a phone"
            else:
                total = rows.first.locator(".sum").bounding_box()
                assert total is not None
                assert total["x"] + total["width"] <= width, "the total is in view from the start"
                page.locator(".season-scroll").evaluate("(part) => { part.scrollLeft = part.scrollWidth }")
                who = rows.first.locator(".who").bounding_box()
                assert who is not None
                assert who["x"] >= 0, "the name stays in view"
        page.context.close()
