"""Who is in the list of a rating pool, by the rules of the pool."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from formats.ratings import WEEK, Settings, Standing
from matches.models import PoolSettings
from matches.models.pool_settings import AFTER_EACH_MATCH, WEEKDAYS
from players.models import Membership, Player
from players.people.rows import is_present


class ListPlace(StrEnum):
    RANKED = "ranked"
    PROVISIONAL = "provisional"
    """Named after the others, without a rank."""
    UNLISTED = "unlisted"


@dataclass(frozen=True, slots=True)
class Listed:
    """A rated player; `rank` is None unless ranked. Equal ratings share the better rank."""

    player: int
    standing: Standing
    place: ListPlace
    rank: int | None
    deviation: float | None
    """Of Glicko-2, today."""
    is_provisional: bool

    @property
    def spread(self) -> float | None:
        """Two deviations, which are shown after ±."""
        return None if self.deviation is None else 2 * self.deviation


@dataclass(frozen=True, slots=True)
class Publication:
    """The last change of a list that changes on a day of the week."""

    at: datetime
    until: datetime
    """The list has the matches that ended before: to the end of the Sunday of the week before."""

    @property
    def next_at(self) -> datetime:
        return _midnight(self.at, WEEK)

    @property
    def next_until(self) -> datetime:
        """Matches that end before count then."""
        return _midnight(self.until, WEEK)


def publication(chosen: PoolSettings, zone: str, now: datetime) -> Publication | None:
    """Return the last publication of a list by the clocks of `zone`; None if the list changes after every match."""
    if chosen.published_on == AFTER_EACH_MATCH:
        return None
    today = now.astimezone(ZoneInfo(zone))
    days = (today.weekday() - WEEKDAYS.index(chosen.published_on)) % WEEK
    at = _midnight(today, -days)
    return Publication(at, _midnight(at, -at.weekday()))


def _midnight(moment: datetime, days: int) -> datetime:
    """Return the beginning of the day so many days later, by the same clocks."""
    return datetime.combine(moment.date() + timedelta(days=days), time(), moment.tzinfo)


def members_of(club: int, same: Mapping[int, int]) -> set[int]:
    """The current members of a club, merged players replaced."""
    players = Membership.objects.filter(club=club, left_at__isnull=True).values_list("player", flat=True)
    return {same.get(player, player) for player in players}


def absent_among(players: Collection[int]) -> set[int]:
    """The players who asked to be erased, or are suspended: they are in no list."""
    return set(Player.objects.exclude(is_present()).values_list("pk", flat=True)).intersection(players)


def listed(
    chosen: PoolSettings,
    settings: Settings,
    standings: Mapping[int, Standing],
    *,
    members: Collection[int],
    absent: Collection[int],
    now: datetime,
) -> list[Listed]:
    """Place all rated players: the ranked by rating, then the provisional, then those who are not in the list."""
    places = {
        player: ListPlace.UNLISTED if player in absent else _place(chosen, standing, player in members, now)
        for player, standing in standings.items()
    }
    order = list(ListPlace)
    rows: list[Listed] = []
    for player in sorted(standings, key=lambda pk: (order.index(places[pk]), -standings[pk].rating, pk)):
        standing, rank = standings[player], None
        if places[player] is ListPlace.RANKED:
            is_tied = bool(rows) and rows[-1].standing.rating == standing.rating
            rank = rows[-1].rank if is_tied else len(rows) + 1
        deviation = settings.glicko.deviation_at(standing, now) if settings.glicko is not None else None
        is_provisional = chosen.is_provisional(standing)
        rows.append(Listed(player, standing, places[player], rank, deviation, is_provisional))
    return rows


def _place(chosen: PoolSettings, standing: Standing, is_member: bool, now: datetime) -> ListPlace:
    is_active = not chosen.active_days or standing.last_played_at >= now - timedelta(days=chosen.active_days)
    if not is_active or standing.matches < chosen.least_matches or (chosen.members_only and not is_member):
        return ListPlace.UNLISTED
    if not chosen.is_provisional(standing):
        return ListPlace.RANKED
    return ListPlace.PROVISIONAL if chosen.lists_provisional else ListPlace.UNLISTED
