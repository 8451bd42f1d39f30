"""The page behind a player's personal link for an event, and the link for those who hand it out."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from core.qr import qr_svg
from matches.reporting.my_matches import matches_by_link
from players.models import Player
from players.people.canonical import canonical
from tournaments.entries.event_links import LinkHolder, generations_of, matches_of, path_for, person_ids
from tournaments.entries.selectors.check_in import own_page
from tournaments.entries.services.entries import same_person
from tournaments.models import Entry, Tournament
from tournaments.state.topics import event_topics


class ShownLink(NamedTuple):
    """A personal link of an event, to print or to revoke."""

    player: Player
    generation: int
    url: str
    qr: str
    """SVG."""


def event_link_page(holder: LinkHolder, now: datetime) -> dict[str, Any]:
    """Return the context of the page behind a link: check-in, and matches that open by their own links."""
    return {
        "player": holder.player,
        "not_playing": _not_playing(holder),
        "topics": event_topics(holder.tournament),
        **own_page(holder.tournament, holder.player, now),
        **matches_by_link(matches_of(holder), person_ids(holder.player), now),
    }


def _not_playing(holder: LinkHolder) -> list[Entry]:
    """Return the newest entry in each division in which the player waits for a place or has withdrawn."""
    rows = Entry.objects.filter(same_person(holder.player), division__tournament=holder.tournament)
    newest = {entry.division_id: entry for entry in rows.select_related("division").order_by("pk")}
    return [entry for entry in newest.values() if entry.status != Entry.Status.IN]


def link_of(entry: Entry, absolute: Callable[[str], str]) -> ShownLink:
    """Return the link of the player of an entry; `absolute` makes a path a URL."""
    return links_of(entry.division.tournament, [canonical(entry.player)], absolute)[0]


def links_of(tournament: Tournament, players: list[Player], absolute: Callable[[str], str]) -> list[ShownLink]:
    """Return the links of players, who are not merged into others; one query."""
    generations = generations_of(tournament, [player.pk for player in players])
    urls = [absolute(path_for(tournament, player, generations[player.pk])) for player in players]
    return [
        ShownLink(player, generations[player.pk], url, qr_svg(url)) for player, url in zip(players, urls, strict=True)
    ]
