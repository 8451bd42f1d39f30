"""Cards with the players' personal links of an event, to cut apart and hand out."""

from collections.abc import Callable, Sequence

from players.people.canonical import canonical
from tournaments.entries.selectors.event_links import ShownLink, links_of
from tournaments.models import Division, Entry, Tournament


def link_cards(
    tournament: Tournament, divisions: Sequence[Division], absolute: Callable[[str], str]
) -> list[ShownLink]:
    """Return the links of everybody in these divisions or on their waiting lists, by name and once each."""
    entries = Entry.objects.filter(division__in=divisions, player__erased_at=None).exclude(status=Entry.Status.OUT)
    rows = entries.select_related("player__merged_into").order_by("player__name_key", "pk")
    players = {player.pk: player for player in (canonical(row.player) for row in rows)}
    return links_of(tournament, list(players.values()), absolute)
