"""Entering players by name, one or a whole list, with a preview of who each name means."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor
from players.clubs.lists import NEW_PLAYER, Choices, ListedName, chosen_player, chosen_players, preview_list
from players.models import Player
from players.people.rows import canonical
from players.people.services import UNCLEAR, NameMatch, NameOutcome, find_players
from tournaments.entries import check_in
from tournaments.entries.late import LatePreview, enter_late, preview_late
from tournaments.entries.services import enter
from tournaments.models import CheckIn, Division, Entry


@dataclass(frozen=True, slots=True)
class ListResult:
    entries: list[Entry]
    left_out: list[str]
    """Names without a new entry: the player is already in, or it is unclear who is meant and nobody was chosen."""


def preview(*, division: Division, names: Sequence[str]) -> list[ListedName]:
    """Return the players that each name matches; nothing is written. Refused: `name_too_long`, `too_many_names`."""
    entered = _unavailable_players(division)
    return [
        replace(line, entered=line.match.player is not None and line.match.player.pk in entered)
        for line in preview_list(club=division.tournament.club, names=names)
    ]


def preview_late_list(*, division: Division, names: Sequence[str], choices: Choices, now: datetime) -> LatePreview:
    """Preview `enter_list` in a running division. Refused: as `enter_list`."""
    kept = [(place, name) for place, name in enumerate(names) if choices.get(place) != ""]
    matches = find_players(club=division.tournament.club, names=[name for _, name in kept], near=True)
    seen = _unavailable_players(division)
    players: list[Player | str] = []
    for (place, name), match in zip(kept, matches, strict=True):
        choice = choices.get(place)
        player = None if choice == NEW_PLAYER else chosen_player(division.tournament.club, match, choice)
        if player is not None and player.pk not in seen:
            players.append(player)
            seen.add(player.pk)
        elif choice == NEW_PLAYER or (match.how == NameOutcome.ADDED and not match.repeated):
            players.append(name)
    return preview_late(division=division, players=players, now=now)


def preview_late_name(*, division: Division, name: str, player: str, now: datetime) -> LatePreview:
    """Preview `enter_name` in a running division. Refused: as `enter_name`."""
    _match_name(division, name, player)
    return preview_late_list(division=division, names=[name], choices={0: player} if player else {}, now=now)


def enter_list(
    *,
    division: Division,
    names: Sequence[str],
    choices: Choices,
    by: Actor,
    now: datetime,
    after: int | None = None,
    past_waiting: bool = False,
) -> ListResult:
    """Enter the players of a list; unknown names become members of the club.

    Players who are already in are skipped, so sending a list twice enters nobody twice. `after` is the division's
    `seq` from the preview of late entries, `past_waiting` as in `enter_late`.
    Refused: `choose_a_player` if a choice does not match its name, `name_too_long`, `too_many_names`, and what `enter`
    or `enter_late` refuses.
    """
    with transaction.atomic():
        matches = chosen_players(club=division.tournament.club, names=names, choices=choices, by=by)
        entered = _unavailable_players(division)
        players: dict[int, Player] = {}
        left_out = []
        for match in matches:
            if match.player is None or match.player.pk in entered or match.player.pk in players:
                left_out.append(match.name)
            else:
                players[match.player.pk] = match.player
        acting: Any = {"division": division, "players": list(players.values()), "by": by, "now": now}
        if not players:
            return ListResult([], left_out)
        if division.status == Division.Status.RUNNING:
            return ListResult(enter_late(**acting, after=after, past_waiting=past_waiting), left_out)
        return ListResult(enter(**acting), left_out)


def enter_name(
    *,
    division: Division,
    name: str,
    player: str,
    by: Actor,
    now: datetime,
    after: int | None = None,
    here: bool = False,
    past_waiting: bool = False,
) -> Entry:
    """Enter one player by name and, with `here`, check them in, also on the waiting list, for their turn.

    `player` is a public id or NEW_PLAYER. It is needed if several members match the name, one with another spelling,
    or if it may be part of a member's name, so that a director looks at the matches before anybody is entered.
    Refused: `name_ambiguous`, `name_of_member` and `name_partial` (with `candidates`, public ids and names),
    `already_entered`, and what `enter_list` refuses.
    """
    match = _match_name(division, name, player)
    choices = {0: player} if player else {}
    with transaction.atomic():
        listed: Any = {"names": [name], "choices": choices, "after": after, "past_waiting": past_waiting}
        result = enter_list(division=division, **listed, by=by, now=now)
        if not result.entries:
            raise Refused("already_entered", name=match.name)
        entry = result.entries[0]
        if here:
            entry = check_in.mark(entry=entry, state=CheckIn.State.HERE, by=by, now=now)
    return entry


def find_or_add_player(*, division: Division, name: str, player: str, by: Actor) -> Player:
    """Return the player that a name refers to, and who can be entered; an unknown name becomes a member of the club.

    `player` and what is refused: as `enter_name`.
    """
    _match_name(division, name, player)
    club, choices = division.tournament.club, {0: player} if player else {}
    [chosen] = (match.player for match in chosen_players(club=club, names=[name], choices=choices, by=by))
    if chosen is None:
        raise Refused("choose_a_player")
    if chosen.pk in _unavailable_players(division):
        raise Refused("already_entered", name=chosen.name)
    return chosen


def _match_name(division: Division, name: str, player: str) -> NameMatch:
    """Return the player a name matches. Refused: `already_entered`, and as `_refuse_unclear`."""
    match = find_players(club=division.tournament.club, names=[name], near=True)[0]
    if player != NEW_PLAYER:
        if match.player is not None and match.player.pk in _unavailable_players(division):
            raise Refused("already_entered", name=match.player.name)
        if not player:
            _refuse_unclear(match)
    return match


def _refuse_unclear(match: NameMatch) -> None:
    """Refused: `name_ambiguous`, `name_partial`, `name_of_member`."""
    if match.how in UNCLEAR:
        candidates = [[player.public_id, player.name] for player in match.candidates]
        if match.how == NameOutcome.AMBIGUOUS:
            raise Refused("name_ambiguous", name=match.name, candidates=candidates)
        raise Refused("name_partial", name=match.name, member=match.candidates[0].name, candidates=candidates)
    if match.respelled and match.player is not None:
        candidates = [[match.player.public_id, match.player.name]]
        raise Refused("name_of_member", name=match.name, member=match.player.name, candidates=candidates)


def _unavailable_players(division: Division) -> set[int]:
    """Return the ids of players who cannot be entered; in a running division those on the waiting list can."""
    rows = division.entries.exclude(status=Entry.Status.OUT)
    if division.status == Division.Status.RUNNING:
        rows = rows.exclude(status=Entry.Status.WAITING)
    return {canonical(entry.player).pk for entry in rows.select_related("player__merged_into")}
