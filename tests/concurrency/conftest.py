"""Fixtures that all races share."""

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def losers_report_stands_at_once(settings: Any) -> None:
    """Let a loser's report stand at once, so that the requests compete for the result itself."""
    settings.OWN_LOSS_PENDING = 0
