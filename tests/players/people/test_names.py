import ast
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.test import Client

from core.name_field import NameField
from core.names import clean_name, fold
from core.packages import PACKAGES
from engine.errors import Refused
from players.models import Club, Player, User
from tests.names import name_columns
from tests.pages import html
from tests.players.conftest import Enter
from tests.test_layout import ROOT, python_files


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


UNSEEN = [
    "\u200b",
    "\u2060",
    "\u00ad",
    "\u3164",
    "\u2800",
    "\u200c",
    "\u200d",
    "\ufeff",
    "\u202e",
    "\u034f",
    "\U000e0041",
]


@pytest.mark.parametrize("letter", UNSEEN)
def test_what_is_not_seen_is_no_part_of_a_name(letter: str) -> None:
    with pytest.raises(Refused, match="name_missing"):
        clean_name(f"{letter} {letter}")
    typed = f"{letter}An{letter}na {letter} Berg{letter}"
    assert clean_name(typed) == "Anna Berg"
    assert fold(typed) == "anna berg"


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("علی\u200cرضا", "علیرضا"),
        ("क्\u200dष", "क्ष"),
        ("അവന്\u200d", "അവന്"),
        ("\U0001f469\u200d\u2764\ufe0f\u200d\U0001f468 Ann", "ann"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f Ann", "ann"),
    ],
)
def test_joiners_stay_where_a_script_needs_them_and_make_no_other_person(name: str, same: str) -> None:
    assert clean_name(name) == name
    assert fold(name) == fold(same)


def test_every_column_of_a_name_keeps_only_what_is_seen() -> None:
    columns = name_columns()
    assert len(columns) > 20
    for model, field in columns:
        assert isinstance(field, NameField), f"{model.__name__}.{field.name} is no NameField"
        row = model(**{field.name: "An\u00adna\u200b"})
        assert field.pre_save(row, add=True) == getattr(row, field.name) == "Anna"
        setattr(row, field.name, "\u3164")
        if field.blank:
            assert field.pre_save(row, add=True) == ""
        else:
            with pytest.raises(Refused, match="name_missing"):
                field.pre_save(row, add=True)


@pytest.mark.django_db
def test_equal_names_are_equal_in_the_database() -> None:
    Player.objects.bulk_create([Player(name="An\u00adna")])
    assert Player.objects.get(name="Anna\u200b").name_key == "anna"
    Player.objects.update(name="Be\u2060rg")
    assert Player.objects.values_list("name", flat=True).get() == "Berg"


@pytest.mark.postgresql
def test_names_of_before_are_cleaned_and_directors_see_who_is_equal(
    settings: Any, olga: User, club: Club, enter: Enter
) -> None:
    names = ("Anna Berg", "An\u00adna Berg", "\u3164", "علی\u200cرضا")
    people = [enter(f"P{number}") for number in range(len(names))]
    settings.MIGRATION_MODULES = {}
    before = MigrationLoader(connection).project_state(("tournaments", "0038_replaced_pairings")).apps
    for player, name in zip(people, names, strict=True):
        before.get_model("players", "Player").objects.filter(pk=player.pk).update(name=name, name_key="of before")
    aliases = before.get_model("players", "Alias")
    aliases.objects.bulk_create([aliases(player_id=people[0].pk, name=name) for name in ("Anni", "An\u200bni")])
    import_module("tournaments.migrations.0039_seen_names").clean(before, None)
    rows = Player.objects.filter(pk__in=[player.pk for player in people]).order_by("pk")
    assert [row.name for row in rows] == ["Anna Berg", "Anna Berg", "?", names[3]]
    assert [row.name_key for row in rows] == ["of before", "anna berg", "?", fold("علیرضا")]
    assert set(people[0].aliases.values_list("name", "name_key")) == {("Anni", "anni"), ("Anni (2)", "anni 2")}


def test_directors_see_who_has_the_same_name(olga: User, club: Club, enter: Enter) -> None:
    anna, other, carol = (enter(name) for name in ("Anna Berg", "ANNA BERG", "Carol"))
    client = Client()
    client.force_login(olga)
    text = html(client.get(f"/clubs/{club.slug}/members/")).partition("same-names")[2]
    assert anna.public_id in text
    assert other.public_id in text
    members = text.partition("</section>")[0]
    assert carol.public_id not in members


SORTS = {"sorted", "sort", "min", "max"}
LETTER_BY_LETTER = {"casefold", "lower", "upper", "name", "shown_name", "full_name", "display_name"}


def sorted_by_letters(source: str) -> Iterator[int]:
    """Yield the lines of sort keys that have a name as it is or in small letters, which puts Å and É after Z."""
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        sort = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        for key in (each.value for each in call.keywords if each.arg == "key" and sort in SORTS):
            body = key.body if isinstance(key, ast.Lambda) else key
            for part in body.elts if isinstance(body, ast.Tuple) else [body]:
                by = part.func if isinstance(part, ast.Call) else part
                if isinstance(by, ast.Attribute) and by.attr in LETTER_BY_LETTER:
                    yield part.lineno


def test_people_are_sorted_by_their_folded_names() -> None:
    control = "sorted(rows, key=lambda row: (row.place, row.name.casefold()))\nrows.sort(key=lambda row: row.name)"
    assert list(sorted_by_letters(control)) == [1, 2]
    sources = {path.relative_to(ROOT): path.read_text() for path in python_files()}
    sorting = {path: text for path, text in sources.items() if path.parts[0] in PACKAGES and "key=lambda" in text}
    assert len(sorting) > 100
    assert [f"{path}:{line}" for path, text in sorting.items() for line in sorted_by_letters(text)] == []
