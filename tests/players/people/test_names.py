import pytest

from core.names import clean_name, fold
from engine.errors import Refused


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Søren Kierkegård", "  soren   KIERKEGARD "),
        ("Łukasz Żółć", "lukasz zolc"),
        ("O’Brien", "O'Brien"),
        ("Anne-Marie", "Anne Marie"),
        ("Weiß", "WEISS"),
        ("Ægir", "Aegir"),
        ("É", "É"),
    ],
)
def test_different_spellings_of_a_name_are_equal(first: str, second: str) -> None:
    assert fold(first) == fold(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [("Jens Hansen", "Jens Jensen"), ("かとう", "がとう"), ("राम", "रमा"), ("Иван", "Йван"), ("!", "?")],
)
def test_different_names_differ(first: str, second: str) -> None:
    # To Unicode й is и with a breve, which many people leave out; the others are letters of their own.
    assert (fold(first) == fold(second)) == (first == "Иван")


def test_a_name_is_cleaned_and_cannot_reverse_text() -> None:
    assert clean_name("  Bob \t\n van\u202e Dam\x00 ") == "Bob van Dam"


@pytest.mark.parametrize(
    ("name", "code"), [("", "name_missing"), (" \n ", "name_missing"), ("x" * 81, "name_too_long")]
)
def test_an_invalid_name_is_refused(name: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        clean_name(name)
    assert refused.value.code == code


def test_a_name_may_have_eighty_characters() -> None:
    assert clean_name("x" * 80) == "x" * 80
