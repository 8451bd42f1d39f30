"""What a workbook hides, entered by one tap: the list goes through the page and back."""

from collections.abc import Callable
from pathlib import Path

from players.models import Club, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.tournaments.entries.test_seen import FILES, NOT_SEEN, SEEN
from tournaments.models import Division, Entry


def test_one_tap_enters_what_a_workbook_hides(
    open_page: OpenPage,
    make_division: Callable[..., Division],
    alice: User,
    club: Club,
    tmp_path: Path,
    in_both_views: Check,
) -> None:
    division = make_division()
    file = tmp_path / "list.xlsx"
    file.write_bytes(FILES["a hidden sheet and a filtered row"])
    page = open_page(
        f"/events/{club.slug}/{division.tournament.slug}/{division.public_id}/entries/", user=alice, width=PHONE
    )
    field = page.locator("input[name=file]")
    field.set_input_files(file)
    field.evaluate("field => field.form.requestSubmit()")
    names = page.locator("main")
    page.get_by_text("2 hidden rows are left out.").wait_for()
    in_both_views(page)
    assert [name in names.inner_text() for name in (*SEEN, *NOT_SEEN)] == [True] * 2 + [False] * 3
    page.get_by_role("button", name="Enter these, too").click()
    page.get_by_text("Old One", exact=True).wait_for()
    page.get_by_role("button", name="Enter 5 players").click()
    page.get_by_role("heading", name="Check the names").wait_for(state="detached")
    assert set(Entry.objects.values_list("player__name", flat=True)) == {*SEEN, *NOT_SEEN}
