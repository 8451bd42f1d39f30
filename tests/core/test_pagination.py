"""Pages of a list."""

import pytest

from core.pagination import page_of


@pytest.mark.parametrize(
    ("number", "count", "shown", "rows"),
    [
        (0, 0, 1, range(0)),
        (-4, 120, 1, range(50)),
        (3, 101, 3, range(100, 101)),
        (9, 100, 2, range(50, 100)),
        ("many", 120, 1, range(50)),
    ],
)
def test_the_nearest_existing_page_is_shown(number: int | str, count: int, shown: int, rows: range) -> None:
    page = page_of(range(count), number, 50)
    assert (page.number, list(page)) == (shown, list(rows))


def test_a_count_the_caller_knows_is_not_taken_again() -> None:
    class Uncounted(list[int]):
        def __len__(self) -> int:
            raise AssertionError("counted")

    page = page_of(Uncounted(range(120)), 2, 50, count=120)
    assert page.paginator.num_pages == 3
