"""Services of accounts: creating, changing, erasing."""

import pytest
from django.core import mail

from core.public_ids import new_public_id
from core.queue import claim_lasts
from engine.errors import Refused
from matches.models import Submission
from players.accounts.services import (
    change_email,
    change_password,
    ensure_player,
    register_user,
    update_preferences,
    verify_email,
)
from players.actors import SYSTEM, Actor
from players.mail import KEPT_FOR, request_reset, send, send_again
from players.models import (
    AccountEmail,
    Alias,
    Club,
    Delivery,
    Invitation,
    LogEntry,
    Membership,
    Notification,
    Player,
    User,
)
from players.notifications.emails import send_emails
from players.people.erasure import erase_player
from players.people.services import invite, merge_players, remember_alias
from tests.players.conftest import NOW, Enter, Join

pytestmark = pytest.mark.postgresql


def register(email: str = "erin@example.org", password: str = "crawford-1969", name: str = "Erin", **more: str) -> User:
    return register_user(email=email, password=password, display_name=name, now=NOW, **more)


def refusal(**fields: str) -> Refused:
    with pytest.raises(Refused) as refused:
        register(**fields)
    return refused.value


def test_an_account_comes_with_a_player(db: None) -> None:
    erin = register("  Erin@Example.org ", name="  Erin  Åkesson ", time_zone="Europe/Stockholm")
    assert (erin.email, erin.display_name) == ("Erin@example.org", "Erin Åkesson")
    assert erin.check_password("crawford-1969")
    assert Player.objects.get(user=erin).name == "Erin Åkesson"
    assert LogEntry.objects.get(verb="registered").user == erin


def test_signing_up_with_the_address_of_another_account_looks_the_same(bob: User) -> None:
    stranger = register("BOB@example.org")
    assert (stranger.shown_email, stranger.email_verified_at) == ("BOB@example.org", None)
    assert stranger.email != bob.email
    row = AccountEmail.objects.get()
    assert send(email_id=row.pk, now=NOW)
    assert "You already have an account." in str(mail.outbox[0].body)
    assert "confirm-email" not in str(mail.outbox[0].body)
    with pytest.raises(Refused, match="email_taken"):
        verify_email(user=stranger, email="BOB@example.org", by=Actor.of(stranger), now=NOW)


def test_whoever_confirms_an_address_first_has_it(db: None) -> None:
    squatter, owner = register("erin@example.org"), register("erin@example.org")
    verify_email(user=owner, email="erin@example.org", by=Actor.of(owner), now=NOW)
    emails = dict(User.objects.values_list("pk", "email"))
    assert emails[owner.pk] == "erin@example.org"
    assert emails[squatter.pk].endswith("@unverified.invalid")
    with pytest.raises(Refused, match="email_taken"):
        verify_email(user=squatter, email="erin@example.org", by=Actor.of(squatter), now=NOW)


def test_nothing_but_the_verification_is_sent_to_an_unverified_address(db: None) -> None:
    erin = register("erin@example.org")
    _notify_by_email(erin)
    assert send_emails(user=erin.pk, now=NOW) == 0
    verify_email(user=erin, email=erin.email, by=Actor.of(erin), now=NOW)
    _notify_by_email(erin)
    assert send_emails(user=erin.pk, now=NOW) == 1


def _notify_by_email(user: User) -> None:
    opponent = Player.objects.get(user=user).pk
    row = Notification.objects.create(
        user=user,
        kind="ruled",
        params={"opponent": opponent},
        url="/my/",
        key=new_public_id(),
        on_site=True,
        created_at=NOW,
    )
    Delivery.objects.create(notification=row, channel=Delivery.Channel.EMAIL, next_at=NOW)


def test_an_email_is_sent_once_and_again_after_a_failure(bob: User, settings) -> None:  # type: ignore[no-untyped-def]
    row = request_reset(email=bob.email, now=NOW)
    settings.EMAIL_BACKEND, settings.EMAIL_PORT = "core.mail.SmtpBackend", 1
    assert not send(email_id=row.pk, now=NOW)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert not send(email_id=row.pk, now=NOW), "claimed"
    later = NOW + claim_lasts()
    assert send(email_id=row.pk, now=later)
    assert not send(email_id=row.pk, now=later)
    assert len(mail.outbox) == 1
    request_reset(email=bob.email, now=NOW - KEPT_FOR)
    assert send_again(now=NOW) == 0
    assert not AccountEmail.objects.exists()


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("short", "This password is too short. It must contain at least 8 characters."),
        ("password123", "This password is too common."),
        ("erin@example.org", "It is too similar to your email address."),
    ],
)
def test_a_weak_password_is_refused_with_reasons(db: None, password: str, reason: str) -> None:
    refused = refusal(password=password)
    assert refused.code == "weak_password"
    assert refused.params["reasons"] == reason


def test_an_unknown_time_zone_or_language_is_refused(db: None) -> None:
    assert refusal(time_zone="Mars/Olympus").code == "bad_time_zone"
    assert refusal(language="tlh").code == "bad_language"


def test_the_player_takes_the_name_of_the_account(bob: User) -> None:
    update_preferences(user=bob, by=Actor.of(bob), display_name="Robert", initials_only=True, theme="dark")
    player = Player.objects.get(user=bob)
    assert (player.name, player.name_key, player.shown_name) == ("Robert", "robert", "R.")
    assert (bob.display_name, bob.theme) == ("Robert", "dark")
    entry = LogEntry.objects.get(verb="preferences_changed")
    assert entry.params == {"changed": {"display_name": ["Bob", "Robert"], "theme": ["auto", "dark"]}}


def test_fields_that_are_not_sent_stay(bob: User) -> None:
    update_preferences(user=bob, by=SYSTEM, theme="dark", initials_only=True)
    update_preferences(user=bob, by=SYSTEM, time_zone="Asia/Tokyo")
    assert (bob.theme, bob.time_zone, Player.objects.get(user=bob).initials_only) == ("dark", "Asia/Tokyo", True)


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [("theme", "plaid", "bad_theme"), ("language", "xx", "bad_language"), ("display_name", " ", "name_missing")],
)
def test_an_unknown_theme_is_refused(bob: User, name: str, value: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        update_preferences(user=bob, by=SYSTEM, **{name: value})
    assert refused.value.code == code


def test_other_fields_are_not_preferences(bob: User) -> None:
    with pytest.raises(TypeError, match="is_staff"):
        update_preferences(user=bob, by=SYSTEM, is_staff="yes")


def test_a_new_address_is_used_once_it_is_confirmed(bob: User, carol: User, password: str) -> None:
    with pytest.raises(Refused) as refused:
        change_email(user=bob, email="new@example.org", password="guess", by=Actor.of(bob), now=NOW)
    assert refused.value.code == "wrong_password"
    change_email(user=bob, email="CAROL@example.org", password=password, by=Actor.of(bob), now=NOW)
    change_email(user=bob, email="new@example.org", password=password, by=Actor.of(bob), now=NOW)
    assert User.objects.get(pk=bob.pk).email == "bob@example.org"
    with pytest.raises(Refused, match="email_changed_since"):
        verify_email(user=bob, email="CAROL@example.org", by=Actor.of(bob), now=NOW)
    for _twice in range(2):
        verify_email(user=bob, email="new@example.org", by=Actor.of(bob), now=NOW)
    assert User.objects.get(pk=bob.pk).email == "new@example.org"
    assert "example.org" not in str(LogEntry.objects.get(verb="email_verified").params)


def test_changing_the_password_needs_the_current_one(bob: User, password: str) -> None:
    with pytest.raises(Refused) as refused:
        change_password(user=bob, password="guess", new_password="gammon-and-1", by=Actor.of(bob), now=NOW)
    assert refused.value.code == "wrong_password"
    change_password(user=bob, password=password, new_password="gammon-and-1", by=Actor.of(bob), now=NOW)
    assert User.objects.get(pk=bob.pk).check_password("gammon-and-1")


def test_an_erased_player_is_a_former_member_without_an_account(full_club: Club, bob: User, enter: Enter) -> None:
    player, double = ensure_player(user=bob, by=SYSTEM), enter("Robert")
    merge_players(player=double, into=player, by=SYSTEM, now=NOW)
    remember_alias(player=player, name="bobby99", by=SYSTEM)
    update_preferences(user=bob, by=Actor.of(bob), display_name="Bobby Tables")
    erase_player(player=player, by=Actor.of(bob), now=NOW)
    assert not User.objects.filter(pk=bob.pk).exists()
    for row in Player.objects.filter(pk__in=[player.pk, double.pk]):
        assert (row.name, row.name_key, row.user, row.shown_name) == ("", "", None, "Former member")
    assert not Alias.objects.exists()
    assert not Membership.objects.filter(player__in=[player, double], left_at__isnull=True).exists()
    remains = str(list(LogEntry.objects.values("topic", "params")))
    assert LogEntry.objects.filter(topic=f"player:{player.public_id}", verb="player_erased").exists()
    assert not [name for name in ("Bobby", "bobby99", "Robert") if name in remains]


def test_a_person_is_erased_only_once(bob: User) -> None:
    player = ensure_player(user=bob, by=SYSTEM)
    erase_player(player=player, by=SYSTEM, now=NOW)
    with pytest.raises(Refused) as refused:
        erase_player(player=player, by=SYSTEM, now=NOW)
    assert refused.value.code == "erased"


def test_invitations_of_an_erased_player_are_deleted(enter: Enter) -> None:
    jens = enter("Jens")
    invite(membership=jens.memberships.get(), by=SYSTEM, now=NOW, link=str, email="jens@example.org")
    erase_player(player=jens, by=SYSTEM, now=NOW)
    assert not Invitation.objects.exists()


def test_an_account_that_sent_in_a_record_can_be_erased(bob: User, join: Join) -> None:
    Submission.objects.create(source="paste", data=b"x", size=1, sha256="0" * 64, submitter=bob)
    player = join(bob).player
    erase_player(player=player, by=Actor.of(bob), now=NOW)
    assert not User.objects.filter(pk=bob.pk).exists()
    assert bytes(Submission.objects.get().data) == b""
