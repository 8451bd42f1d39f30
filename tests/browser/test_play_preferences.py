"""The page on which players choose how they want to play here."""

from players.models import User
from tests.browser.conftest import PHONE, Check, OpenPage


def test_preferences_are_accessible_and_saved(open_page: OpenPage, in_both_views: Check, site: str, bob: User) -> None:
    page = open_page("/preferences/play/", width=PHONE, user=bob)
    in_both_views(page)
    page.get_by_label("Roll for me").select_option("no_double")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    assert page.get_by_label("Roll for me").input_value() == "no_double"
