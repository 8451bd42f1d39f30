"""The pages of the cash report: every row is printed once, and no title stands without rows below it."""

import random

from display.paper.cash import FEWEST_ROWS, HEAD_ROWS, SIGNED_ROWS, Section, in_sheets
from display.paper.lists import ListColumn

ROWS = 38


def section(title: str, count: int) -> Section:
    return Section(title, [ListColumn("#")], [[f"{title} {number}"] for number in range(count)])


def test_sections_fill_pages_without_orphan_titles() -> None:
    chance = random.Random(7)
    for _case in range(300):
        sections = [section(title, chance.randrange(1, 90)) for title in ("accounts", "prizes", "payments")]
        box = section("box", chance.randrange(1, 9))
        pages = in_sheets(sections, box, ROWS)
        printed = [row[0] for page in pages for part in page.sections for row in part.rows]
        assert printed == [row[0] for part in (*sections, box) for row in part.rows]
        assert [page.number for page in pages] == list(range(1, len(pages) + 1))
        assert [page.is_last for page in pages] == [False] * (len(pages) - 1) + [True]
        for page in pages:
            heights = [HEAD_ROWS + len(part.rows) for part in page.sections]
            assert sum(heights) + (SIGNED_ROWS if page.is_last else 0) <= ROWS
        whole = {part.title: len(part.rows) for part in sections}
        for page in pages:
            for part in page.sections:
                assert len(part.rows) >= min(FEWEST_ROWS, whole.get(part.title, 1)) or "continued" in part.title
