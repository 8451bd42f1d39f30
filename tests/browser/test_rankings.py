"""Rankings and players in a browser: accessible, fitting, with and without scripts."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from matches.models import Match, PlayerRating, Result
from matches.ratings import services as ratings
from players.models import Club, Membership, Player, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.matches.ratings.history import Kind

LONG_NAME = "Wolfeschlegelsteinhausenbergerdorff Maximiliana-Konstantinopolitanische"


@pytest.fixture
def cast(transactional_db: None, bob: User) -> list[Player]:
    """Bob and sixty others after a season of events; one has a long name, one shows only initials, one is erased."""
    now = timezone.now()
    names = ["Bob", LONG_NAME, "Frida Kahlo", "", *(f"Anna {number:02}" for number in range(60))]
    people = Player.objects.bulk_create([Player(name=name) for name in names])
    Player.objects.filter(pk=people[0].pk).update(user=bob)
    Player.objects.filter(pk=people[2].pk).update(initials_only=True)
    Player.objects.filter(pk=people[3].pk).update(erased_at=now)
    club = Club.objects.create(name="Copenhagen Backgammon", slug="copenhagen", city="Copenhagen")
    Membership.objects.bulk_create([Membership(club=club, player=player) for player in people[::2]])
    pairs = [(people[number % 4], people[(number * 7) % 60 + 4]) for number in range(150)]
    matches = Match.objects.bulk_create(
        [
            Match(
                player_0=player,
                player_1=other,
                length=7,
                club=club,
                parent_topic="division:cup",
                state=Match.State.SETTLED,
                finished_at=now - timedelta(days=150 - number),
                visibility=Match.Visibility.PRIVATE if number % 30 == 29 else Match.Visibility.PUBLIC,
            )
            for number, (player, other) in enumerate(pairs)
        ]
    )
    Result.objects.bulk_create(
        [
            Result(
                match=match,
                version=1,
                winner=number % 3 % 2,
                score_0=3 if number % 3 % 2 else 7,
                score_1=7 if number % 3 % 2 else 5,
                kind=Kind.WALKOVER if number % 20 == 19 else Kind.PLAYED,
                source=Result.Source.DIRECTOR,
                by="system",
            )
            for number, match in enumerate(matches)
        ]
    )
    ratings.rebuild_pool(pool=ratings.default_pool(), now=now)
    return people


def paths(cast: list[Player]) -> list[str]:
    bob, long, *_, newcomer = cast
    return [
        "/rankings/?provisional=1",
        "/rankings/?q=nobody",
        "/players/",
        f"/players/{bob.public_id}/",
        f"/players/{long.public_id}/?chart=all",
        f"/players/{newcomer.public_id}/",
        f"/players/{bob.public_id}/matches/",
        f"/players/{bob.public_id}/vs/",
        f"/players/{bob.public_id}/vs/{long.public_id}/",
        f"/players/{bob.public_id}/vs/{cast[4].public_id}/",
    ]


@pytest.mark.slow
def test_the_pages_are_accessible_and_fit(
    open_page: OpenPage, cast: list[Player], in_both_views: Check, bob: User
) -> None:
    page = open_page("/rankings/", width=PHONE, user=bob)
    for path in paths(cast):
        page.goto(path)
        expect(page.locator("h1")).to_have_count(1)
        in_both_views(page)


def test_a_reader_opens_the_explanation_of_a_rating_change(
    open_page: OpenPage, cast: list[Player], in_both_views: Check
) -> None:
    page = open_page(f"/players/{cast[0].public_id}/", width=PHONE)
    why = page.locator(".why").first
    why.locator("summary").click()
    expect(why.get_by_role("term").first).to_be_visible()
    in_both_views(page)
    page.locator(".why summary").last.click()
    expect(why.get_by_role("term").first).to_be_hidden()


def test_the_chart_can_be_read_as_a_table(open_page: OpenPage, cast: list[Player]) -> None:
    page = open_page(f"/players/{cast[0].public_id}/")
    expect(page.get_by_role("img", name="Rating over")).to_have_count(1)
    page.get_by_text("Show as table").click()
    expect(page.get_by_role("region", name="Ratings by date").locator("tbody tr").first).to_be_visible()


def test_bob_jumps_to_his_own_row(open_page: OpenPage, cast: list[Player], bob: User) -> None:
    page = open_page("/rankings/", user=bob)
    page.get_by_role("link", name="You are ranked").click()
    expect(page.locator("#me")).to_be_in_viewport()
    expect(page.locator("#me")).to_contain_text("Bob")


def test_the_table_follows_the_filters_while_typing(open_page: OpenPage, cast: list[Player]) -> None:
    rated = PlayerRating.objects.filter(player__erased_at=None)
    members = rated.filter(player__in=Membership.objects.values("player"))
    assert 1 < members.count() < rated.count()
    page = open_page("/rankings/")
    expect(page.get_by_text("3 players", exact=True)).to_be_visible()
    page.get_by_label("Provisional ratings, too").check()
    expect(page.get_by_text(f"{rated.count()} players", exact=True)).to_be_visible()
    page.get_by_label("Name").press_sequentially("anna 07")
    expect(page.get_by_text("1 player", exact=True)).to_be_visible()
    page.get_by_label("Name").fill("")
    page.get_by_label("Club").select_option("copenhagen")
    expect(page.get_by_text(f"{members.count()} players", exact=True)).to_be_visible()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/rankings/(?!.*club=copenhagen)"))


def test_the_next_page_keeps_the_filters(open_page: OpenPage, cast: list[Player], fits: Check) -> None:
    page = open_page("/rankings/?days=180&provisional=1", width=PHONE)
    page.get_by_role("link", name="Next").click()
    expect(page).to_have_url(re.compile(r"days=180.*page=2"))
    expect(page.get_by_text("Page 2 of 2")).to_be_visible()
    fits(page)
