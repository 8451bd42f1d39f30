"""Lists of names: finding the members they refer to and adding the others."""

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
"""The entries of the largest draw."""


class How(StrEnum):
    """The outcome for a name."""

    FOUND = "found"
    RETURNED = "returned"
    """The name of a former member, who is a member again."""
    ADDED = "added"
    AMBIGUOUS = "ambiguous"
    """Several members have this name; nothing was done."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name of the list and the player it refers to; if it is ambiguous, the players it may refer to."""

    name: str
    how: How
    player: Player | None = None
    candidates: Sequence[Player] = field(default_factory=tuple)
    repeated: bool = False
    """Whether the list named the same player before."""

    @property
    def respelled(self) -> bool:
        """Whether the player is known by another spelling."""
        return self.how in (How.FOUND, How.RETURNED) and self.player is not None and self.player.name != self.name


@transaction.atomic
def find_or_add_players(
    *, club: Club, names: Iterable[str], by: Actor, namesakes: Collection[int] = frozenset()
) -> list[NameMatch]:
    """Return the players a list of names refers to, in its order, and add unknown names as members without an account.

    A name matches a member by name or alias, whatever its case, accents and spaces; current members come before former
    ones. At the indices in `namesakes` it means a new player with the same name.
    The number of queries does not depend on the length of the list.
    Refused (and nothing is added): `name_missing`, `name_too_long`, `too_many_names`.
    """
    clean_names = _tidy(names)
    lock_club(club)
    people = _People(club)
    unknown = {
        fold(name): name
        for place, name in reversed(list(enumerate(clean_names)))
        if place not in namesakes and not people.called(name)
    }
    added = _add(club, [*reversed(unknown.values()), *(clean_names[place] for place in sorted(namesakes))], by)
    others = dict(zip(sorted(namesakes), added[len(unknown) :], strict=True))
    matches = _look_up(clean_names, people, {fold(player.name): player for player in added[: len(unknown)]}, others)
    _bring_back(club, [match.player for match in matches if match.player and match.how == How.RETURNED], by)
    return matches


def find_players(*, club: Club, names: Iterable[str]) -> list[NameMatch]:
    """Return what `find_or_add_players` would, but change nothing; names to be added have no player yet.

    Refused: as there.
    """
    return _look_up(_tidy(names), _People(club), {}, {})


def _tidy(names: Iterable[str]) -> list[str]:
    typed_names = list(names)
    if len(typed_names) > MOST_NAMES:
        raise Refused("too_many_names", most=MOST_NAMES, count=len(typed_names))
    return [clean_name(name) for name in typed_names]


def _look_up(
    names: Iterable[str], people: "_People", added: Mapping[str, Player], namesakes: Mapping[int, Player]
) -> list[NameMatch]:
    matches: list[NameMatch] = []
    seen: set[str] = set()
    for place, name in enumerate(names):
        if place in namesakes:
            matches.append(NameMatch(name, How.ADDED, namesakes[place]))
            continue
        unknown = fold(name) in added or not people.called(name)
        match = NameMatch(name, How.ADDED, added.get(fold(name))) if unknown else people.look_up(name)
        if match.how != How.AMBIGUOUS:
            who = str(match.player.pk) if match.player else fold(name)
            match = replace(match, repeated=who in seen)
            seen.add(who)
        matches.append(match)
    return matches


class _People:
    """The current and former members of a club by name and alias; merged players as the one they were merged into."""

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
        """Return the players with this name; former members only if no current member has it."""
        everybody = list(self._by_name.get(fold(name), {}).values())
        return [player for player in everybody if player.pk in self._here] or everybody

    def look_up(self, name: str) -> NameMatch:
        """Return the match for a known name."""
        candidates = self.called(name)
        if len(candidates) > 1:
            return NameMatch(name, How.AMBIGUOUS, candidates=candidates)
        player = candidates[0]
        return NameMatch(name, How.FOUND if player.pk in self._here else How.RETURNED, player)


def _add(club: Club, names: Sequence[str], by: Actor) -> list[Player]:
    """Add players and members in the order of the names, with one log entry for all."""
    if not names:
        return []
    players = Player.objects.bulk_create([Player(name=name) for name in names])
    Membership.objects.bulk_create([Membership(club=club, player=player) for player in players])
    log(by, "members_added", club_topic(club), club=club, players=[player.public_id for player in players])
    return players


def _bring_back(club: Club, players: Sequence[Player], by: Actor) -> None:
    if not players:
        return
    # A player who is a member only under the name of a merged player has no membership yet.
    Membership.objects.bulk_create([Membership(club=club, player=player) for player in players], ignore_conflicts=True)
    Membership.objects.filter(club=club, player__in=players).update(left_at=None)
    ids = sorted({player.public_id for player in players})
    log(by, "members_returned", club_topic(club), club=club, players=ids)
