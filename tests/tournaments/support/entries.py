"""Helpers for tests of entries: the state of all slots, and the code of a refusal."""

from collections.abc import Callable

import pytest

from engine.errors import Refused
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.models import Slot


def slot_states(driver: DivisionDriver) -> list[tuple[object, ...]]:
    """Return the slots and status of every fixture."""
    rows = Slot.objects.filter(fixture__stage__division=driver.division).order_by("fixture__number", "side")
    return list(rows.values_list("fixture__number", "side", "status", "entry", "absent", "fixture__status"))


def refusal_code(act: Callable[[], object]) -> str:
    """Return the code with which a call is refused."""
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code
