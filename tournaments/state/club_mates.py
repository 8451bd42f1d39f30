"""Club-mates in a division: players of the same club, other than the club that runs the event."""

from collections.abc import Collection

from players.models import Membership
from tournaments.models import Division


def members_by_club(division: Division, entries: Collection[int]) -> dict[int, list[int]]:
    """Return club id -> ids of the entries whose player is a member of it; the oldest club first."""
    by_player = dict(division.entries.filter(pk__in=entries).values_list("player_id", "pk"))
    rows = Membership.objects.filter(player__in=by_player, left_at=None).exclude(club=division.tournament.club_id)
    clubs: dict[int, list[int]] = {}
    for club, player in rows.order_by("club", "player").values_list("club_id", "player_id"):
        clubs.setdefault(club, []).append(by_player[player])
    return clubs


def club_mates(division: Division, entries: Collection[int]) -> list[list[int]]:
    """Return groups of entries to be kept apart in a draw."""
    return [group for group in members_by_club(division, entries).values() if len(group) > 1]


def club_of_each(division: Division, entries: Collection[int]) -> dict[int, str]:
    """Return entry id -> its club, as pairings identify it; the oldest club if there are several."""
    clubs = members_by_club(division, entries)
    return {entry: str(club) for club, members in reversed(clubs.items()) for entry in members}
