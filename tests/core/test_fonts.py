"""Texts of pictures: letters that the fonts have, fitted into a width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fonts import BOLD, ELLIPSIS, drawable, fit, fit_lines


@pytest.mark.parametrize("name", ["Jörg Weißmüller", "Nguyễn Thị", "Ελένη", "Дмитрий", "דוד", "محمد علي"])
def test_names_in_the_scripts_of_the_fonts_are_kept(name: str) -> None:
    assert drawable(name) == name


@pytest.mark.parametrize(
    ("name", "shown"),
    [("李小龍", "White"), ("李 Wei", "Wei"), ("नरेंद्र", "White"), ("", "White"), ("a\u202eb\n c", "ab c")],
)
def test_what_the_fonts_lack_is_left_out(name: str, shown: str) -> None:
    assert drawable(name, "White") == shown


@pytest.mark.slow
@given(text=st.text(max_size=200), width=st.integers(40, 600))
def test_no_text_is_wider_than_its_place(text: str, width: int) -> None:
    shown = drawable(text)
    for line in (fit(shown, width, size=60, least=20, name=BOLD), *fit_lines(shown, width, size=60, least=20)):
        assert line.font.getlength(line.text) <= width
        assert line.text == shown or line.text.endswith(ELLIPSIS) or line.text in shown


def test_a_long_name_is_set_in_two_lines() -> None:
    lines = fit_lines("Maximiliana Alexandra Hohenlohe", 400, size=60, least=20)
    assert [line.text for line in lines] == ["Maximiliana", "Alexandra Hohenlohe"]
