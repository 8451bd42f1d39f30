"""A club's season: made from a preset, changed by a line, and corrected on an old night."""

import re
from datetime import timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from clubhouse.tonight import EveningPlan, start_evening
from formats.settings import KNOCKOUT, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Club, Membership, Player, User
from seasons.services import PointsInput, SeriesInput, create_series, give_points
from tests.browser.conftest import Check
from tests.browser.test_floor import NAMES
from tests.journeys.conftest import Journey
from tests.journeys.evenings import account_of, entered_event
from tournaments.draws import services as draws
from tournaments.ledger.money import Currency
from tournaments.models import Division, FinalPlace, Fixture, Series, Tournament
from tournaments.results.services import enter_result


@pytest.fixture
def played(club: Club, alice: User) -> list[Player]:
    """Eight players, and two evenings that they have played."""
    people = [Player.objects.create(name=name) for name in NAMES[:8]]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in people)
    for weeks in (2, 1):
        _play_an_evening(club, people, Actor.of(alice), weeks)
    return people


def _play_an_evening(club: Club, people: list[Player], by: Actor, weeks: int) -> None:
    now, chance = timezone.now() - timedelta(weeks=weeks), Random(weeks)
    plan = EveningPlan(4, now + timedelta(hours=4), (StageSettings(KNOCKOUT, lengths=(5,)),), people)
    event = start_evening(club=club, plan=plan, by=by, now=now)
    ready = Fixture.objects.filter(stage__division__tournament=event, status=Fixture.Status.READY)
    while fixture := ready.order_by("number").first():
        winner = chance.randrange(2)
        score = (5, 3) if winner == 0 else (3, 5)
        enter_result(fixture=fixture, result=ResultInput(winner, score), by=by, now=now + timedelta(hours=2))
    assert event.divisions.get().status == Division.Status.FINISHED


@pytest.mark.journey("a season from a preset, and one line changed")
def test_a_season_from_a_preset(
    journey: Journey, played: list[Player], club: Club, alice: User, looked_at: Check
) -> None:
    director = journey.at_desk(alice)
    director.tap("Harbour Backgammon", first=True)
    director.tap("Seasons")
    director.tap("New season")
    director.type("Name", "Autumn")
    director.tap_text("Points as in motor racing")
    director.tap("New season")
    director.sees("Autumn is ready.")
    director.sees("2 of 2 evenings played")
    looked_at(director._page)

    # Last night's real names and points change before the eyes.
    director.tap("Points and evenings")
    director.sees(re.compile(r"27\s+\S+.*2 for coming", re.S))
    director.type("Points for coming", "5")
    director.sees(re.compile(r"30\s+\S+.*5 for coming", re.S))
    director.sees("What changes in the table")
    looked_at(director._page)
    director.tap("Save these points")
    director.sees("Saved.")

    # Two of them have a table of their own.
    director.tap("Points and evenings")
    director.tap_text("New view")
    director.type("Name", "Juniors", within="Who is in it")
    for junior in played[:2]:
        director.tap_text(junior.name, within="If players are chosen")
    director.tap("Add the view")
    director.sees("Saved.")
    looked_at(director._page)

    # The director has the wall of an evening show that table.
    director.tap("Autumn", first=True)
    director.tap(re.compile(r"^\d+\s*\w{3}$"), first=True)
    director.tap("Message and content of the wall")
    director.tap("Autumn: Juniors")
    director.tap("Save")
    director.sees("Saved.")

    # Everybody finds their place from the front page, and why.
    bob = account_of(played[0], "bob@example.org", club)
    player = journey.on_phone(bob)
    player.sees("Your place in the season")
    player.tap("Autumn")
    player.sees(re.compile(r"\d(st|nd|rd|th) of 8"))
    player.tap_text(played[3].name)
    player.sees("5 for coming")
    player.sees("Share")
    looked_at(player._page)
    player.tap("Juniors")
    player.sees(re.compile(r"\d(st|nd) of 2"))
    looked_at(player._page)


@pytest.mark.journey("a season for those who have entered")
def test_a_season_for_those_who_have_entered(
    journey: Journey, played: list[Player], club: Club, alice: User, looked_at: Check
) -> None:
    today = timezone.localdate()
    days = SeriesInput("Autumn", today - timedelta(days=60), today + timedelta(days=30), "motor_racing")
    create_series(club=club, series=days, by=Actor.of(alice), now=timezone.now())
    director = journey.at_desk(alice)
    director.tap("Harbour Backgammon", first=True)
    director.tap("Seasons")
    director.tap("Autumn")
    director.tap("Points and evenings")
    director.choose("Who is in the table", "Only players who have entered the season are in the table.")
    director.sees("Only players who have entered the season are in the table. Guests take places but are not in it.")
    director.sees("What changes in the table")
    looked_at(director._page)
    director.tap("Save these points")
    director.sees("Saved.")

    # The director enters one player, and another enters on his phone.
    director.tap("Points and evenings")
    director.sees("Nobody is entered yet.")
    director.choose("Player", played[1].name)
    director.tap("Enter the season")
    director.sees(f"{played[1].name} has entered the season.")
    looked_at(director._page)
    bob = account_of(played[0], "bob@example.org", club)
    player = journey.on_phone(bob)
    player.tap("Clubs", first=True)
    player.tap("Harbour Backgammon", first=True)
    player.tap("The whole table")
    player.tap("Enter the season")
    player.sees("You have entered this season.")
    player.sees(re.compile(r"\d(st|nd) of 2"))
    looked_at(player._page)
    player.tap("Take back")
    player.sees("Enter the season")


@pytest.mark.journey("a season in a frame of the club's website")
def test_a_season_in_a_frame(journey: Journey, played: list[Player], club: Club, alice: User, looked_at: Check) -> None:
    today = timezone.localdate()
    days = SeriesInput("Autumn", today - timedelta(days=60), today + timedelta(days=30), "motor_racing")
    create_series(club=club, series=days, by=Actor.of(alice), now=timezone.now())
    director = journey.at_desk(alice)
    director.tap("Harbour Backgammon", first=True)
    director.tap("Seasons")
    director.tap("Autumn")
    director.tap("Embed")
    director.sees("It keeps itself up to date.")
    frame = director._page.frame_locator("iframe.share-preview")
    expect(frame.get_by_role("row")).to_have_count(9)
    looked_at(director._page)


@pytest.mark.slow
@pytest.mark.journey("an old night is corrected, and the season with it")
def test_a_correction_changes_the_season(journey: Journey, played: list[Player], club: Club, alice: User) -> None:
    bob = account_of(played[0], "bob@example.org", club)
    director = journey.at_desk(alice)
    director.tap("Harbour Backgammon", first=True)
    director.tap("Seasons")
    director.tap("New season")
    director.type("Name", "Autumn")
    director.tap_text("Points as in motor racing")
    director.tap("New season")
    announced = _table_seen_by(bob, journey)

    day = (timezone.now() - timedelta(weeks=2)).astimezone(ZoneInfo(club.time_zone))
    director.tap(re.compile(rf"^{day.day}\s*{day:%b}$"))
    director.tap(re.compile("bracket", re.I), first=True)
    director.tap("M7")
    winner = director.reads(r"\n(.+) won 5–3\.")
    director.tap("Correct this result…")
    pair = [director.reads(r"Who won\?" + r"\s+.+" * side + r"\s+(.+)\n") for side in (0, 1)]
    (loser,) = set(pair) - {winner}
    for time in range(2):
        if time:
            director.tap("Correct this result…")
        director.type(winner, "3")
        director.type(loser, "5")
        director.tap("Preview")
        director.sees("Season: Autumn")
        before, after = director.reads(rf"{re.escape(loser)}\s+(\S+ · \S+\s+→\s+\S+ · \S+)").split("→")
        assert before.strip() != after.strip()
        director.tap("Apply")
        director.sees("M7 was corrected")
        corrected = _table_seen_by(bob, journey)
        assert corrected != announced
        director.tap("Undo…")
        director.sees("Season: Autumn")
        director.tap("Undo the correction")
        director.sees("was undone")
        assert _table_seen_by(bob, journey) == announced


def _table_seen_by(user: User, journey: Journey) -> str:
    person = journey.on_phone(user)
    person.tap("Autumn")
    return person.reads(r"Your place in the season\s+([\s\S]+)CSV")


@pytest.mark.slow
@pytest.mark.journey("a part of the fees for the season, and who is due what of it")
def test_the_pool_of_a_season(journey: Journey, club: Club, alice: User, looked_at: Check) -> None:
    director = journey.at_desk(alice)
    director.tap("Harbour Backgammon", first=True)
    director.tap("Seasons")
    director.tap("New season")
    director.type("Name", "Autumn")
    director.tap_text("Points as in motor racing")
    director.tap("New season")
    director.tap("Points and evenings")
    director.type("Percentage of each entry fee", "20")
    director.tap("Save", within="Pool of the season")
    director.sees("Saved.")
    director.tap("Autumn", first=True)
    director.sees("20 % of each entry fee")
    director.sees("Nothing is in it yet.")
    looked_at(director._page)

    # A night with fees, which are taken as people arrive.
    event = entered_event(club, alice, 8, fee=1000, currency=Currency("EUR", 2))
    director.tap("Events")
    director.tap("Friday Knockout")
    director.tap("Console")
    director.tap(re.compile("^Arrivals"))
    director.tap_text("All here and paid…")
    director.tap(re.compile("^8 players are here"))
    director.sees("8\nhere")
    _draw_and_play(event.divisions.get(), Actor.of(alice))
    director.tap("Clubs")
    director.tap("Harbour Backgammon", first=True)
    director.tap("Seasons")
    director.tap("Autumn")
    director.sees(re.compile(r"Pool\s+16\.00 EUR"))
    looked_at(director._page)

    # Closed, its places are due the pool, and the cash desk of the evening says what it gave.
    director.tap("Points and evenings")
    director.tap("Close the season")
    director.sees(re.compile(r"1\s+\S[^\n]*\s+8\.00 EUR"))
    looked_at(director._page)

    # The winner is paid from the desk of the evening, whose box says so.
    director.tap("Pay 8.00 EUR")
    director.sees("8.00 EUR of it not paid out")
    director.tap("Pay 4.80 EUR")
    looked_at(director._page)
    director.tap("Friday Knockout", first=True)
    director.sees(re.compile(r"Pool of a season, 2\s+− 12\.80"))
    director.sees(re.compile(r"Expected in the box\s+67\.20"))
    looked_at(director._page)
    guest = journey.on_phone()
    guest.tap("Clubs")
    guest.tap("Harbour Backgammon", first=True)
    guest.tap("The whole table")
    guest.sees(re.compile(r"1\s+\S[^\n]*\s+8\.00 EUR"))
    looked_at(guest._page)


def _draw(division: Division, by: Actor) -> None:
    now = timezone.now()
    draw = draws.request_draw(division=division, by=by, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=now)


def _draw_and_play(division: Division, by: Actor) -> None:
    _draw(division, by)
    ready = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)
    while fixture := ready.order_by("number").first():
        enter_result(fixture=fixture, result=ResultInput(0, (7, 3)), by=by, now=timezone.now())


def _rank(series: Series, players: list[Player], by: Actor) -> None:
    """Give these players points by which nobody shares a rank, whatever the lots of the evenings were."""
    event = Tournament.objects.earliest("pk")
    for place, player in enumerate(reversed(players)):
        given = PointsInput(event, player, str(60 * place), "Ranked.")
        give_points(series=series, given=given, by=by, now=timezone.now())


@pytest.mark.journey("the best of a season are asked, and the next rank moves up")
def test_the_final_of_a_season(
    journey: Journey, played: list[Player], club: Club, alice: User, looked_at: Check
) -> None:
    director = journey.at_desk(alice)
    director.tap("Harbour Backgammon", first=True)
    director.tap("Seasons")
    director.tap("New season")
    director.type("Name", "Autumn")
    director.tap_text("Points as in motor racing")
    director.tap("New season")
    director.sees("Autumn is ready.")
    _rank(Series.objects.get(), played, Actor.of(alice))
    director.tap("Points and evenings")
    director.type("Ranks that qualify for a final", "3")
    director.tap("Save these points")
    director.tap("Offer 3 places")
    director.sees("3 places are offered.")
    looked_at(director._page)
    # A wrong tap, taken back and done again.
    director.tap("Take back all 3 open offers")
    director.sees("3 places were taken back.")
    director.sees("taken back")
    looked_at(director._page)
    director.tap("Offer 3 places")
    director.tap("Prepare the final")
    director.sees("Final of Autumn")

    # Whoever is asked hears of it at home, and answers with one tap.
    invited = [place.player for place in FinalPlace.objects.filter(taken_back_at=None).select_related("player")]
    accounts = {player: account_of(player, f"p{player.pk}@example.org", club) for player in invited}
    first = journey.on_phone(accounts[invited[0]])
    first.sees("Your place in a final")
    looked_at(first._page)
    first.tap("I come")
    first.sees("See you at the final.")
    second = journey.on_phone(accounts[invited[1]])
    second.tap("I can’t come")
    second.sees("Somebody else is asked.")

    # The next rank has moved up, and the director knows from the phone that they come.
    director.tap("Harbour Backgammon", first=True)
    director.tap("Seasons")
    director.tap("Autumn")
    director.sees("cannot come")
    director.sees("moved up from rank 4")
    looked_at(director._page)
    director.tap("Final of Autumn")
    assert invited[1].name not in director.reads(r"Entries([\s\S]*)")


@pytest.mark.journey("some ranks start in later rounds of the final")
def test_a_final_in_stages(journey: Journey, played: list[Player], club: Club, alice: User, looked_at: Check) -> None:
    days = SeriesInput("Autumn", timezone.localdate() - timedelta(days=60), timezone.localdate(), "motor_racing")
    create_series(club=club, series=days, by=Actor.of(alice), now=timezone.now())
    director = journey.at_desk(alice)
    director.tap("Harbour Backgammon", first=True)
    director.tap("Seasons")
    director.tap("Autumn")
    director.tap("Points and evenings")
    director.type("Ranks that qualify for a final", "8")
    director.tap_text("Special rules")
    director.type("Ranks of the final that start in later rounds", "2: semifinal, 4: quarterfinal, 7: qualifying")
    director.sees("The stages of the final end with rank 7; the ranks that qualify are 8.")
    director.type("Ranks of the final that start in later rounds", "2: semifinal, 4: quarterfinal, 8: qualifying")
    director.does_not_see("The stages of the final end")
    looked_at(director._page)
    director.tap("Save these points")
    director.sees("starts in the semi-finals")
    director.sees("plays for 2 places")
    looked_at(director._page)
    director.tap("Prepare the final")
    director.tap("Publish")
    _draw(Division.objects.get(tournament__name="Final of Autumn"), Actor.of(alice))
    director.tap("Final", first=True)
    director.sees("Semi-finals")
    director.sees("Qualifying round")
    director.does_not_see("Round of 16")
    looked_at(director._page)
