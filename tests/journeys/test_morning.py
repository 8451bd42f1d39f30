"""The morning after an evening: who is told what, what a letter leads to, and whom it does not name."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.mail import EmailMessage
from django.test import Client
from django.utils import timezone

from clubhouse.letters.timing import TO_CORRECT
from clubhouse.tonight import EveningPlan, start_evening
from core.times import next_morning
from formats.settings import KNOCKOUT, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.browser.conftest import Check
from tests.clubhouse.letters.test_sending import MINUTE, run
from tests.journeys.conftest import Journey
from tests.journeys.evenings import account_of
from tournaments.events import services as events
from tournaments.models import Entry, Fixture, Tournament
from tournaments.results.services import enter_result


@pytest.fixture
def people(club: Club) -> dict[str, User]:
    """Members with an account; Erin hides her name."""
    names = ("Bob Bergmann", "Carol Csonka", "Dave Dahl", "Erin Eriksdottir")
    players = [Player.objects.create(name=name, initials_only=name.startswith("Erin")) for name in names]
    users = {
        row.name.split()[0]: account_of(row, f"{row.name.split()[0].lower()}@example.org", club) for row in players
    }
    User.objects.filter(pk__in=[user.pk for user in users.values()]).update(email_verified_at=timezone.now())
    return users


def evening(club: Club, alice: User, best_first: Sequence[User], *, final: bool = True, days: int = 2) -> Tournament:
    """A knockout of some `days` ago, in which who is named first wins; perhaps its final is to be played.

    One more player has no account. The next evening is in five days.
    """
    by, day = Actor.of(alice), timezone.now().astimezone(ZoneInfo(club.time_zone)) - timedelta(days=days)
    at = day.replace(hour=19, minute=30)
    players = [*(user.player for user in best_first), Player.objects.get_or_create(name="Gus Guest")[0]]
    Membership.objects.get_or_create(club=club, player=players[-1])
    plan = EveningPlan(2, at + timedelta(hours=4), (StageSettings(KNOCKOUT, lengths=(5,)),), players)
    event = start_evening(club=club, plan=plan, by=by, now=at)
    for _match in range(len(players) - (1 if final else 2)):
        at += timedelta(minutes=25)
        ready = Fixture.objects.filter(stage__division__tournament=event, status=Fixture.Status.READY)
        fixture = ready.select_related("match").order_by("number")[0]
        assert fixture.match is not None
        side = min((0, 1), key=lambda side: players.index(fixture.match.players[side]))
        enter_result(fixture=fixture, result=ResultInput(side, ((5, 3), (3, 5))[side]), by=by, now=at)
    _next_evening(club, by)
    return event


def _next_evening(club: Club, by: Actor) -> None:
    now = timezone.now()
    if Tournament.objects.filter(starts_at__gt=now).exists():
        return
    event = events.create_tournament(
        club=club, by=by, now=now, name="Next Thursday", starts_at=now + timedelta(days=5), tables=4
    )
    events.create_division(tournament=event, by=by, now=now, name="Open", match_length=5, self_registration=True)
    events.publish_tournament(tournament=event, by=by, now=now)


def morning_of_yesterday(club: Club) -> datetime:
    """08:00 after the evening of two days ago."""
    day = timezone.now().astimezone(ZoneInfo(club.time_zone)) - timedelta(days=1)
    return day.replace(hour=8, minute=0, second=0, microsecond=0)


def letters(at: datetime) -> dict[str, EmailMessage]:
    """Let the workers send what is due at a time and in the next minutes; return the letters by address."""
    sent = [message for minute in range(3) for message in run(at + minute * MINUTE)]
    assert len({message.to[0] for message in sent}) == len(sent), "one each"
    return {message.to[0]: message for message in sent}


def path_in(message: EmailMessage, start: str) -> str:
    """The path of the link in an e-mail that begins so."""
    match = re.search(rf"https?://[^/\s]+({start}\S+)", str(message.body))
    assert match is not None, message.body
    return match[1]


@pytest.mark.journey("the morning after: the letter, and I come")
def test_a_letter_leads_to_the_next_evening(
    journey: Journey, club: Club, alice: User, people: dict[str, User], looked_at: Check
) -> None:
    event = evening(club, alice, [people["Bob"], people["Carol"], people["Dave"]], final=False)
    director = journey.at_desk(alice)
    director.tap("Floor")
    director.type("Quick entry", "m3 5-2")
    director.press("Enter")
    director.sees("5–2", within="Just in")
    event.refresh_from_db()
    assert event.status == Tournament.Status.FINISHED

    eight = next_morning(timezone.now() + TO_CORRECT, club.time_zone)
    assert letters(eight - 10 * MINUTE) == {}
    letter = letters(eight)["bob@example.org"]
    bob = journey.on_phone(people["Bob"], address=path_in(letter, "/my/letters/"))
    bob.sees("Your matches")
    looked_at(bob._page)

    by_link = journey.on_phone(address=path_in(letter, "/coming/"))
    in_next = Entry.objects.filter(division__tournament__name="Next Thursday", player=people["Bob"].player)
    assert not in_next.exists(), "a program that opens the links of e-mails enters nobody"
    looked_at(by_link._page)
    by_link.tap(re.compile("^I come on"))
    by_link.sees("You’re in.")
    assert in_next.exists()


@pytest.mark.journey("the morning after: the final is corrected")
def test_a_correction_is_told_once_to_whom_it_concerns(
    journey: Journey, club: Club, alice: User, people: dict[str, User], looked_at: Check
) -> None:
    event = evening(club, alice, [people["Bob"], people["Carol"], people["Erin"], people["Dave"]])
    final = Fixture.objects.filter(stage__division__tournament=event).latest("match__finished_at")
    assert final.match is not None
    # The draw decides whom Bob meets there.
    others = {user.email for user in people.values() if user.player not in final.match.players}
    sent = letters(morning_of_yesterday(club))
    assert sent.keys() >= {"bob@example.org", "dave@example.org"}
    bob = journey.on_phone(people["Bob"])
    bob.tap(re.compile("^Your evening"))
    bob.sees("you came 1st")
    bob.does_not_see("Changed since")

    director = journey.at_desk(alice)
    director.tap(re.compile("What you missed|Your evening"))
    director.tap(event.name, first=True)
    director.tap(re.compile("bracket", re.I), first=True)
    director.tap(f"M{final.number}")
    winner = director.reads(r"\n(.+) won 5–3\.")
    director.tap("Correct this result…")
    pair = [director.reads(r"Who won\?" + r"\s+.+" * side + r"\s+(.+)\n") for side in (0, 1)]
    (loser,) = set(pair) - {winner}
    director.type(winner, "3")
    director.type(loser, "5")
    director.tap("Preview")
    director.tap("Apply")
    director.sees("was corrected")

    reader = journey.on_phone(people["Bob"])
    reader.tap(re.compile("^Your evening"))
    reader.sees("Changed since the e-mail")
    reader.sees("2nd")
    looked_at(reader._page)
    next_eight = next_morning(timezone.now(), club.time_zone)
    corrections = letters(next_eight)
    assert "Corrected" in str(corrections["bob@example.org"].subject)
    assert not corrections.keys() & others
    assert letters(next_eight + timedelta(days=1)) == {}


@pytest.mark.journey("the morning after: the short letter, and no more")
def test_the_short_letter_is_chosen_and_ended(
    journey: Journey, club: Club, alice: User, people: dict[str, User]
) -> None:
    dave = journey.on_phone(people["Dave"])
    dave.tap("Notifications")
    dave.tap("Notification settings")
    dave.tap_text("More: choose for each kind")
    dave.tap(re.compile("The morning after an event of my club without me.*mail", re.I))
    dave.tap("Save")
    evening(club, alice, [people["Bob"], people["Carol"], people["Erin"]])
    eight = morning_of_yesterday(club)
    message = letters(eight)["dave@example.org"]
    assert "Bob Bergmann won" in str(message.subject)

    address = message.extra_headers["List-Unsubscribe"].strip("<>")
    path = "/" + address.split("/", 3)[3]
    assert Client().post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    evening(club, alice, [people["Carol"], people["Bob"], people["Erin"]], days=1)
    again = letters(eight + timedelta(days=1))
    assert "carol@example.org" in again
    assert "dave@example.org" not in again


@pytest.mark.journey("the morning after: whose name is hidden")
def test_nobody_is_told_the_name_of_a_winner_who_hides_it(
    journey: Journey, club: Club, alice: User, people: dict[str, User]
) -> None:
    evening(club, alice, [people["Erin"], people["Bob"], people["Carol"]])
    eight = morning_of_yesterday(club)
    sent = letters(eight)
    assert sent.keys() >= {"bob@example.org", "carol@example.org", "erin@example.org"}
    for address, message in sent.items():
        assert "Eriksdottir" not in str(message.message()), address
    for name in ("Bob", "Dave"):
        reader = journey.on_phone(people[name])
        reader.tap(re.compile("^(Your evening|What you missed)"))
        reader.sees("E. E.")
        assert "Eriksdottir" not in reader._page.content()


@pytest.mark.journey("the morning after: mail comes back")
def test_somebody_learns_that_mail_comes_back(journey: Journey, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(email_stopped_at=timezone.now())
    owner = journey.on_phone(alice)
    owner.sees("Mail to a…@example.org comes back.")
    owner.tap("Change")
    owner.sees("Current address:")
    owner.tap("Try again", within="comes back")
    owner.does_not_see("comes back")
