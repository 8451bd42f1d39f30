"""Values that pure code and the models both name: pure code cannot import the choices, so these two must agree."""

from enum import StrEnum

import pytest
from django.db.models import TextChoices

from engine.actions import FlagRule
from formats.states import FixtureStatus, SlotStatus
from matches.analysis.values import DecisionKind, DecisionPhase
from matches.models import Decision, LiveMatch, Match
from tournaments.floor.state import MatchProgress
from tournaments.models import Fixture, Slot


@pytest.mark.parametrize(
    ("pure", "choices"),
    [
        (FlagRule, LiveMatch.FlagRule),
        (DecisionKind, Decision.Kind),
        (DecisionPhase, Decision.Phase),
        (SlotStatus, Slot.Status),
        (FixtureStatus, Fixture.Status),
    ],
)
def test_a_pure_enum_has_the_values_that_are_stored(pure: type[StrEnum], choices: type[TextChoices]) -> None:
    assert {member.value for member in pure} == set(choices.values)


def test_the_floor_knows_the_states_of_matches_that_are_not_void() -> None:
    assert {member.value for member in MatchProgress} - {""} == set(Match.State.values) - {Match.State.VOID.value}
