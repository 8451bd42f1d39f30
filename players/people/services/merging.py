"""Merging two players who are the same person, and undoing it.

A Merge row is the fact. `merged_into` is derived from the merges that were not undone and always points to the player
that represents the whole group. Matches, entries and memberships stay where they are.
"""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from core.locks import lock_row
from core.names import clean_name, fold
from engine.errors import Refused
from players.actors import Actor, log
from players.models import Alias, Club, Membership, Merge, Player
from players.people import stored_elsewhere
from players.people.canonical import canonical
from players.people.locks import lock_clubs_of, lock_players
from players.people.topics import player_topic

LONGEST_ALIAS = 200
"""Nicknames in match records can be as long as programs allow."""


@transaction.atomic
def merge_players(*, player: Player, into: Player, by: Actor, now: datetime, club: Club | None = None) -> Merge:
    """Merge `player` into `into`: both are shown as `into` from now on.

    A `club` must be the one that entered `player`. A player with an account cannot be merged into another.
    Refused: `merge_same`, `merge_account`, `already_merged`, `other_club_entered`, `erased`, and what other
    apps refuse (`StoredElsewhere.check_merge`).
    """
    into = canonical(into)
    if into.pk == canonical(player).pk:
        raise Refused("merge_same")
    lock_clubs_of(player)
    locked = lock_players(player, into)
    player, into = locked[player.pk], locked[into.pk]
    for row in (player, into):
        if row.merged_into_id is not None:
            raise Refused("already_merged", name=row.name)
        if row.erased_at is not None:
            raise Refused("erased")
    if player.user_id is not None:
        raise Refused("merge_account", name=player.name)
    if club is not None:
        must_be_home(player, club)
    for stored in stored_elsewhere.registered():
        stored.check_merge(player, into)
    merge = Merge.objects.create(player=player, into=into, merged_by=by.user, merged_at=now)
    Player.objects.filter(Q(pk=player.pk) | Q(merged_into=player)).update(merged_into=into)
    _take_over_memberships(player, into)
    for topic in (player_topic(player), player_topic(into)):
        log(by, "players_merged", topic, club=club, player=player.public_id, into=into.public_id)
    return merge


def home_club(player: Player) -> Club | None:
    """Return the club that entered a player and is responsible for them while they have no account."""
    first = Membership.objects.select_related("club").filter(player=player).order_by("pk").first()
    return first.club if first else None


def must_be_home(player: Player, club: Club) -> None:
    """Refused (`other_club_entered`) unless this club entered the player."""
    home = home_club(player)
    if home is not None and home != club:
        raise Refused("other_club_entered", name=player.shown_name, club=home.name)


def check_managed_by_club(player: Player, club: Club) -> None:
    """Refused (`account_decides`, `other_club_entered`) unless this club decides about the data of a player."""
    if player.user_id is not None:
        raise Refused("account_decides", name=player.name)
    must_be_home(player, club)


def _take_over_memberships(player: Player, into: Player) -> None:
    """Make `into` a member of the clubs of `player`; the old memberships are kept for undoing the merge."""
    theirs = Membership.objects.filter(player=player, left_at__isnull=True).values_list("club_id", flat=True)
    mine = {membership.club_id: membership for membership in Membership.objects.filter(player=into)}
    for club_id in list(theirs):
        membership = mine.get(club_id)
        if membership is None:
            Membership.objects.create(club_id=club_id, player=into)
        elif membership.left_at is not None:
            membership.left_at = None
            membership.save(update_fields=["left_at"])


@transaction.atomic
def undo_merge(*, merge: Merge, by: Actor, now: datetime, club: Club | None = None) -> Merge:
    """Undo a merge; players who had been merged into `player` before stay with it.

    Refused: `merge_undone`, `erased`.
    """
    player = lock_players(merge.player, merge.into)[merge.player_id]
    merge = lock_row(Merge, merge.pk)
    if merge.undone_at is not None:
        raise Refused("merge_undone")
    if player.erased_at is not None:
        raise Refused("erased")
    merge.undone_at = now
    merge.save(update_fields=["undone_at"])
    player.merged_into = None
    player.save(update_fields=["merged_into"])
    Player.objects.filter(pk__in=_merged_below(player)).update(merged_into=player)
    for topic in (player_topic(player), player_topic(merge.into)):
        log(by, "merge_undone", topic, club=club, player=player.public_id, into=merge.into.public_id)
    return merge


def _merged_below(player: Player) -> set[int]:
    """Return the ids of the players merged into `player`, directly or indirectly."""
    ids: set[int] = set()
    step = {player.pk}
    while step:
        below = Merge.objects.filter(into__in=step, undone_at__isnull=True).values_list("player_id", flat=True)
        step = set(below) - ids
        ids |= step
    return ids


def remember_alias(*, player: Player, name: str, by: Actor) -> Alias:
    """Add another name of a player; harmless the second time.

    Refused: `name_missing`, `name_too_long`, `erased`.
    """
    name, player = clean_name(name, LONGEST_ALIAS), canonical(player)
    if player.erased_at is not None:
        raise Refused("erased")
    try:
        with transaction.atomic():
            if (known := _known_alias(player, name)) is not None:
                return known
            alias = Alias.objects.create(player=player, name=name)
            log(by, "alias_remembered", player_topic(player), alias=name)
            return alias
    except IntegrityError:
        # Another request added it at the same moment.
        known = _known_alias(player, name)
        if known is None:
            raise
        return known


def _known_alias(player: Player, name: str) -> Alias | None:
    return next((alias for alias in player.aliases.all() if fold(alias.name) == fold(name)), None)
