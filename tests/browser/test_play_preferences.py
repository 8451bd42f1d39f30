"""The page on which players choose how they want to play here."""

import pytest

from players.models import User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESK, "dark")])
def test_preferences_are_accessible_and_saved(
    open_page: OpenPage, looked_at: Check, site: str, bob: User, width: int, scheme: str
) -> None:
    page = open_page("/preferences/play/", width=width, scheme=scheme, user=bob)
    looked_at(page)
    page.get_by_label("Roll for me").select_option("no_double")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    assert page.get_by_label("Roll for me").input_value() == "no_double"
