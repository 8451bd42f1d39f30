"""The page behind a player's personal link for an event, and the link for those who hand it out."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from core.links import qr_svg
from engine.errors import Refused
from matches.models import Match
from matches.reporting.links import log_links_shown, withheld_side
from matches.reporting.my_matches import matches_by_link
from players.actors import Actor
from players.models import Player
from players.people.rows import canonical, player_of
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


def link_to_hand_out(entry: Entry, by: Actor, absolute: Callable[[str], str]) -> ShownLink:
    """Return the link of the player of an entry for `by`, who runs the event, and log it where `by` plays there, too.

    Refused: `link_of_opponent`.
    """
    tournament = entry.division.tournament
    if canonical(entry.player).pk in withheld_from(tournament, by):
        raise Refused("link_of_opponent")
    link = link_of(entry, absolute)
    log_shown(tournament, by, [link])
    return link


def link_of(entry: Entry, absolute: Callable[[str], str]) -> ShownLink:
    """Return the link of the player of an entry; `absolute` makes a path a URL."""
    return links_of(entry.division.tournament, [canonical(entry.player)], absolute)[0]


def withheld_from(tournament: Tournament, by: Actor) -> frozenset[int]:
    """Return the players whose links this director does not get: opponents in matches that others can decide."""
    own = player_of(by.user) if by.user is not None else None
    if own is None:
        return frozenset()
    matches = matches_of(LinkHolder(tournament, canonical(own))).select_related("player_0", "player_1", "club")
    sides = [(match, withheld_side(match, by)) for match in matches.exclude(state=Match.State.SETTLED)]
    return frozenset(canonical(match.players[side]).pk for match, side in sides if side is not None)


def log_shown(tournament: Tournament, by: Actor, links: Sequence[ShownLink]) -> None:
    """Log which divisions' links a director who plays there has got; writes nothing for others."""
    own = player_of(by.user) if by.user is not None else None
    others = [link.player.pk for link in links if own is None or link.player.pk != canonical(own).pk]
    if own is None or not others:
        return
    rows = Entry.objects.filter(same_person(canonical(own)), division__tournament=tournament)
    rows = rows.exclude(status=Entry.Status.OUT).select_related("division")
    topics = sorted({entry.division.topic for entry in rows})
    player = others[0] if len(others) == 1 else None
    log_links_shown(topics=topics, club=tournament.club, by=by, player=player)


def links_of(tournament: Tournament, players: list[Player], absolute: Callable[[str], str]) -> list[ShownLink]:
    """Return the links of players, who are not merged into others; one query."""
    generations = generations_of(tournament, [player.pk for player in players])
    urls = [absolute(path_for(tournament, player, generations[player.pk])) for player in players]
    return [
        ShownLink(player, generations[player.pk], url, qr_svg(url)) for player, url in zip(players, urls, strict=True)
    ]
