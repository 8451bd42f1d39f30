"""Invitations of players without an account."""

from datetime import datetime, timedelta

import pytest
from django.core import mail

from core.public_ids import hash_of
from engine.errors import Refused
from players.accounts.services import ensure_player, register_user
from players.actors import SYSTEM, Actor
from players.clubs.services import add_player, remove_member
from players.mail import send
from players.models import AccountEmail, Alias, Club, Invitation, LogEntry, Player, User
from players.people.rows import canonical
from players.people.services import LASTS, accept_invitation, claim_player, invite, withdraw_invitation
from tests.players.conftest import NOW, Enter, new_user

pytestmark = pytest.mark.postgresql


def link(secret: str) -> str:
    return f"https://club.example/invitations/{secret}/"


def invitation_for(player: Player, email: str = "", now: datetime = NOW) -> str:
    """The secret of a new invitation."""
    membership = player.memberships.get()
    return invite(membership=membership, by=SYSTEM, now=now, link=link, email=email).url.split("/")[-2]


def accept(secret: str, user: User, now: datetime = NOW) -> Player:
    return accept_invitation(secret=secret, user=user, by=Actor.of(user), now=now)


def refusal(secret: str, user: User, now: datetime = NOW) -> str:
    with pytest.raises(Refused) as refused:
        accept(secret, user, now)
    return refused.value.code


@pytest.fixture
def jens(enter: Enter) -> Player:
    """A player without an account, added by a director."""
    return enter("Jens Hansen")


def test_only_the_hash_of_the_secret_is_stored(jens: Player) -> None:
    secret = invitation_for(jens)
    kept = Invitation.objects.values().get()
    assert kept["secret_hash"] == hash_of(secret)
    assert secret not in str(kept)
    assert secret not in str(list(LogEntry.objects.values_list("params", flat=True)))


def test_a_worker_sends_the_email_with_the_link(jens: Player) -> None:
    secret = invitation_for(jens, "jens@example.org")
    [stored] = AccountEmail.objects.all()
    assert mail.outbox == []
    assert send(email_id=stored.pk, now=NOW)
    [letter] = mail.outbox
    assert letter.to == ["jens@example.org"]
    assert "Copenhagen Backgammon" in letter.subject
    assert link(secret) in letter.body


def test_bob_without_a_player_gets_the_invited_player(jens: Player, bob: User) -> None:
    accept(invitation_for(jens), bob)
    jens.refresh_from_db()
    assert (jens.user, jens.name) == (bob, "Bob")
    assert Alias.objects.get(player=jens).name == "Jens Hansen"


def test_the_invited_player_is_merged_with_bobs_own(jens: Player, bob: User) -> None:
    own = ensure_player(user=bob, by=SYSTEM)
    assert accept(invitation_for(jens), bob) == own
    assert canonical(Player.objects.get(pk=jens.pk)) == own


def test_signing_up_with_an_invitation_creates_no_second_player(jens: Player) -> None:
    user = register_user(
        email="jens@example.org",
        password="crawford-1969",
        display_name="Jens",
        now=NOW,
        invitation=invitation_for(jens, "Jens@Example.org"),
    )
    assert list(Player.objects.filter(user=user)) == [jens]
    assert Player.objects.filter(name__contains="Jens").count() == 1


def test_an_invalid_invitation_prevents_signing_up(jens: Player) -> None:
    secret = invitation_for(jens, now=NOW - LASTS)
    with pytest.raises(Refused) as refused:
        register_user(email="j@example.org", password="crawford-1969", display_name="J", now=NOW, invitation=secret)
    assert refused.value.code == "invitation_expired"
    assert not User.objects.filter(email="j@example.org").exists()


def test_an_invitation_expires(jens: Player, bob: User) -> None:
    secret = invitation_for(jens)
    assert refusal(secret, bob, NOW + LASTS) == "invitation_expired"
    assert accept(secret, bob, NOW + LASTS - timedelta(seconds=1)) == jens


def test_an_invitation_is_used_once(jens: Player, bob: User, carol: User) -> None:
    secret = invitation_for(jens)
    accept(secret, bob)
    assert refusal(secret, carol) == "invitation_used"
    assert refusal(secret, bob) == "invitation_used"


def test_a_withdrawn_invitation_is_refused(jens: Player, bob: User) -> None:
    secret = invitation_for(jens)
    withdraw_invitation(invitation=Invitation.objects.get(), by=SYSTEM, now=NOW)
    assert refusal(secret, bob) == "invitation_withdrawn"


def test_a_used_invitation_cannot_be_withdrawn(jens: Player, bob: User) -> None:
    accept(invitation_for(jens), bob)
    with pytest.raises(Refused) as refused:
        withdraw_invitation(invitation=Invitation.objects.get(), by=SYSTEM, now=NOW)
    assert refused.value.code == "invitation_used"


def test_a_new_invitation_withdraws_the_old_one(jens: Player, bob: User) -> None:
    old, new = invitation_for(jens), invitation_for(jens)
    assert refusal(old, bob) == "invitation_withdrawn"
    assert accept(new, bob) == jens


def test_an_invitation_for_another_address_is_refused(jens: Player, bob: User) -> None:
    assert refusal(invitation_for(jens, "jens@example.org"), bob) == "invitation_for_another"
    assert accept(invitation_for(jens, "BOB@example.org"), bob) == jens


def test_an_invalid_secret_is_not_found(bob: User) -> None:
    assert refusal("made-up", bob) == "not_found"


def test_a_player_with_an_account_is_neither_invited_nor_claimed(jens: Player, bob: User, carol: User) -> None:
    claim_player(player=jens, user=bob, by=SYSTEM, now=NOW)
    jens.refresh_from_db()
    with pytest.raises(Refused) as refused:
        invitation_for(jens)
    assert refused.value.code == "already_claimed"
    ensure_player(user=carol, by=SYSTEM)
    with pytest.raises(Refused) as refused:
        claim_player(player=jens, user=carol, by=SYSTEM, now=NOW)
    assert refused.value.code == "already_claimed"


def test_claiming_withdraws_open_invitations(jens: Player, bob: User, carol: User) -> None:
    secret = invitation_for(jens)
    ensure_player(user=bob, by=SYSTEM)
    claim_player(player=jens, user=bob, by=SYSTEM, now=NOW)
    assert refusal(secret, carol) == "invitation_withdrawn"


def test_a_club_invites_only_players_it_entered(club: Club, other_club: Club, enter: Enter) -> None:
    theirs = enter("Jens Hansen", into=other_club)
    membership = add_player(club=club, player=theirs, by=SYSTEM)
    with pytest.raises(Refused) as refused:
        invite(membership=membership, by=SYSTEM, now=NOW, link=link)
    assert refused.value.code == "other_club_entered"


def test_a_former_member_is_not_invited(jens: Player) -> None:
    membership = jens.memberships.get()
    remove_member(membership=membership, by=SYSTEM, now=NOW)
    with pytest.raises(Refused) as refused:
        invite(membership=membership, by=SYSTEM, now=NOW, link=link)
    assert refused.value.code == "not_a_member"


def test_a_director_links_a_player_to_an_account(club: Club, jens: Player, password: str, alice: User) -> None:
    user = new_user("Jens", password)
    claim_player(player=jens, user=user, by=Actor.of(alice), now=NOW, club=club)
    assert Player.objects.get(user=user) == jens
    assert LogEntry.objects.get(verb="player_claimed").user == alice
