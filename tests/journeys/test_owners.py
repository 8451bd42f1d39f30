"""Who owns a club: handed over, declined, taken back, and found where nobody runs it. Each begins at the front page."""

import os
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from players.access import Role, role_in
from players.accounts.services import ensure_player
from players.actors import SYSTEM
from players.clubs.services import add_player, give_role
from players.models import Club, OwnerOffer, User
from tests.journeys.conftest import Journey
from tests.journeys.person import Person

PICTURES = os.environ.get("FLOW_PICTURES")
"""A folder for pictures of the pages."""


def picture(person: Person, name: str) -> None:
    if PICTURES:
        person._page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True, caret="initial")


@pytest.fixture
def director(club: Club, bob: User) -> User:
    """Bob, who directs Alice's club."""
    row = add_player(club=club, player=ensure_player(user=bob, by=SYSTEM), by=SYSTEM)
    give_role(row, Role.DIRECTOR, SYSTEM)
    return bob


def offers(owner: Person, then: str) -> None:
    """Find the member from the front page, and ask them."""
    owner.tap("Harbour Backgammon", first=True)
    owner.tap("Members and roles")
    owner.tap("Bob", first=True)
    owner.tap_text("Make owner…")
    owner.choose("Once they have accepted", then)
    picture(owner, "make-owner")
    owner.tap("Ask them")
    owner.sees("Bob is asked. Nothing changes before they accept.")


@pytest.mark.journey("hand the club over, and take it back")
def test_a_club_is_handed_over_and_taken_back(
    journey: Journey, club: Club, alice: User, director: User, password: str
) -> None:
    owner = journey.at_desk(alice)
    offers(owner, "I become member")
    member = journey.on_phone(director)
    member.sees("Alice asks you to be an owner")
    member.tap("Answer", within="Alice asks you to be an owner")
    picture(member, "offer")
    member.sees("Afterwards Alice has this role: member.")
    member.tap("Accept")
    member.sees("You are now an owner of Harbour Backgammon.")
    assert (role_in(alice, club), role_in(director, club)) == (Role.MEMBER, Role.OWNER)
    giver = journey.on_phone(alice)
    giver.tap(re.compile("^Notifications"), first=True)
    giver.tap(re.compile("^Bob is now an owner of Harbour Backgammon."))
    picture(giver, "take-back")
    giver.type("Password", password)
    giver.tap("Take it back")
    giver.sees("This is taken back.")
    assert (role_in(alice, club), role_in(director, club)) == (Role.OWNER, Role.DIRECTOR)


@pytest.mark.journey("decline to own the club")
def test_a_member_declines(journey: Journey, club: Club, alice: User, director: User) -> None:
    offers(journey.at_desk(alice), "I stay owner")
    member = journey.on_phone(director)
    member.tap("Answer", within="Alice asks you to be an owner")
    member.tap("Decline")
    member.sees("This is settled")
    assert role_in(director, club) == Role.DIRECTOR


@pytest.mark.journey("nobody runs the club")
def test_nobody_runs_the_club(journey: Journey, club: Club, alice: User, director: User, password: str) -> None:
    staff = User.objects.create_superuser("sys@example.org", password, display_name="Sys")
    User.objects.filter(pk=alice.pk).update(last_login=timezone.now() - timedelta(days=61))
    asks = journey.on_phone(director)
    asks.tap("Harbour Backgammon", first=True)
    asks.tap("Nobody runs this club?")
    asks.type("Reason", "Alice moved")
    picture(asks, "nobody")
    asks.tap("Ask for an owner")
    asks.sees("The owners are asked by email.")
    picture(asks, "nobody-asked")
    OwnerOffer.objects.update(expires_at=timezone.now())
    site = journey.at_desk(staff)
    site.tap("Clubs", first=True)
    site.tap("1 club needs an owner")
    site.choose("New owner", "Bob")
    site.type("Reason, for all members", "Directs it")
    picture(site, "ownerless")
    site.tap("Appoint")
    site.sees("Every club has an owner.")
    assert role_in(director, club) == Role.OWNER


@pytest.mark.journey("an owner is here after all")
def test_an_owner_is_here(journey: Journey, club: Club, alice: User, director: User) -> None:
    User.objects.filter(pk=alice.pk).update(last_login=timezone.now() - timedelta(days=61))
    asks = journey.on_phone(director)
    asks.tap("Harbour Backgammon", first=True)
    asks.tap("Nobody runs this club?")
    asks.type("Reason", "Gone?")
    asks.tap("Ask for an owner")
    owner = journey.on_phone(alice)
    owner.tap("Answer", within="Does anybody run this club?")
    picture(owner, "here")
    owner.tap("I’m here")
    owner.sees("This is settled")
