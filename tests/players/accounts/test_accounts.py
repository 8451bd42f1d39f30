"""Services of accounts: creating, changing, erasing."""

import pytest

from engine.errors import Refused
from matches.models import Submission
from players.accounts.services import change_email, change_password, ensure_player, register_user, update_preferences
from players.actors import SYSTEM, Actor
from players.clubs.services import set_role
from players.models import Alias, Club, Invitation, LogEntry, Membership, Player, User
from players.people.services import erase_player, invite, merge_players, remember_alias
from tests.players.conftest import NOW, Enter, Join


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


def test_an_email_address_has_one_account(bob: User) -> None:
    assert refusal(email="BOB@example.org").code == "email_taken"
    assert Player.objects.count() == 0


@pytest.mark.parametrize("password", ["short", "password123", "erin@example.org"])
def test_a_weak_password_is_refused_with_reasons(db: None, password: str) -> None:
    refused = refusal(password=password)
    assert refused.code == "weak_password"
    assert "password" in refused.params["reasons"]


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


def test_changing_the_email_address_needs_the_password(bob: User, carol: User, password: str) -> None:
    with pytest.raises(Refused) as refused:
        change_email(user=bob, email="new@example.org", password="guess", by=Actor.of(bob))
    assert refused.value.code == "wrong_password"
    with pytest.raises(Refused) as refused:
        change_email(user=bob, email="CAROL@example.org", password=password, by=Actor.of(bob))
    assert refused.value.code == "email_taken"
    change_email(user=bob, email="new@example.org", password=password, by=Actor.of(bob))
    assert User.objects.get(pk=bob.pk).email == "new@example.org"
    assert "example.org" not in str(LogEntry.objects.get(verb="email_changed").params)


def test_an_email_address_may_change_its_case(bob: User, password: str) -> None:
    change_email(user=bob, email="Bob@example.org", password=password, by=Actor.of(bob))
    assert User.objects.get(pk=bob.pk).email == "Bob@example.org"


def test_changing_the_password_needs_the_current_one(bob: User, password: str) -> None:
    with pytest.raises(Refused) as refused:
        change_password(user=bob, password="guess", new_password="gammon-and-1", by=Actor.of(bob))
    assert refused.value.code == "wrong_password"
    change_password(user=bob, password=password, new_password="gammon-and-1", by=Actor.of(bob))
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


def test_the_only_owner_of_a_club_with_members_cannot_be_erased(full_club: Club, olga: User, alice: User) -> None:
    player = Player.objects.get(user=olga)
    with pytest.raises(Refused) as refused:
        erase_player(player=player, by=Actor.of(olga), now=NOW)
    assert refused.value.code == "owner_leaves_club"
    assert User.objects.filter(pk=olga.pk).exists()
    set_role(membership=full_club.memberships.get(player__user=alice), role="owner", by=Actor.of(olga))
    erase_player(player=player, by=Actor.of(olga), now=NOW)
    assert not User.objects.filter(pk=olga.pk).exists()


def test_an_owner_without_other_members_can_be_erased(club: Club, olga: User, enter: Enter) -> None:
    enter("Jens")
    erase_player(player=Player.objects.get(user=olga), by=Actor.of(olga), now=NOW)
    assert not User.objects.filter(pk=olga.pk).exists()


def test_an_account_that_sent_in_a_record_can_be_erased(bob: User, join: Join) -> None:
    Submission.objects.create(source="paste", data=b"x", size=1, sha256="0" * 64, submitter=bob)
    player = join(bob).player
    erase_player(player=player, by=Actor.of(bob), now=NOW)
    assert not User.objects.filter(pk=bob.pk).exists()
    assert bytes(Submission.objects.get().data) == b""
