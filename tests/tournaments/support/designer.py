"""The data that the form of the format designer submits."""

from typing import Any

from django.utils import timezone

from tournaments.models import Division


def designer_data(division: Division, *stages: dict[str, Any], **evening: Any) -> dict[str, Any]:
    """Return the data that the form of these stages submits."""
    data: dict[str, Any] = {"after": division.seq, "seen": int(timezone.now().timestamp()), "stages": len(stages) or 1}
    data |= {"players": 13, "tables": 6, "starts": "2026-11-20T19:00", "closes": "", "minutes": 11} | evening
    for number, stage in enumerate(stages, start=1):
        data |= {f"s{number}-{name}": value for name, value in stage.items()}
    return data
