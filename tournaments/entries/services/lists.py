"""Entering many at once: a list of names becomes entries, and nobody is entered twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor
from players.models import Player
from players.people.canonical import canonical
from players.people.services import How, NameMatch, find_or_add_players, find_players
from tournaments.entries.services.entries import enter
from tournaments.entries.services.late import enter_late
from tournaments.entries.services.late_previews import LatePreview, preview_late
from tournaments.models import Division, Entry

SOMEBODY_ELSE = "new"
"""Instead of a public id: nobody who is known here, but somebody new of that name."""
Choices = Mapping[int, str]
"""Place in the list -> public id of the player meant, or SOMEBODY_ELSE; an empty one means: leave this name out."""


@dataclass(frozen=True, slots=True)
class Line:
    """One name of a list before anything is done."""

    place: int
    found: NameMatch
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

    @property
    def asks(self) -> bool:
        """Whether somebody should look at who is meant: several members, or one who is spelled differently."""
        return self.what == "ambiguous" or (self.what in ("member", "returned") and self.found.respelled)

    @property
    def candidates(self) -> Sequence[Player]:
        """Whom the name may mean."""
        return self.found.candidates or ([self.found.player] if self.found.player else [])


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


def preview_late_list(*, division: Division, names: Sequence[str], choices: Choices, now: datetime) -> LatePreview:
    """What `enter_list` would do in a division that is being played; nothing is written. Refused: as there."""
    kept = [(place, name) for place, name in enumerate(names) if choices.get(place) != ""]
    found = find_players(club=division.tournament.club, names=[name for _, name in kept])
    seen = _entered(division)
    players: list[Player | str] = []
    for (place, name), one in zip(kept, found, strict=True):
        choice = choices.get(place)
        player = None if choice == SOMEBODY_ELSE else _meant(one, choice)
        if player is not None and player.pk not in seen:
            players.append(player)
            seen.add(player.pk)
        elif choice == SOMEBODY_ELSE or (one.how == How.ADDED and not one.repeated):
            players.append(name)
    return preview_late(division=division, players=players, now=now)


def preview_late_name(*, division: Division, name: str, player: str, now: datetime) -> LatePreview:
    """What `enter_name` would do in a division that is being played; nothing is written. Refused: as there."""
    _find_one(division, name, player)
    return preview_late_list(division=division, names=[name], choices={0: player} if player else {}, now=now)


def enter_list(
    *,
    division: Division,
    names: Sequence[str],
    choices: Choices,
    by: Actor,
    now: datetime,
    after: int | None = None,
) -> Entered:
    """Enters everybody a list names; members are found, others become members.

    Whoever is in already is passed over, so that the same list sent twice enters nobody twice. `after` is the
    division's `seq` that was seen with the preview of late entries.
    Refused: `choose_a_player` where a choice is nobody of that name, `name_too_long`, `too_many_names`, and what
    `enter` or `enter_late` refuses.
    """
    kept = [(place, name) for place, name in enumerate(names) if choices.get(place) != ""]
    namesakes = [at for at, (place, _) in enumerate(kept) if choices.get(place) == SOMEBODY_ELSE]
    with transaction.atomic():
        found = find_or_add_players(
            club=division.tournament.club, names=[name for _, name in kept], by=by, namesakes=namesakes
        )
        entered = _entered(division)
        players: dict[int, Player] = {}
        left_out = []
        for (place, name), one in zip(kept, found, strict=True):
            player = _meant(one, choices.get(place))
            if player is None or player.pk in entered or player.pk in players:
                left_out.append(name)
            else:
                players[player.pk] = player
        return Entered(_enter(division, list(players.values()), by, now, after), left_out)


def _enter(division: Division, players: Sequence[Player], by: Actor, now: datetime, after: int | None) -> list[Entry]:
    if not players:
        return []
    if division.status == Division.Status.RUNNING:
        return enter_late(division=division, players=players, by=by, now=now, after=after)
    return enter(division=division, players=players, by=by, now=now)


def enter_name(
    *, division: Division, name: str, player: str, by: Actor, now: datetime, after: int | None = None
) -> Entry:
    """Enters one person by name.

    `player` is the public id of the one meant, or SOMEBODY_ELSE, where several are called so or the member who is
    found is spelled differently: a name is not joined to a member before somebody has seen which one.
    Refused: `name_ambiguous` and `name_of_member` (with `candidates`, public ids and names), `already_entered`, and
    as `enter_list`.
    """
    one = _find_one(division, name, player)
    choices = {0: player} if player else {}
    made = enter_list(division=division, names=[name], choices=choices, by=by, now=now, after=after)
    if not made.entries:
        raise Refused("already_entered", name=one.name)
    return made.entries[0]


def _find_one(division: Division, name: str, player: str) -> NameMatch:
    """Whom a name means, if that is clear. Refused: `already_entered`, and as `_refuse_unclear`."""
    one = find_players(club=division.tournament.club, names=[name])[0]
    if player != SOMEBODY_ELSE:
        if one.player is not None and one.player.pk in _entered(division):
            raise Refused("already_entered", name=one.player.name)
        if not player:
            _refuse_unclear(one)
    return one


def _refuse_unclear(one: NameMatch) -> None:
    if one.how == How.AMBIGUOUS:
        raise Refused("name_ambiguous", name=one.name, candidates=[[who.public_id, who.name] for who in one.candidates])
    if one.respelled and one.player is not None:
        candidates = [[one.player.public_id, one.player.name]]
        raise Refused("name_of_member", name=one.name, member=one.player.name, candidates=candidates)


def _entered(division: Division) -> set[int]:
    """Who cannot be entered again, as the players who stand for them; while it is played, whoever waits can."""
    rows = division.entries.exclude(status=Entry.Status.OUT)
    if division.status == Division.Status.RUNNING:
        rows = rows.exclude(status=Entry.Status.WAITING)
    return {canonical(entry.player).pk for entry in rows.select_related("player__merged_into")}


def _meant(one: NameMatch, choice: str | None) -> Player | None:
    """Who is to be entered for a name; None where several are called so and none was chosen."""
    if choice is None or choice == SOMEBODY_ELSE:
        return one.player
    known = (*one.candidates, *([one.player] if one.player else []))
    chosen = next((player for player in known if player.public_id == choice), None)
    if chosen is None:
        raise Refused("choose_a_player")
    return chosen
