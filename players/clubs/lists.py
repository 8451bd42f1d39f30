"""Lists of people whom a club knows or gets to know: whom each name means, and the choices of a director."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from core.people_lists import ListedPerson, as_lines, not_kept
from engine.errors import Refused
from players.access import person_of
from players.actors import Actor
from players.clubs.services import add_player
from players.models import Club, Membership, Player
from players.people.services import UNCLEAR, NameMatch, NameOutcome, find_or_add_players, find_players

NEW_PLAYER = "new"
"""Choice of a new player with that name, in place of a public id."""
Choices = Mapping[int, str]
"""Position in the list -> public id of the chosen player, or NEW_PLAYER; empty to leave the name out."""


@dataclass(frozen=True, slots=True)
class ListedName:
    """A name in a list and the player it matches; `entered` if that player has already entered."""

    place: int
    match: NameMatch
    beside: Sequence[str]
    """What the list says about them that helps to recognise them, or is kept."""
    entered: bool = False
    partner: str = ""
    """With whom they are to play, as a pair."""

    @property
    def status(self) -> str:
        """One of entered, repeated, ambiguous, partial, member, returned or new."""
        if self.entered:
            return "entered"
        if self.match.repeated:
            return "repeated"
        names = {NameOutcome.FOUND: "member", NameOutcome.RETURNED: "returned", NameOutcome.ADDED: "new"}
        return names.get(self.match.how, str(self.match.how))

    @property
    def is_unclear(self) -> bool:
        """Whether it is left out until somebody is chosen: several members match, or it may be another name."""
        return self.status in UNCLEAR

    @property
    def needs_choice(self) -> bool:
        """Whether a director has to choose: it is unclear, or a member has the name in another spelling."""
        return self.is_unclear or (self.status in ("member", "returned") and self.match.respelled)

    @property
    def candidates(self) -> Sequence[Player]:
        return self.match.candidates or ([self.match.player] if self.match.player else [])


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line of a list of which nobody is taken, and why.

    That is `ambiguous`, `partial`, `repeated`, `entered` or `in_pair`, or `unclear` if the line is not understood.
    """

    name: str
    why: str
    place: int | None = None
    """Among the names of the list: that of the choice that is missing."""
    match: NameMatch | None = None


def left_out_data(left_out: LeftOut) -> dict[str, Any]:
    """Return what a program reads about a line."""
    match = left_out.match
    whom = [[player.public_id, player.name] for player in match.candidates] if match else []
    line = {"place": left_out.place, "name": left_out.name, "why": left_out.why}
    return {**line, "alike": match.alike if match else "", "candidates": whom}


def refuse_left_out(left_out: Sequence[LeftOut]) -> None:
    """Refused: `list_left_out` if there are any, with all of them in `rows`."""
    if left_out:
        rows = list(map(left_out_data, left_out))
        raise Refused("list_left_out", count=len(rows), name=left_out[0].name, rows=rows)


def preview_list(*, club: Club, people: Sequence[ListedPerson]) -> list[ListedName]:
    """Return the players that each name matches; nothing is written. Refused: `name_too_long`, `too_many_names`."""
    matches = find_players(club=club, names=[person.name for person in people], near=True)
    rows = zip(people, matches, strict=True)
    return [
        ListedName(at, match, [*filter(None, [person.rating, person.club])]) for at, (person, match) in enumerate(rows)
    ]


def checked(people: Sequence[ListedPerson], lines: Sequence[ListedName], kept: Container[str] = ()) -> dict[str, Any]:
    """Return the context of the page on which a list is checked: its people, and the rows not understood.

    `kept` are the fields that its columns may fill.
    """
    return {
        "names": as_lines(replace(person, cells=person.fields(kept)) for person in people if person.name),
        "lines": lines,
        "unread": [person for person in people if not person.name],
        "not_kept": ", ".join(not_kept(people, kept)),
        "coming": sum(line.is_unclear or line.status in ("member", "returned", "new") for line in lines),
        "new": sum(line.status == "new" for line in lines),
        "ambiguous": sum(line.is_unclear for line in lines),
        "known": sum(line.status in ("entered", "repeated") for line in lines),
    }


def chosen_players(*, club: Club, names: Sequence[str], choices: Choices, by: Actor) -> list[NameMatch]:
    """Return whom the names mean that are not left out; unknown ones become members, unclear ones have no player.

    Refused: `choose_a_player` if a choice does not match its name, and as `preview_list`. 404 as in `person_of`.
    """
    kept = [(place, name) for place, name in enumerate(names) if choices.get(place) != ""]
    namesakes = [at for at, (place, _) in enumerate(kept) if choices.get(place) == NEW_PLAYER]
    listed = [name for _, name in kept]
    matches = find_or_add_players(club=club, names=listed, by=by, namesakes=namesakes, near=True)
    return [
        replace(match, player=chosen_player(club, match, choices.get(place)))
        for (place, _), match in zip(kept, matches, strict=True)
    ]


def chosen_player(club: Club, match: NameMatch, choice: str | None) -> Player | None:
    """Return the player that a name means; None if that is unclear and nobody was chosen. 404 as in `person_of`."""
    if choice is None or choice == NEW_PLAYER:
        return match.player
    known = (*match.candidates, *([match.player] if match.player else []))
    chosen = next((player for player in known if player.public_id == choice), None)
    if chosen is None:
        person_of(club, choice)
        raise Refused("choose_a_player")
    return chosen


@transaction.atomic
def add_list(
    *, club: Club, people: Sequence[ListedPerson], choices: Choices, by: Actor, partial: bool = True
) -> list[NameMatch]:
    """Make the people of a list members; whoever is unclear and was not chosen is left out. Repeating it adds nobody.

    Refused: as `chosen_players` and `add_player`; without `partial`, `list_left_out` for the whole list.
    """
    matches = chosen_players(club=club, names=[person.name for person in people], choices=choices, by=by)
    if not partial:
        places = (place for place in range(len(people)) if choices.get(place) != "")
        seen: set[Player | None] = {None}
        left_out = []
        for place, match in zip(places, matches, strict=True):
            if match.player in seen:
                left_out.append(LeftOut(match.name, "repeated" if match.player else str(match.how), place, match))
            seen.add(match.player)
        refuse_left_out(left_out)
    chosen = {match.player.pk: match.player for match in matches if match.how in UNCLEAR and match.player}
    here = Membership.objects.filter(club=club, player__in=chosen, left_at=None).values_list("player", flat=True)
    for player in (player for pk, player in chosen.items() if pk not in set(here)):
        add_player(club=club, player=player, by=by)
    return matches
