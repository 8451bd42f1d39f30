"""Durations in words."""

import pytest

from core.times import duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1 minute"),
        (60, "1 minute"),
        (120, "2 minutes"),
        (59 * 60, "59 minutes"),
        (60 * 60, "60 minutes"),
        (119 * 60, "119 minutes"),
        (120 * 60, "2 hours"),
        (121 * 60, "121 minutes"),
        (24 * 3600, "24 hours"),
    ],
)
def test_a_duration_is_in_hours_from_two_full_hours_on_and_otherwise_in_minutes(seconds: int, text: str) -> None:
    assert duration(seconds) == text
