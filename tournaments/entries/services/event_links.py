"""Revoking a player's personal link for an event."""

from django.db import transaction
from django.db.models import F

from core.locks import for_update
from matches.reporting.links import revoke_all_links
from players.actors import Actor, log
from players.people.rows import canonical
from tournaments.entries.event_links import division_topics, person_ids
from tournaments.models import Entry, EventLink


@transaction.atomic
def revoke_event_link(*, entry: Entry, generation: int, by: Actor) -> None:
    """End the personal link of the player of an entry, and those of all their matches in the event.

    Whoever had the link may have kept those of the matches. There are new links at once; QR codes already printed
    will stop working. `generation` is that of the link to revoke: if it was revoked already nothing changes.
    """
    tournament, player = entry.division.tournament, canonical(entry.player)
    same = person_ids(player)
    EventLink.objects.bulk_create(
        [EventLink(tournament=tournament, player_id=pk) for pk in same], ignore_conflicts=True
    )
    links = EventLink.objects.filter(tournament=tournament, player__in=same)
    locked = {link.player_id: link for link in for_update(links.order_by("pk"))}
    if locked[player.pk].generation != generation:
        return
    links.update(generation=F("generation") + 1)
    revoke_all_links(topics=division_topics(tournament), players=same)
    log(by, "link_revoked", entry.division.topic, club=tournament.club, entry=entry.pk)
