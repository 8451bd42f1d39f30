"""Which resignations a page offers: what can still be lost, is more than was offered before, and makes a difference."""

import pytest

from engine import MatchState, Position
from engine.actions import Act, Phase
from matches.models import LiveMatch
from matches.play.live import LiveEvent, LiveState, after_event
from matches.play.public_state import public_json
from tests.engine.boards import board

BOB, CAROL = 0, 1
BORNE_OFF = board({6: 14}, {24: 15})
"""Bob cannot lose a gammon any more."""
PASSED = board({18: 1, 6: 14}, {19: 2})
"""Bob can lose a gammon, but no backgammon."""


def state_of(score: tuple[int, int] = (0, 0), cube: int = 1, position: Position | None = None) -> LiveState:
    """Bob is to roll in a match to 7 points."""
    match = MatchState.start(7)._replace(
        score=score, turn=BOB, phase=Phase.TO_ROLL, cube=cube, position=position or Position.start()
    )
    return LiveState.start(match, None, 0)


def offered(state: LiveState) -> list[tuple[int, list[int]]]:
    return [(each["multiple"], each["score"]) for each in public_json(LiveMatch(), state)["resignations"]]


@pytest.mark.parametrize(
    ("state", "multiples"),
    [
        (state_of(cube=2), [1, 2, 3]),
        (state_of((0, 5)), [1, 2]),
        (state_of((0, 6)), [1]),
        (state_of(position=PASSED), [1, 2]),
        (state_of(position=BORNE_OFF), [1]),
        (after_event(state_of(cube=2), LiveEvent(Act.DOUBLE, 1, BOB)), [1, 2, 3]),
    ],
)
def test_each_one_leads_to_the_score_it_names(state: LiveState, multiples: list[int]) -> None:
    rows = offered(state)
    assert [multiple for multiple, _ in rows] == multiples
    loser = state.match.to_act
    assert loser is not None
    for multiple, score in rows:
        after = after_event(state, LiveEvent(Act.RESIGN, 2, loser, value=multiple))
        if after.match.phase is Phase.RESIGNED:
            after = after_event(after, LiveEvent(Act.ACCEPT, 3, 1 - loser))
        assert [min(points, 7) for points in after.match.score] == score


def test_what_was_refused_is_not_offered_again_in_this_turn() -> None:
    state = after_event(state_of(), LiveEvent(Act.RESIGN, 1, BOB, value=1))
    assert offered(state) == []
    state = after_event(state, LiveEvent(Act.REFUSE, 2, CAROL))
    assert offered(state) == [(2, [0, 2]), (3, [0, 3])]
    state = after_event(after_event(state, LiveEvent(Act.RESIGN, 3, BOB, value=2)), LiveEvent(Act.REFUSE, 4, CAROL))
    assert offered(state) == [(3, [0, 3])]


def test_nothing_is_left_where_more_would_make_no_difference() -> None:
    state = after_event(state_of((0, 6)), LiveEvent(Act.RESIGN, 1, BOB, value=1))
    assert offered(after_event(state, LiveEvent(Act.REFUSE, 2, CAROL))) == []
