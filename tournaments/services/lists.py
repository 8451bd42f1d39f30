"""Entering many at once: a list of names becomes entries, and nobody is entered twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.errors import Refused
from players.actors import Actor
from players.models import Player
from players.services import Found, How, find_or_add_players, find_players
from tournaments.models import Division, Entry
from tournaments.services.entries import enter
from tournaments.services.late import enter_late

Choices = Mapping[int, str]
"""Place in the list -> public id of the player meant; an empty one means: leave this name out."""


@dataclass(frozen=True, slots=True)
class Line:
    """One name of a list before anything is done."""

    place: int
    found: Found
    entered: bool

    @property
    def what(self) -> str:
        """entered, repeated, ambiguous, member, returned or new."""
        if self.entered:
            return "entered"
        if self.found.repeated:
            return "repeated"
        names = {How.AMBIGUOUS: "ambiguous", How.FOUND: "member", How.RETURNED: "returned", How.ADDED: "new"}
        return names[self.found.how]


@dataclass(frozen=True, slots=True)
class Entered:
    """What became of a list."""

    entries: list[Entry]
    left_out: list[str]
    """Names that nobody was entered for: already in, or several people and no choice."""


def preview(*, division: Division, names: Sequence[str]) -> list[Line]:
    """Who each name means, and nothing done. Refused: `name_too_long`, `too_many_names`."""
    found = find_players(club=division.tournament.club, names=names)
    entered = _entered(division)
    return [Line(place, one, one.player is not None and one.player.pk in entered) for place, one in enumerate(found)]


def enter_list(*, division: Division, names: Sequence[str], choices: Choices, by: Actor, now: datetime) -> Entered:
    """Enters everybody a list names; members are found, others become members.

    Whoever is in already is passed over, so that the same list sent twice enters nobody twice.
    Refused: `name_too_long`, `too_many_names`, and what `enter` or `enter_late` refuses.
    """
    kept = [(place, name) for place, name in enumerate(names) if choices.get(place) != ""]
    found = find_or_add_players(club=division.tournament.club, names=[name for _, name in kept], by=by)
    entered = _entered(division)
    players: dict[int, Player] = {}
    left_out = []
    for (place, name), one in zip(kept, found, strict=True):
        player = one.player or _chosen(one, choices.get(place))
        if player is None or player.pk in entered or player.pk in players:
            left_out.append(name)
        else:
            players[player.pk] = player
    if not players:
        return Entered([], left_out)
    if division.status == Division.Status.RUNNING:
        return Entered(enter_late(division=division, players=players.values(), by=by, now=now), left_out)
    return Entered(enter(division=division, players=players.values(), by=by, now=now), left_out)


def enter_name(*, division: Division, name: str, player: str, by: Actor, now: datetime) -> Entry:
    """Enters one person by name. `player` is the public id of the one meant where several are called so.

    Refused: `name_ambiguous` (with `candidates`, public ids and names), `already_entered`, and as `enter_list`.
    """
    one = find_players(club=division.tournament.club, names=[name])[0]
    if one.how == How.AMBIGUOUS and _chosen(one, player) is None:
        raise Refused("name_ambiguous", name=one.name, candidates=[[who.public_id, who.name] for who in one.candidates])
    if one.player is not None and one.player.pk in _entered(division):
        raise Refused("already_entered", name=one.player.name)
    choices = {0: player} if player else {}
    made = enter_list(division=division, names=[name], choices=choices, by=by, now=now)
    if not made.entries:
        raise Refused("already_entered", name=one.name)
    return made.entries[0]


def _entered(division: Division) -> set[int]:
    """Who cannot be entered again; while it is played, whoever waits can."""
    rows = division.entries.exclude(status=Entry.Status.OUT)
    if division.status == Division.Status.RUNNING:
        rows = rows.exclude(status=Entry.Status.WAITING)
    return set(rows.values_list("player_id", flat=True))


def _chosen(one: Found, public_id: str | None) -> Player | None:
    return next((player for player in one.candidates if player.public_id == public_id), None)
