"""The people of a club: those whom it may name, and whose full names its staff may read.

They are its members, also former ones, and those who play or played in its events or entered its seasons. Directors
enter people by a name that a member has, or as somebody new, so nobody becomes one of them by a public id alone.
"""

from collections.abc import Iterable
from typing import Any

from django.db.models import F, Q, QuerySet

from players.models import Club, Membership, Player
from players.people import stored_elsewhere


def people_among(club: Club, players: Iterable[Player]) -> frozenset[int]:
    """Return the ids of those of these players who are people of a club, under their own id or a merged one."""
    persons = {player.pk: player.merged_into_id or player.pk for player in players}
    if not persons:
        return frozenset()
    group = Q(pk__in=persons.values()) | Q(merged_into__in=persons.values())
    into = {pk: merged or pk for pk, merged in Player.objects.filter(group).values_list("pk", "merged_into")}
    first, *others = (
        rows.filter(of_club=club.pk, person__in=into).values_list("person", flat=True) for rows in _links()
    )
    known = {into[pk] for pk in first.union(*others)}
    return frozenset(pk for pk, person in persons.items() if person in known)


def _links() -> Iterable[QuerySet[Any]]:
    yield Membership.objects.values(person=F("player_id"), of_club=F("club_id"))
    for stored in stored_elsewhere.registered():
        yield from stored.guests()
