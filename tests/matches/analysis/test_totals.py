"""How a player has played over time, and the report of an evening."""

import csv
from math import isclose, sqrt
from statistics import stdev

import pytest
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from matches.analysis.event_report import latest_day, night
from matches.analysis.page import chart, running
from matches.analysis.profile import Total, quality
from matches.models import Analysis, Match
from matches.presentation.visibility import NOBODY, Viewer
from players.models import Club, Player, User
from tests.matches.cast import NOW
from tests.pages import html

pytestmark = pytest.mark.postgresql

Audience = Player.AnalysisVisibility


def test_totals_add_up_and_give_the_sampling_error_of_all_decisions() -> None:
    errors = [0.0, 0.03, 0.0, 0.01, 0.2]
    total = sum((Total(1, error, error**2) for error in errors), Total())
    assert isclose(total.pr, 500 * sum(errors) / 5)
    assert isclose(total.sampling_error, 500 * stdev(errors) / sqrt(5))
    assert (Total().pr, Total(1, 0.1, 0.01).sampling_error) == (0, 0)
    assert (Total().pr_text, Total(1, 0.1, 0.01).sampling_text) == ("–", "–")


def test_the_line_of_the_chart_is_the_mean_of_the_last_matches() -> None:
    totals = [Total(100, number / 10, 0.01) for number in range(1, 4)]
    assert [mean.error for mean in running(totals, window=2)] == pytest.approx([0.1, 0.3, 0.5])
    assert [mean.decisions for mean in running(totals, window=2)] == [100, 200, 200]
    matches = [(total, "/matches/x/", "words") for total in totals]
    desk, phone = chart(matches)
    assert len(desk.spots) == len(phone.spots) == 3
    assert [spot["y"] for spot in desk.spots] == sorted((spot["y"] for spot in desk.spots), reverse=True)
    assert chart(matches[:1]) == ()


@pytest.mark.django_db
def test_a_profile_shows_each_match_its_length_and_the_decisions(
    client: Client, analysis: Analysis, match: Match, bob: User
) -> None:
    shown = quality(match.player_0, Viewer.of(bob))
    assert shown is not None
    own = analysis.decisions.filter(side=0)
    assert shown.total.decisions == own.count()
    assert isclose(shown.total.pr, 500 * sum(row.error for row in own) / own.count())
    assert [(row.label, row.matches) for row in shown.by_length] == [("3-point match", 1)]
    assert sum(row.total.decisions for row in shown.by_kind) == own.count()
    assert [row.lost for row in shown.worst] == sorted((row.lost for row in shown.worst), reverse=True)
    assert shown.worst[0].scene is not None
    client.force_login(bob)
    content = html(client.get(reverse("player-analysis", args=[match.player_0.public_id])))
    assert f"PR {shown.total.pr_text} ± {shown.total.sampling_text}" in content
    assert "Biggest errors" in content


@pytest.mark.django_db
def test_a_profile_is_shown_only_to_whom_the_player_wants(
    client: Client, analysis: Analysis, match: Match, carol: User
) -> None:
    url = reverse("player-analysis", args=[match.player_0.public_id])
    assert quality(match.player_0, Viewer.of(carol)) is not None
    assert quality(match.player_0, NOBODY) is None
    assert "keeps their analysis private" in html(client.get(url))
    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.PRIVATE)
    Player.objects.filter(pk=match.player_0_id).update(analysis_visibility=Audience.PUBLIC)
    shown = quality(match.player_0, NOBODY)
    assert shown is not None
    assert shown.matches == ()
    assert "no analysed matches" in html(client.get(url))


@pytest.mark.django_db
def test_the_report_of_an_evening_lists_the_best_the_luckiest_and_the_biggest_swing(
    client: Client, analysis: Analysis, match: Match, club: Club, carol: User
) -> None:
    lucky = analysis.decisions.filter(side=0)[3]
    analysis.decisions.filter(pk=lucky.pk).update(luck_winning=0.21)
    with CaptureQueriesContext(connection) as queries:
        report = night(Q(club=club), Viewer.of(carol))
    # An event may have ten thousand decisions: the database adds them up.
    assert not [query["sql"] for query in queries if "xgid" in query["sql"] and "LIMIT 1" not in query["sql"]]
    by_side = [analysis.decisions.filter(side=side) for side in (0, 1)]
    prs = {
        name: 500 * sum(row.error for row in rows) / rows.count()
        for name, rows in zip(("Bob", "Carol"), by_side, strict=True)
    }
    assert [row.name for row in report.rows] == sorted(prs, key=lambda name: prs[name])
    assert [row.total.pr for row in report.rows] == pytest.approx(sorted(prs.values()))
    assert [row.name for row in report.luckiest] == ["Bob"]
    assert report.swing is not None
    assert (report.swing.name, report.swing.luck) == ("Bob", "+21.0 %")
    client.force_login(carol)
    page = html(client.get(reverse("club-analysis", args=[club.slug])))
    assert "Biggest swing" in page
    assert NOW.strftime("%Y") in page
    assert "no analysed matches" in html(client.get(reverse("club-analysis", args=[club.slug]) + "?day=2020-01-01"))


@pytest.mark.django_db
def test_the_file_of_an_evening_has_the_players_of_the_page_in_its_order(
    client: Client, analysis: Analysis, match: Match, club: Club, carol: User
) -> None:
    """Dave, who has no role, gets none of it. A name that a spreadsheet would calculate is text in the file."""
    Player.objects.filter(pk=match.player_0_id).update(name="=1+1")
    url, day = reverse("club-analysis-file", args=[club.slug]), f"{NOW:%Y-%m-%d}"
    assert list(csv.DictReader(client.get(url).content.decode().splitlines())) == []
    client.force_login(carol)
    assert f'href="{url}?day={day}"' in html(client.get(reverse("club-analysis", args=[club.slug])))
    response = client.get(url, {"day": day})
    assert f"play-quality-{club.slug}-{day}.csv" in response["Content-Disposition"]
    rows = list(csv.DictReader(response.content.decode().splitlines()))
    assert {row["player"] for row in rows} == {"'=1+1", "Carol"}
    assert [float(row["pr"]) for row in rows] == sorted(float(row["pr"]) for row in rows)
    for row in rows:
        side = (match.player_0.public_id, match.player_1.public_id).index(row["public_id"])
        errors = list(analysis.decisions.filter(side=side, counted=True).values_list("error", flat=True))
        assert (int(row["decisions"]), row["matches"]) == (len(errors), "1")
        assert float(row["pr"]) == pytest.approx(500 * sum(errors) / len(errors), abs=0.001)
        assert float(row["sampling_error"]) == pytest.approx(500 * stdev(errors) / sqrt(len(errors)), abs=0.001)
    assert list(csv.DictReader(client.get(url, {"day": "2020-01-01"}).content.decode().splitlines())) == []


@pytest.mark.django_db
def test_only_the_record_of_the_result_says_how_the_players_did(
    analysis: Analysis, match: Match, club: Club, bob: User
) -> None:
    """Another record of the match, here that of its play on this site, was analysed later."""
    other = Analysis.objects.create(match=match, club=club, state=Analysis.State.DONE)
    for decision in analysis.decisions.all():
        decision.pk, decision.analysis, decision.error = None, other, 0.5
        decision.save()
    viewer = Viewer.of(bob)
    shown = quality(match.player_0, viewer)
    assert shown is not None
    assert (len(shown.matches), max(row.total.pr for row in shown.matches) < 100) == (1, True)
    assert all(row.total.pr < 100 for row in night(Q(club=club), viewer).rows)
    assert latest_day(club, viewer) == NOW.date()
    Analysis.objects.update(origin=Analysis.Origin.SENDER)
    assert latest_day(club, viewer) is None


@pytest.mark.django_db
def test_a_private_player_is_in_no_report(client: Client, analysis: Analysis, match: Match, club: Club) -> None:
    Player.objects.filter(pk=match.player_0_id).update(analysis_visibility=Audience.PUBLIC)
    report = night(Q(club=club), NOBODY)
    assert [row.name for row in report.rows] == ["Bob"]
    assert report.swing is None or report.swing.name == "Bob"
    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.PRIVATE)
    assert night(Q(club=club), NOBODY).rows == ()
    assert client.get(reverse("club-analysis", args=[club.slug])).status_code == 200
