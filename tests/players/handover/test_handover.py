"""A club always has somebody who can run it, or is on the page of those who run the site.

Olga owns the club, Alice directs it, Anton assists and Bob plays; Mallory owns another one.
"""

import random
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

import pytest
import time_machine
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from engine.errors import Refused
from players.access import Role, role_in
from players.accounts.services import ensure_player
from players.actors import SYSTEM, Actor
from players.clubs.owners import (
    CLUB_OWNER,
    last_seen,
    may_ask,
    next_in_charge,
    ownerless,
    standing,
    tell_staff,
    waiting_for,
    working_owners,
)
from players.clubs.services import add_member, leave_club, remove_member, set_role
from players.handover.services import (
    accept_offer,
    answer_request,
    ask_for_owner,
    candidates,
    decline,
    offer_ownership,
    undo_offer,
)
from players.joining.services import ask_to_join
from players.models import Club, LogEntry, Membership, Notification, NotificationChoice, OwnerOffer, Player, User
from players.notifications import emails
from players.notifications.services import notifications_of
from players.people.erasure import erase_player
from players.people.leaving import lift_suspension, suspend
from players.people.services import merge_players
from players.privacy.sections import Person, sections
from tests.pages import html
from tests.players.conftest import NOW, Enter, Join, new_user

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def staff(db: None, password: str) -> User:
    """Somebody who runs the site, and is in no club."""
    return User.objects.create_superuser("sys@example.org", password, display_name="Sys")


def membership(user: User, club: Club) -> Membership:
    return Membership.objects.select_related("club", "player").get(club=club, player__user=user)


def offer(by: User, to: User, club: Club, then: Role = Role.OWNER, now: datetime = NOW) -> OwnerOffer:
    return offer_ownership(membership=membership(to, club), then=then, by=Actor.of(by), now=now)


def accept(row: OwnerOffer, by: User, now: datetime = NOW) -> OwnerOffer:
    return accept_offer(offer=row, by=Actor.of(by), now=now)


def take_back(row: OwnerOffer, by: User, now: datetime = NOW) -> OwnerOffer:
    return undo_offer(offer=row, is_confirmed=True, by=Actor.of(by), now=now)


def ask(by: User, club: Club, now: datetime, reason: str = "Olga has moved.") -> OwnerOffer:
    return ask_for_owner(club=club, reason=reason, by=Actor.of(by), now=now)


def refusal(code: str) -> "pytest.RaisesExc[Refused]":
    return pytest.raises(Refused, check=lambda refused: refused.code == code)


def owners(club: Club) -> set[str]:
    return set(working_owners(club).values_list("player__name", flat=True))


def news_of(user: User) -> list[str]:
    """What a user was told about the ownership of clubs, the latest first."""
    return [text.sentence for text in notifications_of(user) if text.notification.kind == CLUB_OWNER.code]


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


# What lost a club.


def appoint_from_the_front_page(staff: User, new_owner: User, club: Club) -> None:
    """The staff find the club by links alone, and choose the new owner."""
    site = client_of(staff)
    assert 'href="/site/clubs/ownerless/"' in html(site.get("/clubs/"))
    page = html(site.get("/site/clubs/ownerless/"))
    player = Player.objects.get(user=new_owner).public_id
    assert club.name in page
    assert f'value="{player}"' in page
    answer = {"player": player, "reason": "Directs the club."}
    assert site.post(f"/site/clubs/ownerless/{club.slug}/", answer, follow=True).status_code == 200
    assert client_of(new_owner).get(f"/clubs/{club.slug}/members/").status_code == 200
    assert role_in(new_owner, club) == Role.OWNER


def test_the_only_owner_is_suspended(full_club: Club, olga: User, alice: User, staff: User) -> None:
    suspend(user=olga, by=Actor.of(staff), now=NOW)
    assert news_of(alice) == ["Copenhagen Backgammon has no owner any more. The site’s staff will choose one."]
    appoint_from_the_front_page(staff, alice, full_club)
    assert news_of(alice)[0] == "The site’s staff have made Alice an owner of Copenhagen Backgammon: Directs the club."
    lift_suspension(user=olga, by=Actor.of(staff), now=NOW + DAY)
    assert owners(full_club) == {"Alice", "Olga"}


def test_the_only_owner_deletes_the_account_and_no_member_has_one(
    club: Club, olga: User, carol: User, staff: User, enter: Enter, password: str
) -> None:
    enter("Jens")
    leaving = client_of(olga)
    assert "Copenhagen Backgammon has no other owner." in html(leaving.get("/preferences/delete/"))
    leaving.post("/preferences/delete/", {"password": password, "sure": "on"})
    assert not User.objects.filter(pk=olga.pk).exists()
    # Nobody is there to be chosen, and who asks to join can be.
    assert "No member has an account." in html(client_of(staff).get("/site/clubs/ownerless/"))
    client_of(carol).post(f"/clubs/{club.slug}/join/ask/", {"claimed": ""})
    appoint_from_the_front_page(staff, carol, club)
    assert ownerless(NOW).count() == 0


def test_the_page_of_the_site_forgets_a_club_whose_owner_is_back(full_club: Club, olga: User, staff: User) -> None:
    suspend(user=olga, by=Actor.of(staff), now=NOW)
    assert ownerless(NOW).count() == 1
    lift_suspension(user=olga, by=Actor.of(staff), now=NOW + DAY)
    assert ownerless(NOW + 30 * DAY).count() == 0


def test_an_owner_who_cannot_sign_in_is_none(full_club: Club, olga: User, alice: User, staff: User) -> None:
    accept(offer(olga, alice, full_club), alice)
    suspend(user=olga, by=Actor.of(staff), now=NOW)
    with refusal("last_owner"):
        leave_club(membership=membership(alice, full_club), by=Actor.of(alice), now=NOW)
    with refusal("last_owner"):
        set_role(membership=membership(alice, full_club), role=Role.MEMBER, by=Actor.of(alice))


def test_whatever_happens_a_club_can_be_run(full_club: Club, staff: User, password: str, join: Join) -> None:
    """By an owner, or the staff have it on their page or have dismissed it; after any sequence of what people do."""
    dice, now = random.Random(1), NOW
    for number in range(4):
        join(new_user(f"Kim{number}", password))
    is_wanted = 0
    for _ in range(250):
        now += timedelta(hours=dice.randrange(1, 200))
        with suppress(Refused):
            dice.choice(DEEDS)(full_club, staff, dice, now)
        here = working_owners(full_club).exists()
        waits = ownerless(now).filter(club=full_club).exists()
        last = full_club.owner_offers.filter(kind="request").order_by("pk").last()
        assert here or waits or (last is not None and last.state == "dismissed")
        is_wanted += not here
    assert 0 < is_wanted < 240, "both happened"


def any_of(dice: random.Random, club: Club, **which: str) -> Membership | None:
    rows = Membership.objects.filter(club=club, left_at=None, player__user__isnull=False, **which)
    return dice.choice(list(rows.select_related("player__user", "club").order_by("pk")) or [None])


def _offers(club: Club, staff: User, dice: random.Random, now: datetime) -> None:
    giver = any_of(dice, club, role="owner")
    successor = any_of(dice, club)
    if giver and successor and giver.player.user and giver.player.user.is_active:
        then = dice.choice([Role.OWNER, Role.DIRECTOR, Role.MEMBER])
        offer_ownership(membership=successor, then=then, by=Actor.of(giver.player.user), now=now)


def _answers(club: Club, staff: User, dice: random.Random, now: datetime) -> None:
    for row in club.owner_offers.filter(kind="offer", state="open").select_related("player__user"):
        if row.player and row.player.user and row.player.user.is_active:
            dice.choice([accept_offer, accept_offer, decline])(offer=row, by=Actor.of(row.player.user), now=now)


def _takes_back(club: Club, staff: User, dice: random.Random, now: datetime) -> None:
    row = club.owner_offers.filter(kind="offer", by__is_active=True).order_by("pk").last()
    if row is not None and row.by is not None:
        take_back(row, row.by, now)


def _unmakes(club: Club, staff: User, dice: random.Random, now: datetime) -> None:
    owner = any_of(dice, club, role="owner")
    if owner is not None:
        dice.choice([lambda: set_role(membership=owner, role="member", by=SYSTEM),
                     lambda: remove_member(membership=owner, by=SYSTEM, now=now)])()  # fmt: skip


def _suspends(club: Club, staff: User, dice: random.Random, now: datetime) -> None:
    row = any_of(dice, club, player__user__is_active=True)  # type: ignore[arg-type]
    if row is not None and row.player.user is not None:
        suspend(user=row.player.user, by=SYSTEM, now=now)


def _lifts(club: Club, staff: User, dice: random.Random, now: datetime) -> None:
    for user in User.objects.filter(is_active=False)[:2]:
        lift_suspension(user=user, by=SYSTEM, now=now)


def _deletes(club: Club, staff: User, dice: random.Random, now: datetime) -> None:
    if dice.random() < 0.2 and (row := any_of(dice, club)) is not None:
        erase_player(player=row.player, by=SYSTEM, now=now)


def _asks(club: Club, staff: User, dice: random.Random, now: datetime) -> None:
    for user in User.objects.filter(pk__in=next_in_charge(club))[:1]:
        row = ask(user, club, now)
        if dice.random() < 0.5:
            take_back(row, user, now)


def _decides(club: Club, staff: User, dice: random.Random, now: datetime) -> None:
    for row in ownerless(now):
        people = [*candidates(club), *([None] if dice.random() < 0.1 else [])]
        if people:
            answer_request(request=row, player=dice.choice(people), reason="So.", by=Actor.of(staff), now=now)


DEEDS: tuple[Callable[[Club, User, random.Random, datetime], None], ...] = (
    _offers, _offers, _answers, _takes_back, _unmakes, _suspends, _lifts, _lifts, _deletes, _asks, _decides,
)  # fmt: skip


# Handing over.


def test_an_owner_hands_the_club_over(full_club: Club, olga: User, alice: User, bob: User) -> None:
    row = offer(olga, alice, full_club, Role.MEMBER)
    assert offer(olga, alice, full_club, Role.MEMBER) == row, "twice is once"
    with refusal("offer_open"):
        offer(olga, alice, full_club, Role.DIRECTOR)
    assert owners(full_club) == {"Olga"}, "nothing changes before"
    assert waiting_for(alice, NOW) == [row]
    assert news_of(alice) == ["Olga asks you to be an owner of Copenhagen Backgammon."]
    assert news_of(olga) == ["Olga asks Alice to be an owner of Copenhagen Backgammon."]
    accept(row, alice)
    assert accept(row, alice).state == "accepted", "twice is once"
    assert (role_in(olga, full_club), role_in(alice, full_club)) == (Role.MEMBER, Role.OWNER)
    assert news_of(olga)[0] == "Alice is now an owner of Copenhagen Backgammon."
    verbs = LogEntry.objects.filter(verb__startswith="owner_").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["owner_offered", "owner_accepted"]
    assert waiting_for(alice, NOW) == []


def test_the_owners_are_told_by_email_whatever_they_have_chosen(full_club: Club, olga: User, alice: User) -> None:
    User.objects.update(email_verified_at=NOW)
    for user in (olga, alice):
        NotificationChoice.objects.create(user=user, kind=CLUB_OWNER.code, site=False, email=False, push=False)
    offer(olga, alice, full_club)
    for user in (olga, alice):
        emails.send_emails(user=user.pk, now=NOW)
    first, second = mail.outbox
    assert (first.to, second.to) == (["olga@example.org"], ["alice@example.org"])
    assert "Olga asks Alice to be an owner of Copenhagen Backgammon." in str(first.body)
    assert "Accept or decline within 14 days." in str(second.body)


def test_declining_changes_nothing(full_club: Club, olga: User, alice: User) -> None:
    row = offer(olga, alice, full_club, Role.MEMBER)
    for _ in range(2):
        decline(offer=row, by=Actor.of(alice), now=NOW)
    with refusal("offer_over"):
        accept(row, alice)
    assert owners(full_club) == {"Olga"}
    assert news_of(olga)[0] == "Alice does not want to be an owner of Copenhagen Backgammon."


def _another_takes_it(club: Club, olga: User, alice: User) -> None:
    bob = User.objects.get(display_name="Bob")
    accept(offer(olga, bob, club, Role.MEMBER), bob)


def _withdraws(club: Club, olga: User, alice: User) -> None:
    undo_offer(offer=club.owner_offers.get(), is_confirmed=False, by=Actor.of(olga), now=NOW)


MEANWHILE: dict[str, Callable[[Club, User, User], object]] = {
    "no member": lambda club, olga, alice: remove_member(membership=membership(alice, club), by=SYSTEM, now=NOW),
    "suspended": lambda club, olga, alice: suspend(user=alice, by=SYSTEM, now=NOW),
    "the giver is suspended": lambda club, olga, alice: suspend(user=olga, by=SYSTEM, now=NOW),
    "the giver is gone": lambda club, olga, alice: erase_player(player=olga.player, by=SYSTEM, now=NOW),
    "the giver is no owner": _another_takes_it,
    "withdrawn": _withdraws,
}


@pytest.mark.parametrize("meanwhile", MEANWHILE)
def test_an_offer_is_over(meanwhile: str, full_club: Club, olga: User, alice: User) -> None:
    row = offer(olga, alice, full_club, Role.MEMBER)
    MEANWHILE[meanwhile](full_club, olga, alice)
    with refusal("offer_over"):
        accept(row, alice)
    assert "Alice" not in owners(full_club)


def test_fourteen_days_later_an_offer_is_over(full_club: Club, olga: User, alice: User) -> None:
    row = offer(olga, alice, full_club)
    with refusal("offer_over"):
        accept(row, alice, NOW + 14 * DAY)
    assert offer(olga, alice, full_club, now=NOW + 14 * DAY) != row, "a new one can be made"


def test_who_can_be_asked(full_club: Club, olga: User, alice: User, enter: Enter) -> None:
    with refusal("already_owner"):
        offer(olga, olga, full_club)
    with refusal("role_needs_account"):
        offer_ownership(membership=enter("Jens").memberships.get(), then="owner", by=Actor.of(olga), now=NOW)
    suspend(user=alice, by=SYSTEM, now=NOW)
    with refusal("suspended"):
        offer(olga, alice, full_club)


def test_who_was_merged_with_a_player_stays_the_one_asked(
    full_club: Club, olga: User, alice: User, enter: Enter
) -> None:
    row = offer(olga, alice, full_club)
    merge_players(player=enter("A. Andersen"), into=alice.player, by=SYSTEM, now=NOW)
    assert accept(row, alice).state == "accepted"


# Taking it back.


def test_within_72_hours_the_giver_takes_it_back_with_the_password(
    full_club: Club, olga: User, alice: User, password: str
) -> None:
    row = offer(olga, alice, full_club, Role.MEMBER)
    with time_machine.travel(NOW, tick=False):
        accept(row, alice)
        remove_member(membership=membership(olga, full_club), by=Actor.of(alice), now=NOW)
        page, giver = f"/owner-offers/{row.public_id}/", client_of(olga)
        assert "until" in html(giver.get(page))
        assert "Wrong password." in html(giver.post(f"{page}undo/", {"password": "wrong"}, follow=True))
        assert "Wrong password." in html(giver.post(f"{page}undo/", follow=True))
        assert owners(full_club) == {"Alice"}
        giver.post(f"{page}undo/", {"password": password})
    assert owners(full_club) == {"Olga"}
    assert role_in(alice, full_club) == Role.DIRECTOR, "as before"
    assert news_of(alice)[0] == "Olga has taken it back: Alice is no longer an owner of Copenhagen Backgammon."


def test_later_it_stays(full_club: Club, olga: User, alice: User) -> None:
    row = accept(offer(olga, alice, full_club, Role.MEMBER), alice)
    with refusal("offer_over"):
        take_back(row, olga, NOW + 3 * DAY)
    assert owners(full_club) == {"Alice"}


def test_whom_the_new_owner_made_owners_goes_with_them(
    full_club: Club, olga: User, alice: User, bob: User, anton: User
) -> None:
    """Or else whoever takes a club over has a friend who unmakes the giver again."""
    row = accept(offer(olga, alice, full_club, Role.MEMBER), alice)
    bobs = accept(offer(alice, bob, full_club), bob, NOW + DAY)
    accept(offer(bob, anton, full_club), anton, NOW + 2 * DAY)
    take_back(row, olga)
    take_back(row, olga)
    assert owners(full_club) == {"Olga"}
    assert role_in(anton, full_club) == Role.ASSISTANT
    with refusal("offer_over"):
        accept(OwnerOffer.objects.get(pk=bobs.pk), bob)


def test_the_owners_and_who_was_one_are_told_that_somebody_is_none_any_more(
    full_club: Club, olga: User, alice: User
) -> None:
    accept(offer(olga, alice, full_club), alice)
    set_role(membership=membership(olga, full_club), role="member", by=Actor.of(alice))
    sentence = "Alice has ended the role of Olga as an owner of Copenhagen Backgammon."
    assert (news_of(olga)[0], news_of(alice)[0]) == (sentence, sentence)


def test_the_others_are_told_of_an_owner_who_leaves(full_club: Club, olga: User, alice: User) -> None:
    accept(offer(olga, alice, full_club), alice)
    leave_club(membership=membership(olga, full_club), by=Actor.of(olga), now=NOW)
    assert news_of(alice)[0] == "Olga is no longer an owner of Copenhagen Backgammon."


# Nobody runs it.


LATER = NOW + 61 * DAY


@pytest.fixture
def away(full_club: Club, olga: User) -> Club:
    """The club, whose owner has not signed in for 61 days; the others have."""
    User.objects.update(last_login=LATER)
    User.objects.filter(pk=olga.pk).update(last_login=NOW, date_joined=NOW)
    return full_club


def test_who_may_ask_for_an_owner(away: Club, alice: User, anton: User, bob: User, mallory: User, olga: User) -> None:
    def able(now: datetime) -> set[str]:
        return {user.display_name for user in (alice, anton, bob, mallory, olga) if may_ask(user, away, now)}

    assert able(LATER - 2 * DAY) == set(), "the owner signed in 59 days before"
    assert able(LATER) == {"Alice"}
    set_role(membership=membership(alice, away), role="member", by=SYSTEM)
    assert able(LATER) == {"Anton"}
    set_role(membership=membership(anton, away), role="member", by=SYSTEM)
    assert able(LATER) == {"Alice", "Anton", "Bob"}


def test_a_session_that_goes_on_counts_as_being_here(away: Club, olga: User, alice: User) -> None:
    with time_machine.travel(LATER - 5 * DAY):
        client_of(olga).get("/")
    User.objects.filter(pk=olga.pk).update(last_login=NOW)
    seen = last_seen(away)
    assert seen is not None
    assert abs(seen.at - (LATER - 5 * DAY)) < timedelta(hours=1)
    with refusal("owner_is_here"):
        ask(alice, away, LATER)


def test_an_owner_is_here(away: Club, olga: User, alice: User) -> None:
    row = ask(alice, away, LATER)
    assert ask(alice, away, LATER) == row
    assert news_of(olga) == ["Alice asks whether anybody runs Copenhagen Backgammon: Olga has moved."]
    assert waiting_for(olga, LATER) == [row]
    decline(offer=row, by=Actor.of(olga), now=LATER)
    assert news_of(alice)[0] == "An owner of Copenhagen Backgammon has answered: somebody runs it."
    assert ownerless(LATER + 30 * DAY).count() == 0


def test_nobody_answers(away: Club, olga: User, alice: User, bob: User, staff: User) -> None:
    row = ask(alice, away, LATER)
    assert ownerless(LATER + 13 * DAY).count() == 0
    due = LATER + 14 * DAY
    by, alices = Actor.of(staff), Player.objects.get(user=alice)
    assert list(ownerless(due)) == [row]
    User.objects.filter(pk=olga.pk).update(last_login=LATER + DAY)
    with refusal("owner_is_here"):
        answer_request(request=row, player=alices, reason="Yes.", by=by, now=due)
    User.objects.filter(pk=olga.pk).update(last_login=NOW)
    outsider = ensure_player(user=staff, by=SYSTEM)
    with refusal("owner_unknown"):
        answer_request(request=row, player=outsider, reason="Me.", by=by, now=due)
    with refusal("offer_over"):
        answer_request(request=row, player=alices, reason="Yes.", by=by, now=due - DAY)
    for _ in range(2):
        answer_request(request=row, player=alices, reason="Directs it.", by=by, now=due)
    with refusal("offer_over"):
        answer_request(request=row, player=bob.player, reason="Or he.", by=by, now=due)
    assert owners(away) == {"Alice", "Olga"}
    for user in (olga, bob):
        assert news_of(user)[0] == "The site’s staff have made Alice an owner of Copenhagen Backgammon: Directs it."


def test_the_staff_dismiss_a_request(away: Club, alice: User, bob: User, staff: User) -> None:
    row = ask(alice, away, LATER)
    for _ in range(2):
        answer_request(request=row, player=None, reason="It rests.", by=Actor.of(staff), now=LATER + 15 * DAY)
    assert news_of(bob) == ["The site’s staff choose no new owner for Copenhagen Backgammon: It rests."]
    assert "It rests." in html(client_of(alice).get(f"/clubs/{away.slug}/nobody/"))
    assert ask(alice, away, LATER + 16 * DAY) != row, "one can ask again"


def test_a_request_of_somebody_takes_the_place_of_the_one_without_words(
    full_club: Club, olga: User, alice: User, staff: User
) -> None:
    suspend(user=olga, by=Actor.of(staff), now=NOW)
    row = ask(alice, full_club, NOW + DAY, "I could do it.")
    assert [(each.pk, each.reason) for each in ownerless(NOW + DAY)] == [(row.pk, "I could do it.")]


def test_by_command(full_club: Club, olga: User, bob: User, carol: User) -> None:
    suspend(user=olga, by=SYSTEM, now=NOW)
    for user in (bob, carol):
        call_command("club_owner", full_club.slug, user.email.upper())
    assert owners(full_club) == {"Bob", "Carol"}, "Carol was no member"
    assert ownerless(NOW + 30 * DAY).count() == 0
    for wrong in (("nowhere", bob.email), (full_club.slug, olga.email), (full_club.slug, "x@example.org")):
        with pytest.raises(CommandError):
            call_command("club_owner", *wrong)


# Who sees what.


def test_what_others_see_of_it(full_club: Club, olga: User, alice: User, bob: User, mallory: User) -> None:
    row = offer(olga, alice, full_club)
    page = f"/owner-offers/{row.public_id}/"
    assert {user.display_name: client_of(user).get(page).status_code for user in (olga, alice, bob, mallory)} == {
        "Olga": 200, "Alice": 200, "Bob": 404, "Mallory": 404,
    }  # fmt: skip
    for user in (bob, mallory):
        assert client_of(user).post(f"{page}accept/").status_code == 404
    for user, name in ((olga, "accept"), (olga, "decline"), (alice, "undo")):
        assert "This offer is over." in html(client_of(user).post(f"{page}{name}/", follow=True))
    assert standing(NOW).contains(row)
    assert client_of(mallory).get(f"/clubs/{full_club.slug}/nobody/").status_code == 403


def test_what_a_person_wrote_goes_with_them(away: Club, alice: User, olga: User) -> None:
    row = ask(alice, away, LATER, "Olga and I have moved.")
    (section,) = [each for each in sections() if each.name == "owner-offers"]
    assert [each["reason"] for each in section.rows(Person.of(alice.player))] == ["Olga and I have moved."]
    erase_player(player=alice.player, by=Actor.of(alice), now=LATER)
    row.refresh_from_db()
    assert (row.by, row.reason) == (None, "")
    assert news_of(olga) == ["Former member asks whether anybody runs Copenhagen Backgammon: "]
    assert "Olga and I" not in str(
        [*Notification.objects.values_list("params"), *LogEntry.objects.values_list("params")]
    )


def test_a_club_without_members_can_be_revived(club: Club, olga: User, carol: User, staff: User) -> None:
    erase_player(player=olga.player, by=SYSTEM, now=NOW)
    ask_to_join(club=club, user=carol, claimed="", by=Actor.of(carol), now=NOW)
    assert list(candidates(club)) == [carol.player]
    appoint_from_the_front_page(staff, carol, club)
    add_member(club=club, name="Jens", by=Actor.of(carol))


def test_an_owner_whom_another_has_unmade_is_none_again_by_taking_an_offer_back(
    full_club: Club, olga: User, alice: User, bob: User
) -> None:
    accept(offer(olga, bob, full_club), bob)
    row = accept(offer(olga, alice, full_club), alice)
    set_role(membership=membership(olga, full_club), role="member", by=Actor.of(bob))
    take_back(row, olga)
    assert owners(full_club) == {"Bob"}
    # If then the other goes, too, nobody is left by the next that is taken back.
    again = accept(offer(bob, olga, full_club), olga, NOW + DAY)
    set_role(membership=membership(bob, full_club), role="member", by=SYSTEM)
    take_back(again, bob, NOW + DAY)
    assert owners(full_club) == set()
    assert ownerless(NOW).count() == 1


def test_the_staff_are_told_once(full_club: Club, olga: User, staff: User) -> None:
    suspend(user=olga, by=SYSTEM, now=NOW)
    for day in range(3):
        tell_staff(now=NOW + day * DAY)
    assert news_of(staff) == ["Copenhagen Backgammon needs an owner. Choose one."]
