"""Which match a line of quick entry means that names its players."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.names import fold
from engine.errors import Refused
from matches.models import Match
from tournaments.models import Division, Fixture, Tournament
from tournaments.results.one_line import NamedForfeit, NamedScore, sides_of


@dataclass(frozen=True, slots=True)
class Named:
    """A match in which the first name of a line stands on this side."""

    fixture: Fixture
    side: int

    @property
    def player(self) -> int:
        """Whom the name means there."""
        return self.match.players[self.side].pk

    @property
    def match(self) -> Match:
        """The match of the fixture."""
        assert self.fixture.match is not None  # noqa: S101, only fixtures with a match are looked at
        return self.fixture.match

    @property
    def is_open(self) -> bool:
        """Whether it waits for a result."""
        return not self.match.is_over


def find(tournament: Tournament, line: NamedScore | NamedForfeit, division: Division | None) -> Named:
    """The open match that a line means, else the last one that is settled; first in the division on the screen.

    Refused: `line_nobody`, `line_name_ambiguous`, `line_which_match`, `line_again`.
    """
    names = line.names if isinstance(line, NamedScore) else (line.name,)
    found = _of_names(tournament, names)
    if division is not None and any(one.fixture.stage.division_id == division.pk for one in found):
        found = [one for one in found if one.fixture.stage.division_id == division.pk]
    if not found:
        raise Refused("line_nobody", name=" – ".join(names))
    players = {one.player: one.match.players[one.side].shown_name for one in found}
    if len(players) > 1:
        first, second, *_rest = players.values()
        raise Refused("line_name_ambiguous", name=names[0], first=first, second=second)
    waiting = [one for one in found if one.is_open]
    settled = sorted((one for one in found if not one.is_open), key=lambda one: (one.match.finished_at, one.match.pk))
    if len(waiting) > 1:
        numbers = {"first": waiting[0].fixture.number, "second": waiting[1].fixture.number}
        raise Refused("line_which_match", name=names[0], **numbers)
    if not waiting:
        return settled[-1]
    if settled and isinstance(line, NamedScore) and _says(settled[-1], line):
        # The same line typed again must not become the result of the next match.
        again = {"fixture": settled[-1].fixture.number, "next": waiting[0].fixture.number}
        raise Refused("line_again", name=names[0], **again)
    return waiting[0]


def _of_names(tournament: Tournament, names: Sequence[str]) -> list[Named]:
    """The matches in which these names stand; where a name is somebody's whole name, only theirs."""
    rows = (
        Fixture.objects.filter(stage__division__tournament=tournament, match__isnull=False)
        .exclude(match__state=Match.State.VOID)
        .select_related("stage__division", "match__player_0", "match__player_1")
        .order_by("number")
    )
    found = []
    for row in rows:
        assert row.match is not None  # noqa: S101, filtered above
        players = (row.match.player_0.name, row.match.player_1.name)
        sides = sides_of(names[0], players)
        if len(names) > 1:
            sides = [side for side in sides if 1 - side in sides_of(names[1], players)]
        found += [Named(row, side) for side in sides]
    whole = [one for one in found if _is_whole(names[0], one)]
    return whole or found


def _is_whole(name: str, one: Named) -> bool:
    """Whether the name is the player's whole name."""
    return fold(name) == fold(one.match.players[one.side].name)


def _says(one: Named, line: NamedScore) -> bool:
    """Whether a settled match stands exactly as the line has it."""
    standing = one.match.results.order_by("-version").first()
    score = line.score if one.side == 0 else line.score[::-1]
    return standing is not None and standing.score == score
