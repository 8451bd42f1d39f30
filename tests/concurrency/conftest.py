"""What all races have in common."""

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def losers_report_stands_at_once(settings: Any) -> None:
    """A loser's report stands as soon as it comes, so that rivals race for the result itself."""
    settings.OWN_LOSS_PENDING = 0
