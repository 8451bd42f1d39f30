"""What notifications about a match have in common, whichever part of the app sends them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.urls import reverse

from matches.lifecycle.events import events
from matches.models import Match
from players.notifications.services import Notice


def side_notices(
    match: Match, sides: Iterable[int], params: Mapping[str, Any], key: str, accounts: Mapping[int, int]
) -> list[Notice]:
    """Return a notice about a match for each of these sides that has an account, with its side and its opponent."""
    return [
        Notice(
            user=accounts[match.players[side].pk],
            params={"side": side, "opponent": match.players[1 - side].pk, **_entry_numbers(match), **params},
            url=page_of(match),
            key=key,
        )
        for side in sides
        if match.players[side].pk in accounts
    ]


def _entry_numbers(match: Match) -> dict[str, Any]:
    """The parameter that names the re-entries of a match by number; none if it has none."""
    numbers = zip(match.players, match.entry_numbers, strict=True)
    again = {str(player.pk): number for player, number in numbers if number > 1}
    return {"entry_numbers": again} if again else {}


def context_of(match: Match) -> dict[str, Any]:
    """The parameters that every notification about a match has."""
    played_for = events().contexts([match.parent_topic]).get(match.parent_topic)
    parts = (played_for.title if played_for else "", events().places([match.pk]).get(match.pk, ""))
    zone = {"zone": match.club.time_zone} if match.club is not None else {}
    event = {"event": played_for.event} if played_for else {}
    context = " · ".join(filter(None, parts))
    return {"match": match.public_id, "context": context, **event, **zone, **_entry_numbers(match)}


def page_of(match: Match) -> str:
    return reverse("match", args=[match.public_id])
