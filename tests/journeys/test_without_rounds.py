"""A night of lives without rounds: its director, a player with a phone, and the wall."""

import os
import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone
from django.utils.formats import time_format
from playwright.sync_api import expect

from formats.settings import KNOCKOUT, LIVES, PairingMode, StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage
from tests.browser.test_floor import NAMES
from tests.journeys.conftest import Journey
from tests.journeys.evenings import account_of
from tests.journeys.person import Person
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.floor.calls import call_ready, start
from tournaments.models import Batch, Division, Draw, Fixture, Floor, OpenPairing, Tournament
from tournaments.results.services import enter_result
from tournaments.state.stages import set_stages

PICTURES = os.environ.get("FLOW_PICTURES")
"""A folder for pictures of the pages."""


@pytest.fixture
def planned(club: Club, alice: User) -> Tournament:
    """An event of tonight: thirteen players, two lives without rounds, and a bracket for the last eight lives."""
    by, now = Actor.of(alice), timezone.now()
    event = events.create_tournament(
        club=club, by=by, now=now, name="Friday Lives", starts_at=now, tables=5, ends_at=now + timedelta(hours=6)
    )
    division = events.create_division(tournament=event, by=by, now=now, name="Open", match_length=5)
    people = [Player.objects.create(name=name) for name in NAMES[:13]]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in people)
    entries.enter(division=division, players=people, by=by, now=now)
    division.refresh_from_db()
    lives = StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS, qualifiers=8)
    set_stages(division=division, stages=[lives, StageSettings(KNOCKOUT)], after=division.seq, by=by, now=now)
    # Without a rest, the next call comes at once.
    Floor.objects.create(tournament=event, rest_minutes=0)
    return event


@pytest.fixture
def floor_worker(site: str) -> Iterator[None]:
    """Calls what can be called, as a worker would."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.3):
            for event in Tournament.objects.filter(status="running"):
                call_ready(tournament_id=event.pk, now=timezone.now())
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join(10)


def picture(person: Person, name: str) -> None:
    if PICTURES:
        person._page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True, caret="initial")


def open_fixtures() -> list[Fixture]:
    """The matches that go on or are called, in order."""
    rows = Fixture.objects.filter(status="ready").select_related("match", "stage__division__tournament__club")
    return list(rows.order_by("number"))


def play(event: Tournament, by: Actor, chance: Random) -> None:
    """Begin the matches that are called, and finish the first."""
    for fixture in open_fixtures():
        if fixture.match is not None and fixture.match.begun_at is None:
            start(fixture=fixture, by=by, now=timezone.now())
    first = open_fixtures()[0]
    assert first.match is not None
    winner = chance.randrange(2)
    score = (first.match.length, 3) if winner == 0 else (3, first.match.length)
    enter_result(fixture=first, result=ResultInput(winner, score), by=by, now=timezone.now())
    call_ready(tournament_id=event.pk, now=timezone.now())


@pytest.mark.journey("a night without rounds")
def test_a_night_without_rounds(
    journey: Journey,
    planned: Tournament,
    club: Club,
    alice: User,
    looked_at: Check,
    open_page: OpenPage,
    expected_errors: list[re.Pattern[str]],
) -> None:
    # A line for a match that is over is refused with the way to a correction.
    expected_errors.append(re.compile("/floor/line/.*422"))
    by, chance = Actor.of(alice), Random(4)
    director = journey.at_desk(alice)
    director.tap("Start tonight")
    director.sees("Lives without rounds, 2 lives, then Knockout")
    director.tap_text(re.compile("^As planned: Lives without rounds"))
    picture(director, "tonight")
    director.tap("Start with 13 players")
    director.sees("The evening is started.")
    director.sees("5 called")
    director.sees("Waiting for a table.")
    picture(director, "floor-start")
    looked_at(director._page)

    # Who waits sees why on a phone.
    paired = OpenPairing.objects.values("entry__player")
    waiting = Player.objects.filter(name__in=NAMES[:13]).exclude(pk__in=paired).order_by("pk")[0]
    bob = account_of(waiting, "bob@example.org", club)
    player = journey.on_phone(bob)
    player.tap("My matches")
    player.sees("2 lives left")
    player.sees(re.compile("Waiting for a table|Everybody suitable who is free plays somebody else"))
    picture(player, "phone-waits")
    looked_at(player._page)

    # Somebody comes late, and the price is said before.
    director.tap(re.compile("^Arrivals"))
    director.type("Find or add a player", "Wanda Late")
    director.tap("New player Wanda Late")
    director.sees("enters with 2 of 2 lives")
    director.tap("Let in")
    director.sees("Wanda Late")
    director.tap(re.compile("^Floor"))
    director.tap("Away", within=re.compile(r"Wanda Late\s+\d+ min"))
    director.sees("Wanda Late is away until")

    # Results call the next pairs.
    for _match in range(6):
        play(planned, by, chance)
    picture(director, "floor-later")

    # The first result was wrong; others have been paired since. It is corrected, undone, and corrected again.
    misheard = Fixture.objects.filter(match__state="settled").select_related("match").order_by("match__finished_at")[0]
    assert misheard.match is not None
    standing = Result.objects.get(match=misheard.match)
    line = f"m{misheard.number} {standing.score_1}-{standing.score_0}"
    director.tap(re.compile("^Floor"))
    for is_again in (False, True):
        director.type("Quick entry", line)
        director.press("Enter")
        director.tap("Preview a correction")
        director.sees("Apply")
        picture(director, f"correction-{is_again}")
        director.tap("Apply")
        director.sees(f"M{misheard.number} was corrected")
        if not is_again:
            director.tap("Undo…")
            director.tap("Undo the correction")
            director.sees("was undone")
            director.tap(re.compile("^Floor"))
    assert Result.objects.filter(match=misheard.match).latest("version").winner == 1 - (standing.winner or 0)
    director.tap(re.compile("^Floor"))
    division, floor = Division.objects.get(), f"/events/harbour/{planned.slug}/floor/"
    for name, path, width, scheme in (
        ("floor-dark", floor, DESK, "dark"),
        ("floor-phone", floor, PHONE, "light"),
        ("wall", f"/events/harbour/{planned.slug}/wall/", 1920, "dark"),
        ("standings", f"/events/harbour/{planned.slug}/{division.public_id}/standings/", PHONE, "dark"),
    ):
        page = open_page(path, width=width, scheme=scheme, user=alice)
        looked_at(page)
        if PICTURES:
            page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True, caret="initial")

    # Somebody leaves: the opponent of a match that has not begun is free again.
    leaver = Player.objects.exclude(pk__in=OpenPairing.objects.values("entry__player")).filter(name__in=NAMES[:13])
    name = leaver.exclude(pk=waiting.pk).first()
    assert name is not None
    director.tap(re.compile("^Arrivals"))
    director.tap(f"More · {name.name}")
    director.tap("Withdraw…")
    director.tap("Withdraw from this division")
    director.sees("has withdrawn")

    while Division.objects.get().status != Division.Status.FINISHED:
        play(planned, by, chance)
    director.tap(re.compile("^Floor"))
    director.sees("Open: won by")


@pytest.mark.journey("a night without rounds until a time")
def test_a_bracket_drawn_by_the_clock(
    journey: Journey, planned: Tournament, club: Club, alice: User, looked_at: Check, open_page: OpenPage
) -> None:
    by, chance, zone = Actor.of(alice), Random(7), ZoneInfo(club.time_zone)
    director = journey.at_desk(alice)
    director.tap("Start tonight")
    director.tap_text(re.compile("^As planned: Lives without rounds"))
    director.tap("Start with 13 players")
    director.sees("Bracket of 8 to come")

    # Whom the rule would pair is said while two others are chosen.
    free = Player.objects.exclude(pk__in=OpenPairing.objects.values("entry__player")).filter(name__in=NAMES[:13])
    director.tap_text("Choose others")
    for label, player in zip(("First player", "Second player"), free.order_by("pk"), strict=False):
        director.choose(label, f"{player.name} · 2 lives left · 0 matches")
    director.sees("The rule would")
    looked_at(director._page)
    picture(director, "clock-choose")
    for _match in range(3):
        play(planned, by, chance)

    # Two hours later, the director sees that the time is short, and sets an end for the lives.
    Batch.objects.update(at=F("at") - timedelta(hours=2))
    Draw.objects.update(published_at=F("published_at") - timedelta(hours=2))
    later = timezone.now().astimezone(zone) + timedelta(hours=2)
    director.tap(re.compile("^Floor"))
    director.tap_text("Rules")
    director.chooses_time("The bracket is drawn at the latest at", f"{later:%H:%M}")
    director.tap("Change the rules")
    director.sees(f"at {time_format(later.time())} at the latest")
    looked_at(director._page)
    picture(director, "clock-set")

    # It is to be now: nobody is paired any more, and everybody sees what is waited for.
    director.tap_text("Rules")
    director.chooses_time("The bracket is drawn at the latest at", f"{timezone.now().astimezone(zone):%H:%M}")
    director.tap("Change the rules")
    waiting = Player.objects.exclude(pk__in=OpenPairing.objects.values("entry__player")).filter(name__in=NAMES[:13])
    name = waiting.order_by("pk")[0]
    player = journey.on_phone(account_of(name, "bob@example.org", club))
    director.sees("The bracket is drawn after")
    picture(director, "clock-up")
    player.tap("My matches")
    player.sees("The bracket is drawn after M")
    picture(player, "clock-up-phone")
    looked_at(player._page)
    wall = open_page(f"/events/harbour/{planned.slug}/wall/", width=1920, scheme="dark", user=alice)
    expect(wall.locator("body")).to_contain_text("The bracket is drawn after", use_inner_text=True)
    batches = Batch.objects.count()
    while Division.objects.get().stages.get(number=2).status == "planned":
        play(planned, by, chance)
    assert Batch.objects.count() == batches

    # The bracket has as many places as lives needed, and is called at once.
    director.tap(re.compile("^Floor"))
    director.sees("Quarter-finals")
    picture(director, "clock-bracket")
    player.tap("My matches")
    picture(player, "clock-bracket-phone")
    while Division.objects.get().status != Division.Status.FINISHED:
        play(planned, by, chance)
    director.tap(re.compile("^Floor"))
    director.sees("Open: won by")


@pytest.mark.journey("lives, then a bracket in mid-evening")
def test_a_bracket_in_mid_evening(
    journey: Journey, planned: Tournament, club: Club, alice: User, looked_at: Check, open_page: OpenPage
) -> None:
    by, chance, division = Actor.of(alice), Random(5), Division.objects.get()
    lives = StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS)
    set_stages(division=division, stages=[lives], after=division.seq, by=by, now=timezone.now())
    director = journey.at_desk(alice)
    director.tap("Start tonight")
    director.tap_text(re.compile("^As planned: Lives without rounds"))
    director.tap("Start with 13 players")
    for _match in range(6):
        play(planned, by, chance)
    director.tap(re.compile("^Floor"))
    running = {fixture.number for fixture in open_fixtures()}

    # It takes too long: the matches in progress are to finish, then the best eight play a bracket.
    director.tap_text("Then a bracket, or end here")
    director.sees("finish first")
    director.sees(re.compile(r"about \d+ min, until"))
    looked_at(director._page)
    picture(director, "mid-evening-choose")
    director.tap("Then a bracket of 8")
    director.sees("No more pairs: then a bracket of 8.")
    director.sees("The bracket is drawn after")
    picture(director, "mid-evening-ended")
    looked_at(director._page)

    # That was too early, and is undone; half an hour later it is done again.
    director.tap_text("Undo: No more pairs: then a bracket of 8.")
    director.sees("Players are paired again")
    director.tap("Undo")
    director.sees("Undone: No more pairs")
    assert running <= {fixture.number for fixture in open_fixtures()}
    play(planned, by, chance)
    director.tap(re.compile("^Floor"))
    director.tap_text("Then a bracket, or end here")
    director.tap("Then a bracket of 8")
    director.sees("The bracket is drawn after")
    while Division.objects.get().stages.get(number=2).status == "planned":
        play(planned, by, chance)
    assert Fixture.objects.filter(stage__number=2, status="ready").count() == 4
    page = open_page(f"/events/harbour/{planned.slug}/floor/", width=PHONE, scheme="dark", user=alice)
    looked_at(page)
    while Division.objects.get().status != Division.Status.FINISHED:
        play(planned, by, chance)
    director.tap(re.compile("^Floor"))
    director.sees("Open: won by")


@pytest.mark.journey("a bracket at a busy moment")
def test_a_bracket_while_the_evening_pairs_itself(
    journey: Journey, planned: Tournament, alice: User, looked_at: Check
) -> None:
    by, chance, division = Actor.of(alice), Random(5), Division.objects.get()
    lives = StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS)
    set_stages(division=division, stages=[lives], after=division.seq, by=by, now=timezone.now())
    director = journey.at_desk(alice)
    director.tap("Start tonight")
    director.tap_text(re.compile("^As planned: Lives without rounds"))
    director.tap("Start with 13 players")
    for _match in range(4):
        play(planned, by, chance)
    director.tap(re.compile("^Floor"))

    # While the director reads, somebody loses and two are called: that changes nothing about the choice.
    chooses_a_bracket(director, "finish first", planned, by, chance)
    director.sees("The bracket is drawn after")
    picture(director, "busy-done")
    director.tap_text("Undo: No more pairs: then a bracket of 8.")
    director.sees("Players are paired again")
    director.tap("Undo")
    director.sees("Undone: No more pairs")

    director.tap(re.compile("^Floor"))

    # The match of those two would be void, too: it is named, and one tap repeats the choice.
    number = chooses_a_bracket(director, "are void now and count for nobody", planned, by, chance)
    director.sees(re.compile(rf"Paired in the meantime: .*M{number}"))
    looked_at(director._page)
    picture(director, "busy-named")
    taps = director.taps
    director.tap("Do it all the same")
    director.sees("No more pairs: then a bracket of 8.")
    assert director.taps - taps == 1


def chooses_a_bracket(director: Person, running: str, event: Tournament, by: Actor, chance: Random) -> int:
    """Choose a bracket of eight, and what becomes of the matches in progress; return the last one paired meanwhile."""
    director.tap_text("Then a bracket, or end here")
    director.tap_text(running)
    seen = Division.objects.get().seq
    while Division.objects.get().pairing_seq <= seen:
        play(event, by, chance)
    number = Fixture.objects.latest("number").number
    director.tap("Then a bracket of 8")
    return number
