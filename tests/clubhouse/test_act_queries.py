"""No act of a club night needs more queries than it does now; `python -m benchmarks acts` measures their time."""

import pytest
from django.utils import timezone

from tests.clubhouse.acts import STAGES, acts

pytestmark = pytest.mark.django_db
MOST = {
    "start_evening": (166, 161), "enter": (9, 9), "enter 13": (9, 9), "make_draft": (22, 19), "publish_draw": (40, 38),
    "load_facts": (9, 9), "first calls": (22, 22), "call": (21, 21), "enter_result": (11, 20),
}  # fmt: skip
"""Act -> the most queries in a Swiss, and in a knockout."""


@pytest.mark.parametrize("stage", STAGES)
def test_acts_need_no_more_queries_than_now(stage: str) -> None:
    queries = {act.name: len(act.queries()) for act in acts(STAGES[stage], timezone.now())}
    most = {name: of_stages[list(STAGES).index(stage)] for name, of_stages in MOST.items()}
    assert queries.keys() == most.keys()
    assert {name: number for name, number in queries.items() if number > most[name]} == {}
