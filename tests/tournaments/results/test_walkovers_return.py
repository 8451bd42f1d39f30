"""Walkovers that a correction voided: they count again only while what they followed from still holds."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

from engine.errors import Refused
from formats.settings import StageSettings
from matches.models import Result
from players.actors import SYSTEM
from tests.tournaments.support.correcting import DOUBLE, KNOCKOUT, LATER, Cup, integrity_differences, won_by
from tournaments.entries.returns import bring_back, preview_return
from tournaments.events.deadlines import extend_deadline
from tournaments.models import Division, Entry, Fixture
from tournaments.results.corrections import preview_undo
from tournaments.results.overdue import apply_deadline
from tournaments.results.services import withdraw_from_bracket

pytestmark = pytest.mark.django_db


def final_of(stages: list[StageSettings], number: int = 3) -> tuple[Cup, Fixture]:
    """Four players; the two first winners meet in the match of this number."""
    cup = Cup.create(4, stages).play(Random(1), most=0)
    for fixture in cup.ready():
        cup.report(fixture, won_by(0))
    return cup, cup.fixture(number)


def leave_bracket(cup: Cup, entry: Entry) -> None:
    slot = cup.fixture(3).slots.get(entry=entry)
    withdraw_from_bracket(slot=slot, by=SYSTEM, now=cup.now())


def come_back(cup: Cup, entry: Entry) -> None:
    fresh = Entry.objects.select_related("division__tournament__club", "player").get(pk=entry.pk)
    bring_back(entry=fresh, seen=preview_return(entry=fresh).mark, by=SYSTEM, now=LATER)


@pytest.mark.parametrize("is_back", [True, False])
@pytest.mark.parametrize("again", ["undone", "corrected back"])
@pytest.mark.parametrize(
    ("stages", "leave"),
    [(KNOCKOUT, Cup.leave), (DOUBLE, Cup.leave), (DOUBLE, leave_bracket)],
    ids=["knockout", "double", "upper bracket"],
)
def test_a_walkover_counts_again_only_while_its_loser_is_away(
    stages: list[StageSettings], leave: Callable[[Cup, Entry], None], again: str, is_back: bool
) -> None:
    cup, final = final_of(stages)
    ben = cup.entry_of(final.number, 0)
    leave(cup, ben)
    walkover = cup.results()[final.number]
    assert (walkover.winner, walkover.kind) == (1, Result.Kind.WALKOVER)
    before = cup.standing()
    correction = cup.correct(cup.fixture(1), won_by(1))
    if is_back:
        come_back(cup, ben)
    if again == "undone":
        (change,) = [row for row in preview_undo(correction=correction).all.changes if row.row == final]
        assert (change.returns is None) == is_back
        cup.undo(correction)
    else:
        cup.correct(cup.fixture(1), won_by(0))
    if is_back:
        final = cup.fixture(final.number)
        assert (final.status, cup.entry_of(final.number, 0)) == (Fixture.Status.READY, ben)
    else:
        assert cup.standing() == before
    assert integrity_differences() == []


def test_an_empty_match_becomes_a_walkover_for_whoever_is_back() -> None:
    cup, final = final_of(KNOCKOUT)
    ben, cleo = (cup.entry_of(final.number, side) for side in (0, 1))
    cup.correct(cup.fixture(1), won_by(1))
    for entry in (ben, cleo):
        cup.leave(entry)
    cup.correct(cup.fixture(1), won_by(0))
    assert cup.results()[final.number].kind == Result.Kind.DOUBLE_FORFEIT
    cup.correct(cup.fixture(1), won_by(1))
    come_back(cup, cleo)
    cup.correct(cup.fixture(1), won_by(0))
    result = cup.results()[final.number]
    assert (result.winner, result.kind) == (1, Result.Kind.WALKOVER)
    assert integrity_differences() == []


@pytest.mark.parametrize("has_more_time", [True, False])
def test_a_result_of_the_deadline_counts_again_only_while_it_has_passed(has_more_time: bool) -> None:
    cup, final = final_of(KNOCKOUT)
    Division.objects.filter(pk=cup.division.pk).update(deadline_rule="both_lose")
    Fixture.objects.filter(pk=final.pk).update(due_at=cup.now())
    assert apply_deadline(fixture_id=final.pk, now=cup.now() + timedelta(minutes=1)) == "both_lose"
    correction = cup.correct(cup.fixture(1), won_by(1))
    if has_more_time:
        extend_deadline(fixture=cup.fixture(3), due_at=LATER + timedelta(days=1), by=SYSTEM, now=LATER)
    cup.undo(correction)
    assert cup.fixture(3).status == (Fixture.Status.READY if has_more_time else Fixture.Status.DECIDED)
    assert integrity_differences() == []


@pytest.mark.parametrize("is_back", [True, False])
def test_a_corrected_walkover_is_not_restored_once_its_loser_is_back(is_back: bool) -> None:
    cup = Cup.create(4, KNOCKOUT).play(Random(1), most=0)
    ben = cup.entry_of(1, 0)
    cup.leave(ben)
    before = cup.standing()
    correction = cup.correct(cup.fixture(1), won_by(0))
    if is_back:
        come_back(cup, ben)
        with pytest.raises(Refused, match="undo_built_on"):
            cup.undo(correction)
        assert cup.results()[1].winner == 0
    else:
        cup.undo(correction)
        assert cup.standing() == before
    assert integrity_differences() == []
