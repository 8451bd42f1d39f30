"""Lists of names: who of them is known in the club, and adding the others."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from django.db import transaction

from core.names import clean_name, fold
from engine.errors import Refused
from players.actors import Actor, log
from players.models import Alias, Club, Membership, Player
from players.people.canonical import canonical
from players.people.locks import lock_club
from players.people.topics import club_topic

MOST_NAMES = 4096
"""As many as the largest draw holds."""


class How(StrEnum):
    """What became of a name."""

    FOUND = "found"
    RETURNED = "returned"
    """NameMatch among those who had left the club; he is in it again."""
    ADDED = "added"
    AMBIGUOUS = "ambiguous"
    """Several people here are called that; nothing was done."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """One name of the list, tidied, and the player it means; for an ambiguous name those it may mean."""

    name: str
    how: How
    player: Player | None = None
    candidates: Sequence[Player] = field(default_factory=tuple)
    repeated: bool = False
    """Whether the list has named the same player before."""

    @property
    def respelled(self) -> bool:
        """Whether the player is known under another spelling than the one in the list."""
        return self.how in (How.FOUND, How.RETURNED) and self.player is not None and self.player.name != self.name


@transaction.atomic
def find_or_add_players(
    *, club: Club, names: Iterable[str], by: Actor, namesakes: Collection[int] = frozenset()
) -> list[NameMatch]:
    """The players a list of names means, in its order; unknown names become members without an account.

    A name means somebody of this club however it is capitalised, accented and spaced, by an alias too; those who are in
    it go before those who left. At the places in `namesakes` (from 0) it means somebody new of the same name.
    The number of queries does not depend on the length of the list.
    Refused (and nothing added): `name_missing`, `name_too_long`, `too_many_names`.
    """
    wanted = _tidy(names)
    lock_club(club)
    people = _People(club)
    unknown = {
        fold(name): name
        for place, name in reversed(list(enumerate(wanted)))
        if place not in namesakes and not people.called(name)
    }
    added = _add(club, [*reversed(unknown.values()), *(wanted[place] for place in sorted(namesakes))], by)
    others = dict(zip(sorted(namesakes), added[len(unknown) :], strict=True))
    found = _look_up(wanted, people, {fold(player.name): player for player in added[: len(unknown)]}, others)
    _bring_back(club, [one.player for one in found if one.player and one.how == How.RETURNED], by)
    return found


def find_players(*, club: Club, names: Iterable[str]) -> list[NameMatch]:
    """What `find_or_add_players` would make of a list, and nothing done; who would be added has no player yet.

    Refused: as there.
    """
    return _look_up(_tidy(names), _People(club), {}, {})


def _tidy(names: Iterable[str]) -> list[str]:
    wanted = [clean_name(name) for name in names]
    if len(wanted) > MOST_NAMES:
        raise Refused("too_many_names", most=MOST_NAMES, count=len(wanted))
    return wanted


def _look_up(
    wanted: Iterable[str], people: "_People", added: Mapping[str, Player], namesakes: Mapping[int, Player]
) -> list[NameMatch]:
    found: list[NameMatch] = []
    seen: set[str] = set()
    for place, name in enumerate(wanted):
        if place in namesakes:
            found.append(NameMatch(name, How.ADDED, namesakes[place]))
            continue
        unknown = fold(name) in added or not people.called(name)
        one = NameMatch(name, How.ADDED, added.get(fold(name))) if unknown else people.look_up(name)
        if one.how != How.AMBIGUOUS:
            who = str(one.player.pk) if one.player else fold(name)
            one = replace(one, repeated=who in seen)
            seen.add(who)
        found.append(one)
    return found


class _People:
    """Everybody who is or was in a club, by each of his names; the merged under the one who stands for them."""

    def __init__(self, club: Club) -> None:
        rows = list(Membership.objects.filter(club=club).select_related("player__merged_into").order_by("pk"))
        self._here = {canonical(row.player).pk for row in rows if row.left_at is None}
        self._by_name: defaultdict[str, dict[int, Player]] = defaultdict(dict)
        by_id = {}
        for row in rows:
            by_id[row.player_id] = who = canonical(row.player)
            self._enter(row.player.name, who)
            self._enter(who.name, who)
        aliases = Alias.objects.filter(player__memberships__club=club)
        for player_id, name in aliases.values_list("player_id", "name").distinct():
            self._enter(name, by_id[player_id])

    def _enter(self, name: str, player: Player) -> None:
        if player.erased_at is None:
            self._by_name[fold(name)][player.pk] = player

    def called(self, name: str) -> list[Player]:
        """Who has this name; those who left only where nobody here has it."""
        everybody = list(self._by_name.get(fold(name), {}).values())
        return [player for player in everybody if player.pk in self._here] or everybody

    def look_up(self, name: str) -> NameMatch:
        """What a known name means."""
        candidates = self.called(name)
        if len(candidates) > 1:
            return NameMatch(name, How.AMBIGUOUS, candidates=candidates)
        player = candidates[0]
        return NameMatch(name, How.FOUND if player.pk in self._here else How.RETURNED, player)


def _add(club: Club, names: Sequence[str], by: Actor) -> list[Player]:
    """New players and members, in the order of their names; one line in the log for all."""
    if not names:
        return []
    players = Player.objects.bulk_create([Player(name=name) for name in names])
    Membership.objects.bulk_create([Membership(club=club, player=player) for player in players])
    log(by, "members_added", club_topic(club), club=club, players=[player.public_id for player in players])
    return players


def _bring_back(club: Club, players: Sequence[Player], by: Actor) -> None:
    if not players:
        return
    # Somebody known here only under the name of one merged into him has no membership of his own yet.
    Membership.objects.bulk_create([Membership(club=club, player=player) for player in players], ignore_conflicts=True)
    Membership.objects.filter(club=club, player__in=players).update(left_at=None)
    ids = sorted({player.public_id for player in players})
    log(by, "members_returned", club_topic(club), club=club, players=ids)
