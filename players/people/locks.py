"""Taking a row for oneself until the transaction ends."""

from typing import TypeVar

from django.db import models
from django.db.models import Q

from players.models import Club, Player

Row = TypeVar("Row", bound=models.Model)


def lock(model: type[Row], pk: int) -> Row:
    """The row as it is now; others who want to change it wait. Raises the model's DoesNotExist if it is gone.

    Whoever needs several locks takes the account first, then clubs and then players, each by ascending id, and
    invitations and merges last. Whoever writes into a club's member list holds the club.
    """
    # Every model has this manager, whatever it calls its own.
    return model._default_manager.select_for_update(no_key=True, of=("self",)).get(pk=pk)  # noqa: SLF001


def lock_club(club: Club) -> Club:
    """The club, and with it its member list."""
    return lock(Club, club.pk)


def lock_clubs_of(*players: Player) -> None:
    """The clubs any of these, or of those merged into them, is in."""
    theirs = Q(memberships__player__in=players) | Q(memberships__player__merged_into__in=players)
    for pk in Club.objects.filter(theirs).distinct().order_by("pk").values_list("pk", flat=True):
        lock(Club, pk)


def lock_players(*players: Player) -> dict[int, Player]:
    """The players by id, locked in ascending order."""
    return {pk: lock(Player, pk) for pk in sorted({player.pk for player in players})}
