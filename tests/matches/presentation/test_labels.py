"""What a result says in words."""

import pytest

from matches.models import Match, Result
from matches.presentation.labels import final_score


@pytest.mark.parametrize(
    ("winner", "score", "shown"),
    [
        (0, (7, 3), (7, 3)),
        (0, (9, 3), (7, 3)),
        (1, (5, 6), (5, 6)),
        (0, (0, 0), None),
        (0, (3, 5), None),
        (1, (4, 4), None),
        (None, (2, 2), (2, 2)),
        (0, None, None),
    ],
)
def test_a_score_stands_beside_a_winner_only_if_they_were_ahead(
    winner: int | None, score: tuple[int, int] | None, shown: tuple[int, int] | None
) -> None:
    left, right = score if score is not None else (None, None)
    result = Result(winner=winner, score_0=left, score_1=right, kind=Result.Kind.FLAG)
    assert final_score(Match(length=7), result) == shown
    assert final_score(Match(length=7), None) is None
