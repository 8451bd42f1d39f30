"""Cards with the players' personal links of an event, to cut apart and hand out."""

from collections.abc import Callable, Sequence

from players.actors import Actor
from players.people.rows import canonical
from tournaments.entries.selectors.event_links import ShownLink, links_of, log_shown, withheld_from
from tournaments.models import Division, Entry, Tournament


def link_cards(
    tournament: Tournament, divisions: Sequence[Division], by: Actor, absolute: Callable[[str], str]
) -> tuple[list[ShownLink], int]:
    """Return the links of everybody in these divisions or on their waiting lists, by name and once each.

    Also the number of players whose links `by` does not get, since they are opponents. What a director got of players
    of a division in which they play is logged.
    """
    entries = Entry.objects.filter(division__in=divisions, player__erased_at=None).exclude(status=Entry.Status.OUT)
    rows = entries.select_related("player__merged_into").order_by("player__name_key", "pk")
    players = {player.pk: player for player in (canonical(row.player) for row in rows)}
    withheld = withheld_from(tournament, by) & players.keys()
    links = links_of(tournament, [player for pk, player in players.items() if pk not in withheld], absolute)
    log_shown(tournament, by, links)
    return links, len(withheld)
