"""Linking a player to an account: by the secret link of an invitation, or by a director."""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from core.locks import lock_row
from core.names import fold
from core.public_ids import hash_of
from engine.errors import Refused
from players.actors import Actor, log
from players.models import Club, Invitation, Membership, Player, User
from players.people.canonical import player_of
from players.people.locks import lock_clubs_of, lock_players
from players.people.mail import send_invitation
from players.people.services.merging import merge_players, must_be_home, remember_alias
from players.people.topics import club_topic, player_topic

LASTS = timedelta(days=14)
"""How long an invitation is valid."""


class Invited(NamedTuple):
    """A new invitation and its link, which is known only now."""

    invitation: Invitation
    url: str


@transaction.atomic
def invite(*, membership: Membership, by: Actor, now: datetime, link: Callable[[str], str], email: str = "") -> Invited:
    """Invite a member to create an account, and e-mail the link if there is an address; earlier links stop working.

    `link` returns the URL for a secret. Refused: `already_claimed`, `not_a_member`, `other_club_entered`, `erased`.
    """
    player = lock_row(Player, membership.player_id)
    membership.refresh_from_db()
    if membership.left_at is not None:
        raise Refused("not_a_member", name=player.name)
    must_be_free(player)
    must_be_home(player, membership.club)
    open_for(player).update(withdrawn_at=now)
    secret = secrets.token_urlsafe(24)
    invitation = Invitation.objects.create(
        club=membership.club,
        player=player,
        email=email.strip(),
        secret_hash=hash_of(secret),
        invited_by=by.user,
        created_at=now,
        expires_at=now + LASTS,
    )
    url = link(secret)
    log(by, "invited", player_topic(player), club=membership.club, mailed=bool(email))
    if invitation.email:
        transaction.on_commit(lambda: send_invitation(invitation, url), robust=True)
    return Invited(invitation, url)


def open_for(player: Player) -> QuerySet[Invitation]:
    """Return the invitations of a player that were neither accepted nor withdrawn."""
    return Invitation.objects.filter(player=player, accepted_at__isnull=True, withdrawn_at__isnull=True)


def must_be_free(player: Player) -> None:
    """Refused (`erased`, `already_merged`, `already_claimed`) unless an account can still take over this player."""
    if player.erased_at is not None:
        raise Refused("erased")
    if player.merged_into_id is not None:
        raise Refused("already_merged", name=player.name)
    if player.user_id is not None:
        raise Refused("already_claimed", name=player.shown_name)


@transaction.atomic
def withdraw_invitation(*, invitation: Invitation, by: Actor, now: datetime) -> Invitation:
    """Withdraw an invitation; harmless the second time. Refused: `invitation_used`."""
    locked = lock_row(Invitation, invitation.pk)
    if locked.accepted_at is not None:
        raise Refused("invitation_used")
    if locked.withdrawn_at is None:
        locked.withdrawn_at = now
        locked.save(update_fields=["withdrawn_at"])
        log(by, "invitation_withdrawn", player_topic(locked.player), club=locked.club)
    return locked


def must_be_open(invitation: Invitation, now: datetime) -> None:
    """Refused: `invitation_used`, `invitation_withdrawn`, `invitation_expired`."""
    club = invitation.club.name
    if invitation.accepted_at is not None:
        raise Refused("invitation_used")
    if invitation.withdrawn_at is not None:
        raise Refused("invitation_withdrawn", club=club)
    if invitation.expires_at <= now:
        raise Refused("invitation_expired", club=club)


@transaction.atomic
def accept_invitation(*, secret: str, user: User, by: Actor, now: datetime) -> Player:
    """Link the account to the player of the invitation; a player the account already has is merged with it.

    Refused: `not_found`, `invitation_used`, `invitation_withdrawn`, `invitation_expired`, `invitation_for_another`,
    `already_claimed`.
    """
    row = Invitation.objects.filter(secret_hash=hash_of(secret)).first()
    if row is None:
        raise Refused("not_found")
    lock_row(User, user.pk)
    lock_clubs_of(row.player)
    lock_players(row.player, *filter(None, [player_of(user)]))
    invitation = lock_row(Invitation, row.pk)
    must_be_open(invitation, now)
    if invitation.email and invitation.email.casefold() != user.shown_email.casefold():
        raise Refused("invitation_for_another", club=invitation.club.name)
    player = claim_player(player=invitation.player, user=user, by=by, now=now)
    # Claiming has withdrawn all open invitations of this player; this one was accepted.
    invitation.accepted_at, invitation.withdrawn_at = now, None
    invitation.save(update_fields=["accepted_at", "withdrawn_at"])
    log(by, "invitation_accepted", club_topic(invitation.club), club=invitation.club, player=player.public_id)
    return player


@transaction.atomic
def claim_player(*, player: Player, user: User, by: Actor, now: datetime, club: Club | None = None) -> Player:
    """Link a player to an account and return the account's player.

    If the account has a player already, the other is merged into it; else the player takes the name of the account.
    A `club` must be the one that entered the player. Refused: `already_claimed`, `already_merged`,
    `other_club_entered`, `erased`.
    """
    lock_row(User, user.pk)
    own = player_of(user)
    if own is not None:
        if player.user_id is not None:
            raise Refused("already_claimed", name=player.shown_name)
        merge_players(player=player, into=own, by=by, now=now, club=club)
        open_for(player).update(withdrawn_at=now)
        return own
    locked = lock_players(player)[player.pk]
    must_be_free(locked)
    if club is not None:
        must_be_home(locked, club)
    entered_as, locked.user, locked.name = locked.name, user, user.display_name
    locked.save()
    if fold(entered_as) != fold(locked.name):
        # The directors' lists go on using the old name.
        remember_alias(player=locked, name=entered_as, by=by)
    open_for(locked).update(withdrawn_at=now)
    log(by, "player_claimed", player_topic(locked), club=club, user=user.pk)
    return locked
