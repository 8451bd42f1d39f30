"""Reading a page while a worker writes."""

from collections.abc import Callable

import pytest
from django.db.models import F

from tournaments.events.selectors import TRIES, read_with_seq
from tournaments.models import Division

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def reading(division: Division, interrupted: int) -> Callable[[], int]:
    """Return a function that counts its calls and raises the `seq` during the first `interrupted` calls."""
    times = 0

    def read() -> int:
        nonlocal times
        times += 1
        if times <= interrupted:
            Division.objects.filter(pk=division.pk).update(seq=F("seq") + 1)
        return times

    return read


@pytest.mark.parametrize("interrupted", [0, 1, 2])
def test_a_page_is_read_again_until_its_seq_is_current(
    interrupted: int, make_division: Callable[..., Division]
) -> None:
    division = make_division()

    assert read_with_seq(division, reading(division, interrupted)) == interrupted + 1
    assert division.seq == Division.objects.get(pk=division.pk).seq


def test_a_page_that_keeps_changing_is_shown_anyway(make_division: Callable[..., Division]) -> None:
    division = make_division()

    assert read_with_seq(division, reading(division, 99)) == TRIES + 1
