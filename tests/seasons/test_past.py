"""A club moves in: an old spreadsheet becomes a season, with questions, and is undone."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from core.names import fold
from core.spreadsheets import Sheet, spreadsheet_text
from engine.errors import Refused
from players.actors import SYSTEM
from players.models import Alias, Club, Membership, Player, User
from players.people.services import merge_players
from seasons.imports.rows import PastSheet, Reading, RowProblem, read_past
from seasons.imports.seasons import (
    NewSeason,
    PastInput,
    count_past,
    import_past,
    leave_out_past,
    preview_past,
    table_of,
    undo_past,
)
from seasons.page.season import season_view
from seasons.season_views import ViewInput, save_view
from seasons.services import SeriesInput, change_details, change_plan, close_series, create_series, reopen_series
from seasons.tables import newest_plan, season_table
from seasons.tables import table_of as table_of_season
from tests.event_cast import NOW
from tests.pages import html
from tests.seasons.messy import Result, messy, wide
from tests.seasons.workbooks import Cell, ods, xlsx
from tournaments.models import PastPlacing, PastSeason, Series

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
SMALL = "name,place\nAnn,1\nBen,2\nCleo,2\n"


def member(club: Club, name: str) -> Player:
    player = Player.objects.create(name=name)
    Membership.objects.create(club=club, player=player)
    return player


def bring(club: Club, text: str, **decided: object) -> PastSeason:
    data = PastInput(text, **decided)  # type: ignore[arg-type]
    return import_past(club=club, name="2019", data=data, by=SYSTEM, now=NOW)


def read(rows: list[list[str]], **decided: object) -> PastSheet:
    return read_past([Sheet("", rows)], Reading(**decided))  # type: ignore[arg-type]


def results(sheet: PastSheet) -> list[tuple[str, str, date | None, int | None, Decimal | None]]:
    assert [row.problem for row in sheet.unclear] == []
    return [(row.name, row.event, row.day, row.place, row.points) for row in sheet.good]


def code(act: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code


@pytest.mark.parametrize(
    ("day", "points", "problem", "values"),
    [
        ("2024-02-29", "12,5", None, (date(2024, 2, 29), "12.5")),
        ("29.2.24", "1.234,5", None, (date(2024, 2, 29), "1234.5")),
        ("13/2/2024", "1,234.5", None, (date(2024, 2, 13), "1234.5")),
        ("2/13/2024", "0,125", None, (date(2024, 2, 13), "0.125")),
        ("3/4/2024", "1", RowProblem.UNCLEAR_DAY, None),
        ("4/4/2024", "−2", None, (date(2024, 4, 4), "-2")),
        ("30.2.2024", "1", RowProblem.BAD_DAY, None),
        ("spring", "1", RowProblem.BAD_DAY, None),
        ("", "1,234", RowProblem.UNCLEAR_POINTS, None),
        ("", "1.234", RowProblem.UNCLEAR_POINTS, None),
        ("", "lots", RowProblem.BAD_POINTS, None),
        ("", "1e9", RowProblem.BAD_POINTS, None),
        ("", "", RowProblem.NOTHING, None),
    ],
)
def test_a_cell_that_can_be_read_in_two_ways_is_a_question(
    day: str, points: str, problem: RowProblem | None, values: tuple[date, str] | None
) -> None:
    (row,) = read([["Name", "Datum", "Punkte", "Phone"], ["Ann", day, points, "1"]]).rows
    assert row.problem == problem
    if values:
        assert (row.day, row.points) == (values[0], Decimal(values[1]))


def test_one_clear_day_tells_the_order_of_a_column() -> None:
    rows = [["Name", "Date", "Place"], ["Ann", "3/4/2024", "1."], ["Ben", "3/25/2024", "3-4"], ["Cy", "3/4/2024", "=2"]]
    sheet = read(rows)
    assert [(row.day, row.place) for row in sheet.rows] == [
        (date(2024, 3, 4), 1), (date(2024, 3, 25), 3), (date(2024, 3, 4), 2),
    ]  # fmt: skip
    rows.append(["Di", "25/3/2024", "2"])
    problems = [row.problem for row in read(rows).rows]
    assert problems == [RowProblem.UNCLEAR_DAY, None, RowProblem.UNCLEAR_DAY, None]
    assert read(rows, day_order="dmy").rows[0].problem is None
    rows[2:] = [["Ben", "2024-01-15", "2"]]
    assert [row.problem for row in read(rows).rows] == [RowProblem.UNCLEAR_DAY, None]


def test_columns_can_be_chosen(club: Club) -> None:
    rows = [["Who", "What", "Place"], ["Ann", "7", "1"]]
    assert read(rows).lacks_columns
    assert code(lambda: bring(club, "Who,What,Place\nAnn,7,1")) == "past_no_columns"
    (row,) = read(rows, columns={"name": 1, "points": 2, "place": 0}).rows
    assert (row.name, row.points, row.place) == ("Ann", Decimal(7), None)
    assert code(lambda: read(rows, columns={"name": 1, "points": 1})) == "past_no_columns"
    assert code(lambda: read(rows, columns={"name": 1, "points": 9})) == "past_no_columns"
    assert code(lambda: read(rows, nights=[4])) == "past_no_columns"
    assert code(lambda: read(rows, sheets=[2])) == "past_no_columns"


@pytest.mark.parametrize(
    "day", ["2024-03-09", "9.3.24", "9 March 2024", "March 9, 2024", "Sat, 9. März 2024", "9-mar-24", "20240309"]
)
def test_days_in_words_and_figures(day: str) -> None:
    (row,) = read([["Name", "Date", "Place"], ["Ann", day, "1"]]).rows
    assert row.day == date(2024, 3, 9)


# Sheets with a column for each night.


def test_each_column_of_a_wide_sheet_is_a_night() -> None:
    sheet = read(
        [
            ["Harbour club"],
            ["Rank", "Name", "9.3.2024", "16.3.2024", "Total", "Phone"],
            ["1", "Novák, Jan", "4", "2,5", "6,5", "555"],
            ["2", "Ann", "-", "3", "3", ""],
            ["3", "Ben", "", "", "", ""],
            ["", "Total", "4", "5,5", "9,5", ""],
        ]
    )
    first, second = date(2024, 3, 9), date(2024, 3, 16)
    assert results(sheet) == [
        ("Jan Novák", "", first, None, Decimal(4)),
        ("Jan Novák", "", second, None, Decimal("2.5")),
        ("Ann", "", second, None, Decimal(3)),
    ]
    assert [(row.row, row.problem) for row in sheet.skipped] == [(5, RowProblem.ABSENT), (6, RowProblem.TOTAL)]
    assert list(sheet.unused) == ["Rank", "Total", "Phone"]


def test_whether_whole_numbers_are_places_is_asked() -> None:
    rows = [["Name", "Night 1", "Night 2"], ["Ann", "1", "2"], ["Ben", "2", "1"]]
    sheet = read(rows)
    assert (sheet.lacks_cells, sheet.rows) == (True, [])
    assert [row.place for row in read(rows, cells="places").good] == [1, 2, 2, 1]
    assert [row.points for row in read(rows, cells="points").good] == [1, 2, 2, 1]
    summed = [rows[0] + ["Points"], rows[1] + ["3"], rows[2] + ["3"]]
    assert read(summed).cells == "points", "the totals are their sums"
    assert read([rows[0], ["Ann", "0", "2"]]).cells == "points"
    assert [(row.event, row.points) for row in read(summed, nights=[]).good] == [("", 3), ("", 3)]


def test_merged_titles_name_a_night_with_its_places_and_points() -> None:
    rows = [["Name", "9.3.2024", "", "16 March 2024"], ["", "Platz", "Punkte", "Platz", "Punkte"]]
    sheet = read([*rows, ["Ann", "1", "10", "", ""], ["Ben", "2", "6", "1", "10"]])
    first, second = date(2024, 3, 9), date(2024, 3, 16)
    assert results(sheet) == [
        ("Ann", "", first, 1, 10), ("Ben", "", first, 2, 6), ("Ben", "", second, 1, 10),
    ]  # fmt: skip
    months = read([["", "January", "", "March"], ["Name", "9.", "16.", "2."], ["Ann", "1,5", "2", "3"]])
    assert [row.event for row in months.good] == ["January 9.", "January 16.", "March 2."]


def test_an_event_written_once_for_several_rows_is_that_of_the_rows_below() -> None:
    sheet = read(
        [
            ["Event", "Date", "Name", "Place"],
            ["Spring Cup", "9.3.2024", "Ann", "1"],
            ["", "", "Ben", "2"],
            [],
            ["Summer Cup", "8.6.2024", "Ann", "2"],
            ["Summer Cup", "", "Cleo", "1"],
            ["", "8.6.2024", "Dora", "3"],
        ]
    )
    spring, summer = ("Spring Cup", date(2024, 3, 9)), ("Summer Cup", date(2024, 6, 8))
    assert [(row.event, row.day) for row in sheet.good] == [spring, spring, summer, summer, summer]
    assert [row.from_above for row in sheet.good] == [False, True, False, True, True]


def test_sheets_are_read_only_if_chosen_and_are_evenings_then() -> None:
    night = [["Name", "Platz"], ["Ann", "1"], ["Ben", "2"]]
    sheets = [Sheet("Cover", [["Our club"]]), Sheet("9.3.2024", night), Sheet("Cup", night), Sheet("All", night)]
    assert [(row.row, row.event) for row in read_past(sheets, Reading()).good] == [(2, ""), (3, "")]
    sheet = read_past(sheets, Reading(sheets=[2, 3]))
    assert [(row.sheet, row.event, row.day) for row in sheet.good[1:3]] == [
        ("9.3.2024", "9.3.2024", date(2024, 3, 9)), ("Cup", "Cup", None),
    ]  # fmt: skip
    assert [(offer.is_read, offer.is_recognised) for offer in sheet.sheets] == [
        (False, False), (True, True), (True, True), (False, True),
    ]  # fmt: skip


# Names.


@pytest.mark.parametrize("spelling", ["Jan Nowak", "J. Novák", "Novak Jan", "Jan"])
def test_a_name_that_is_nearly_a_member_is_asked_about(club: Club, spelling: str) -> None:
    jan = member(club, "Jan Novák")
    text = f"name,points\n{spelling},3\nAnn,1\n"
    assert code(lambda: bring(club, text)) == "past_names_open"
    assert bring(club, text, choices={spelling: jan.public_id}).placings.filter(player=jan).exists()
    assert code(lambda: bring(club, text, choices={spelling: "same:Ann"})) == "past_bad_choice"
    season = bring(club, text.replace("3", "4"), choices={spelling: "new"})
    assert season.added.filter(name=spelling).exists()


def test_two_spellings_in_the_file_become_one_new_member(club: Club) -> None:
    text = "name,event,points\nJan Novák,1,3\nJan Novák,2,4\nJan Nowak,3,5\nJan Nowack,4,1\n"
    preview = preview_past(club=club, data=PastInput(text))
    assert [(row.name, list(row.names)) for row in preview.questions] == [
        ("Jan Nowak", ["Jan Novák"]), ("Jan Nowack", ["Jan Nowak"]),
    ]  # fmt: skip
    choices = {"Jan Nowak": "same:Jan Novák", "Jan Nowack": "same:Jan Nowak"}
    clash = text.replace("Nowack,4", "Nowack,3")
    assert [row.row for row in preview_past(club=club, data=PastInput(clash, choices=choices)).unclear] == [4, 5]
    season = bring(club, text, choices=choices)
    assert [(row.player.name, row.points) for row in table_of(season)] == [("Jan Novák", 13)]


def test_a_former_member_stays_one(club: Club) -> None:
    ann = member(club, "Ann")
    Membership.objects.filter(player=ann).update(left_at=NOW)
    assert table_of(bring(club, SMALL))[0].player == ann
    assert Membership.objects.get(player=ann).left_at == NOW


def test_placings_alone_make_a_table_and_undoing_it_leaves_nothing(
    club: Club, django_assert_max_num_queries: Any
) -> None:
    ann = member(club, "Ann")
    people = set(Player.objects.values_list("pk", flat=True))
    season = bring(club, SMALL)
    assert [(row.rank, row.player.name) for row in table_of(season)] == [(1, "Ann"), (2, "Ben"), (2, "Cleo")]
    assert table_of(season)[0].player == ann
    assert code(lambda: bring(club, SMALL)) == "past_twice"
    # The new members go all at once.
    with django_assert_max_num_queries(89):
        undo_past(season=season, by=SYSTEM, now=NOW)
    assert set(Player.objects.values_list("pk", flat=True)) == people
    assert not PastPlacing.objects.exists()
    assert code(lambda: undo_past(season=season, by=SYSTEM, now=NOW)) == "past_undone"
    assert len(table_of(bring(club, SMALL))) == 3, "it can be done again"


# Counted in a season.


def counted(season: PastSeason) -> Series:
    new = NewSeason(season.name, date(2019, 1, 1), date(2019, 12, 31))
    return count_past(season=season, by=SYSTEM, now=NOW, new=new)


POINTS = "name,date,event,points\nAnn,2019-03-01,,4\nBen,2019-03-01,,2.5\nAnn,,Cup,1\nCleo,,Cup,5\n"


def test_the_points_of_an_import_are_a_season_evening_by_evening(club: Club) -> None:
    season = bring(club, POINTS)
    series = counted(season)
    table = table_of_season(season_table(series))
    assert [(row["day"], row["name"]) for row in table["events"]] == [(None, "Cup"), ("2019-03-01", "2019")]
    names = dict(Player.objects.values_list("public_id", "name"))
    assert sorted((row["rank"], names[row["player"]], row["total"]) for row in table["rows"]) == [
        (1, "Ann", "5"), (1, "Cleo", "5"), (3, "Ben", "5/2"),
    ]  # fmt: skip
    assert newest_plan(series).plan["show_digits"] == 1
    view = season_view(AnonymousUser(), series)
    assert [(column.name, column.day) for column in view.columns] == [("Cup", None), ("2019", date(2019, 3, 1))]
    assert code(lambda: counted(season)) == "past_counts"
    assert count_past(season=season, by=SYSTEM, now=NOW, series=series) == series


@pytest.mark.parametrize(
    ("places", "expected"),
    [("1 2 3 3 5", 5), ("1 2 3 3 4", 5), ("1 2 5", 0), ("2 3", 0), ("1 1 3", 3)],
)
def test_places_count_by_a_list_if_none_is_missing(club: Club, places: str, expected: int) -> None:
    rows = [f"Player {number},{place}" for number, place in enumerate(places.split())]
    series = counted(bring(club, "\n".join(["name,place", *rows])))
    totals = [row.total for row in season_table(series).season.rows]
    assert len(totals) == len(rows)
    assert max(totals) > 20 if expected else max(totals) <= 2, "the points for coming alone"


def test_undoing_an_import_takes_its_evenings_out_of_an_open_season_only(club: Club) -> None:
    season = bring(club, SMALL)
    series = counted(season)
    closing = close_series(series=series, after=Series.objects.get().seq, by=SYSTEM, now=NOW)
    assert closing.table["rows"]
    assert code(lambda: undo_past(season=season, by=SYSTEM, now=NOW)) == "series_closed"
    assert code(lambda: leave_out_past(season=season, by=SYSTEM)) == "series_closed"
    assert PastPlacing.objects.count() == 3
    reopen_series(series=series, reason="Wrong file", after=Series.objects.get().seq, by=SYSTEM, now=NOW)
    leave_out_past(season=season, by=SYSTEM)
    assert season_table(series).nights == []
    count_past(season=season, by=SYSTEM, now=NOW, series=series)
    undo_past(season=season, by=SYSTEM, now=NOW)
    assert season_table(series).nights == []
    again = bring(club, SMALL)
    assert len(season_table(count_past(season=again, by=SYSTEM, now=NOW, series=series)).season.rows) == 3


@pytest.mark.parametrize("used", ["", "view", "closed", "plan", "another import"])
def test_the_season_that_an_import_made_is_undone_with_it_unless_it_was_used(club: Club, used: str) -> None:
    season = bring(club, POINTS)
    series = counted(season)
    if used == "view":
        save_view(series=series, view=ViewInput("Members", "members", []), by=SYSTEM)
    elif used == "closed":
        close_series(series=series, after=1, by=SYSTEM, now=NOW)
        reopen_series(series=series, reason="Too early", after=2, by=SYSTEM, now=NOW)
    elif used == "plan":
        change_plan(series=series, plan={"points": {"win": 1}}, after=1, by=SYSTEM, now=NOW)
    elif used == "another import":
        count_past(season=bring(club, SMALL), by=SYSTEM, now=NOW, series=series)
    undo_past(season=season, by=SYSTEM, now=NOW)
    assert Series.objects.exists() == bool(used)
    if not used:
        counted(bring(club, POINTS))
        assert Series.objects.get().slug == series.slug, "imported again, it has its name and address"


def test_a_season_made_by_hand_stays_when_the_import_in_it_is_undone(club: Club) -> None:
    days = SeriesInput("By hand", date(2019, 1, 1), date(2019, 12, 31), "given")
    series = create_series(club=club, series=days, by=SYSTEM, now=NOW)
    season = bring(club, SMALL)
    count_past(season=season, by=SYSTEM, now=NOW, series=series)
    undo_past(season=season, by=SYSTEM, now=NOW)
    assert Series.objects.get() == series


def test_an_import_that_was_undone_and_comes_again_is_offered_its_old_season(
    club: Club, alice: User, client: Client
) -> None:
    series = counted(bring(club, SMALL))
    change_details(series=series, name=series.name, days=(date(2019, 1, 1), date(2019, 12, 30)), after=0, by=SYSTEM)
    other = SeriesInput("Another", date(2020, 1, 1), date(2020, 12, 31), "given")
    create_series(club=club, series=other, by=SYSTEM, now=NOW)
    undo_past(season=PastSeason.objects.get(), by=SYSTEM, now=NOW)
    again = bring(club, SMALL)
    client.force_login(alice)
    page = html(client.get(f"/clubs/{club.slug}/past-seasons/{again.public_id}/"))
    assert f'<option value="{series.public_id}" selected>' in page
    assert page.count("selected>") == 1


def test_undo_keeps_and_lists_who_has_been_used(club: Club, carol: User) -> None:
    season = bring(club, "name,points\nClaimed,5\nMerged,4\nAliased,3\nOfficer,2\nNobody,1\n")
    players = {player.name: player for player in season.added.all()}
    players["Claimed"].user = carol
    players["Claimed"].save()
    merge_players(player=players["Merged"], into=member(club, "Whole"), by=SYSTEM, now=NOW, club=club)
    Alias.objects.create(player=players["Aliased"], name="Al")
    Membership.objects.filter(player=players["Officer"]).update(role=Membership.Role.ASSISTANT)
    undo_past(season=season, by=SYSTEM, now=NOW)
    assert set(season.added.values_list("name", flat=True)) == {"Claimed", "Merged", "Aliased", "Officer"}
    assert not Player.objects.filter(name="Nobody").exists()


def test_undo_keeps_whom_a_second_import_names(club: Club) -> None:
    first = bring(club, SMALL)
    second = bring(club, "name,place\nBen,1\n")
    undo_past(season=first, by=SYSTEM, now=NOW)
    assert list(first.added.values_list("name", flat=True)) == ["Ben"]
    assert [row.player.name for row in table_of(second)] == ["Ben"]


def test_an_ambiguous_name_is_asked_about(club: Club) -> None:
    jan, other = member(club, "Jan Novák"), member(club, "Jan Novak")
    text = "name,points\nJAN NOVAK,3\nAnn,1\n"
    assert code(lambda: bring(club, text)) == "past_names_open"
    assert code(lambda: bring(club, text, choices={"JAN NOVAK": member(club, "Ola").public_id})) == "past_bad_choice"
    assert table_of(bring(club, text, choices={"JAN NOVAK": other.public_id}))[0].player == other
    third = table_of(bring(club, text.replace("3", "4"), choices={"JAN NOVAK": "new"}))[0].player
    assert third not in (jan, other)


def test_two_spellings_of_one_member_in_one_event_are_not_both_imported(club: Club) -> None:
    ann = member(club, "Ann Alder")
    Alias.objects.create(player=ann, name="Annie")
    preview = preview_past(club=club, data=PastInput("name,points\nAnn Alder,3\nAnnie,4\nBen,1\n"))
    assert [row.row for row in preview.unclear] == [2, 3]
    assert [row.name for row in preview.rows] == ["Ben"]


def stored() -> list[Result]:
    rows = PastPlacing.objects.select_related("player")
    return sorted((fold(row.player.name), row.day, row.place, row.points) for row in rows)  # type: ignore[misc]


def folded(truth: list[Result]) -> list[Result]:
    return sorted((fold(name), day, place, points) for name, day, place, points in truth)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("write", [xlsx, ods], ids=["xlsx", "ods"])
def test_each_of_300_messy_rows_is_right_or_asked_about(
    club: Club, write: Callable[[list[list[Cell]]], bytes], seed: int
) -> None:
    sheet = messy(Random(seed))
    text = spreadsheet_text(write(sheet.rows))
    preview = preview_past(club=club, data=PastInput(text))
    assert {row.row for row in preview.unclear} == sheet.asked
    assert {row.name for row in preview.questions} == set(sheet.typos)
    assert list(preview.sheet.unused) == ["Nr.", "Telefon"]
    choices = {question.name: f"same:{question.names[0]}" for question in preview.questions}
    bring(club, text, choices=choices, leave_out=True)
    assert stored() == folded(sheet.truth)


@pytest.mark.parametrize("write", [xlsx, ods], ids=["xlsx", "ods"])
def test_the_same_results_come_of_a_wide_sheet(club: Club, write: Callable[[list[list[Cell]]], bytes]) -> None:
    truth = [result for result in messy(Random(3)).truth if result[1] < date(2019, 2, 1)]
    bring(club, spreadsheet_text(write(wide(truth))))
    assert [(name, day, points) for name, day, _place, points in stored()] == [
        (name, day, points) for name, day, _place, points in folded(truth)
    ]


def test_a_file_is_imported_on_the_page_and_undone_in_one_tap(club: Club, alice: User, client: Client) -> None:
    sheet = messy(Random(7))
    name = sheet.truth[-1][0]
    double = [member(club, name) for _ in range(2)]
    before = set(Player.objects.values_list("pk", flat=True))
    client.force_login(alice)
    path = f"/clubs/{club.slug}/past-seasons/"
    upload = SimpleUploadedFile("old.xlsx", xlsx(sheet.rows))
    answer = client.post(f"{path}import/", {"name": "2019", "file": upload, "step": "preview"})
    preview = answer.context["preview"]
    questions = {question.name: question for question, _options in preview["questions"]}
    assert {fold(key) for key in questions} == {fold(name), *map(fold, sheet.typos)}
    sent = {"name": "2019", "text": preview["text"], "step": "apply"}
    refused = client.post(f"{path}import/", sent)
    assert (refused.status_code, refused.context["preview"]["count"]) == (422, preview["count"]), "it is shown again"
    choices = [
        f"same:{row.names[0]}:{key}" if row.names else f"{double[1].public_id}:{key}" for key, row in questions.items()
    ]
    sent |= {"choices": choices, "leave_out": "on"}  # type: ignore[dict-item]
    assert client.post(f"{path}import/", sent).status_code == 302
    assert stored() == folded(sheet.truth)
    assert not PastPlacing.objects.filter(player=double[0]).exists()
    season = PastSeason.objects.get()
    assert client.get(f"{path}{season.public_id}/").status_code == 200
    assert client.post(f"{path}{season.public_id}/undo/").status_code == 302
    assert set(Player.objects.values_list("pk", flat=True)) == before
    assert not PastPlacing.objects.exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"%PDF-1.4\n", "This is a PDF, not a table. Save the table as CSV, .xlsx or .ods."),
        (b"\x89PNG\r\n\x1a\n", "This is a picture, not a table."),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "This is a file of an old version of Excel or Word."),
        (b"\x1f\x8b\x08\0", "This is a packed file."),
        (b"\0" * 512, "This spreadsheet cannot be read."),
    ],
)
def test_a_file_that_is_no_table_is_refused_by_what_it_is(
    content: bytes, sentence: str, club: Club, alice: User, client: Client
) -> None:
    client.force_login(alice)
    upload = SimpleUploadedFile("old.csv", content)
    sent = {"name": "2019", "file": upload, "step": "preview"}
    answer = client.post(f"/clubs/{club.slug}/past-seasons/import/", sent)
    assert (answer.status_code, answer.context.get("preview")) == (422, None)
    assert sentence in html(answer)


def test_the_page_lets_columns_sheets_and_nights_be_chosen(club: Club, alice: User, client: Client) -> None:
    client.force_login(alice)
    path = f"/clubs/{club.slug}/past-seasons/import/"
    book = xlsx([["Who", "What"], ["Ann", "7"]], {"B": [["Name", "Night 1", "Night 2"], ["Ben", "1", "2"]]})
    shown = client.post(path, {"name": "2019", "file": SimpleUploadedFile("a.xlsx", book), "step": "preview"})
    preview = shown.context["preview"]
    assert preview["columns_of"] == 2, "the first with names and results"
    assert preview["lacks_cells"]
    sent = {"name": "2019", "text": preview["text"], "step": "preview", "columns_of": "2", "name_column": "1"}
    first = client.post(path, sent | {"sheets": ["1"]}).context["preview"]
    assert (first["lacks_columns"], first["count"]) == (True, 0)
    chosen = {"sheets": ["1"], "columns_of": "1", "name_column": "1", "points_column": "2"}
    assert client.post(path, sent | chosen).context["preview"]["count"] == 1
    nights = {"sheets": ["2"], "nights": ["0", "3"], "cells": "places"}
    assert client.post(path, sent | nights).context["preview"]["count"] == 1
    assert client.post(path, sent | {"nights": ["x"]}).status_code == 422


def test_only_directors_import_and_undo(club: Club, bob: User, client: Client) -> None:
    season = bring(club, SMALL)
    path = f"/clubs/{club.slug}/past-seasons/"
    assert "Ann" in client.get(f"{path}{season.public_id}/").content.decode()
    client.force_login(bob)
    assert client.post(f"{path}import/", {"name": "a", "text": SMALL, "step": "apply"}).status_code in (403, 404)
    assert client.post(f"{path}{season.public_id}/undo/").status_code in (403, 404)
    assert PastSeason.objects.get().undone_at is None


def test_the_api_previews_imports_shows_and_undoes(club: Club, alice: User, client: Client) -> None:
    client.force_login(alice)
    path = f"/api/v1/clubs/{club.slug}/past-seasons/"
    body = {"name": "2019", "text": SMALL, "preview": True}
    preview = client.post(path, body, content_type="application/json")
    assert (preview.status_code, preview.json()["rows"]) == (200, 3)
    assert not PastSeason.objects.exists()
    imported = client.post(path, body | {"preview": False}, content_type="application/json")
    assert imported.status_code == 201, imported.content
    address = f"{path}{imported.json()['public_id']}/"
    assert [row["rank"] for row in client.get(address).json()["table"]] == [1, 2, 2]
    assert client.post(f"{address}undo/").status_code == 200
    assert client.get(path).json() == []


def test_equal_rows_count_once_also_under_two_names_of_one_person(club: Club) -> None:
    anna = member(club, "Anna Lindqvist")
    text = "name,place,event\nBen,1,May\nBen,1,May\nAnna Lindqvist,2,May\nAnna Lindqvst,2,May\nAnna Lindqvst,3,June\n"
    season = bring(club, text, choices={"Anna Lindqvst": anna.public_id})
    rows = season.placings.order_by("pk").values_list("player__name", "event", "place")
    assert list(rows) == [("Ben", "May", 1), ("Anna Lindqvist", "May", 2), ("Anna Lindqvist", "June", 3)]
    other = text.replace("Ben,1,May\nBen,1", "Ben,1,May\nBen,4")
    preview = preview_past(club=club, data=PastInput(other, choices={"Anna Lindqvst": anna.public_id}))
    assert [(row.row, row.problem) for row in preview.unclear] == [(2, RowProblem.REPEATED), (3, RowProblem.REPEATED)]
    assert [row.row for row in preview.sheet.skipped] == [5]
