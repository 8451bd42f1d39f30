"""A void match that stays rated is shown as void everywhere and still counts for the ratings."""

import csv
from io import StringIO
from typing import Any

import pytest
from django.test import Client

from matches.models import Match
from matches.presentation.visibility import NOBODY
from matches.rankings import histories, profiles
from matches.ratings import rated
from players.models import Player
from tests.matches.ratings.history import LATER, NOON, played, record, replay, void

pytestmark = pytest.mark.django_db


@pytest.fixture
def voided(bob_player: Player, carol_player: Player) -> Match:
    """Bob won 7–3 before noon and 5–3 at noon; the second match is void but still rated."""
    played(bob_player, carol_player, hours=-1)
    match = played(bob_player, carol_player, length=5, submission=record(0, 1))
    return now_void(match, rated=True)


def now_void(match: Match, *, rated: bool) -> Match:
    void(match, rated=rated, reason="drawn anew")
    replay()
    return Match.objects.get(pk=match.pk)


def page_of(match: Match) -> str:
    response = Client().get(f"/matches/{match.public_id}/")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def listed(of: Player, **filters: Any) -> list[histories.HistoryLine]:
    return histories.history(of, histories.HistoryFilters(**filters), 1, NOBODY).lines


def test_the_page_says_void_and_still_rated_and_names_no_winner(voided: Match) -> None:
    page = page_of(voided)
    assert "void, still rated" in page
    assert "Void, but played: Bob won 5–3." in page
    assert "still counts for the ratings" in page
    assert "is-winner" not in page
    assert "Replay and findings" not in page


def test_the_page_of_any_other_void_match_says_that_it_does_not_count(voided: Match) -> None:
    page = page_of(now_void(voided, rated=False))
    assert "does not count" in page
    assert "<strong>Void.</strong>" in page
    assert page.count("void, still rated") == 1, "the version before"


def test_an_unrated_void_match_is_not_shown_as_rated(bob_player: Player, carol_player: Player) -> None:
    page = page_of(now_void(played(bob_player, carol_player, rated=False), rated=True))
    assert "still rated" not in page
    assert "does not count" in page


def test_a_history_explains_the_change_of_rating_and_names_no_winner(voided: Match, bob_player: Player) -> None:
    line, before = listed(bob_player)
    assert (line.match, line.won, line.score, line.ending) == (voided, None, (5, 3), "void, still rated")
    assert line.explained is not None
    assert line.explained.change.won
    assert (before.won, before.ending) == (True, "")
    assert [line.match for line in listed(bob_player, rated="yes")] == [voided, before.match]
    assert [line.match for line in listed(bob_player, result="won")] == [before.match]
    assert listed(bob_player, result="lost") == []


def test_a_history_leaves_out_a_void_match_that_is_not_rated(voided: Match, bob_player: Player) -> None:
    now_void(voided, rated=False)
    assert [line.won for line in listed(bob_player)] == [True]


def test_a_year_with_only_void_matches_can_be_selected(bob_player: Player, carol_player: Player) -> None:
    now_void(played(bob_player, carol_player), rated=True)
    assert list(histories.history(bob_player, histories.HistoryFilters(), 1, NOBODY).years) == [NOON.year]


def test_a_profile_counts_rated_matches(voided: Match, bob_player: Player) -> None:
    shown = profiles.profile(bob_player, LATER, NOBODY)
    assert shown.standing is not None
    assert (shown.standing.matches, shown.form) == (2, [True, True])
    assert [line.ending for line in shown.recent.lines] == ["void, still rated", ""]


def test_a_void_match_does_not_count_head_to_head(voided: Match, bob_player: Player, carol_player: Player) -> None:
    versus = histories.versus(bob_player, carol_player, (1500, 1500), 1, NOBODY)
    assert versus.wins == (1, 0)
    assert len(versus.lines) == 1


def test_the_export_of_rated_matches_shows_it_as_void(voided: Match) -> None:
    text = StringIO()
    csv.writer(text).writerows(histories.match_rows(NOBODY))
    rows = list(csv.DictReader(StringIO(text.getvalue())))
    assert [(row["winner"], row["winner_points"], row["ending"]) for row in rows] == [
        ("Bob", "7", "played"),
        ("Bob", "5", "void"),
    ]


def test_the_api_shows_it_as_void_with_its_former_winner(voided: Match, bob_player: Player) -> None:
    answer = Client().get(f"/api/v1/matches/{voided.public_id}/").json()
    assert (answer["state"], answer["result"]["kind"], answer["result"]["winner"]) == ("void", "void", 0)
    first = Client().get(f"/api/v1/players/{bob_player.public_id}/matches/").json()["results"][0]
    assert (first["won"], first["ending"], first["rating"]["won"]) == (None, "void", True)


def test_matches_without_a_record_of_both_sides_are_not_still_rated(bob_player: Player, carol_player: Player) -> None:
    match = now_void(played(bob_player, carol_player, submission=record(0)), rated=True)
    assert not rated.is_still_rated(match, match.results.latest("version"))
    assert listed(bob_player) == []
