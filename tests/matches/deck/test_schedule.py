"""A card comes back the later the better it is known, by the calendar of its user."""

import json
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from matches.deck.schedule import after_answer

FIRST = date(2026, 11, 27)


def test_a_card_that_is_always_right_comes_after_2_11_46_163_and_then_365_days() -> None:
    state: dict[str, Any] = {}
    today, days = FIRST, []
    for _ in range(6):
        state, due = after_answer(state, is_right=True, today=today)
        days.append((due - today).days)
        today = due
    assert days == [2, 11, 46, 163, 365, 365]


def test_a_wrong_answer_brings_the_card_back_tomorrow_and_forgets_little_of_what_was_known() -> None:
    state, due = after_answer({}, is_right=False, today=FIRST)
    assert due == FIRST + timedelta(days=1)
    known = {"answered": FIRST.isoformat(), "stability": 46.28, "difficulty": state["difficulty"]}
    _, due = after_answer(known, is_right=False, today=FIRST + timedelta(days=46))
    assert FIRST + timedelta(days=46) < due < FIRST + timedelta(days=52)


def test_the_schedule_is_that_of_the_cases(shared_data: Path) -> None:
    cases = json.loads((shared_data / "morning" / "deck.json").read_text())["cases"]
    assert cases
    for case in cases:
        state: dict[str, Any] = {}
        for review in case["reviews"]:
            day = datetime.fromisoformat(review["at"]).date()
            state, due = after_answer(state, is_right=review["answer"] == "right", today=day)
            assert (due - day).days == review["days"], case["name"]
            assert round(state["stability"], 4) == review["stability"], case["name"]
