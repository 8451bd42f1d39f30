"""No act of a club night needs more queries than it does now; `python -m benchmarks acts` measures their time."""

import pytest
from django.utils import timezone

from tests.clubhouse.acts import STAGES, acts

pytestmark = pytest.mark.django_db
MOST = {
    "start_evening": (154, 148), "enter": (8, 8), "enter 13": (8, 8), "make_draft": (22, 19),
    "publish_draw": (35, 32), "load_facts": (9, 9), "first calls": (15, 15), "call": (14, 14), "enter_result": (11, 14),
}  # fmt: skip
"""Act -> the most queries in a Swiss, and in a knockout."""


@pytest.mark.parametrize("stage", STAGES)
def test_acts_need_no_more_queries_than_now(stage: str) -> None:
    queries = {act.name: len(act.queries()) for act in acts(STAGES[stage], timezone.now())}
    most = {name: of_stages[list(STAGES).index(stage)] for name, of_stages in MOST.items()}
    assert queries.keys() == most.keys()
    assert {name: number for name, number in queries.items() if number > most[name]} == {}
