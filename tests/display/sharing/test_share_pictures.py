"""Pictures of shared pages: what they say, who sees them, how they are drawn, and how many are kept."""

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from PIL import Image

from core.queue import claim_lasts
from display.sharing import services
from display.sharing.cards import CardMatch, SharedCard, SharedSide, card_of
from display.sharing.drawing import draw_card, neutral_picture
from display.sharing.page.picture import share_url
from formats.settings import DOUBLE, KNOCKOUT, ROUND_ROBIN, SWISS, StageSettings
from matches.models import Match
from players.actors import SYSTEM, Actor
from players.clubs.emblems import set_emblem
from players.models import Club, Player, User
from players.people.erasure import erase_player
from tests.event_cast import NOW, RunningEvent, publish
from tests.pages import html
from tournaments.entries import services as entries
from tournaments.floor.calls import call, set_running_score
from tournaments.floor.evening import open_floor
from tournaments.models import Division, Fixture, SharePicture, Tournament
from tournaments.results import services as results
from tournaments.results.services import ResultInput
from tournaments.state.stages import set_stages

pytestmark = pytest.mark.django_db

MakePlayers = Callable[[int], list[Player]]


def place_of(running: RunningEvent) -> tuple[str, str]:
    return running.tournament.club.slug, running.tournament.slug


def texts_of(kind: str, *places: str) -> list[str]:
    return [text for text in card_of(kind, "/".join(places)).texts() if text]


def draw_all() -> None:
    """Do what a worker does."""
    for row in SharePicture.objects.filter(data=None):
        services.draw_picture(picture_id=row.pk, now=timezone.now())


def finish(running: RunningEvent) -> Match:
    """Bob wins M1 7–5."""
    match = running.fixture.match
    assert match is not None
    won = next(side for side in (0, 1) if match.players[side] == running.entry.player)
    results.enter_result(
        fixture=running.fixture, result=ResultInput(won, (7, 5) if won == 0 else (5, 7)), by=SYSTEM, now=NOW
    )
    match.refresh_from_db()
    return match


# What a picture says.


def test_a_result_has_names_points_event_and_club(running: RunningEvent) -> None:
    match = finish(running)
    card = card_of("match", match.public_id)
    assert {(side.name, side.points, side.won) for side in card.sides} == {("Bob", "7", True), ("Carol", "5", False)}
    assert card.label == "Result"
    assert running.tournament.club.name in card.above
    assert "7-point match" in card.below


def test_a_live_match_has_its_score_and_before_it_begins_none(running: RunningEvent) -> None:
    match = running.fixture.match
    assert match is not None
    card = card_of("match", match.public_id)
    assert {side.name for side in card.sides} == {"Bob", "Carol"}
    assert {side.points for side in card.sides} == {""}
    running.tournament.tables = 1
    running.tournament.save()
    open_floor(tournament=running.tournament, by=SYSTEM, now=NOW)
    call(fixture=running.fixture, by=SYSTEM, now=NOW)
    set_running_score(fixture=running.fixture, score=(3, 1), by=SYSTEM, now=NOW)
    live = card_of("match", match.public_id)
    assert live.label == "Live"
    assert [side.points for side in live.sides] == ["3", "1"]
    assert live.version != card.version


def test_a_bracket_ends_in_its_last_matches(running: RunningEvent) -> None:
    finish(running)
    card = card_of("division", "/".join((*place_of(running), running.division.public_id)))
    assert [match.title for match in card.matches] == ["Semi-finals", "Semi-finals", "Final"]
    assert "Bob" in [side.name for side in card.matches[-1].sides]
    assert [side.points for side in card.matches[0].sides if side.name == "Bob"] == ["7"]


def test_events_clubs_and_players_are_named(running: RunningEvent) -> None:
    event, club = running.tournament, running.tournament.club
    assert {event.name, club.name} <= set(texts_of("event", *place_of(running)))
    assert {club.name, event.name} <= set(texts_of("club", club.slug))
    assert {"Bob", club.name} <= set(texts_of("player", running.entry.player.public_id))


def test_an_event_shows_what_is_played_and_a_club_its_emblem_and_what_comes_next(
    running: RunningEvent, by_alice: Actor
) -> None:
    event, club = running.tournament, running.tournament.club
    soon = timezone.now() + timedelta(days=5)
    Tournament.objects.create(
        club=club, name="Tuesday", slug="tuesday", starts_at=soon, status="published", time_zone=event.time_zone
    )
    for number in range(3):
        Division.objects.create(tournament=event, name=f"Side {number}", match_length=5, order=number)
    Division.objects.filter(pk=running.division.pk).update(order=9)
    assert card_of("event", "/".join(place_of(running))).facts[0] == (running.division.name, "running")
    assert [name for name, _said in card_of("club", club.slug).facts] == ["Tuesday", event.name]
    before = card_of("club", club.slug)
    data = BytesIO()
    Image.new("RGB", (64, 64), "#1f5fbf").save(data, "PNG")
    set_emblem(club=club, data=data.getvalue(), by=by_alice)
    url = share_url("club", club.slug)
    assert before.version not in url
    Client().get(url)
    draw_all()
    picture = Image.open(BytesIO(Client().get(url).content)).convert("RGB")
    red, green, blue = picture.getpixel((1200 - 64 - 100, 250))  # type: ignore[misc]
    assert abs(red - 31) + abs(green - 95) + abs(blue - 191) < 20


@pytest.mark.parametrize("way", ["initials", "erased"])
def test_a_hidden_name_is_in_no_picture_and_changes_its_url(running: RunningEvent, way: str) -> None:
    match, bob = finish(running), running.entry.player
    Player.objects.filter(pk=bob.pk).update(name="Bob Bergmann")
    carol = next(player for player in match.players if player != bob)
    pages = [
        ("versus", bob.public_id, carol.public_id),
        ("match", match.public_id),
        ("player", bob.public_id),
        ("division", *place_of(running), running.division.public_id),
    ]
    before = [card_of(kind, "/".join(places)).version for kind, *places in pages]
    assert all("Bob Bergmann" in texts_of(*page) for page in pages)
    if way == "initials":
        Player.objects.filter(pk=bob.pk).update(initials_only=True)
    else:
        erase_player(player=bob, by=SYSTEM, now=NOW)
    shown = "B. B." if way == "initials" else "Former member"
    assert all(shown in texts_of(*page) for page in pages)
    assert [text for page in pages for text in texts_of(*page) if "Bergmann" in text] == []
    assert not {card_of(kind, "/".join(places)).version for kind, *places in pages} & set(before)


def test_texts_are_in_the_language_of_the_site(running: RunningEvent) -> None:
    german = Client(headers={"accept-language": "de"})
    match = finish(running)
    assert share_url("match", match.public_id) in html(german.get(f"/matches/{match.public_id}/"))
    assert settings.LANGUAGE_CODE.startswith("en")


# Who sees it.


@pytest.mark.slow
def test_pages_name_their_picture_for_visitors(running: RunningEvent, bob: User) -> None:
    match = finish(running)
    member = Client()
    member.force_login(bob)
    bob_id, carol_id = (player.public_id for player in match.players)
    pages = {
        "/": share_url("home"),
        "/rankings/": share_url("rankings"),
        f"/players/{bob_id}/vs/{carol_id}/": share_url("versus", bob_id, carol_id),
        f"{running.division_url}standings/": share_url("standing", *place_of(running), running.division.public_id),
        f"/clubs/{running.tournament.club.slug}/": share_url("club", running.tournament.club.slug),
        running.url: share_url("event", *place_of(running)),
        running.division_url: share_url("division", *place_of(running), running.division.public_id),
        f"/matches/{match.public_id}/": share_url("match", match.public_id),
        f"/players/{running.entry.player.public_id}/": share_url("player", running.entry.player.public_id),
    }
    for page, picture in pages.items():
        content = html(Client().get(page))
        assert content.count('property="og:image"') == 1, page
        assert f'<meta property="og:image" content="http://testserver{picture}">' in content, page
        assert '<meta name="twitter:card" content="summary_large_image">' in content, page
        assert content.count('property="og:title"') == content.count('property="og:description"') == 1, page
        assert 'property="og:image"' not in html(member.get(page)), page


def test_what_not_everybody_may_see_has_no_picture(running: RunningEvent, alice: User) -> None:
    match = running.fixture.match
    assert match is not None
    club, event = place_of(running)
    urls = {
        "match": f"/share/0000000000/matches/{match.public_id}.png",
        "event": f"/share/0000000000/events/{club}/{event}.png",
        "division": f"/share/0000000000/events/{club}/{event}/{running.division.public_id}.png",
    }
    director = Client()
    director.force_login(alice)
    for url in urls.values():
        assert Client().get(url).status_code == 200, url
    SharePicture.objects.all().delete()
    Match.objects.update(visibility=Match.Visibility.PRIVATE)
    Tournament.objects.update(status=Tournament.Status.DRAFT)
    for client in (Client(), director):
        assert {client.get(url).status_code for url in urls.values()} == {404}
    assert not SharePicture.objects.exists()


@pytest.mark.parametrize(
    "path", ["clubs/nowhere", "events/nowhere/never", "matches/2222222222", "replays/2222222222", "players/2222222222"]
)
def test_what_does_not_exist_has_no_picture(path: str) -> None:
    assert Client().get(f"/share/0000000000/{path}.png").status_code == 404
    assert not SharePicture.objects.exists()


# How it is drawn and kept.


def test_a_picture_is_drawn_by_a_worker_and_then_served(club: Club) -> None:
    url = share_url("club", club.slug)
    first = Client().get(url)
    assert first.content == neutral_picture()
    assert first["Cache-Control"] == "no-store"
    draw_all()
    drawn = Client().get(url)
    assert drawn["Content-Type"] == "image/png"
    assert drawn["X-Content-Type-Options"] == "nosniff"
    assert drawn["Cache-Control"] == "public, max-age=3600"
    assert Image.open(BytesIO(drawn.content)).size == (1200, 630)
    assert drawn.content != first.content
    assert Client().get(url, headers={"if-none-match": drawn["ETag"]}).status_code == 304
    assert Client().get(url.replace(url.split("/")[2], "0" * 10))["Cache-Control"] == "public, max-age=60"


def test_workers_prepare_the_picture_of_a_page_that_a_visitor_reads(club: Club) -> None:
    for _ in range(2):
        services.prepare_picture(kind="club", key=club.slug, now=timezone.now())
    assert SharePicture.objects.count() == 1
    draw_all()
    assert Client().get(share_url("club", club.slug)).content != neutral_picture()
    services.prepare_picture(kind="club", key="nowhere", now=timezone.now())
    assert SharePicture.objects.count() == 1


def test_a_picture_with_a_name_that_has_changed_is_not_served(club: Club) -> None:
    url = share_url("club", club.slug)
    Client().get(url)
    draw_all()
    old = Client().get(url).content
    Club.objects.update(name="Another club")
    assert Client().get(url).content == neutral_picture()
    draw_all()
    assert Client().get(url).content not in (old, neutral_picture())
    assert SharePicture.objects.count() == 1


def test_versions_that_nobody_gave_out_make_no_rows(club: Club) -> None:
    for number in range(20):
        Client().get(f"/share/{number:010x}/clubs/{club.slug}.png")
    assert SharePicture.objects.count() == 1


def test_a_worker_that_dies_leaves_its_picture_to_the_next(club: Club) -> None:
    now = timezone.now()
    Client().get(share_url("club", club.slug))
    row = SharePicture.objects.get()
    SharePicture.objects.update(claimed_at=now, attempts=1, sent_at=now)
    services.draw_picture(picture_id=row.pk, now=now + timedelta(seconds=1))
    assert SharePicture.objects.filter(data=None).exists(), "the other worker may still be drawing it"
    later = now + claim_lasts() + timedelta(seconds=1)
    services.send_again(now=later)
    services.draw_picture(picture_id=row.pk, now=later)
    assert not SharePicture.objects.filter(data=None).exists()


def test_a_picture_that_cannot_be_drawn_is_given_up(club: Club) -> None:
    Client().get(share_url("club", club.slug))
    now = timezone.now()
    SharePicture.objects.update(attempts=services.MAX_ATTEMPTS)
    services.draw_picture(picture_id=SharePicture.objects.get().pk, now=now)
    assert SharePicture.objects.get().data is None


def test_a_page_that_was_hidden_meanwhile_is_not_drawn(running: RunningEvent) -> None:
    assert running.fixture.match is not None
    Client().get(share_url("match", running.fixture.match.public_id))
    Match.objects.update(visibility=Match.Visibility.PRIVATE)
    draw_all()
    assert not SharePicture.objects.exists()


@pytest.mark.slow
def test_a_crawler_of_everything_fills_nothing(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_WAITING", 3)
    monkeypatch.setattr(services, "MAX_KEPT", 5)
    players = Player.objects.bulk_create(Player(name=f"Player {number}") for number in range(9))
    for player in players:
        assert Client().get(f"/share/0000000000/players/{player.public_id}.png").status_code == 200
    assert SharePicture.objects.count() == 3
    for _ in range(4):
        draw_all()
        for player in players:
            Client().get(f"/share/0000000000/players/{player.public_id}.png")
    draw_all()
    assert SharePicture.objects.count() == 5


def test_unused_pictures_are_deleted_and_those_of_the_erased_at_once(running: RunningEvent) -> None:
    bob = running.entry.player
    Client().get(share_url("player", bob.public_id))
    draw_all()
    assert services.delete_unused(timezone.now()) == 0
    SharePicture.objects.update(used_at=timezone.now() - services.KEPT_UNUSED - timedelta(days=1))
    assert services.delete_unused(timezone.now()) == 1
    Client().get(share_url("player", bob.public_id))
    erase_player(player=bob, by=SYSTEM, now=NOW)
    assert not SharePicture.objects.exists()


LONG = "Maximiliana-Alexandra von und zu Hohenlohe-Schillingsfürst " * 3


@pytest.mark.parametrize("name", ["Bob", LONG, "X" * 300, "דוד בן־גוריון", "محمد علي", "李小龍", "", "\u202e\u2066a\n"])
def test_every_name_can_be_drawn(name: str) -> None:
    sides = (SharedSide(name, "25", won=True), SharedSide(name, "24"))
    final = CardMatch(name, sides)
    for card in (
        SharedCard(name, sides=sides, above=(name, name), below=(name,)),
        SharedCard(name, name, matches=(final, final, final), facts=((name, name),), below=(name,)),
        SharedCard(name, name, facts=((name, name),) * 5, above=(name,), below=(name, name), monogram=name[:2]),
    ):
        picture = Image.open(BytesIO(draw_card(card)))
        assert (picture.format, picture.size) == ("PNG", (1200, 630))


def play(division: Division, matches: int = 1000) -> None:
    """Decide the matches that are ready, each for side 0, until so many are."""
    ready = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY).select_related("match")
    while fixtures := list(ready.all()[:matches]):
        for fixture in fixtures:
            assert fixture.match is not None
            won = ResultInput(0, (fixture.match.length, 0))
            results.enter_result(fixture=fixture, result=won, by=SYSTEM, now=NOW)
        matches -= len(fixtures)
        if matches <= 0:
            return


def drawn_as(open_division: Division, players: list[Player], settings: StageSettings) -> Division:
    """Draw the division in another format, with these players."""
    set_stages(division=open_division, stages=[settings], after=open_division.seq, by=SYSTEM, now=NOW)
    entries.enter(division=open_division, players=players, by=SYSTEM, now=NOW)
    return publish(open_division, SYSTEM)


def card_of_division(division: Division) -> SharedCard:
    event = division.tournament
    return card_of("division", f"{event.club.slug}/{event.slug}/{division.public_id}")


@pytest.mark.slow
@pytest.mark.parametrize("format_", [KNOCKOUT, DOUBLE])
def test_a_bracket_that_is_over_has_its_final_and_its_winner(
    open_division: Division, make_players: MakePlayers, format_: str
) -> None:
    division = drawn_as(open_division, make_players(16), StageSettings(format_))
    assert card_of_division(division).matches == ()
    play(division)
    card = card_of_division(division)
    [(winner, _label)] = card.facts
    assert [side.name for side in card.matches[-1].sides if side.won] == [winner]
    assert len(card.matches) == (3 if format_ == KNOCKOUT else 2)
    assert draw_card(card)


@pytest.mark.parametrize("format_", [SWISS, ROUND_ROBIN])
def test_a_table_has_its_first_five(open_division: Division, make_players: MakePlayers, format_: str) -> None:
    rounds = 3 if format_ == SWISS else None
    division = drawn_as(open_division, make_players(8), StageSettings(format_, rounds=rounds))
    play(division, 4)
    card = card_of_division(division)
    assert card.matches == ()
    assert len(card.facts) == 5
    assert [points for _name, points in card.facts] == sorted((points for _name, points in card.facts), reverse=True)
    assert draw_card(card)


def test_a_division_that_takes_entries_says_how_many(open_division: Division, make_players: MakePlayers) -> None:
    entries.enter(division=open_division, players=make_players(3), by=SYSTEM, now=NOW)
    assert card_of_division(open_division).facts == (("3 players", ""),)
