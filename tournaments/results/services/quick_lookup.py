"""Finding the match of a quick-entry line that names players instead of a match number."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.names import fold
from engine.errors import Refused
from matches.models import Match
from tournaments.models import Division, Fixture, Tournament
from tournaments.results.line_parser import NamedForfeit, NamedScore, sides_of


@dataclass(frozen=True, slots=True)
class NamedFixture:
    """A fixture, and the side whose player the first name of a line matches."""

    fixture: Fixture
    side: int

    @property
    def player(self) -> int:
        """The id of the player that the name matches."""
        return self.match.players[self.side].pk

    @property
    def match(self) -> Match:
        """The match of the fixture."""
        assert self.fixture.match is not None  # noqa: S101, only fixtures with a match are searched
        return self.fixture.match

    @property
    def is_open(self) -> bool:
        """Whether the match has no result yet."""
        return not self.match.is_over


def find_fixture(tournament: Tournament, line: NamedScore | NamedForfeit, division: Division | None) -> NamedFixture:
    """Return the open match that a line names, else the last settled one; matches of `division` take precedence.

    Refused: `line_nobody`, `line_name_ambiguous`, `line_which_match`, `line_again`.
    """
    names = line.names if isinstance(line, NamedScore) else (line.name,)
    candidates = _candidates(tournament, names)
    if division is not None and any(candidate.fixture.stage.division_id == division.pk for candidate in candidates):
        candidates = [candidate for candidate in candidates if candidate.fixture.stage.division_id == division.pk]
    if not candidates:
        raise Refused("line_nobody", name=" – ".join(names))
    players = {candidate.player: candidate.match.players[candidate.side].shown_name for candidate in candidates}
    if len(players) > 1:
        first, second, *_rest = players.values()
        raise Refused("line_name_ambiguous", name=names[0], first=first, second=second)
    waiting = [candidate for candidate in candidates if candidate.is_open]
    settled = sorted(
        (candidate for candidate in candidates if not candidate.is_open),
        key=lambda candidate: (candidate.match.finished_at, candidate.match.pk),
    )
    if len(waiting) > 1:
        numbers = {"first": waiting[0].fixture.number, "second": waiting[1].fixture.number}
        raise Refused("line_which_match", name=names[0], **numbers)
    if not waiting:
        return settled[-1]
    if settled and isinstance(line, NamedScore) and _has_score(settled[-1], line):
        # The same line typed again must not become the result of the next match.
        again = {"fixture": settled[-1].fixture.number, "next": waiting[0].fixture.number}
        raise Refused("line_again", name=names[0], **again)
    return waiting[0]


def _candidates(tournament: Tournament, names: Sequence[str]) -> list[NamedFixture]:
    """Return the matches of players with these names; a full name takes precedence over a part of a name."""
    rows = (
        Fixture.objects.filter(stage__division__tournament=tournament, match__isnull=False)
        .exclude(match__state=Match.State.VOID)
        .select_related("stage__division", "match__player_0", "match__player_1")
        .order_by("number")
    )
    candidates = []
    for row in rows:
        assert row.match is not None  # noqa: S101, filtered above
        players = (row.match.player_0.name, row.match.player_1.name)
        sides = sides_of(names[0], players)
        if len(names) > 1:
            sides = [side for side in sides if 1 - side in sides_of(names[1], players)]
        candidates += [NamedFixture(row, side) for side in sides]
    full = [candidate for candidate in candidates if _is_full_name(names[0], candidate)]
    return full or candidates


def _is_full_name(name: str, candidate: NamedFixture) -> bool:
    """Whether the name is the player's full name."""
    return fold(name) == fold(candidate.match.players[candidate.side].name)


def _has_score(candidate: NamedFixture, line: NamedScore) -> bool:
    """Whether the standing result of a match has the score of the line."""
    standing = candidate.match.results.order_by("-version").first()
    score = line.score if candidate.side == 0 else line.score[::-1]
    return standing is not None and standing.score == score
