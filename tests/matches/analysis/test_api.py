"""The analysis in the API and as a file: the same figures as on the pages, for the same readers."""

import csv
from math import isclose

import pytest
from django.test import Client
from django.urls import reverse

from matches.models import Analysis, Match, Submission
from players.models import Player, User

pytestmark = pytest.mark.django_db
Audience = Player.AnalysisVisibility


def test_the_api_has_totals_and_decisions_of_the_sides_that_are_shown(
    client: Client, analysis: Analysis, match: Match, record: Submission, bob: User
) -> None:
    Player.objects.filter(pk=match.player_1_id).update(analysis_visibility=Audience.PRIVATE)
    client.force_login(bob)
    of_match = client.get(reverse("api-match-analysis", args=[match.public_id])).json()
    assert client.get(reverse("api-record-analysis", args=[record.public_id])).json() == of_match
    own = list(analysis.decisions.filter(side=0))
    (left,) = of_match["sides"]
    assert left["side"] == 0
    assert isclose(left["pr"], 500 * sum(row.error for row in own) / len(own))
    assert left["by_phase"]["contact"]["decisions"] + left["by_phase"]["opening"]["decisions"] == len(own)
    assert [row["event"] for row in of_match["decisions"] if row["game"] == 1] == [
        row.event for row in own if row.game == 1
    ]
    assert {row["side"] for row in of_match["decisions"]} == {0}
    assert (of_match["backend"], of_match["depth"]) == ("gnubg", "2-ply")
    player = client.get(reverse("api-player-analysis", args=[match.player_0.public_id])).json()
    assert isclose(player["pr"], left["pr"])
    assert [row["match"] for row in player["matches"]] == [match.public_id]


def test_the_api_says_not_found_of_what_may_not_be_seen(
    client: Client, analysis: Analysis, match: Match, record: Submission
) -> None:
    player, of_match, of_record = (
        reverse("api-player-analysis", args=[match.player_0.public_id]),
        reverse("api-match-analysis", args=[match.public_id]),
        reverse("api-record-analysis", args=[record.public_id]),
    )
    assert client.get(player).status_code == 404
    hidden = client.get(of_match).json()
    assert (hidden["sides"], hidden["decisions"]) == ([], [])
    Match.objects.filter(pk=match.pk).update(state=Match.State.DISPUTED)
    assert [client.get(url).status_code for url in (of_match, of_record)] == [404, 404]


def test_the_file_has_the_decisions_of_the_shown_sides_by_name(
    client: Client, analysis: Analysis, match: Match
) -> None:
    url = reverse("match-analysis-file", args=[match.public_id])
    Player.objects.filter(pk=match.player_0_id).update(analysis_visibility=Audience.PUBLIC)
    rows = list(csv.DictReader(client.get(url).content.decode().splitlines()))
    assert len(rows) == analysis.decisions.filter(side=0).count()
    assert {row["player"] for row in rows} == {"Bob"}
    Player.objects.update(analysis_visibility=Audience.PRIVATE)
    assert list(csv.DictReader(client.get(url).content.decode().splitlines())) == []
