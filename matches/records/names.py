"""Names in match records: matched with the players of a match, and hidden from readers who must not see them."""

from collections.abc import Mapping
from typing import Any

from core.names import NameMask, fold
from matches.access import Visitor, is_insider
from matches.models import Match, Submission
from players.models import Player
from players.people.pairs import load_people
from players.people.rows import canonical

# Matching the two names in a record with the players of its match.


Names = tuple[str, str]


def known_names(match: Match) -> tuple[set[str], set[str]]:
    """All known names of the players of side 0 and side 1, folded."""
    first, second = ({folded for name in names_of(player) if (folded := fold(name))} for player in match.players)
    return first, second


def is_swapped(record: Names, known: tuple[set[str], set[str]]) -> bool | None:
    """Whether the record's left player is side 1; None if the names do not show it.

    One known name is enough, since the other one must be the opponent. Names that fit both ways decide nothing.
    """
    left, right = (fold(name) for name in record)
    straight = (left in known[0]) + (right in known[1])
    swapped = (left in known[1]) + (right in known[0])
    return None if straight == swapped else swapped > straight


def names_of(player: Player) -> set[str]:
    """All names of a player: their own, their account's and their aliases, also those of merged players and a pair."""
    people = {player} | {row for each in _people(player) for row in (each, canonical(each))}
    return {
        name
        for person in people
        for name in [
            person.name,
            *([person.user.display_name] if person.user is not None else []),
            *(alias.name for alias in person.aliases.all()),
        ]
    }


def _people(player: Player) -> list[Player]:
    """Return the player, or both of a pair, as they were entered."""
    load_people([player])
    row = canonical(player)
    return [player] if row.parts is None else [row.pair.first, row.pair.second]


# Hiding names in match records from readers who must not see them.
#
# A record has the names that its sender's program wrote. If a player of the match shows only initials, the names of
# that player are replaced by what others may see: on pages, in the API and in downloads. The players of the match and
# those who run it see the record unchanged.


class Mask(NameMask):
    """Replaces the names in a record that one reader may not see; falsy if there are none."""

    def transcript(self, data: dict[str, Any]) -> dict[str, Any]:
        """Replace hidden names in the texts of a stored transcript; plays are left as they are."""
        return data | {
            "players": self.inside(data["players"]),
            "info": self.inside(data.get("info") or {}),
            "problems": self.inside(data.get("problems") or []),
            "games": [self._game(game) for game in data["games"]],
        }

    def _game(self, game: dict[str, Any]) -> dict[str, Any]:
        events = [
            event | {"extra": self.inside(event["extra"])} if event.get("extra") else event for event in game["events"]
        ]
        return game | {"events": events}

    def verdict(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Replace hidden names in the stored content of a verdict."""
        findings = [{**finding, "params": self.inside(finding["params"])} for finding in content["findings"]]
        return {**content, "players": self.inside(content["players"]), "findings": findings}


OPEN = Mask({})
"""The mask that hides nothing."""


def mask_for(user: Visitor, submission: Submission) -> Mask:
    if submission.match_id is None:
        return OPEN
    match = Match.objects.select_related(
        "club", "player_0__user", "player_1__user", "player_0__merged_into", "player_1__merged_into"
    ).get(pk=submission.match_id)
    hidden = [any(canonical(row).is_hidden for row in _people(player)) for player in match.players]
    if not any(hidden) or is_insider(user, match):
        return OPEN
    return Mask(_replacements(match, submission, (hidden[0], hidden[1])))


def _replacements(match: Match, submission: Submission, hidden: tuple[bool, bool]) -> dict[str, str]:
    replacements = {
        name: person.shown_name
        for player in match.players
        for person in _people(player)
        if canonical(person).is_hidden
        for name in names_of(person)
    }
    names = (submission.transcript or {}).get("players")
    if not names:
        return replacements
    left, right = (" ".join(name.split()) for name in names)
    swapped = submission.swapped
    if swapped is None:
        swapped = is_swapped((left, right), known_names(match))
    if swapped is None:
        # It is unknown which of the two names is the hidden player's, so both are hidden.
        return {**replacements, left: "", right: ""}
    sides = (right, left) if swapped else (left, right)
    for side, name in enumerate(sides):
        if hidden[side]:
            replacements.setdefault(name, canonical(match.players[side]).shown_name)
    return replacements
