"""Pages of rankings and players, and their downloads."""

import csv
import io
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from matches.models import Match
from matches.ratings import services as ratings
from players.access import Role
from players.models import Club, Membership, Player, User
from tests.matches.ratings.history import LATER, Kind, played, player, replay
from tests.pages import html

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def ross(db: None) -> Player:
    return player("Bob Ross", federation_number="DK 17")


@pytest.fixture
def carol(db: None) -> Player:
    return player("Carol", federation_number="=SUM(A1)")


@pytest.fixture
def frida(db: None) -> Player:
    return player("Frida Kahlo", initials_only=True)


@pytest.fixture
def season(ross: Player, carol: Player, frida: Player) -> list[Match]:
    """Three matches, one of them a walkover."""
    matches = [
        played(ross, carol, hours=1, length=7),
        played(frida, ross, hours=2, length=5),
        played(carol, ross, hours=3, kind=Kind.WALKOVER),
    ]
    replay()
    return matches


def text(client: Client, path: str, **headers: Any) -> str:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200
    return html(answer)


def test_the_account_menu_leads_to_the_own_page(client: Client, ross: Player) -> None:
    assert client.get("/players/me/").headers["Location"] == "/sign-in/?next=/players/me/"
    ross.user = User.objects.create(email="ross@example.org", display_name="Bob Ross")
    ross.save()
    client.force_login(ross.user)
    [own] = re.findall(r'<a href="([^"]+)">My profile</a>', text(client, "/rankings/"))
    assert client.get(own).headers["Location"] == f"/players/{ross.public_id}/"


def test_an_empty_site_says_so(client: Client) -> None:
    assert "Nobody is in this list yet" in text(client, "/rankings/")
    assert "Nobody is in this list yet" in text(client, "/players/")
    assert "Nothing found with these filters" in text(client, "/rankings/?days=30")


def test_the_ranking_links_to_its_players(client: Client, season: list[Match], ross: Player) -> None:
    page = text(client, "/rankings/?days=0&provisional=1")
    assert f'href="/players/{ross.public_id}/"' in page
    assert "F. K." in page
    assert "Kahlo" not in page


def test_an_htmx_request_gets_only_the_table(client: Client, season: list[Match], ross: Player) -> None:
    for path in ("/rankings/?days=0", "/players/", f"/players/{ross.public_id}/matches/"):
        part = text(client, path, hx_request="true")
        assert "<html" not in part
        assert part.strip().startswith("<section")


def test_a_profile_explains_every_change(client: Client, season: list[Match], ross: Player) -> None:
    page = text(client, f"/players/{ross.public_id}/")
    assert "4 × 5.00 × 2.646 × 0.500 = +26.46" in page
    assert "−4 × 4.93 × 2.236 × " in page
    assert "5 − 7/100 of experience" in page
    assert "Rating over 2 matches" in page
    assert "not rated" in page
    assert 'href="/matches/' + season[0].public_id in page
    assert "±" not in page, "FIBS knows no uncertainty"


def test_a_player_without_a_match_has_a_page(client: Client) -> None:
    page = text(client, f"/players/{player('Newcomer').public_id}/")
    assert "No rated matches yet. The first rating is 1500." in page
    assert '<svg class="chart' not in page


def test_an_erased_player_has_a_page_without_a_name(client: Client, season: list[Match], carol: Player) -> None:
    Player.objects.filter(pk=carol.pk).update(name="", erased_at=season[0].finished_at)
    assert "Former member" in text(client, f"/players/{carol.public_id}/")


def test_a_merged_player_redirects_to_the_player_they_were_merged_into(
    client: Client, ross: Player, carol: Player
) -> None:
    robert = player("Robert", merged_into=ross)
    here = f"/players/{ross.public_id}/"
    for path in ("", "matches/"):
        assert client.get(f"/players/{robert.public_id}/{path}")["Location"] == here + path
    answer = client.get(f"/players/{robert.public_id}/vs/{carol.public_id}/")
    assert answer["Location"] == f"{here}vs/{carol.public_id}/"
    assert client.get(f"/players/{ross.public_id}/vs/{robert.public_id}/")["Location"] == f"{here}vs/"


def test_an_unknown_player_returns_404(client: Client, ross: Player) -> None:
    for path in ("", "matches/", "vs/", f"vs/{ross.public_id}/"):
        assert client.get(f"/players/2222222222/{path}").status_code == 404


def test_two_players_head_to_head(client: Client, season: list[Match], ross: Player, carol: Player) -> None:
    page = text(client, f"/players/{ross.public_id}/vs/{carol.public_id}/")
    assert "<bdi>Bob Ross</bdi> against <bdi>Carol</bdi>" in page
    assert "25 points" in page
    chooser = text(client, f"/players/{ross.public_id}/vs/")
    assert f'href="/players/{ross.public_id}/vs/{carol.public_id}/"' in chooser
    page = text(client, f"/players/{ross.public_id}/vs/?q=car")
    assert f'href="/players/{ross.public_id}/vs/{carol.public_id}/"' in page
    alone = text(client, f"/players/{ross.public_id}/vs/{player('Newcomer').public_id}/")
    assert "These players have not met yet" in alone


def test_a_private_match_is_shown_to_its_players(
    client: Client, ross: Player, carol: Player, bob: User, dave: User
) -> None:
    Player.objects.filter(pk=ross.pk).update(user=bob)
    match = played(ross, carol, visibility=Match.Visibility.PRIVATE)
    replay()
    path = f"/players/{ross.public_id}/"
    for user, seen in ((None, False), (dave, False), (bob, True)):
        if user is not None:
            client.force_login(user)
        page = text(client, path)
        assert (match.public_id in page) is seen
        assert ("Carol" in page) is seen
        assert ("private match" in page) is not seen


# Files


def rows(client: Client, path: str) -> list[dict[str, str]]:
    answer = client.get(path)
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer["Content-Disposition"]
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def test_the_ranking_can_be_downloaded(client: Client, season: list[Match]) -> None:
    lines = rows(client, "/rankings/ranking.csv?days=0&provisional=1")
    assert [(line["rank"], line["player"], line["rating"]) for line in lines] == [
        ("1", "F. K.", "1523.12"),
        ("2", "Bob Ross", "1503.66"),
        ("3", "Carol", "1473.54"),
    ]
    assert {line["federation_number"] for line in lines} == {""}


def test_rated_matches_can_be_downloaded(client: Client, season: list[Match], ross: Player) -> None:
    first, second = rows(client, "/rankings/matches.csv")
    assert (first["winner"], first["loser"], first["length"], first["ending"]) == ("Bob Ross", "Carol", "7", "played")
    assert (first["winner_points"], first["loser_points"]) == ("7", "3")
    assert (first["winner_rating_after"], first["loser_rating_after"]) == ("1526.46", "1473.54")
    assert second["winner"] == "F. K."
    assert rows(client, "/rankings/matches.csv?since=2026-03-02") == []
    assert len(rows(client, "/rankings/matches.csv?since=2026-03-01&until=2026-03-01")) == 2
    assert len(rows(client, "/rankings/matches.csv?since=nonsense&until=2026-02-31")) == 2
    assert rows(client, "/rankings/matches.csv?club=nowhere") == []


def test_federation_numbers_are_shown_to_directors_and_their_owner(
    client: Client, season: list[Match], ross: Player, carol: Player, alice: User, bob: User
) -> None:
    club = Club.objects.create(name="Club", slug="club")
    Membership.objects.create(club=club, player=player("Alice", user=alice), role=Role.DIRECTOR)
    Membership.objects.create(club=club, player=carol)
    Player.objects.filter(pk=ross.pk).update(user=bob)
    staff = User.objects.create_superuser("staff@example.org", "x", display_name="Staff")
    for user, numbers in ((alice, {"'=SUM(A1)"}), (bob, {"DK 17"}), (staff, {"DK 17", "'=SUM(A1)"})):
        client.force_login(user)
        lines = rows(client, "/rankings/ranking.csv?days=0&provisional=1")
        assert {line["federation_number"] for line in lines} - {""} == numbers
        matches = rows(client, "/rankings/matches.csv")
        exported = {line[f"{side}_federation_number"] for line in matches for side in ("winner", "loser")}
        assert exported - {""} == numbers


def test_private_matches_are_not_in_the_file(client: Client, ross: Player, carol: Player, bob: User) -> None:
    Player.objects.filter(pk=ross.pk).update(user=bob)
    played(ross, carol, visibility=Match.Visibility.PRIVATE)
    replay()
    assert rows(client, "/rankings/matches.csv") == []
    client.force_login(bob)
    assert len(rows(client, "/rankings/matches.csv")) == 1


def test_a_name_is_never_exported_as_a_formula(client: Client, ross: Player) -> None:
    played(player('=HYPERLINK("x")'), ross)
    replay()
    assert rows(client, "/rankings/ranking.csv?days=0&provisional=1")[0]["player"].startswith("'=")


# Settings


def test_changing_the_ramp_in_the_admin_makes_the_sweep_replay(
    client: Client, season: list[Match], ross: Player
) -> None:
    client.force_login(User.objects.create_superuser("staff@example.org", "x", display_name="Staff"))
    pool = ratings.default_pool()
    path = f"/admin/matches/ratingpool/{pool.pk}/change/"
    assert client.get(path).status_code == 200
    chosen = {"name": pool.name, "start_rating": "1500", "start_experience": "0", "ramp": "including"}
    with CaptureQueriesContext(connection) as queries:
        assert client.post(path, chosen).status_code == 302
    (update,) = [query["sql"] for query in queries if query["sql"].startswith('UPDATE "matches_ratingpool"')]
    assert "ramp" in update
    assert "claimed_at" not in update
    assert ratings.send_again(now=LATER) == 1
    assert replay() is not None
    assert "4 × 4.93 × 2.646 × 0.500 = +26.09" in text(client, f"/players/{ross.public_id}/")
