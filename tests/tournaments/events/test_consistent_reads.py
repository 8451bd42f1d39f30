"""A page that is read while a worker writes."""

from collections.abc import Callable

import pytest
from django.db.models import F

from tournaments.events.selectors.consistent_reads import TRIES, read_with_seq
from tournaments.models import Division

pytestmark = pytest.mark.django_db


def reading(division: Division, interrupted: int) -> Callable[[], int]:
    """Tells how often it was read; during the first so many times a draft is finished."""
    times = 0

    def read() -> int:
        nonlocal times
        times += 1
        if times <= interrupted:
            Division.objects.filter(pk=division.pk).update(seq=F("seq") + 1)
        return times

    return read


@pytest.mark.parametrize("interrupted", [0, 1, 2])
def test_a_page_is_read_again_until_it_is_of_the_number_it_sends_back(
    interrupted: int, make_division: Callable[..., Division]
) -> None:
    division = make_division()

    assert read_with_seq(division, reading(division, interrupted)) == interrupted + 1
    assert division.seq == Division.objects.get(pk=division.pk).seq


def test_a_page_that_changes_without_end_is_shown_all_the_same(make_division: Callable[..., Division]) -> None:
    division = make_division()

    assert read_with_seq(division, reading(division, 99)) == TRIES + 1
