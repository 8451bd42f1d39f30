"""What notifications about a match have in common, whichever part of the app sends them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.urls import reverse

from core.languages import first_offered
from matches.lifecycle.events import MatchContext, events
from matches.models import Match
from players.models import Player
from players.notifications.kinds import Params
from players.notifications.services import Notice
from players.people.pairs import persons


def side_notices(
    match: Match, sides: Iterable[int], params: Mapping[str, Any], key: str, accounts: Mapping[int, Sequence[int]]
) -> list[Notice]:
    """Return a notice about a match for each account of these sides, with its side and its opponent."""
    return [
        Notice(
            user=user,
            params={
                "side": side,
                "opponent": match.players[1 - side].pk,
                **_partner(match.players[side], user),
                **_entry_numbers(match),
                **params,
            },
            url=page_of(match),
            key=key,
        )
        for side in sides
        for user in accounts.get(match.players[side].pk, ())
    ]


def _partner(player: Player, user: int) -> dict[str, int]:
    """The parameter that names the other of a pair to this account; none for a side of one."""
    if player.parts is None:
        return {}
    first, second = persons(player)
    return {"with": second.pk if first.user_id == user else first.pk}


def _entry_numbers(match: Match) -> dict[str, Any]:
    """The parameter that names the re-entries of a match by number; none if it has none."""
    numbers = zip(match.players, match.entry_numbers, strict=True)
    again = {str(player.pk): number for player, number in numbers if number > 1}
    return {"entry_numbers": again} if again else {}


def context_of(match: Match) -> dict[str, Any]:
    """The parameters that every notification about a match has."""
    played_for = events().contexts([match.parent_topic]).get(match.parent_topic)
    of_club = {"zone": match.club.time_zone} if match.club is not None else {}
    event = {"event": played_for.event} if played_for else {}
    language = {"language": _language(match, played_for)}
    context = {"context": played_for.title if played_for else ""}
    place = {"place": at} if (at := events().place_facts([match.pk]).get(match.pk)) is not None else {}
    return {"match": match.public_id, **context, **place, **of_club, **event, **language, **_entry_numbers(match)}


def language_of_match(match: Match) -> str:
    """Return the language of a match: its event's, its club's or the site's."""
    return _language(match, events().contexts([match.parent_topic]).get(match.parent_topic))


def _language(match: Match, played_for: MatchContext | None) -> str:
    club = match.club.language if match.club is not None else ""
    return first_offered(played_for.language if played_for is not None else "", club)


def worded_contexts(rows: Sequence[Params]) -> Sequence[Mapping[str, str]]:
    """The parameter `context` of notifications about matches, with the place of the match in the active language."""
    return [
        {"context": " · ".join(filter(None, (row["context"], events().worded_place(row["place"]))))}
        if "place" in row
        else {}
        for row in rows
    ]


def page_of(match: Match) -> str:
    return reverse("match", args=[match.public_id])
