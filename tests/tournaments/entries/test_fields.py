"""A field of an entry is declared once: then it is everywhere, or refused there by name."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from clubhouse.privacy import forget
from core.people_lists import COLUMNS
from players.actors import Actor
from players.models import Club
from players.people import mentions
from players.privacy.sections import Person, sections
from tests.event_cast import NOON
from tests.pages import html
from tests.tournaments.entries.listed import rows_named
from tests.tournaments.entries.test_listed import Outcome, Site, filed, pasted, sent, uploaded
from tournaments.entries.lists import enter_list
from tournaments.entries.substitutions import SubstituteInput, substitute
from tournaments.models import Division, Entry

pytestmark = pytest.mark.django_db
NOT_WRITTEN = {
    **dict.fromkeys(("id", "public_id"), "names the entry"),
    **dict.fromkeys(("division", "player", "number", "entered_at", "entered_by"), "who enters, where and when"),
    **dict.fromkeys(("status", "withdrawn_at", "joined_to"), "follows from entries, withdrawals and merges"),
    **dict.fromkeys(("checked_in_at", "away_until"), "follows from check-ins"),
    "rating": "the draw keeps it",
}
"""Fields of the model that no director writes, and why."""
NO_COLUMN = {"team": "lists call the club so, and two teams would make the division a match between teams"}
"""Fields that no column of a list fills, and why."""


def empty(name: str) -> Any:
    return getattr(Entry, name).field.get_default()


def test_every_field_of_an_entry_is_declared_or_not_written_for_a_reason() -> None:
    names = {field.name for field in Entry._meta.concrete_fields}
    assert names - NOT_WRITTEN.keys() == Entry.FIELDS.keys(), "declare it in Entry.FIELDS, or say why not"
    assert Entry.FIELDS.keys() - COLUMNS.keys() == NO_COLUMN.keys(), "what lists call it, or why no column fills it"


@pytest.fixture
def site(make_division: Callable[..., Division], alice_client: Client) -> Site:
    return Site(make_division(), alice_client)


@pytest.fixture
def entry(site: Site, by_alice: Actor) -> Entry:
    """Ann, with the example of each field."""
    examples = {name: field.example for name, field in Entry.FIELDS.items()}
    [entry] = enter_list(division=site.division, people=rows_named(["Ann"]), choices={}, by=by_alice, now=NOON).entries
    Entry.objects.filter(pk=entry.pk).update(**examples)
    entry.refresh_from_db()
    return entry


@pytest.mark.parametrize("name", Entry.FIELDS)
def test_a_field_is_on_the_desk_in_the_api_the_log_and_the_copy_of_ones_data(
    name: str, site: Site, entry: Entry
) -> None:
    example = Entry.FIELDS[name].example
    event = f"/events/{site.club.slug}/{site.division.tournament.slug}/"
    desk = html(site.client.get(f"{event}check-in/?more={entry.public_id}"))
    path = f"{event}entries/{entry.public_id}/{name}/"
    assert f'action="{path}"' in desk
    assert re.search(rf'<input [^>]*name="{name}" value="{example}"', desk)
    site.client.post(path, {name: ""})
    api = f"/api/v1/entries/{entry.public_id}/"
    assert site.client.get(api).json()[name] == empty(name)
    assert site.client.post(f"{api}{name}/", {name: example}, content_type="application/json").json()[name] == example
    assert site.client.post(f"{api}{name}/", {}, content_type="application/json").status_code == 422
    [section] = [section for section in sections() if section.name == "entries"]
    assert [row[name] for row in section.rows(Person.of(entry.player))] == [example]
    assert Entry.FIELDS[name].verb in html(site.client.get(f"{event}console/log/"))
    assert name in mentions.registered()[Entry], "names of erased people are removed from it"


WAYS = (pasted, filed, sent, uploaded)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "planted"), [(name, planted) for name in Entry.FIELDS for planted in (False, True)])
def test_a_column_of_a_list_fills_its_field_or_is_refused_by_name(
    name: str, planted: bool, way: Callable[[Site, str], Outcome], site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    if planted:
        monkeypatch.setitem(COLUMNS, name, frozenset({name}))
    title, example = name.upper(), Entry.FIELDS[name].example
    text = f"Name;Ort;{title};Rating;E-Mail\nAnn;Ulm;{example};1500;\nBo;Köln;;1600;"
    refused = ["Ort", *([] if name in COLUMNS else [title]), "Rating"]
    page = unescape(site.client.post(f"{site.entries}paste/", {"names": text}).content.decode())
    assert f"Columns not kept: {', '.join(refused)}." in re.sub("</?bdi>", "", page)
    answer = site.client.post(f"{site.api}?preview=true", text, content_type="text/csv").json()
    assert (answer["not_kept"], answer["entries"]) == (refused, [])
    assert way(site, text)[0] == ["Ann", "Bo"]
    entries = site.division.entries.order_by("player__name")
    assert list(entries.values_list(name, flat=True)) == [example if name in COLUMNS else empty(name), empty(name)]


@pytest.mark.parametrize("way", WAYS)
def test_a_cell_that_its_field_does_not_take_is_not_understood(
    way: Callable[[Site, str], Outcome], site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COLUMNS, "team", frozenset({"team"}))
    entered, _rows, code = way(site, f"Name;Team\nAnn;CBC\nBo;{'x' * 41}")
    assert (entered, code) == ([], "list_unclear" if way in (sent, uploaded) else "list_empty")
    answer = site.client.post(f"{site.entries}enter/", {"names": f"Ann\tteam\t{'x' * 41}"}, follow=True)
    assert (answer.status_code, site.entered()) == (200, [])


def test_members_keep_no_column_and_each_is_named(site: Site, club: Club) -> None:
    path = f"/clubs/{club.slug}/members/paste/"
    added = html(site.client.post(path, {"names": "Name;Mobil;Ort\nAnn Berg;12;\nBo Lund;;"}, follow=True))
    assert "Columns not kept: Mobil." in added
    checked = html(site.client.post(path, {"names": "Name;Mobil\nAnn Berk;12\n7;8"}))
    assert "Columns not kept: <bdi>Mobil</bdi>." in checked
    assert site.added() == ["Ann Berg", "Bo Lund"]


@pytest.mark.parametrize("of_person", [True, False])
@pytest.mark.parametrize("name", Entry.FIELDS)
def test_what_is_about_a_person_does_not_outlast_them(
    name: str, of_person: bool, entry: Entry, by_alice: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    field = Entry.FIELDS[name]
    monkeypatch.setitem(Entry.FIELDS, name, field._replace(of_person=of_person))
    left = empty(name) if of_person else field.example
    forget([entry.player], None)
    assert getattr(Entry.objects.get(pk=entry.pk), name) == left
    Entry.objects.filter(pk=entry.pk).update(**{name: field.example})
    division = Division.objects.get(pk=entry.division_id)
    substitute(entry=entry, substitute=SubstituteInput("Zoe"), after=division.seq, by=by_alice, now=NOON)
    after = Entry.objects.get(pk=entry.pk)
    assert (after.player.name, getattr(after, name)) == ("Zoe", left)
