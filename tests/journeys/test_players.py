"""Players and those who watch, on their phones."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.utils import timezone

from display.paper.cards import table_cards
from engine.records import read, write
from formats.settings import StageSettings
from matches.analysis.access import announce
from matches.models import Analysis, Match, PlayerRating, Submission
from matches.ratings.services import default_pool, replay_pool
from matches.reporting import reports
from players.accounts.services import ensure_player
from players.actors import SYSTEM, Actor
from players.clubs.services import add_member
from players.joining.services import accept_request, ask_to_join
from players.models import Club, Player, User
from tests.browser.conftest import STAYS
from tests.browser.test_floor import evening
from tests.browser.test_sharing import OtherSite, other_site
from tests.clubhouse.test_home import live_match
from tests.journeys.conftest import Journey
from tests.journeys.evenings import account_of, entered_event
from tests.matches.analysis.rows import analysis_of
from tests.matches.cast import BOB, CAROL, match_between
from tests.matches.records.samples import simulated
from tests.matches.reporting.test_records import send
from tests.matches.reporting.test_second_records import RECORD
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tournaments.entries.event_links import path_for
from tournaments.entries.services import enter
from tournaments.models import Fixture, Tournament
from tournaments.results import overdue

__all__ = ["evening", "other_site"]


def at_table(event: Tournament, table: str) -> Player:
    """The first player of the match at a table."""
    fixture = Fixture.objects.get(floor_events__table__label=table, floor_events__kind="called")
    assert fixture.match is not None
    return fixture.match.player_0


@pytest.mark.journey("code of the sheet, score, where next")
def test_a_score_by_the_code_of_the_sheet(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.at_desk(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.tap("Paper")
    director.tap(re.compile("^Print .* score sheets"))
    names = [director.reads(rf"\n{side}\s+(.+)\n") for side in "AB"]
    address = director.address_of("Link on the sheet")
    player = journey.on_phone(address=address)
    player.tap(names[0], role="radio", within="Who won?")
    player.tap("4", role="radio")
    player.tap(names[0], role="radio", within="I am")
    player.tap(f"{names[0]} wins 7–4")
    player.sees(f"{names[0]} plays on")
    player.sees(f"{names[1]} plays on")


@pytest.mark.journey("3–1 by my link")
def test_a_score_by_the_personal_link(journey: Journey, evening: Tournament) -> None:
    player = at_table(evening, "4")
    reporter = journey.on_phone(address=path_for(evening, player, 0))
    reporter.tap("I won", role="radio")
    reporter.tap("1", role="radio", within="Points of the other player")
    reporter.tap(re.compile("^I won .–1$"))
    reporter.sees("has to confirm it")


@pytest.mark.journey("7–5 by the code of the table")
def test_a_score_by_the_code_of_the_table(journey: Journey, evening: Tournament) -> None:
    name = at_table(evening, "4").name
    card = next(card for card in table_cards(evening, str) if card.label == "4")
    reporter = journey.on_phone(address=card.url)
    reporter.tap(name, role="radio", within="Who won?")
    reporter.tap("5", role="radio", within="Points of the other player")
    reporter.tap(name, role="radio", within="I am")
    reporter.tap(f"{name} wins 7–5")
    reporter.sees("Reported.")


@pytest.mark.journey("gone home early, by oneself")
def test_a_player_withdraws_and_reads_before_what_follows(journey: Journey, club: Club, evening: Tournament) -> None:
    player = at_table(evening, "4")
    bob = account_of(player, "bob@example.org", club)
    person = journey.on_phone(bob)
    person.tap("My matches", first=True)
    person.tap("Saturday Night · Open", first=True)
    person.tap("Withdraw…")
    person.sees("goes through")
    person.tap("Withdraw from this division")
    person.sees("You are off the list of Open")


@pytest.mark.journey("signed in: my table now")
def test_my_table_now(journey: Journey, club: Club, evening: Tournament) -> None:
    bob = account_of(at_table(evening, "4"), "bob@example.org", club)
    player = journey.on_phone(bob)
    player.tap("My matches")
    player.sees("table 4")


@pytest.mark.journey("signed in: my next match")
def test_my_next_match(journey: Journey, club: Club, evening: Tournament) -> None:
    bob = account_of(at_table(evening, "4"), "bob@example.org", club)
    player = journey.on_phone(bob)
    player.sees("Your next match")
    player.sees(re.compile(r"Table\s+4"))
    player.tap("Report the result")
    player.sees("table 4")


@pytest.mark.journey("from the front page to a practice match")
def test_a_new_visitor_practises(journey: Journey) -> None:
    visitor = journey.on_phone()
    visitor.tap("Play now", first=True)
    visitor.sees(re.compile("Roll|Undo|Waiting"))


@pytest.mark.journey("a hint without an account")
def test_a_guest_gets_a_hint_for_the_opening(journey: Journey, settings: LazySettings) -> None:
    settings.ANALYSIS_BACKEND = "off"
    visitor = journey.on_phone()
    visitor.tap("Play now", first=True)
    if visitor.reads("(Roll|Undo)") == "Roll":
        visitor.tap("Roll", first=True)
    visitor.tap("Hint")
    visitor.sees("Hint by the Club Bot")


@pytest.mark.journey("a match begun without an account, kept")
def test_a_guest_signs_up_and_keeps_the_match(journey: Journey) -> None:
    visitor = journey.on_phone()
    visitor.tap("Play now", first=True)
    visitor.sees(re.compile("Roll|Undo|Waiting"))
    visitor.tap("Keep this match", first=True)
    visitor.type("Your name", "Zoë")
    visitor.type("Email address", "zoe@example.org")
    visitor.type("Password", "crawford-1969")
    visitor.tap("Create account")
    visitor.tap("Keep this match")
    visitor.sees("Zoë")
    visitor.sees(re.compile("Roll|Undo|Waiting"))


@pytest.mark.journey("the match that most people watch")
def test_the_live_match_of_the_front_page(journey: Journey) -> None:
    live_match("Anna", "Berit")
    viewer = journey.on_phone()
    viewer.sees("Live")
    viewer.tap("Watch")
    viewer.sees("Anna")
    viewer.does_not_see("Play now")


@pytest.mark.journey("my club's next event, and left again")
def test_the_next_event_of_my_club(journey: Journey, club: Club, alice: User) -> None:
    entered_event(club, alice, 4, self_registration=True)
    zoe = Player.objects.create(name="Zoë Ballard")
    player = journey.on_phone(account_of(zoe, "zoe@example.org", club))
    player.tap("Clubs")
    player.tap("Harbour Backgammon", within="Your clubs")
    player.tap(re.compile("^I’m coming on"))
    player.sees("You are entered")
    # Done by mistake.
    player.tap("I can’t come")
    player.sees("You are off the list")
    player.tap(re.compile("^I’m coming on"))
    player.sees("You are entered")


@pytest.mark.journey("new here: into the club's next event")
def test_a_new_player_joins_the_next_event(journey: Journey, club: Club, alice: User) -> None:
    entered_event(club, alice, 4, self_registration=True)
    visitor = journey.on_phone()
    visitor.tap("Clubs")
    visitor.tap("Harbour Backgammon")
    visitor.tap(re.compile("^I’m coming on"))
    visitor.tap("Sign up", first=True)
    visitor.type("Your name", "Zoë")
    visitor.type("Email address", "zoe@example.org")
    visitor.type("Password", "crawford-1969")
    visitor.tap("Create account")
    visitor.tap(re.compile("^I’m coming on"))
    visitor.sees("You are entered")


@pytest.mark.journey("a match being played")
def test_a_match_being_played(journey: Journey, evening: Tournament) -> None:
    viewer = journey.on_phone()
    viewer.tap("Saturday Night")
    viewer.tap(re.compile("."), within="Live now", role="link", first=True)
    viewer.sees("Score so far")


@pytest.mark.journey("a live match, shared and embedded")
def test_a_live_match_its_event_shared_and_embedded(
    journey: Journey, evening: Tournament, other_site: OtherSite
) -> None:
    viewer = journey.on_phone()
    viewer._page.add_init_script(STAYS)
    viewer.tap("Saturday Night")
    viewer.tap(re.compile("."), within="Live now", role="link", first=True)
    viewer.sees("Score so far")
    viewer.tap("Saturday Night · Open")
    viewer.tap("Share")
    viewer.sees("Link copied")
    viewer.tap("Embed")
    address = other_site(viewer.copies("HTML for the website"))
    Club.objects.update(embed_hosts=address)
    reader = journey.at_desk(address=address)
    reader.sees_in_frame("Saturday Night")


@pytest.mark.journey("a friend's rating")
def test_the_rating_of_a_friend(journey: Journey, evening: Tournament) -> None:
    viewer = journey.on_phone()
    replay_pool(pool_id=default_pool().pk, now=timezone.now())
    friend = PlayerRating.objects.order_by("-rating")[0].player
    viewer.tap("Rankings")
    viewer.type("Name", friend.name.split()[0])
    viewer.tap(friend.name)
    viewer.sees("Rating")


@pytest.mark.journey("the wall")
def test_the_wall(journey: Journey, evening: Tournament) -> None:
    viewer = journey.at_desk()
    viewer.tap("Saturday Night")
    viewer.tap("Wall screen")
    viewer.sees("Please go to your table")


@pytest.mark.journey("play a friend")
def test_playing_a_friend(journey: Journey, bob: User, carol: User) -> None:
    for user in (bob, carol):
        Player.objects.create(name=user.display_name, user=user)
    challenger = journey.on_phone(bob)
    challenger.tap("Play")
    challenger.type("Opponent", "Car", within="New challenge")
    challenger.sees("Carol", within="New challenge")
    challenger.tap("Challenge")
    challenger.sees("Carol", within="Your challenges")
    friend = journey.on_phone(carol)
    friend.tap("Play")
    friend.tap("Accept")
    friend.sees("The match begins when both of you are here")
    # The lobby has opened the board of the challenger as well.
    challenger.sees("The match begins when both of you are here")
    challenger.tap("I’m here")
    challenger.sees("Carol is invited")
    friend.tap("I’m here")
    for player in (challenger, friend):
        player.sees(re.compile("Roll|Undo|Waiting for (Bob|Carol)"))
        player.does_not_see("is invited")


@pytest.mark.journey("challenge from a player's page")
def test_a_challenge_from_the_page_of_a_player(journey: Journey, bob: User, carol: User) -> None:
    for user in (bob, carol):
        Player.objects.create(name=user.display_name, user=user)
    challenger = journey.on_phone(bob)
    challenger.tap("Rankings")
    challenger.tap("All players")
    challenger.tap("Carol")
    challenger.tap("Challenge Carol")
    challenger.tap("Challenge")
    challenger.sees("Carol", within="Your challenges")


@pytest.mark.journey("from sign-up to the club's next event")
def test_a_new_member_finds_their_club_and_their_results(journey: Journey, club: Club, alice: User) -> None:
    entered_event(club, alice, 4, self_registration=True)
    zoe = add_member(club=club, name="Zoë Ballard", by=SYSTEM).player
    player = journey.on_phone()
    player.tap("Sign up")
    player.type("Your name", "Zoë Ballard")
    player.type("Email address", "zoe@example.org")
    player.type("Password", "crawford-1969")
    player.tap("Create account")
    player.tap("Harbour Backgammon")
    player.tap("Become a member")
    player.tap("This is me: Zoë Ballard")
    player.sees("You have asked to join")
    director = journey.on_phone(alice)
    director.sees("1 person asks to join", within="Waiting for you")
    director.tap("Answer")
    director.sees("Zoë Ballard: “I am Zoë Ballard.”")
    director.tap("Accept as Zoë Ballard")
    director.sees("Zoë Ballard is now a member.")
    zoe.refresh_from_db()
    assert zoe.merged_into is not None
    player.tap("About the club")
    player.tap("Friday Knockout")
    player.tap("Register")
    player.sees("You are entered")


@pytest.mark.journey("a wrong “This is me”, undone by either")
def test_a_wrong_claim_is_one_entry_until_it_is_undone(journey: Journey, club: Club, alice: User, carol: User) -> None:
    event = entered_event(club, alice, 4, self_registration=True)
    zoe = add_member(club=club, name="Zoë Ballard", by=SYSTEM).player
    by, now = Actor.of(alice), timezone.now()
    enter(division=event.divisions.get(), players=[zoe, ensure_player(user=carol, by=SYSTEM)], by=by, now=now)
    player = journey.on_phone(carol)
    director = journey.on_phone(alice)
    for undone_by in ("the director", "the person"):
        request = ask_to_join(club=club, user=carol, claimed=zoe.public_id, by=Actor.of(carol), now=now)
        accept_request(request=request, link=True, by=by, now=now)
        if undone_by == "the director":
            player.tap("Friday Knockout", first=True)
            player.sees("5 players")
            player.sees("You are entered")
            director.tap("Harbour Backgammon", first=True)
            director.tap("Members and roles")
            director.tap("Carol")
            director.tap("Undo for Zoë Ballard")
            director.sees("Zoë Ballard and Carol are separate players again.")
        else:
            player = journey.at_desk(carol)
            player.tap_text("Carol")
            player.tap("Preferences")
            player.tap("Undo for Zoë Ballard")
            player.sees("Zoë Ballard is not you any more.")
        zoe.refresh_from_db()
        assert zoe.merged_into is None


@pytest.mark.journey("check a record, find its worst error")
@pytest.mark.usefixtures("celery_worker")
def test_the_worst_error_of_a_record(journey: Journey, tmp_path: Path) -> None:
    record = tmp_path / "final.mat"
    record.write_bytes(simulated(seed=4, length=3))
    player = journey.at_desk()
    player.tap("Check a match", first=True)
    player.chooses_file("Drop a record here, or choose a file", record)
    player.tap("Check a match", first=True)
    player.sees("Accepted")
    # What the worker with the analysis program does. A page that asks meanwhile never sees that there is no analysis.
    with transaction.atomic():
        Analysis.objects.all().delete()
        announce(analysis_of(Submission.objects.get()))
    player.sees("Biggest errors")
    player.sees("−0.160")
    player.tap("Replay", within="Biggest errors", first=True)
    player.tap_text(re.compile("Candidates"))
    player.sees("A blunder: −0.160")


@pytest.mark.journey("the opponent's record again")
@pytest.mark.usefixtures("celery_worker")
def test_a_record_that_the_opponent_has_added(journey: Journey, bob: User, carol: User, tmp_path: Path) -> None:
    """J6: Carol has added hers, and Bob's program wrote the same match in another format."""
    players = ensure_player(user=bob, by=SYSTEM), ensure_player(user=carol, by=SYSTEM)
    match = match_between(*players, length=1, parent_topic="")
    report = reports.ScoreReport(CAROL, (0, 1))
    reports.report_score(match=match, side=CAROL, report=report, by=Actor.of(carol), now=timezone.now())
    reports.confirm(match=match, side=BOB, by=Actor.of(bob), now=timezone.now())
    send(match, RECORD.encode(), carol, CAROL, at=timezone.now())
    record = tmp_path / "ours.sgf"
    record.write_bytes(write(read(RECORD), "sgf"))

    player = journey.on_phone(bob)
    player.tap("My matches")
    player.tap("Carol", within="Latest results")
    player.sees("Have the record? Add it")
    player.chooses_file("Choose a file", record)
    player.sees("Your opponent uploaded it already.")


@pytest.mark.journey("object to a result; confirm the others")
def test_a_provisional_result(journey: Journey, builder: DivisionBuilder, club: Club, alice: User) -> None:
    division = builder.drawn(8, StageSettings("knockout"), deadline_rule="lots")
    over = timezone.now() - timedelta(minutes=1)
    Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY).update(due_at=over)
    for fixture in overdue.due_fixtures(timezone.now()):
        overdue.apply_deadline(fixture_id=fixture, now=timezone.now())
    match = Match.objects.filter(provisional=True).earliest("pk")
    result = match.results.get()
    assert result.winner is not None
    loser = account_of(match.players[1 - result.winner], "loser@example.org", club)

    player = journey.on_phone(loser)
    player.tap("My matches")
    player.sees("A provisional result goes against you")
    player.tap("Open the match")
    player.sees("Provisional")
    player.type("What is wrong?", "We agreed on Sunday.")
    player.tap("Object to the result")
    player.sees("Your objection was sent to the director")

    director = journey.on_phone(alice)
    director.tap("Harbour Weekend")
    director.tap("Console")
    director.sees("We agreed on Sunday.")
    director.tap("Confirm all 3 provisional results")
    director.sees("Confirmed: M2, M3, M4.")
    director.does_not_see("Confirm all")


@pytest.mark.journey("why I play whom, and why my place")
def test_why_a_pairing_and_a_place(journey: Journey, builder: DivisionBuilder) -> None:
    builder.play(builder.drawn(8, StageSettings("swiss", rounds=3)))
    reader = journey.on_phone()
    reader.tap("Harbour Weekend")
    reader.tap("Standings", first=True)
    reader.tap_text(re.compile(r"^\s*Why\s+.* is in place 1\s*$"))
    reader.sees("Points: ")
    reader.tap("Pairings")
    reader.tap("Why this pairing?", first=True)
    reader.sees("They had not met before.")


@pytest.mark.journey("how do I report a result")
def test_how_to_report_a_result(journey: Journey) -> None:
    player = journey.on_phone()
    player.tap("Help for players")
    player.tap("Report a result")
    player.sees("tap the button that names the result")


@pytest.mark.journey("how do I correct a result")
def test_how_to_correct_a_result(journey: Journey, alice: User) -> None:
    director = journey.at_desk(alice)
    director.tap("Help for directors")
    director.tap("Correct a result")
    director.sees("tap Correct this result…")


@pytest.mark.journey("how programs use the site")
def test_the_api(journey: Journey) -> None:
    reader = journey.at_desk()
    reader.tap("API")
    reader.sees("Quick start")
    reader.tap("All operations")
    reader.sees("/api/v1/accounts/")


@pytest.mark.journey("make an API token")
def test_making_a_token(journey: Journey, bob: User, password: str) -> None:
    player = journey.at_desk(bob)
    player.tap_text("Bob")
    player.tap("Preferences")
    player.tap("Manage tokens")
    player.type("Name", "Laptop")
    player.type("Current password", password)
    player.tap("Create token")
    player.sees("Copy it now")
