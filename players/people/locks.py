"""Locks of clubs and players.

A service that needs several locks takes the account first, then clubs and then players, each by ascending id, and
invitations and merges last. A service that changes a club's member list holds the club.
"""

from django.db.models import Q

from core.locks import lock_row
from players.models import Club, Player


def lock_club(club: Club) -> Club:
    """Lock a club, and with it its member list."""
    return lock_row(Club, club.pk)


def lock_clubs_of(*players: Player) -> None:
    """Lock the clubs of these players and of those merged into them, by ascending id."""
    of_players = Q(memberships__player__in=players) | Q(memberships__player__merged_into__in=players)
    for pk in Club.objects.filter(of_players).distinct().order_by("pk").values_list("pk", flat=True):
        lock_row(Club, pk)


def lock_players(*players: Player) -> dict[int, Player]:
    """Lock players by ascending id and return them by id."""
    return {pk: lock_row(Player, pk) for pk in sorted({player.pk for player in players})}
