"""What took the place of a void match: a printed sheet or an old link still finds its players' match."""

from dataclasses import dataclass

from django.db.models import Q
from django.urls import reverse

from matches.models import Match
from matches.presentation.context import places_of


@dataclass(frozen=True, slots=True)
class Successor:
    """A later match of one of the players, or of both."""

    url: str
    place: str
    """Where it is played: table, round and match number; empty where nobody knows."""
    names: tuple[str, str]


def successors_of(match: Match) -> list[Successor]:
    """The next match of each player in the same division, made after this one; empty unless this one is void.

    Where the two meet again, that match alone.
    """
    if match.state != Match.State.VOID or not match.parent_topic:
        return []
    players = (match.player_0_id, match.player_1_id)
    later = list(
        Match.objects.filter(parent_topic=match.parent_topic, pk__gt=match.pk)
        .filter(Q(player_0__in=players) | Q(player_1__in=players))
        .exclude(state=Match.State.VOID)
        .select_related("player_0", "player_1")
        .order_by("pk")
    )
    again = [one for one in later if {one.player_0_id, one.player_1_id} == set(players)]
    first = {next((one for one in later if player in (one.player_0_id, one.player_1_id)), None) for player in players}
    found = again[:1] or sorted((one for one in first if one is not None), key=lambda one: one.pk)
    where = places_of([one.pk for one in found])
    return [
        Successor(
            reverse("match", args=[one.public_id]),
            where.get(one.pk, ""),
            (one.player_0.shown_name, one.player_1.shown_name),
        )
        for one in found
    ]
