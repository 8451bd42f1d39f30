"""The mark that a bracket shows for a match in play."""

import pytest

from matches.models import Match
from tests.tournaments.conftest import NOW
from tournaments.standings.selectors import brackets


@pytest.mark.parametrize(
    ("match", "mark"),
    [
        (Match(), ""),
        (Match(begun_at=NOW), "live"),
        (Match(state=Match.State.LIVE), "live"),
        (Match(state=Match.State.CLAIMED, begun_at=NOW), "claimed"),
        (Match(state=Match.State.SETTLED, begun_at=NOW), ""),
    ],
)
def test_a_match_in_play_is_marked(match: Match, mark: str) -> None:
    assert brackets.mark_of(match) == mark
