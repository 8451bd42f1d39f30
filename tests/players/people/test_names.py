import pytest

from core.names import clean_name, fold, names_in
from engine.errors import Refused


@pytest.mark.parametrize(
    ("one", "other"),
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
def test_one_name_in_two_spellings(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Jens Hansen", "Jens Jensen"), ("かとう", "がとう"), ("राम", "रमा"), ("Иван", "Йван"), ("!", "?")],
)
def test_two_names(one: str, other: str) -> None:
    # й is и with a breve to Unicode, and typed so by many; the others are letters of their own.
    assert (fold(one) == fold(other)) == (one == "Иван")


def test_a_name_is_tidied_and_cannot_turn_the_text_around_it() -> None:
    assert clean_name("  Bob \t\n van\u202e Dam\x00 ") == "Bob van Dam"


@pytest.mark.parametrize(
    ("name", "code"), [("", "name_missing"), (" \n ", "name_missing"), ("x" * 81, "name_too_long")]
)
def test_a_name_must_be_one(name: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        clean_name(name)
    assert refused.value.code == code


def test_a_name_may_have_eighty_characters() -> None:
    assert clean_name("x" * 80) == "x" * 80


def test_a_pasted_list_may_be_numbered() -> None:
    assert names_in("1. Bob\n 2) Carol\n\n- Dave\n• Erin\nR2 D2\n3 Musketeers") == [
        "Bob",
        "Carol",
        "Dave",
        "Erin",
        "R2 D2",
        "3 Musketeers",
    ]
