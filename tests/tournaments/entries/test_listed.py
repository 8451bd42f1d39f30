"""Every list of people is read in one way, wherever it is sent: the same people are taken, asked about, and refused."""

import csv
import re
from collections.abc import Callable, Sequence
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from core.encodings import decoded
from core.people_lists import ListedPerson, is_name, read_people
from core.spreadsheets import spreadsheet_text
from engine.errors import Refused
from players.models import Club, Membership, Player
from tests.seasons.workbooks import xlsx
from tests.tournaments.entries.listed import KNOWN, LISTS, WRITTEN, Listed
from tournaments.models import Division, PastPlacing

pytestmark = pytest.mark.django_db
Outcome = tuple[list[str], list[int], str]
"""The people who were taken, the lines that were asked about, and the code of a refusal."""


def names_of(people: Sequence[ListedPerson]) -> list[str]:
    return [person.name for person in people]


class Site:
    """A club with one member besides Alice, who sends lists."""

    def __init__(self, division: Division, client: Client) -> None:
        event = division.tournament
        self.client, self.division, self.club = client, division, event.club
        self.entries = f"/events/{self.club.slug}/{event.slug}/{division.public_id}/entries/"
        self.members = f"/clubs/{self.club.slug}/members/"
        self.api = f"/api/v1/divisions/{division.public_id}/entries/paste/"
        self.members_api = f"/api/v1/clubs/{self.club.slug}/members/list/"
        self.seasons_api = f"/api/v1/clubs/{self.club.slug}/past-seasons/"
        self.before = set(Player.objects.values_list("pk", flat=True))

    def entered(self) -> list[str]:
        return sorted(self.division.entries.values_list("player__name", flat=True))

    def added(self) -> list[str]:
        players = Player.objects.filter(memberships__club=self.club).exclude(pk__in=self.before)
        return sorted(players.values_list("name", flat=True))

    def checked(self, answer: Any, then: str, people: Callable[[], list[str]]) -> Outcome:
        """Send on what a page has understood, choosing nobody."""
        page = unescape(answer.content.decode())
        names = re.search(r'<textarea name="names" hidden>(.*?)</textarea>', page, re.DOTALL)
        if names is not None and names[1].strip():
            assert people() == [], "nobody before the list was checked"
            assert self.client.post(then, {"names": names[1]}).status_code == 302
        asked = [int(line) for line in re.findall(r"\bline (\d+)\b", page)]
        return people(), asked, "" if answer.status_code != 422 else "list_empty"

    def answered(self, answer: Any, people: Callable[[], list[str]]) -> Outcome:
        """Return what a program is told."""
        body = answer.json()
        code = "" if answer.status_code == 200 else body["code"]
        rows = [row for row, _text in body["params"]["rows"]] if code == "list_unclear" else []
        return people(), rows, code


def pasted(site: Site, text: str) -> Outcome:
    answer = site.client.post(f"{site.entries}paste/", {"names": text})
    return site.checked(answer, f"{site.entries}enter/", site.entered)


def filed(site: Site, text: str, name: str = "list.csv") -> Outcome:
    answer = site.client.post(f"{site.entries}paste/", {"names": "", "file": SimpleUploadedFile(name, text.encode())})
    return site.checked(answer, f"{site.entries}enter/", site.entered)


def sent(site: Site, text: str) -> Outcome:
    body = {"names": text.split("\n")}
    return site.answered(site.client.post(site.api, body, content_type="application/json"), site.entered)


def uploaded(site: Site, text: str) -> Outcome:
    return site.answered(site.client.post(site.api, text, content_type="text/csv"), site.entered)


def members(site: Site, text: str) -> Outcome:
    return site.checked(site.client.post(f"{site.members}paste/", {"names": text}), f"{site.members}list/", site.added)


def members_filed(site: Site, text: str) -> Outcome:
    file = SimpleUploadedFile("members.csv", text.encode())
    return site.checked(site.client.post(f"{site.members}paste/", {"file": file}), f"{site.members}list/", site.added)


def members_sent(site: Site, text: str) -> Outcome:
    body = {"names": text.split("\n")}
    return site.answered(site.client.post(site.members_api, body, content_type="application/json"), site.added)


SURFACES = [pasted, filed, sent, uploaded, members, members_filed, members_sent]


@pytest.fixture
def site(make_division: Callable[..., Division], alice_client: Client, club: Club) -> Site:
    Membership.objects.create(club=club, player=Player.objects.create(name=KNOWN))
    return Site(make_division(), alice_client)


def outcomes(lists: Sequence[Listed], send: Callable[[Listed], Any]) -> dict[str, Any]:
    """Send each list to the same site, as it was at first."""
    found = {}
    for listed in lists:
        with transaction.atomic():
            found[listed.kind] = send(listed)
            transaction.set_rollback(True)
    assert len(found) == len(lists) > 4
    return found


@pytest.mark.parametrize("surface", SURFACES)
def test_a_list_means_the_same_people_wherever_it_is_sent(surface: Callable[[Site, str], Outcome], site: Site) -> None:
    is_page = surface in (pasted, filed, members, members_filed)
    assert outcomes(LISTS, lambda listed: surface(site, listed.text)) == {
        row.kind: shown(row) if is_page else ([] if row.code else row.entered, row.asked, row.code) for row in LISTS
    }


def shown(listed: Listed) -> Outcome:
    """Return what a page does with a list: it asks about what is unclear, and takes the others."""
    return listed.entered, listed.asked, listed.code if listed.code == "list_empty" else ""


def test_a_program_can_say_that_some_may_be_left_out(site: Site) -> None:
    def send(listed: Listed) -> tuple[list[str], list[str], str]:
        answer = site.client.post(f"{site.api}?partial=true", listed.text, content_type="text/csv")
        body = answer.json()
        entered = sorted(entry["player"]["name"] for entry in body.get("entries", ()))
        assert entered == site.entered()
        return entered, [row["why"] for row in body.get("left_out", ())], body.get("code", "")

    whys = {"equal rows": ["repeated"], "a near namesake": ["partial"], "two spellings": ["partial"]}
    expected: dict[str, Any] = {
        row.kind: (row.entered, whys.get(row.kind, ["unclear"] * len(row.asked)), shown(row)[2]) for row in LISTS
    }
    assert outcomes(LISTS, send) == expected


def test_a_workbook_is_read_as_the_same_table(site: Site) -> None:
    def send(listed: Listed) -> Outcome:
        lines = listed.text.removeprefix("sep=|").split("\n")
        book = xlsx([[*line.split(listed.separator)] for line in lines])
        answer = site.client.post(f"{site.entries}paste/", {"file": SimpleUploadedFile("list.xlsx", book)})
        return site.checked(answer, f"{site.entries}enter/", site.entered)

    tables = [row for row in LISTS if row.separator][::2]
    assert outcomes(tables, send) == {row.kind: shown(row) for row in tables}


def test_a_season_names_the_same_people(site: Site) -> None:
    def send(listed: Listed) -> Outcome:
        lines = listed.text.rstrip("\n").split("\n")
        titles = next(at for at, line in enumerate(lines) if re.search("[Nn]ame|Nome", line))
        places = ["", "place", *["7"] * len(lines)]
        rows = [f"{line}{listed.separator}{places[min(at - titles + 1, 2)]}" for at, line in enumerate(lines)]
        text = "\n".join(rows[titles:] if titles else rows)
        body = {"name": "2019", "text": text, "leave_out": True, "preview": False}
        answer = site.client.post(site.seasons_api, body, content_type="application/json")
        code = "" if answer.status_code == 201 else answer.json()["code"]
        return sorted(PastPlacing.objects.values_list("player__name", flat=True)), [], code

    tables = [row for row in LISTS if row.separator and row.has_titles and row.entered]
    expected: dict[str, Outcome] = {row.kind: (row.entered, [], "") for row in tables}
    assert outcomes(tables, send) == expected | {"a near namesake": ([], [], "past_names_open")}


# A program enters all of a list, or nobody.

HALLS = ["Hall Pa", "Hall Pb", "Hall Pc", "Hall Pd"]


def posted(site: Site, path: str = "", **body: Any) -> tuple[int, Any]:
    answer = site.client.post(path or site.api, body, content_type="application/json")
    return answer.status_code, answer.json()


@pytest.mark.parametrize("kind", ["entries", "members"])
def test_nobody_is_taken_of_a_list_of_which_somebody_would_be_left_out(kind: str, site: Site) -> None:
    path = site.api if kind == "entries" else site.members_api
    status, body = posted(site, path, names=HALLS)
    assert (status, body["code"], site.entered(), site.added()) == (422, "list_left_out", [], [])
    rows = [(row["place"], row["name"], row["why"], row["alike"]) for row in body["params"]["rows"]]
    assert rows == [
        (1, "Hall Pb", "partial", "Hall Pa"),
        (2, "Hall Pc", "partial", "Hall Pa"),
        (3, "Hall Pd", "partial", "Hall Pa"),
    ]
    status, _body = posted(site, path, names=HALLS, choices={"1": "new", "2": "new", "3": "new"})
    assert (status, site.added()) == (200, HALLS)


def test_two_of_one_name_are_two_members_if_they_are_chosen(site: Site) -> None:
    twins = [Player.objects.create(name="Kim Lee Ray") for _ in range(2)]
    for twin in twins:
        Membership.objects.create(club=site.club, player=twin)
    names = ["Kim Lee", "Kim Lee"]
    for path in (site.members_api, site.api):
        assert posted(site, path, names=names)[1]["code"] == "list_left_out"
        chosen = {str(at): twin.public_id for at, twin in enumerate(twins)}
        assert posted(site, path, names=names, choices=chosen)[0] == 200
        same = {"0": twins[0].public_id, "1": twins[0].public_id}
        assert posted(site, path, names=names, choices=same)[0] == 422
    assert site.entered() == ["Kim Lee Ray", "Kim Lee Ray"]


def test_with_partial_the_answer_says_who_is_left_out_and_why(site: Site) -> None:
    status, body = posted(site, names=[*HALLS, "Total: 4"], partial=True)
    assert (status, [entry["player"]["name"] for entry in body["entries"]]) == (200, ["Hall Pa"])
    assert [(row["place"], row["name"], row["why"]) for row in body["left_out"]] == [
        *((at, name, "partial") for at, name in enumerate(HALLS) if at),
        (None, "Total: 4", "unclear"),
    ]
    status, body = posted(site, names=["Vorname;Clanname", "Sofie;Lund"], partial=True)
    assert (status, body["entries"], [row["why"] for row in body["left_out"]]) == (200, [], ["unclear"] * 2)
    status, found = posted(site, site.members_api, names=["Hall Pa", "Total: 4"], partial=True)
    assert (status, [row["how"] for row in found]) == (200, ["found", "unclear"])


def test_namesakes_among_many_are_refused_and_the_rest_may_be_sent_again(site: Site) -> None:
    letters = "bcdfghjklmnpqrstvwxz"
    names = [f"{first.upper()}a{second}o {second.upper()}u{first}e{first}i" for first in letters for second in letters]
    names = [*names[:285], *names[:285:19]]
    status, body = posted(site, names=names)
    rows = body["params"]["rows"]
    assert (len(names), status, {row["why"] for row in rows}, site.entered()) == (300, 422, {"repeated"}, [])
    assert [row["place"] for row in rows] == [*range(285, 300)]
    status, body = posted(site, names=names, choices={str(row["place"]): "new" for row in rows})
    assert (status, len(body["entries"]), body["left_out"]) == (200, 300, [])


def test_a_list_that_is_sent_again_enters_nobody_and_is_no_fault(site: Site) -> None:
    assert posted(site, names=["Bo Friis", "Cyd Gamma"])[0] == 200
    status, body = posted(site, names=["Bo Friis", "Cyd Gamma", "Dan Li"])
    assert (status, [row["why"] for row in body["left_out"]]) == (200, ["entered", "entered"])
    assert [entry["player"]["name"] for entry in body["entries"]] == ["Dan Li"]


@pytest.mark.parametrize("listed", WRITTEN, ids=lambda listed: listed.kind)
def test_a_list_as_programs_write_it_is_read_or_asked_about(listed: Listed) -> None:
    read = read_people(listed.text)
    named, asked = [row.name for row in read if row.name], [row.row for row in read if not row.name]
    assert (named, asked) == (listed.entered, listed.asked)


# Any separator, order and titles of columns.

COLUMNS = [
    ("First name", "Last name", "Club"),
    ("Vorname", "Name", "Verein"),
    ("Prénom", "Nom", "Équipe"),
    ("Nome", "Cognome", "Circolo"),
    ("Nombre", "Apellidos", "Equipo"),
    ("Fornavn", "Efternavn", "Klub"),
    ("Voornaam", "Achternaam", "Vereniging"),
    ("Ad", "Soyad", "Kulüp"),
]
WORDS = st.sampled_from(["Ann", "Jan", "Søren", "Ōmi", "Zoë", "花子", "Şule", "O'Neil", "de Vries", "Novák-Lund", "Bo"])
PEOPLE = st.lists(st.tuples(WORDS, WORDS, st.sampled_from(["", "Hafen", "Lund, Malmö", 'BC "Six"'])), min_size=1)


@given(PEOPLE, st.sampled_from(COLUMNS), st.sampled_from(",;\t|"), st.permutations(range(4)), st.booleans())
def test_a_table_in_any_language_order_and_separator_names_the_same_people(
    people: list[tuple[str, str, str]], titles: tuple[str, ...], separator: str, order: list[int], says: bool
) -> None:
    out = StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    rows = [(*titles, "Rating"), *((first, last, club, "1500") for first, last, club in people)]
    writer.writerows([row[at] for at in order] for row in rows)
    text = f"sep={separator}\r\n{out.getvalue()}" if says else out.getvalue()
    read = read_people(text)
    assert [(row.name, row.club, row.rating) for row in read] == [(f"{a} {b}", c, "1500") for a, b, c in people]
    assert names_of(read_people("\n".join(names_of(read)))) == names_of(read), "what was read is read again as it is"


@given(PEOPLE, st.sampled_from(["{0} {1}", "{1}, {0}", "{number}. {0} {1}", "- {0} {1} (1500)", '"{1}, {0}"']))
def test_lines_in_any_usual_form_name_the_same_people(people: list[tuple[str, str, str]], form: str) -> None:
    lines = [form.format(first, last, number=number) for number, (first, last, _club) in enumerate(people, 1)]
    assert names_of(read_people("\n".join(lines))) == [f"{first} {last}" for first, last, _club in people]


@given(st.text(alphabet='Ann Bo,;|\t"\n1520.@-', max_size=80))
def test_every_row_with_something_in_it_is_a_name_or_asked_about(text: str) -> None:
    rows = read_people(f"{text}\nOla Lund")
    assert all(row.text and (not row.name or is_name(row.name)) for row in rows)
    if '"' not in text:
        written = [line for line in text.splitlines() if not re.fullmatch(r"(\d{1,3} ?\.|-|)", line.strip(" ,;|\t"))]
        assert len(written) < len(rows) <= 1 + len(text.splitlines())


@pytest.mark.parametrize(
    ("cell", "name", "rating"),
    [
        ("3. Novák, Jan", "Jan Novák", ""),
        ("Jan Novák, Jr.", "Jan Novák, Jr.", ""),
        ("Cyd Gamma - 1500", "Cyd Gamma", "1500"),
        ('Bob "The Dice" Smith', 'Bob "The Dice" Smith', ""),
        ("R2 D2", "R2 D2", ""),
        ("Player 12", "Player 12", ""),
    ],
)
def test_what_stands_beside_a_name_in_its_line(cell: str, name: str, rating: str) -> None:
    [row] = read_people(cell)
    assert (row.name, row.rating) == (name, rating)


@pytest.mark.parametrize(
    "line",
    [
        "Cyd 1500",
        "Ann Berg, Harbour Club",
        "1500",
        "3 Ann",
        "https://ann.example",
        "Total",
        "x" * 81,
        "Ann; Bob",
        '"Ann',
    ],
)
def test_a_line_that_may_be_no_name_is_not_understood(line: str) -> None:
    [row, other] = read_people(f"{line}\nOla Lund")
    assert (row.name, row.text, other.name) == ("", " · ".join(line.split("; "))[:320], "Ola Lund")


def test_numbers_that_tell_names_apart_are_part_of_them() -> None:
    assert names_of(read_people("Player 1500\nPlayer 1501")) == ["Player 1500", "Player 1501"]
    assert [row.name for row in read_people("Cyd Gamma 1500\nCyd Gamma 1600")] == ["", ""]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"PK\0\1", "spreadsheet_unreadable"),
        (b'name\n"' + b"x" * 140_000, "spreadsheet_unreadable"),
        (b"a\n" * 30_000, "spreadsheet_too_many_cells"),
    ],
)
def test_a_file_that_is_no_list_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read_people(spreadsheet_text(data))
    assert refused.value.code == code


def test_files_of_other_encodings_and_line_ends() -> None:
    for data in ("Name\rSøren Æbelø\r".encode("cp1252"), "Name\nSøren Æbelø\n".encode("utf-16"), b"Name\r\nA B\r\n"):
        assert len(names_of(read_people(spreadsheet_text(data)))) == 1


# Encodings.

READ = [
    ("cp1252", ["Søren Æbelø", "Mads Ågård", "Jürgen Öhl"]),
    ("cp1252", ["Jörg Müller", "Strauß"]),
    ("cp1252", ["François Lefèvre", "Zoë"]),
    ("cp1252", ["José Muñoz", "Rosa García"]),
    ("cp1252", ["João Conceição"]),
    ("cp1252", ["Søren Æbelø", "José Muñoz", "Jürgen Groß", "François Lefèvre"]),
    ("cp1252", ["Bob “The Dice” Smith – O’Neil", "D’Angelo"]),
    ("utf-8-sig", ["Łukasz Żak", "Søren"]),
    ("utf-16", ["Łukasz Żak", "山田太郎"]),
]
ASKED = [
    ("cp1250", ["Łukasz Żak", "Kamiński", "Grażyna Śliwa"]),
    ("iso8859_2", ["Łukasz Żak", "Kamiński", "Grażyna Śliwa"]),
    ("cp1250", ["Jiří Dvořák", "Černý"]),
    ("cp1250", ["Đorđe Kovačević"]),
    ("cp1254", ["Şule Işık", "Özgür Çağ", "İzmir"]),
    ("mac_roman", ["Søren Æbelø", "Mads Ågård"]),
    ("mac_roman", ["André Lefèvre", "François"]),
    ("mac_roman", ["Rosa García", "José Muñoz"]),
    ("mac_roman", ["Özgür Öz", "Groß"]),
    ("cp1253", ["Νίκος Αλεξίου", "Άννα Ρήγα"]),
    ("iso8859_7", ["Νίκος Αλεξίου", "Άννα Ρήγα"]),
    ("cp932", ["山田太郎", "鈴木花子"]),
    ("euc_jp", ["山田太郎", "鈴木花子"]),
    ("cp1252", ["Þór Guðrúnarson"]),
]


@pytest.mark.parametrize(("encoding", "names"), READ)
def test_a_file_is_read_where_one_language_has_its_letters(encoding: str, names: list[str]) -> None:
    assert decoded("\n".join(names).encode(encoding)).split("\n") == names


@pytest.mark.parametrize(("encoding", "names"), ASKED)
def test_a_file_with_letters_of_another_encoding_is_asked_about(encoding: str, names: list[str]) -> None:
    with pytest.raises(Refused) as refused:
        decoded("\n".join(names).encode(encoding))
    readings = dict(refused.value.params["readings"])
    assert refused.value.code == "encoding_unclear"
    assert (sorted(readings[encoding]), [reading for reading in readings if reading == "cp1252"][1:]) == (
        sorted(names),
        [],
    )


@given(st.sampled_from(READ[:6]), st.data())
def test_a_part_of_what_is_clear_is_read_as_well(listed: tuple[str, list[str]], data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(listed[1]), min_size=1))
    assert decoded("\n".join(names).encode(listed[0])) == "\n".join(names)


POLISH = "Imię;Nazwisko\nŁukasz;Żak\nGrażyna;Śliwa"
POLES = ["Grażyna Śliwa", "Łukasz Żak"]


@pytest.mark.parametrize("kind", ["entries", "members"])
def test_a_program_is_asked_for_the_encoding_and_says_it(kind: str, site: Site) -> None:
    path, content = site.api if kind == "entries" else site.members_api, POLISH.encode("cp1250")
    asked = site.client.post(path, content, content_type="text/csv")
    assert (asked.status_code, asked.json()["code"], site.added()) == (422, "encoding_unclear", [])
    readings = dict(asked.json()["params"]["readings"])
    assert (list(readings), "Łukasz;Żak" in readings["cp1250"]) == (["cp1252", "cp1250"], True)
    file = SimpleUploadedFile("list.csv", content)
    assert site.client.post(path, {"file": file, "encoding": "cp1250", "preview": True}).status_code == 200
    assert site.client.post(f"{path}?encoding=rot13", content, content_type="text/csv").status_code == 422
    assert site.added() == []
    assert site.client.post(f"{path}?encoding=cp1250", content, content_type="text/csv").status_code == 200
    assert site.added() == POLES


@pytest.mark.parametrize("kind", ["entries", "members", "seasons"])
def test_a_director_sees_the_names_in_each_encoding_and_chooses(kind: str, site: Site) -> None:
    path, field, more = {
        "entries": (f"{site.entries}paste/", "names", {"team": ""}),
        "members": (f"{site.members}paste/", "names", {}),
        "seasons": (f"/clubs/{site.club.slug}/past-seasons/import/", "text", {"name": "2019", "step": "preview"}),
    }[kind]
    file = SimpleUploadedFile("list.csv", POLISH.encode("cp1250"))
    answer = site.client.post(path, {field: "", "file": file, **more})
    page = unescape(answer.content.decode())
    texts = re.findall(rf'name="{field}"\s+value="([^"]+)"', page)
    assert (answer.status_code, [text == POLISH for text in texts]) == (422, [False, True])
    assert "<bdi>Gra¿yna;Œliwa</bdi>" in page
    assert (site.entered(), site.added()) == ([], [])
    chosen = site.client.post(path, {field: ["", texts[1]], **more}, follow=True)
    assert "Grażyna" in unescape(chosen.content.decode())
