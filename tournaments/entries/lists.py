"""Entering players by name, one or a whole list, with a preview of who each name means."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import accumulate, chain, islice
from typing import Any

from django.db import transaction

from core.people_lists import ListedPerson, split_names
from engine.errors import Refused
from players.actors import Actor
from players.clubs.lists import (
    NEW_PLAYER,
    Choices,
    LeftOut,
    ListedName,
    chosen_player,
    chosen_players,
    preview_list,
    refuse_left_out,
)
from players.models import Club, Player
from players.models.people import pair_name
from players.people.rows import PersonId
from players.people.services import UNCLEAR, NameMatch, NameOutcome, find_players
from tournaments.entries import check_in
from tournaments.entries.forms import field_form
from tournaments.entries.late import LatePreview, enter_late, preview_late
from tournaments.entries.services import Places, Side, enter, places_of, refuse_kind, refuse_placed, set_fields
from tournaments.models import CheckIn, Division, Entry


@dataclass(frozen=True, slots=True)
class ListResult:
    entries: list[Entry]
    left_out: list[LeftOut]
    """Lines without a new entry: somebody is already in, or it is unclear who is meant and nobody was chosen."""


def preview(*, division: Division, people: Sequence[ListedPerson]) -> list[ListedName]:
    """Return the players that each name matches, of a pair one after the other; nothing is written.

    Refused: `name_too_long`, `too_many_names`, `partner_missing`, `pair_unclear`, `list_unclear`.
    """
    entered = _unavailable(division)
    lines = [names_in(division, person.name) for person in people]
    partners = chain(*(line[::-1] if len(line) > 1 else [""] for line in lines))
    rows = [replace(person, name=name) for person, line in zip(people, lines, strict=True) for name in line]
    listed = preview_list(club=division.tournament.club, people=rows)
    return [
        replace(
            line,
            beside=[*line.beside, *_fields(row).values()],
            entered=line.match.player is not None and line.match.player.pk in entered,
            partner=partner,
        )
        for line, partner, row in zip(listed, partners, rows, strict=True)
    ]


def _fields(person: ListedPerson) -> dict[str, str]:
    """Return what a row says for the fields of an entry. Refused: `list_unclear` if their forms do not take it."""
    fields = person.fields(Entry.FIELDS)
    if not all(field_form(name)({name: text}).is_valid() for name, text in fields.items()):
        raise Refused("list_unclear", row=person.row, text=person.text, rows=[[person.row, person.text]])
    return fields


def names_in(division: Division, line: str, partner: str = "") -> list[str]:
    """Return the name of the person, or both names of the pair, that a line means in a division.

    Refused: `partner_missing`, `pairs_not_taken`, `pair_unclear`.
    """
    if division.sides == Division.Sides.ONE and not partner:
        return [line]
    names = [line, partner] if partner else split_names(line)
    if names is None:
        raise Refused("pair_unclear", text=line)
    refuse_kind(division, is_pair=len(names) > 1, name=names[0])
    return names


@dataclass(frozen=True, slots=True)
class LineOfNames:
    """Who plays as one side: one or two names, and the choices of a director for each of them."""

    names: Sequence[str]
    choices: Sequence[str | None]
    place: int = 0
    """That of the first name, among the names of all lines."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What is written about their entry."""

    @property
    def is_left_out(self) -> bool:
        """Whether one of them is, so that the other has nobody to play with."""
        return "" in self.choices


def _lines(division: Division, people: Sequence[ListedPerson], choices: Choices) -> list[LineOfNames]:
    """Return the lines that are not left out; choices count the names in them. Refused: as `names_in`."""
    names = [names_in(division, person.name) for person in people]
    places = accumulate(map(len, names), initial=0)
    lines = [
        LineOfNames(line, [choices.get(place + at) for at in range(len(line))], place, _fields(person))
        for person, line, place in zip(people, names, places, strict=False)
    ]
    return [line for line in lines if not line.is_left_out]


def _by_line(lines: Sequence[LineOfNames], matches: Iterable[NameMatch]) -> list[list[NameMatch]]:
    each = iter(matches)
    return [list(islice(each, len(line.names))) for line in lines]


def _chosen(division: Division, lines: Sequence[LineOfNames], by: Actor) -> list[list[NameMatch]]:
    """Return whom the names in each line mean; unknown ones become members. Refused: as `chosen_players`."""
    names = [name for line in lines for name in line.names]
    choices = {at: choice for at, choice in enumerate(chain(*(line.choices for line in lines))) if choice is not None}
    return _by_line(lines, chosen_players(club=division.tournament.club, names=names, choices=choices, by=by))


def preview_late_list(
    *, division: Division, people: Sequence[ListedPerson], choices: Choices, now: datetime
) -> LatePreview:
    """Preview `enter_list` in a running division. Refused: as `enter_list`."""
    return _preview_late(division, _lines(division, people, choices), now)


def _preview_late(division: Division, lines: Sequence[LineOfNames], now: datetime) -> LatePreview:
    club = division.tournament.club
    matches = find_players(club=club, names=[name for line in lines for name in line.names], near=True)
    seen: set[int] = set(_unavailable(division))
    sides: list[tuple[Player | str, ...]] = []
    for line, meant in zip(lines, _by_line(lines, matches), strict=True):
        named = [_person(club, match, choice) for match, choice in zip(meant, line.choices, strict=True)]
        people = tuple(person for person in named if person is not None)
        known = {person.pk for person in people if isinstance(person, Player)}
        if len(people) == len(named) and not known & seen:
            sides.append(people)
            seen |= known
    return preview_late(division=division, players=sides, now=now)


def _person(club: Club, match: NameMatch, choice: str | None) -> Player | str | None:
    """Return whom a name means, the name itself for a new player, or None if that is unclear or was said before."""
    player = None if choice == NEW_PLAYER else chosen_player(club, match, choice)
    is_new = choice == NEW_PLAYER or (match.how == NameOutcome.ADDED and not match.repeated)
    return player or (match.name if is_new else None)


def preview_late_name(
    *, division: Division, name: str, player: str, now: datetime, partner: str = "", partner_player: str = ""
) -> LatePreview:
    """Preview `enter_name` in a running division. Refused: as `enter_name`."""
    line = line_of(division, name, partner, player, partner_player)
    _refuse_unfit(division, line)
    return _preview_late(division, [line], now)


def enter_list(
    *,
    division: Division,
    people: Sequence[ListedPerson],
    choices: Choices,
    by: Actor,
    now: datetime,
    after: int | None = None,
    past_waiting: bool = False,
    team: str = "",
    partial: bool = True,
) -> ListResult:
    """Enter the people of a list, in each row one or a pair, with their fields; unknown names become members.

    They are members of a `team` if one is named.

    Those who are already in are skipped, so sending a list twice enters nobody twice. `after` is the division's
    `seq` from the preview of late entries, `past_waiting` as in `enter_late`. `choices` count the names in all lines;
    with one of a pair, the other is left out. Without `partial` nobody is entered if somebody would be left out who is
    not in already.
    Refused: `list_left_out`, `choose_a_player` if a choice does not match its name, `name_too_long`, `too_many_names`,
    and what `names_in`, `enter` or `enter_late` refuses.
    """
    lines = _lines(division, people, choices)
    with transaction.atomic():
        places = _unavailable(division)
        seen: set[int] = set(places)
        sides: list[Side] = []
        fields: list[dict[str, str]] = []
        left_out = []
        for line, meant in zip(lines, _chosen(division, lines, by), strict=True):
            players = [match.player for match in meant if match.player is not None]
            persons = {player.pk for player in players}
            if len(players) < len(meant) or persons & seen:
                left_out.append(_left_out(line, meant, places))
            else:
                sides.append(_side(players))
                fields.append({**({"team": team} if team else {}), **line.fields})
                seen |= persons
        if not partial:
            refuse_left_out([each for each in left_out if each.why != "entered"])
        entries = _let_in(division, sides, after, by, now, past_waiting=past_waiting)
        for entry, written in zip(entries, fields, strict=True):
            if written:
                set_fields(entry=entry, fields=written, by=by)
        return ListResult(entries, left_out)


def _left_out(line: LineOfNames, meant: Sequence[NameMatch], places: Places) -> LeftOut:
    """Return why a line has no new entry."""
    name = _joined([match.name for match in meant])
    for at, match in enumerate(meant):
        if match.player is None or match.repeated:
            return LeftOut(name, str(match.how) if match.player is None else "repeated", line.place + at, match)
    sides = [places.get(PersonId(match.player.pk)) for match in meant if match.player is not None]
    rows = {side[0].pk if side else None for side in sides}
    if not any(rows):
        return LeftOut(name, "repeated", line.place)
    is_same = len(rows) == 1 and all(side and (side[0].parts is None) == (len(meant) == 1) for side in sides)
    return LeftOut(name, "entered" if is_same else "in_pair", line.place)


def _side(people: Sequence[Player]) -> Side:
    return people[0] if len(people) == 1 else (people[0], people[1])


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else pair_name(names)


def _let_in(
    division: Division, sides: Sequence[Side], after: int | None, by: Actor, now: datetime, *, past_waiting: bool
) -> list[Entry]:
    if not sides:
        return []
    acting: Any = {"division": division, "players": sides, "by": by, "now": now}
    if division.status == Division.Status.RUNNING:
        return enter_late(**acting, after=after, past_waiting=past_waiting)
    return enter(**acting)


def enter_name(
    *,
    division: Division,
    name: str,
    player: str,
    by: Actor,
    now: datetime,
    partner: str = "",
    partner_player: str = "",
    after: int | None = None,
    here: bool = False,
    past_waiting: bool = False,
) -> Entry:
    """Enter one player, or a pair, by name and, with `here`, check them in, also on the waiting list, for their turn.

    A pair is both names in a line, or a name and that of the `partner`. `player`, and `partner_player` of the second,
    are public ids or NEW_PLAYER. They are needed if several members match the name, one with another spelling,
    or if it may be part of a member's name, so that a director looks at the matches before anybody is entered.
    Refused: `name_ambiguous`, `name_of_member` and `name_partial` (with `candidates`, public ids and names, and
    `asks`, the argument that answers it), `already_entered`, `already_in_pair`, `partner_same`, and what `enter_list`
    refuses.
    """
    line = line_of(division, name, partner, player, partner_player)
    with transaction.atomic():
        side = find_or_add_side(division=division, line=line, by=by)
        [entry] = _let_in(division, [side], after, by, now, past_waiting=past_waiting)
        if here:
            entry = check_in.mark(entry=entry, state=CheckIn.State.HERE, by=by, now=now)
    return entry


def line_of(division: Division, name: str, partner: str, player: str, partner_player: str) -> LineOfNames:
    """Return the line that is typed for one person or a pair. Refused: as `names_in`."""
    names = names_in(division, name, partner)
    return LineOfNames(names, [choice or None for choice in (player, partner_player)][: len(names)])


def find_or_add_side(*, division: Division, line: LineOfNames, by: Actor, leaving: Entry | None = None) -> Side:
    """Return who is meant by a line, and can be entered once `leaving` is out; unknown names become members.

    Refused: as `enter_name`.
    """
    return _side(_find_or_add(division, line, by, leaving))


def find_or_add_player(*, division: Division, name: str, player: str, by: Actor) -> Player:
    """Return who is meant by a name in a division of single players. Refused: as `enter_name`."""
    [person] = _find_or_add(division, LineOfNames([name], [player or None]), by)
    return person


def _find_or_add(division: Division, line: LineOfNames, by: Actor, leaving: Entry | None = None) -> list[Player]:
    _refuse_unfit(division, line, leaving)
    [meant] = _chosen(division, [line], by)
    people = [match.player for match in meant if match.player is not None]
    if len(people) < len(meant):
        raise Refused("choose_a_player")
    return people


def _refuse_unfit(division: Division, line: LineOfNames, leaving: Entry | None = None) -> None:
    """Refuse a line of which it is not clear whom it means, or with people who are in already.

    Refused: `partner_same`, `already_entered`, `already_in_pair`, and as `_refuse_unclear`.
    """
    entered = _unavailable(division, leaving)
    matches = find_players(club=division.tournament.club, names=line.names, near=True)
    for at, (match, choice) in enumerate(zip(matches, line.choices, strict=True)):
        if choice == NEW_PLAYER:
            continue
        if match.repeated and match.how != NameOutcome.PARTIAL:
            raise Refused("partner_same", name=match.name)
        if match.player is not None:
            refuse_placed(entered, [PersonId(match.player.pk)])
        if choice is None:
            _refuse_unclear(match, "partner_player" if at else "player")


def _refuse_unclear(match: NameMatch, field: str) -> None:
    """Refused, with `asks` as the field that answers it: `name_ambiguous`, `name_partial`, `name_of_member`."""
    asked = {"name": match.name, "asks": field}
    if match.how in UNCLEAR:
        candidates = [[player.public_id, player.name] for player in match.candidates]
        if match.how == NameOutcome.AMBIGUOUS:
            raise Refused("name_ambiguous", **asked, candidates=candidates)
        member = match.candidates[0].name if match.candidates else match.alike
        raise Refused("name_partial", **asked, member=member, candidates=candidates)
    if match.respelled and match.player is not None:
        candidates = [[match.player.public_id, match.player.name]]
        raise Refused("name_of_member", **asked, member=match.player.name, candidates=candidates)


def _unavailable(division: Division, leaving: Entry | None = None) -> Places:
    """Return the people who cannot be entered; in a running division those on the waiting list can."""
    rows = division.entries.exclude(status=Entry.Status.OUT)
    if division.status == Division.Status.RUNNING:
        rows = rows.exclude(status=Entry.Status.WAITING)
    return places_of(rows.exclude(pk=leaving.pk) if leaving is not None else rows)
