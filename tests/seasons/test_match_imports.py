"""A club brings along its matches of earlier years: read, asked about, rated after a preview, undone."""

from collections.abc import Callable
from datetime import date
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.test import Client

from core.names import fold
from core.spreadsheets import read_text, spreadsheet_text
from engine.errors import Refused
from matches.models import Match, MatchImport, PlayerRating, RatingChange, RatingPool, Result
from matches.rankings.imports import Effect, apply_import
from matches.ratings.services import check_ratings, default_pool, rebuild_pool, replay_pool
from players.actors import SYSTEM
from players.models import Club, Membership, Player, User
from seasons.imports.match_imports import MatchesInput, import_matches, preview_matches, undo_matches
from seasons.imports.matches import MatchProblem, MatchReading, has_matches
from tests.event_cast import NOW
from tests.seasons.messy_matches import Told, messy_matches, messy_points
from tests.seasons.workbooks import ods, xlsx
from tournaments.state.integrity import differences

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
SMALL = "date,winner,loser,score,length\n2019-03-01,Ann,Ben,7-3,7\n2019-03-02,Ben,Cleo,5:2,5\n"


@pytest.fixture
def pool(club: Club) -> RatingPool:
    return RatingPool.objects.create(club=club, name="Club list")


def bring(club: Club, text: str = SMALL, **decided: object) -> MatchImport:
    data = MatchesInput(text, **decided)  # type: ignore[arg-type]
    ratings = preview_matches(club=club, data=data, now=NOW).ratings
    return import_matches(club=club, name="Old list", data=data, ratings=ratings, by=SYSTEM, now=NOW)


def code(act: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code


def problem(club: Club, cells: str, titles: str = "date,player,opponent,score,length", **reading: object) -> str:
    """Return what becomes of a row: the problem, or the match in short."""
    data = MatchesInput(f"{titles}\n{cells}\n", MatchReading(**reading))  # type: ignore[arg-type]
    preview = preview_matches(club=club, data=data, now=NOW)
    assert len(preview.sheet.rows) == 1
    (row,) = [*preview.rows, *preview.unclear, *preview.skipped]
    if row.problem:
        return str(row.problem)
    return f"{row.winner}>{row.loser} {'-'.join(map(str, row.score or ()))} to {row.length}"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("2019-03-01,Ann,Ben,7-3,7", "Ann>Ben 7-3 to 7"),
        ("2019-03-01,Ann,Ben,3:7,7", "Ben>Ann 7-3 to 7"),
        ("2019-03-01,Ann,Ben,7–3,", "Ann>Ben 7-3 to 7"),
        ("2019-03-01,Ann,Ben,8-3,7", "Ann>Ben 8-3 to 7"),
        ("2019-03-01,Ann,Ben,8-3,", "no_length"),
        ("2019-03-01,Ann,Ben,lost,5", "Ben>Ann  to 5"),
        ("2019-03-01,Ann,Ben,0-1,5", "Ben>Ann  to 5"),
        ("2019-03-01,Ann,Ben,W,", "no_length"),
        ("2019-03-01,Ann,Ben,5-3,7", "contradiction"),
        ("2019-03-01,Ann,Ben,9-7,7", "contradiction"),
        ("2019-03-01,Ann,Ben,7-7,7", "no_winner"),
        ("2019-03-01,Ann,Ben,,7", "no_winner"),
        ("2019-03-01,Ann,Ben,2019-07-03,7", "bad_score"),
        ("2019-03-01,Ann,Ben,7-3,26", "bad_length"),
        ("2019-03-01,Ann,ANN,7-3,7", "same_player"),
        ("2019-03-01,Ann,,7-3,7", "no_name"),
        ("2019-03-01,Ann,bye,,7", "bye"),
        ("2019-03-01,Ann,Ben,w/o,7", "not_played"),
        ("3/4/2019,Ann,Ben,7-3,7", "unclear_day"),
        ("spring,Ann,Ben,7-3,7", "bad_day"),
        (",Ann,Ben,7-3,7", "no_day"),
        ("2099-01-01,Ann,Ben,7-3,7", "future"),
        ("Total,Total,,12,", "total"),
    ],
)
def test_what_can_be_read_in_two_ways_is_a_question(club: Club, cells: str, expected: str) -> None:
    assert problem(club, cells) == expected


def test_what_no_row_says_can_be_said_once(club: Club) -> None:
    assert problem(club, "2019-03-01,Ann,Ben,W,", length=5) == "Ann>Ben  to 5"
    assert problem(club, ",Ann,Ben,8-3,", length=7, day=date(2019, 1, 1)) == "Ann>Ben 8-3 to 7"
    assert problem(club, "3/4/2019,Ann,Ben,7-3,7", day_order="mdy") == "Ann>Ben 7-3 to 7"


LINES = """\
Tuesday 12.11.2019
Group A:
Ann Berg - Ben Lund 7-4
Cem Ito – Dora Eng 5:7
Ann Berg b. Cem Ito 7-0
Dora Eng 3 Ben Lund 7
13.11.2019
Final: Ann Berg 9 - 8 Dora Eng
Ann Berg hat gegen Dora Eng 9:8 gewonnen
Ben Lund Cem Ito 7-4
Cem Ito – Ben Lund 8-5
Ann & Ben – Cem & Dora 7-4

Ben Lund – Dora Eng w/o
"""


def test_results_of_a_night_are_read_as_people_write_them(club: Club) -> None:
    preview = preview_matches(club=club, data=MatchesInput(LINES), now=NOW)
    assert [(row.winner, row.loser, row.score, row.day and row.day.day, row.event) for row in preview.rows] == [
        ("Ann Berg", "Ben Lund", (7, 4), 12, "Group A"),
        ("Dora Eng", "Cem Ito", (7, 5), 12, "Group A"),
        ("Ann Berg", "Cem Ito", (7, 0), 12, "Group A"),
        ("Ben Lund", "Dora Eng", (7, 3), 12, "Group A"),
        ("Ann Berg", "Dora Eng", (9, 8), 13, "Final"),
    ]
    lines = LINES.splitlines()
    no_result = MatchProblem.NO_RESULT
    assert [(row.row, row.problem, row.value) for row in preview.unclear] == [
        (9, no_result, lines[8]), (10, no_result, lines[9]), (11, MatchProblem.NO_LENGTH, "8–5"),
        (12, no_result, lines[11]),
    ]  # fmt: skip
    assert [(row.row, row.problem) for row in preview.skipped] == [
        (1, MatchProblem.HEADING), (2, MatchProblem.HEADING), (7, MatchProblem.HEADING), (13, MatchProblem.EMPTY),
        (14, MatchProblem.NOT_PLAYED),
    ]  # fmt: skip
    for mark in ("\n> ", "\r\n- "):
        marked = preview_matches(club=club, data=MatchesInput(mark.lstrip() + LINES.replace("\n", mark)), now=NOW)
        assert len(marked.sheet.rows) >= len(lines)
        assert [row.names for row in marked.rows] == [row.names for row in preview.rows]


@pytest.mark.parametrize(
    "text", ["Ann 7\nBen 4\n", "name,points\nAnn - Ben 7-4,3\n", "Ann 7-4\nBen 5-7\n", "1. Ann Berg\n2. Ben Lund\n"]
)
def test_a_list_of_people_is_no_list_of_results(text: str) -> None:
    assert not has_matches(read_text(text))


def test_the_winner_is_named_or_the_row_is_asked_about(club: Club) -> None:
    titles = "date,player,opponent,winner,score,length"
    assert problem(club, "2019-03-01,Ann,Ben,ben,,7", titles) == "Ben>Ann  to 7"
    assert problem(club, "2019-03-01,Ann,Ben,Cleo,,7", titles) == "bad_winner"
    assert problem(club, "2019-03-01,Ann,Ben,Ben,7-3,7", titles) == "contradiction"


def test_a_match_told_by_both_players_is_imported_once(club: Club) -> None:
    rows = "date,player,opponent,score,length\n2019-03-01,Ann,Ben,7-3,7\n1.3.2019,Ben,Ann,3:7,7\n"
    preview = preview_matches(club=club, data=MatchesInput(rows), now=NOW)
    assert [row.row for row in preview.rows] == [2]
    assert [(row.row, row.problem) for row in preview.unclear] == [(3, MatchProblem.REPEATED)]


def stored() -> list[Told]:
    rows = Result.objects.filter(match__as_told=True).select_related("match__player_0", "match__player_1")
    return sorted(
        (
            row.match.finished_at.date(),  # type: ignore[union-attr]
            fold(row.match.players[row.winner or 0].name),
            fold(row.match.players[1 - (row.winner or 0)].name),
            row.match.length,
            row.score,
            row.match.told_event,
        )
        for row in rows
    )


HOME = "date,home,away,home score,away score,winner,length"


@pytest.mark.parametrize(
    ("titles", "cells", "expected"),
    [
        (HOME, "2019-03-01,Ann,Ben,3,7,,7", "Ben>Ann 7-3 to 7"),
        (HOME, "2019-03-01,Ann,Ben,3,7,Ben,7", "Ben>Ann 7-3 to 7"),
        (HOME, "2019-03-01,Ann,Ben,7 pts,3.0,ann,7", "Ann>Ben 7-3 to 7"),
        (HOME, "2019-03-01,Ann,Ben,3,7,Ann,7", "contradiction"),
        (HOME, "2019-03-01,Ann,Ben,7,7,Ann,7", "no_winner"),
        (HOME, "2019-03-01,Ann,Ben,7,,Ann,7", "bad_score"),
        (HOME, "2019-03-01,Ann,Ben,7,close,Ann,7", "bad_score"),
        (HOME, "2019-03-01,Ann,Ben,7,-3,Ann,7", "bad_score"),
        (HOME, "2019-03-01,Ann,Ben,100,3,Ann,7", "bad_score"),
        (HOME, "2019-03-01,Ann,Ben,w/o,,Ann,7", "not_played"),
        (HOME, "2019-03-01,Ann,Ben,,,Ann,7", "Ann>Ben  to 7"),
        (HOME, "2019-03-01,Ann,Ben,-,-,,7", "no_winner"),
        (HOME, "2019-03-01,Ann,Ben,1,0,,7", "Ann>Ben  to 7"),
        (HOME, "2019-03-01,Ann,Ben,7,3,,9", "contradiction"),
        # The points of the winner may be written on either side of those of the loser, with the names or apart.
        ("date,winner,points,loser,points,length", "2019-03-01,Ann,7,Ben,3,7", "Ann>Ben 7-3 to 7"),
        ("date,winner,points,loser,points,length", "2019-03-01,Ann,3,Ben,7,7", "contradiction"),
        ("date,loser,score,winner,score,length", "2019-03-01,Ben,3,Ann,7,7", "Ann>Ben 7-3 to 7"),
        ("date,opponent,pts,player,pts,length", "2019-03-01,Ben,3,Ann,7,7", "Ann>Ben 7-3 to 7"),
        (
            "date,player,opponent,winner,winner points,loser points",
            "2019-03-01,Ann,Ben,Ben,7,3",
            "Ben>Ann 7-3 to 7",
        ),
        ("date,player,opponent,winner,winner points,loser points", "2019-03-01,Ann,Ben,Ben,3,7", "contradiction"),
        ("date,player,opponent,winner,winner points,loser points", "2019-03-01,Ann,Ben,,7,3", "no_winner"),
        # The own points have a plain title where those of the opponent have a clear one.
        ("date,player,points,opponent,opponent points,length", "2019-03-01,Ann,3,Ben,7,7", "Ben>Ann 7-3 to 7"),
        # One of them alone says nothing, and of three with one title nobody knows which is which.
        ("date,player,opponent,winner,away score,length", "2019-03-01,Ann,Ben,Ann,3,7", "Ann>Ben  to 7"),
        ("date,player,opponent,winner,points,points,points", "2019-03-01,Ann,Ben,Ann,7,3,5", "no_length"),
        # Told twice.
        ("date,player,opponent,score,points 1,points 2,length", "2019-03-01,Ann,Ben,7-3,7,3,7", "Ann>Ben 7-3 to 7"),
        ("date,player,opponent,score,points 1,points 2,length", "2019-03-01,Ann,Ben,7-3,3,7,7", "contradiction"),
        ("date,player,opponent,score,points 1,points 2,length", "2019-03-01,Ann,Ben,7-3,7,4,7", "contradiction"),
        ("date,player,opponent,score,points 1,points 2,length", "2019-03-01,Ann,Ben,won,3,7,7", "contradiction"),
    ],
)
def test_a_score_in_two_columns_is_read_or_asked_about(club: Club, titles: str, cells: str, expected: str) -> None:
    assert problem(club, cells, titles) == expected


def test_the_columns_of_a_score_can_be_chosen(club: Club) -> None:
    titles, cells = "date,player,opponent,x,y,length", "2019-03-01,Ann,Ben,3,7,7"
    assert preview_matches(club=club, data=MatchesInput(f"{titles}\n{cells}\n"), now=NOW).sheet.lacks_columns
    assert problem(club, cells, titles, columns={"player_points": 4, "opponent_points": 5}) == "Ben>Ann 7-3 to 7"
    assert problem(club, cells, titles, columns={"player_points": 5, "opponent_points": 4}) == "Ann>Ben 7-3 to 7"
    assert problem(club, cells, titles, columns={"player_points": 4}) == "bad_score", "half a score"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("write", [xlsx, ods])
def test_each_of_300_messy_rows_with_points_in_two_columns_is_right_or_asked_about(
    club: Club, seed: int, write: Callable[..., bytes]
) -> None:
    book = messy_points(Random(seed))
    others = {name: rows for name, rows in book.sheets.items() if name != "2019"}
    text = spreadsheet_text(write(book.sheets["2019"], others))
    preview = preview_matches(club=club, data=MatchesInput(text), now=NOW)
    assert {(row.sheet, row.row) for row in preview.unclear} == book.asked
    assert {(row.sheet, row.row) for row in preview.skipped} == book.skipped
    assert len(book.asked) > 20
    bring(club, text, leave_out=True)
    assert stored() == sorted(
        (day, fold(won), fold(lost), length, score, event) for day, won, lost, length, score, event in book.truth
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("write", [xlsx, ods])
def test_each_of_300_messy_rows_is_right_or_asked_about(club: Club, seed: int, write: Callable[..., bytes]) -> None:
    book = messy_matches(Random(seed))
    # The writers of workbooks name their first sheet 2019.
    others = {name: rows for name, rows in book.sheets.items() if name != "2019"}
    text = spreadsheet_text(write(book.sheets["2019"], others))
    before = Player.objects.count()
    preview = preview_matches(club=club, data=MatchesInput(text), now=NOW)
    assert {(row.sheet, row.row) for row in preview.unclear} == book.asked
    assert {(row.sheet, row.row) for row in preview.skipped} == book.skipped
    assert not preview.questions
    source = bring(club, text, leave_out=True)
    truth = sorted(
        (day, fold(won), fold(lost), length, score, event) for day, won, lost, length, score, event in book.truth
    )
    assert stored() == truth
    assert code(lambda: bring(club, text, leave_out=True)) == "past_twice"
    undo_matches(source=source, by=SYSTEM, now=NOW)
    assert not Match.objects.exists()
    assert Player.objects.count() == before


def ratings_in(pool: RatingPool) -> dict[str, float]:
    return {
        fold(row.player.name): row.rating for row in PlayerRating.objects.filter(pool=pool).select_related("player")
    }


def shown(effects: list[Effect]) -> dict[str, float]:
    return {fold(effect.name): effect.after for effect in effects}


@pytest.mark.parametrize("seed", range(2))
def test_the_pool_becomes_what_the_preview_showed_and_what_it_was_after_the_undo(
    club: Club, pool: RatingPool, seed: int
) -> None:
    earlier = bring(club, "date,winner,loser,length\n2018-06-01,Jan Novák,Ola,9\n2020-01-01,Ola,Ben,5\n", pool=pool)
    replay_pool(pool_id=pool.pk, now=NOW)
    before, changes = ratings_in(pool), RatingChange.objects.count()
    assert len(before) == 3
    book = messy_matches(Random(seed), 60)
    others = {name: rows for name, rows in book.sheets.items() if name != "2019"}
    data = MatchesInput(spreadsheet_text(xlsx(book.sheets["2019"], others)), leave_out=True, pool=pool)
    preview = preview_matches(club=club, data=data, now=NOW)
    source = bring(club, data.text, leave_out=True, pool=pool)
    replay_pool(pool_id=pool.pk, now=NOW)
    after = ratings_in(pool)
    assert before | shown(list(preview.effects)) == pytest.approx(after, abs=1e-6)
    assert len(after) > len(before)
    assert not RatingChange.objects.filter(pool=default_pool()).exists(), "never in the pool of the site"
    undo_matches(source=source, by=SYSTEM, now=NOW)
    replay_pool(pool_id=pool.pk, now=NOW)
    assert ratings_in(pool) == before
    assert RatingChange.objects.count() == changes
    assert not check_ratings(pool)
    assert set(earlier.matches.values_list("state", flat=True)) == {Match.State.SETTLED}


def test_ratings_are_changed_only_as_they_were_shown(club: Club, pool: RatingPool) -> None:
    data = MatchesInput(SMALL, pool=pool)
    seen = preview_matches(club=club, data=data, now=NOW).ratings
    args = {"club": club, "name": "Old", "data": data, "by": SYSTEM, "now": NOW}
    assert code(lambda: import_matches(ratings="", **args)) == "past_ratings_changed"  # type: ignore[arg-type]
    bring(club, "date,winner,loser,length\n2018-06-01,Ann,Dan,9\n", pool=pool)
    assert code(lambda: import_matches(ratings=seen, **args)) == "past_ratings_changed"  # type: ignore[arg-type]


def test_without_a_pool_matches_are_rated_nowhere(club: Club) -> None:
    bring(club)
    assert set(Match.objects.values_list("rated", "pool", "as_told")) == {(False, None, True)}
    rebuild_pool(pool=default_pool(), now=NOW)
    assert not RatingChange.objects.exists()


def test_imported_matches_are_as_their_facts_say_and_rebuild_mends_those_of_earlier_releases(
    club: Club, pool: RatingPool, capsys: pytest.CaptureFixture[str]
) -> None:
    bring(club, pool=pool)
    apply_import(pool=pool, kind="matches", text="date,winner,loser,length\n2018-06-01,Ann,Ben,9\n", by=SYSTEM, now=NOW)
    replay_pool(pool_id=pool.pk, now=NOW)
    assert list(differences()) == []
    assert Match.objects.filter(begun_at=F("finished_at")).count() == 2, "those with a score"

    Match.objects.update(begun_at=None)
    assert {difference.what for difference in differences()} == {"begun_at"}
    call_command("rebuild")
    assert "2 matches: begun_at rewritten" in capsys.readouterr().out
    assert list(differences()) == []


def test_a_list_that_grew_adds_only_its_new_rows(club: Club) -> None:
    bring(club)
    preview = preview_matches(club=club, data=MatchesInput(SMALL + "2019-03-03,Ann,Ben,7-1,7\n"), now=NOW)
    assert [row.row for row in preview.rows] == [4]
    assert [row.problem for row in preview.skipped] == [MatchProblem.KNOWN] * 2


def test_undo_keeps_and_lists_who_and_what_has_been_used(club: Club, carol: User, pool: RatingPool) -> None:
    source = bring(club, pool=pool)
    replay_pool(pool_id=pool.pk, now=NOW)
    ann = Player.objects.get(name="Ann")
    ann.user = carol
    ann.save()
    ruled = Match.objects.get(player_0__name="Ben")
    Result.objects.create(match=ruled, version=2, winner=1, kind="ruling", source="director", by="user")
    undone = undo_matches(source=source, by=SYSTEM, now=NOW)
    assert set(undone.matches.all()) == set(Match.objects.all()) == {ruled}
    assert set(undone.added.values_list("name", flat=True)) == {"Ann", "Ben", "Cleo"}
    assert Membership.objects.filter(player=ann).exists()
    assert code(lambda: undo_matches(source=source, by=SYSTEM, now=NOW)) == "past_undone"


def test_an_undone_list_can_be_imported_again(club: Club, django_assert_max_num_queries: Any) -> None:
    source = bring(club)
    # The new members go all at once.
    with django_assert_max_num_queries(139):
        undo_matches(source=source, by=SYSTEM, now=NOW)
    assert bring(club).matches.count() == 2


def test_the_page_reads_matches_where_their_titles_are(club: Club, alice: User, client: Client) -> None:
    client.force_login(alice)
    season, matches = f"/clubs/{club.slug}/past-seasons/import/", f"/clubs/{club.slug}/past-matches/import/"
    rows = {"name": "Old list", "text": SMALL, "step": "preview"}
    page = client.post(season, rows).content.decode()
    assert "These rows are places or points" in page
    assert "Import 2 rows" in page
    as_placings = client.post(season, {**rows, "rows_are": "placings"}).content.decode()
    assert "These rows are places or points" not in as_placings
    assert "These rows are matches" in as_placings
    # Titles that nobody knows: the columns are chosen.
    unknown = {**rows, "text": SMALL.replace("winner,loser", "hero,other")}
    assert "Matches need columns with a player" in client.post(matches, unknown).content.decode()
    chosen = client.post(matches, {**unknown, "winner_column": 2, "loser_column": 3}).content.decode()
    assert "Import 2 rows" in chosen
    refused = client.post(matches, {**rows, "pool": 999_999}).content.decode()
    assert 'role="alert"' in refused
    assert not Match.objects.exists()
    client.post(matches, {**rows, "step": "apply"})
    source = MatchImport.objects.get()
    ann = Player.objects.get(name="Ann")
    assert "as told" in client.get(f"/players/{ann.public_id}/").content.decode()
    other = Player.objects.get(name="Ben")
    assert "as told" in client.get(f"/players/{ann.public_id}/vs/{other.public_id}/").content.decode()
    assert "as told" in client.get(f"/matches/{source.matches.earliest('pk').public_id}/").content.decode()
    client.post(f"/clubs/{club.slug}/past-matches/{source.public_id}/undo/")
    assert not Match.objects.exists()


def test_only_directors_import_and_undo_matches(club: Club, bob: User, client: Client) -> None:
    source = bring(club)
    client.force_login(bob)
    assert client.post(f"/clubs/{club.slug}/past-matches/import/", {"name": "x", "text": SMALL}).status_code == 403
    assert client.post(f"/clubs/{club.slug}/past-matches/{source.public_id}/undo/").status_code == 403
    assert "Imported matches" not in client.get(f"/clubs/{club.slug}/past-seasons/").content.decode()
    assert Match.objects.count() == 2
