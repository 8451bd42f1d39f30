"""Classes of a club: the performance rating they rest on, and who sees it."""

from datetime import timedelta

import pytest
from django.test import Client

from matches.analysis.classes import CLASSES, ClassRow, club_classes
from matches.analysis.profile import Total
from matches.analysis.values import LEFT_OUT
from matches.models import Analysis, Match
from matches.presentation.visibility import NOBODY, Viewer
from players.actors import SYSTEM
from players.clubs.services import update_club
from players.models import Club, Membership, Player, User
from tests.matches.cast import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
Audience = Player.AnalysisVisibility


@pytest.fixture
def members(analysis: Analysis, match: Match, club: Club) -> Match:
    """Bob and Carol are members; both let everybody see how well they play."""
    for player in match.players:
        Membership.objects.get_or_create(club=club, player=player)
    choose(match, Audience.PUBLIC, Audience.PUBLIC)
    return match


def choose(match: Match, *audiences: str) -> None:
    for player, audience in zip(match.players, audiences, strict=True):
        Player.objects.filter(pk=player.pk).update(analysis_visibility=audience)


def names(club: Club, viewer: Viewer) -> set[str]:
    return {row.name for row in club_classes(club, viewer, NOW).rows}


def test_a_class_rests_on_all_decisions_and_says_how_much_was_played(
    members: Match, analysis: Analysis, club: Club
) -> None:
    classes = club_classes(club, NOBODY, NOW)
    assert classes.program == "gnubg 2-ply"
    for side, player in enumerate(members.players):
        (row,) = (row for row in classes.rows if row.player == player.public_id)
        errors = [decision.error for decision in analysis.decisions.filter(side=side, counted=True)]
        assert row.total.decisions == len(errors) > 0
        assert row.total.pr == pytest.approx(500 * sum(errors) / len(errors))
        assert (row.points, row.matches, row.has_class, row.title) == (3, 1, False, "")
    update_club(club=club, by=SYSTEM, class_points=3)
    club.refresh_from_db()
    rows = club_classes(club, NOBODY, NOW).rows
    assert [row.total.pr for row in rows] == sorted(row.total.pr for row in rows)
    assert all(row.has_class for row in rows)


@pytest.mark.parametrize(
    ("pr", "title"),
    [(2.5, "Super Grandmaster"), (2.51, "Grandmaster"), (6.5, "Master"), (6.504, "Advanced"), (17, "")],
)
def test_bounds_are_inclusive(pr: float, title: str) -> None:
    assert len(CLASSES) == 5
    row = ClassRow("", "", Total(100, pr / 5), 200, 30, 200)
    assert row.title == title
    assert ClassRow("", "", Total(100, pr / 5), 199, 30, 200).title == ""


def test_nobody_sees_a_performance_rating_that_is_kept_private(
    members: Match, club: Club, bob: User, carol: User, dave: User
) -> None:
    choose(members, Audience.CLUB, Audience.PRIVATE)
    assert names(club, NOBODY) == set()
    assert names(club, Viewer.of(bob)) == {members.players[0].name}
    assert names(club, Viewer.of(carol)) == {player.name for player in members.players}
    assert names(club, Viewer.of(dave)) == set()
    for path in (f"/clubs/{club.slug}/classes/", f"/api/v1/clubs/{club.slug}/classes/"):
        answer = Client().get(path)
        assert answer.status_code == 200
        assert members.players[1].name not in answer.content.decode()
    Player.objects.filter(pk=members.players[0].pk).update(user=None)
    assert names(club, Viewer.of(carol)) == {members.players[1].name}


def test_only_complete_recent_matches_of_the_club_and_members_count(
    members: Match, analysis: Analysis, club: Club
) -> None:
    assert len(names(club, NOBODY)) == 2
    Membership.objects.filter(club=club, player=members.players[0]).update(left_at=NOW)
    assert names(club, NOBODY) == {members.players[1].name}
    assert club_classes(club, NOBODY, NOW + timedelta(days=1200)).rows == []
    Analysis.objects.filter(pk=analysis.pk).update(settings={"plays": "2-ply", LEFT_OUT: [1]})
    assert club_classes(club, NOBODY, NOW).rows == []


def test_the_page_names_the_program_and_the_experience(members: Match, club: Club) -> None:
    page = Client().get(f"/clubs/{club.slug}/classes/").content.decode()
    assert "Club classes by gnubg 2-ply" in page
    assert "no class yet: 3 of 200 points" in page
    assert "no title of the BMAB" in page
    Match.objects.update(visibility="club")
    assert "no analysed matches that you may see" in Client().get(f"/clubs/{club.slug}/classes/").content.decode()


def test_an_imported_match_says_nothing_about_how_somebody_played(members: Match, club: Club) -> None:
    assert names(club, NOBODY)
    Match.objects.filter(pk=members.pk).update(as_told=True)
    assert names(club, NOBODY) == set()
