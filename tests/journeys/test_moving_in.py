"""A club moves in: its old spreadsheet becomes a season, from the front page."""

import os
import re
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from django.utils import timezone

from core.names import fold
from matches.models import Match, PlayerRating, RatingPool
from matches.ratings.services import replay_pool
from players.models import Club, Membership, Player, User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage
from tests.journeys.conftest import Journey
from tests.journeys.evenings import account_of
from tests.journeys.person import Person
from tests.seasons.messy import Messy, messy, wide
from tests.seasons.messy_matches import PLAYERS, messy_matches
from tests.seasons.workbooks import xlsx
from tournaments.models import PastPlacing, PastSeason

PICTURES = os.environ.get("FLOW_PICTURES")
"""A folder for pictures of the pages."""


def picture(person: Person, name: str) -> None:
    if PICTURES:
        person._page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True, caret="initial")


@pytest.fixture
def workbook(tmp_path: Path) -> tuple[Path, Messy]:
    """Two sheets: 300 messy rows, and the first evenings again with a column for each."""
    sheet = messy(Random(7))
    path = tmp_path / "Harbour 2018-19.xlsx"
    first_days = sorted({result[1] for result in sheet.truth})[:8]
    again = wide([result for result in sheet.truth if result[1] in first_days])
    path.write_bytes(xlsx(sheet.rows, {"By evening": again, "Phone list": [["Ann", "555"]]}))
    return path, sheet


def answer(person: Person, name: str, start: str) -> None:
    """Choose who is meant by a name, however it is spelled: the answer that begins like this."""
    labels = person._page.locator("label[for^=choice]").all_inner_texts()
    (label,) = (" ".join(text.split()) for text in labels if fold(text).startswith(fold(name)))
    options = person._page.get_by_label(label, exact=True).locator("option").all_inner_texts()
    (option,) = (" ".join(text.split()) for text in options if text.strip().startswith(start))
    person.choose(label, option)


def stored() -> list[tuple[object, ...]]:
    rows = PastPlacing.objects.select_related("player")
    return sorted((fold(row.player.name), row.day, row.place, row.points) for row in rows)


@pytest.mark.slow
@pytest.mark.journey("a spreadsheet becomes a season")
def test_a_messy_spreadsheet_becomes_a_season_and_is_undone_in_one_tap(
    journey: Journey, club: Club, alice: User, workbook: tuple[Path, Messy], looked_at: Check, open_page: OpenPage
) -> None:
    path, sheet = workbook
    namesake = sheet.truth[-1][0]
    players = [Player.objects.create(name=namesake) for _ in range(2)]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in players)
    before = set(Player.objects.values_list("pk", flat=True))
    truth = sorted((fold(name), day, place, points) for name, day, place, points in sheet.truth)

    director = journey.at_desk(alice)
    director.tap("Harbour Backgammon")
    director.tap("Import a season or matches")
    picture(director, "1-empty")
    director.type("Name", "2018/19")
    director.chooses_file("Spreadsheet", path)
    director.tap("Preview")

    # Nothing is stored before every question is answered.
    director.sees(f"Not clear · {len(sheet.asked)}")
    director.sees("nothing recognised", within="Phone list")
    picture(director, "2-questions")
    looked_at(director._page)
    for name in sheet.typos:
        answer(director, name, "the same as")
    answer(director, namesake, f"{namesake} · {players[1].public_id}")
    director.tap_text("Leave these rows out")
    director.tap("Preview")
    director.sees(f"Import {len(sheet.truth)} rows")
    picture(director, "3-answered")
    assert not PastPlacing.objects.exists()
    director.tap(f"Import {len(sheet.truth)} rows")
    director.sees("Imported. You can undo it below.")
    assert stored() == truth
    picture(director, "4-imported")
    looked_at(director._page)

    # Evening by evening.
    director.tap("Make it a season")
    director.sees("These evenings count in 2018/19")
    picture(director, "5-season")
    looked_at(director._page)

    # A member finds the season, and no way to change it.
    bob = account_of(Player.objects.create(name="Bob"), "bob@example.org", club)
    member = journey.on_phone(bob)
    member.tap("Harbour Backgammon")
    member.tap("Earlier seasons")
    member.tap("2018/19", within="Imported seasons")
    member.does_not_see("Undo")
    picture(member, "6-phone")
    looked_at(member._page)

    # Undone in one tap, and done again.
    director.tap("Harbour Backgammon", first=True)
    director.tap("Import a season or matches")
    director.tap("Undo", within="2018/19")
    director.sees("The import is undone.")
    director.sees("The season 2018/19, which the import created, is removed.")
    assert set(Player.objects.exclude(user=bob).values_list("pk", flat=True)) == before
    assert not PastPlacing.objects.exists()
    picture(director, "7-undone")
    director.type("Name", "Again")
    director.chooses_file("Spreadsheet", path)
    director.tap("Preview")
    director.tap_text(re.compile(r"^\s*2019"))
    director.tap_text(re.compile(r"^\s*By evening"))
    director.tap("Preview")
    director.sees("Columns that are an evening each")
    picture(director, "8-wide")
    looked_at(director._page)

    for width, scheme in ((PHONE, "dark"), (DESK, "dark"), (PHONE, "light")):
        for season in PastSeason.objects.all():
            page = open_page(f"/clubs/harbour/past-seasons/{season.public_id}/", width=width, scheme=scheme, user=alice)
            looked_at(page)
            page.context.close()


@pytest.mark.journey("a spreadsheet of matches becomes head-to-heads and ratings")
def test_a_messy_list_of_matches_is_rated_after_a_preview_and_undone_in_one_tap(
    journey: Journey, club: Club, alice: User, tmp_path: Path, looked_at: Check, open_page: OpenPage
) -> None:
    book = messy_matches(Random(11))
    path = tmp_path / "Harbour matches.xlsx"
    path.write_bytes(xlsx(book.sheets["2019"], {n: rows for n, rows in book.sheets.items() if n != "2019"}))
    pool = RatingPool.objects.create(club=club, name="Harbour list")
    before = set(Player.objects.values_list("pk", flat=True))

    director = journey.at_desk(alice)
    director.tap("Harbour Backgammon")
    director.tap("Import a season or matches")
    director.type("Name", "Old matches")
    director.chooses_file("Spreadsheet", path)
    director.tap("Preview")

    # What cannot be read is asked about; the ratings are seen before anything is stored.
    director.sees(f"Not clear · {len(book.asked)}")
    picture(director, "m1-preview")
    looked_at(director._page)
    director.tap_text("Leave these rows out")
    director.choose("Rated in", "Harbour list")
    director.tap(f"Import {len(book.truth)} rows")
    director.sees("Look at the ratings as they would be, then import again.")
    picture(director, "m2-ratings")
    looked_at(director._page)
    assert not Match.objects.exists()
    director.tap(f"Import {len(book.truth)} rows")
    director.sees("Imported. You can undo it below.")
    picture(director, "m3-imported")
    assert Match.objects.filter(as_told=True, pool=pool).count() == len(book.truth)
    replay_pool(pool_id=pool.pk, now=timezone.now())
    assert PlayerRating.objects.filter(pool=pool).count() == len(PLAYERS)
    player = Player.objects.get(memberships__club=club, name__startswith="Zo")
    for width, scheme in ((PHONE, "dark"), (DESK, "light")):
        page = open_page(f"/players/{player.public_id}/", width=width, scheme=scheme, user=alice)
        assert page.get_by_text("as told").count()
        looked_at(page)
        if PICTURES:
            page.screenshot(path=Path(PICTURES) / f"m4-player-{width}.png", full_page=True)
        page.context.close()

    # The same file again adds nothing.
    director.type("Name", "Once more")
    director.chooses_file("Spreadsheet", path)
    director.tap("Preview")
    director.sees("No row can be imported yet.")
    director.tap("Cancel")

    # Undone in one tap.
    director.tap("Undo", within="Old matches")
    director.sees("The import is undone.")
    picture(director, "m5-undone")
    assert set(Player.objects.values_list("pk", flat=True)) == before
    assert not Match.objects.exists()
    replay_pool(pool_id=pool.pk, now=timezone.now())
    assert not PlayerRating.objects.exists()


@pytest.mark.journey("a past night by lines of results")
def test_lines_of_results_become_a_ranking(journey: Journey, club: Club, alice: User) -> None:
    pool = RatingPool.objects.create(club=club, name="Harbour list")
    day = timezone.localdate() - timedelta(days=7)
    lines = [f"{day:%d.%m.%Y}", "Ann Berg - Ben Lund 7-4", "Cem Ito b. Dora Eng 7-5", "Ann Berg beat Cem 9-8 or so"]
    director = journey.at_desk(alice)
    director.tap("Harbour Backgammon")
    director.tap("Import a season or matches")
    director.type("Name", "12 November")
    director.pastes("Or paste the rows", "\n".join(lines))
    director.tap("Preview")
    # The line that is not clear is shown with the question, and put right where it stands.
    director.sees(lines[3], within="Who played, and how did it end?")
    assert director.copies("Results") == "\n".join(lines)
    director.type("Results", "\n".join([*lines[:3], "Final: Ann Berg 9-8 Cem Ito"]))
    director.choose("Rated in", "Harbour list")
    director.tap("Preview", first=True)
    director.tap("Import 3 rows")
    director.sees("Imported. You can undo it below.")
    replay_pool(pool_id=pool.pk, now=timezone.now())
    director.tap("Harbour Backgammon", first=True)
    director.tap("Ratings of the club")
    director.reads(r"(Ann Berg[\s\S]+Cem Ito[\s\S]+Ben Lund)")
