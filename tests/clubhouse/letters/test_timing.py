"""When letters are sent."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from clubhouse.letters import timing
from core.times import next_morning

ZONES = ("Europe/Copenhagen", "America/New_York", "Asia/Tokyo", "Asia/Kathmandu", "Pacific/Auckland")
AUTUMN = datetime(2026, 10, 24, 21, 30, tzinfo=UTC)
TIMES = st.integers(-300 * 24 * 60, 300 * 24 * 60).map(lambda minutes: AUTUMN + timedelta(minutes=minutes))


def letter(case: dict[str, Any]) -> datetime | None:
    finished = datetime.fromisoformat(case["finished"])
    last_result = datetime.fromisoformat(case.get("last_result", case["finished"]))
    on_close = case.get("mode") == "close"
    ready = timing.ready_at(last_result=last_result, finished=finished, zone=case["event_zone"], on_close=on_close)
    return timing.send_at(last_result=last_result, ready=ready, zone=case["reader_zone"] or case["event_zone"])


def test_letters_are_sent_as_in_every_case_of_the_specification(shared_data: Path) -> None:
    cases = json.loads((shared_data / "morning/delivery.json").read_text())["cases"]
    assert cases
    for case in cases:
        first = letter(case)
        if "finished_again" in case and first is not None and first > datetime.fromisoformat(case["reopened"]):
            # A corrected match keeps the time of its first result.
            first = letter(case | {"last_result": case["finished"], "finished": case["finished_again"]})
        assert first == (case["send"] and datetime.fromisoformat(case["send"])), case["name"]


@given(TIMES, st.integers(0, 200), st.sampled_from(ZONES), st.sampled_from(ZONES), st.booleans())
def test_no_letter_is_sent_in_quiet_hours_or_within_the_hour_to_correct(
    last_result: datetime, hours: int, event_zone: str, zone: str, on_close: bool
) -> None:
    finished = last_result + timedelta(hours=hours)
    ready = timing.ready_at(last_result=last_result, finished=finished, zone=event_zone, on_close=on_close)
    at = timing.send_at(last_result=last_result, ready=ready, zone=zone)
    if at is None:
        assert hours >= 24
        return
    assert 8 <= at.astimezone(ZoneInfo(zone)).hour < 22
    assert finished + timedelta(hours=1) <= at <= last_result + timedelta(hours=72)
    assert on_close or at >= next_morning(last_result, event_zone)


def test_on_25_october_the_morning_is_nine_and_a_half_hours_after_half_past_eleven() -> None:
    morning = next_morning(AUTUMN, "Europe/Copenhagen")
    assert morning == datetime(2026, 10, 25, 7, tzinfo=UTC)
    assert morning - AUTUMN == timedelta(hours=9, minutes=30)
    assert timing.last_morning(morning, "Europe/Copenhagen") == morning
    assert timing.last_morning(morning - timedelta(seconds=1), "Europe/Copenhagen") == datetime(
        2026, 10, 24, 6, tzinfo=UTC
    )


def test_sixty_letters_are_sent_in_a_minute() -> None:
    at = AUTUMN
    assert [timing.staged(at, number) - at for number in (0, 59, 60, 200)] == [
        timedelta(minutes=minutes) for minutes in (0, 0, 1, 3)
    ]
