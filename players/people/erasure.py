"""Erasing a person: their results stay, under "Former member"."""

from collections.abc import Callable
from datetime import datetime

from django.contrib.admin.models import LogEntry as AdminLogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from core.locks import for_update
from engine.errors import Refused
from players.actors import Actor, log
from players.models import (
    AccountEmail,
    Alias,
    DataExport,
    Invitation,
    JoinRequest,
    LogEntry,
    Membership,
    Outbox,
    Player,
    User,
)
from players.people import stored_elsewhere
from players.people.leaving import end_all, together_with
from players.people.mentions import erase_mentions, names_to_erase
from players.people.pairs import rename_pairs
from players.people.rows import canonical, club_topic, lock_club, pairs_of, player_topic, user_topic
from players.people.services import BLANK, keep_names
from players.people.stored_elsewhere import Leaving

Role = Membership.Role


@transaction.atomic
def erase_player(*, player: Player, by: Actor, now: datetime, check: Callable[[Player], None] | None = None) -> Player:
    """Delete the account, aliases and invitations, and blank the name, also of players merged with this one.

    Everything the person takes part in ends first, with its consequences. The name is removed from what others have
    written as well. Results stay. While a claim can be undone, the names of the claimed player are kept for that alone.
    A club that has no owner left is put on the page of the site's staff.
    Refused: `erased`, `stale` if the player was merged or entered an event at the same moment, and what `check` refuses
    of the locked player; also what refuses a withdrawal, such as a match that the director who erases the player would
    win by it.
    """
    player = canonical(player)
    # Locked first, so that a second click finds the account deleted.
    for_update(User.objects.filter(player=player)).first()
    together = together_with(player)
    everybody = end_all(Leaving(together, by, now))
    _leave_clubs(together, by, now)
    player = everybody[player.pk]
    if player.erased_at is not None:
        raise Refused("erased")
    if check is not None:
        check(player)
    user = player.user
    emails = {user.email, user.new_email} - {""} if user is not None else set()
    names = names_to_erase(everybody.values(), emails | {user.display_name} if user is not None else ())
    # What is written about a pair is about both, and goes when one of them does.
    sides = [*everybody.values(), *pairs_of(everybody)]
    for stored in stored_elsewhere.registered():
        stored.forget(sides, user)
    keep_names(everybody, now)
    Alias.objects.filter(player__in=everybody).delete()
    Invitation.objects.filter(player__in=everybody).delete()
    JoinRequest.objects.filter(claimed__in=everybody).delete()
    DataExport.objects.filter(player__in=everybody).delete()
    for member in everybody.values():
        for name, blank in BLANK.items():
            setattr(member, name, blank)
        member.user, member.erased_at = None, now
        member.save()
    rename_pairs(everybody.values())
    _forget_in_log(list(everybody.values()), user)
    erase_mentions(names, sides)
    log(by, "player_erased", player_topic(player), own=by.user is not None and by.user == user)
    if user is not None:
        Outbox.objects.filter(user=user).update(device="")
        if user.email_verified_at is not None:
            # An address that was only typed may be somebody else's.
            AccountEmail.objects.filter(email__iexact=user.email).delete()
            Invitation.objects.filter(email__iexact=user.email).delete()
        user.delete()
    return player


def _leave_clubs(players: list[Player], by: Actor, now: datetime) -> None:
    memberships = Membership.objects.filter(player__in=players, left_at__isnull=True).select_related("club")
    for membership in memberships.order_by("club_id"):
        club = lock_club(membership.club)
        membership.role, membership.left_at = Role.MEMBER, now
        membership.save(update_fields=["role", "left_at"])
        log(by, "member_left", club_topic(club), club=club, player=membership.player.public_id)


def _forget_in_log(players: list[Player], user: User | None) -> None:
    """Remove names from the log entries about the players, but keep the entries."""
    topics = [player_topic(player) for player in players] + ([user_topic(user)] if user else [])
    LogEntry.objects.filter(topic__in=topics).update(params={})
    _forget_in_admin_log(Player, [player.pk for player in players])
    if user is not None:
        _forget_in_admin_log(User, [user.pk])


def _forget_in_admin_log(model: type[Player] | type[User], ids: list[int]) -> None:
    rows = AdminLogEntry.objects.filter(content_type=ContentType.objects.get_for_model(model))
    rows.filter(object_id__in=[str(pk) for pk in ids]).update(object_repr="", change_message="")
