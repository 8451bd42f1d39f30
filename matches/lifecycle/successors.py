"""The matches that replaced a void match, so that its printed sheet and its links lead on to them."""

from dataclasses import dataclass

from django.db.models import Q
from django.urls import reverse

from matches.lifecycle.events import events
from matches.models import Match


@dataclass(frozen=True, slots=True)
class Successor:
    """A later match of one of the players or of both."""

    url: str
    place: str
    """Board, round and match number; empty if unknown."""
    names: tuple[str, str]


def successors_of(match: Match) -> list[Successor]:
    """The next match of each player in the same division; empty unless this match is void.

    If the two meet again, only that match is returned.
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
    rematch = next((row for row in later if {row.player_0_id, row.player_1_id} == set(players)), None)
    successors = [rematch] if rematch is not None else _next_of_each(players, later)
    places = events().places([row.pk for row in successors])
    return [
        Successor(
            reverse("match", args=[row.public_id]),
            places.get(row.pk, ""),
            row.names,
        )
        for row in successors
    ]


def _next_of_each(players: tuple[int, int], later: list[Match]) -> list[Match]:
    """The first of the later matches of each player, in order."""
    first = {
        next((row.pk for row in later if player in (row.player_0_id, row.player_1_id)), None) for player in players
    }
    return [row for row in later if row.pk in first]
