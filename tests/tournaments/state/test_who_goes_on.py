"""Who goes on to the next stage: withdrawn entries and second entries of a person are skipped, the next moves up."""

from random import Random

import pytest

from engine.errors import Refused
from formats.settings import StageSettings
from formats.tables.round_robin import LeaverRule
from formats.tables.tables import who_goes_on
from players.actors import SYSTEM
from tests.event_cast import NOON
from tests.tournaments.support.correcting import Cup, integrity_differences, won_by
from tournaments.draws import services as draws
from tournaments.entries import late, returns
from tournaments.entries import services as entries
from tournaments.models import Draw, Entry, Fixture, Slot, Withdrawal
from tournaments.results import services as results
from tournaments.state.derivation import states_of
from tournaments.state.preview import DivisionFacts, changes_between
from tournaments.state.settle import settle_division
from tournaments.state.stage_rows import DivisionRows

pytestmark = pytest.mark.django_db

KNOCKOUT = StageSettings("knockout")
GROUPS = [StageSettings("groups", groups=2, qualifiers=2), KNOCKOUT]
SWISS = StageSettings("swiss", rounds=2, qualifiers=4)
FIRST_KNOCKOUT = 13
"""The number of the first match of the knockout after two groups of four."""


def order_of(cup: Cup, table: int = 0) -> list[Entry]:
    """The entries of a table of the first stage, best first."""
    entry = cup.division.entries.in_bulk()
    return [entry[row.entry] for row in states_of(cup.division)[0].tables[table].rows]


def standing_in(cup: Cup, number: int) -> set[int | None]:
    """The entries in a match."""
    return set(cup.fixture(number).slots.values_list("entry", flat=True))


def play_out(cup: Cup) -> None:
    """Everything that is left, without forfeits."""
    cup.play(Random(7), wild=False)
    cup.replay()
    assert cup.standing()["division"] == "finished"
    assert integrity_differences() == []


def after_groups() -> Cup:
    """Two groups of four, all played; nothing of the knockout."""
    return Cup.create(8, GROUPS).play(Random(3), most=12, wild=False)


def test_the_rule() -> None:
    assert who_goes_on([1, 2, 3]) == [1, 2, 3]
    assert who_goes_on([1, 2, 3], out=[1]) == [2, 3]
    assert who_goes_on([1, 2, 3, 4], persons=[{1, 3}]) == [1, 2, 4], "only the better of two entries goes on"
    assert who_goes_on([1, 2, 3, 4], out=[1], persons=[{1, 3}]) == [2, 3, 4]
    assert who_goes_on([1, 2, 3, 4], kept=[3, 1]) == [3, 1, 2, 4]
    assert who_goes_on([1, 2, 3, 4], kept=[3, 1], out=[3]) == [1, 2, 4], "a kept entry can withdraw, too"


def test_when_a_group_winner_withdraws_before_the_knockout_the_next_moves_up() -> None:
    cup = after_groups()
    first, second, third, _last = order_of(cup)
    before = {number: standing_in(cup, number) for number in (13, 14)}
    rows = DivisionRows(cup.division, withdrawn=[first.pk]).drawn
    previewed = changes_between(DivisionFacts(cup.division).states(), DivisionFacts(cup.division, rows).states())
    cup.leave(first)
    after = {number: standing_in(cup, number) for number in (13, 14)}
    assert set.union(*after.values()) == set.union(*before.values()) - {first.pk} | {third.pk}
    assert all((second.pk in after[n]) == (first.pk in before[n]) for n in after), "the second takes the winner's place"
    assert {change.row.number: {slot.entry for slot in change.after.slots} for change in previewed} == after
    play_out(cup)
    final = cup.fixture(15)
    assert cup.results()[15].kind == "played"
    assert cup.results()[15].winner is not None
    assert first.pk not in final.slots.values_list("entry", flat=True)


def test_a_group_winner_who_withdrew_in_the_group_is_skipped() -> None:
    cup = Cup.create(8, GROUPS).play(Random(3), most=0, wild=False)
    winner = cup.entry_of(1, 0)
    group = [row for row in cup.fixtures()[:12] if winner.pk in row.slots.values_list("entry", flat=True)]
    for row in group[:2]:
        cup.report(row, won_by(list(row.slots.order_by("side").values_list("entry", flat=True)).index(winner.pk)))
    cup.leave(winner)
    play_out(cup)
    assert winner.pk in [entry.pk for table in (0, 1) for entry in order_of(cup, table)]
    knockout = Slot.objects.filter(fixture__stage__number=2, fixture__stage__division=cup.division)
    assert winner.pk not in {pk for pair in knockout.values_list("entry", "absent") for pk in pair}


@pytest.mark.parametrize("leaver", [LeaverRule.HALF, LeaverRule.DELETE])
def test_a_withdrawal_after_one_of_the_group_began_the_knockout_is_a_walkover(leaver: LeaverRule) -> None:
    stages = [StageSettings("groups", groups=2, qualifiers=2, leaver_rule=leaver), KNOCKOUT]
    cup = Cup.create(8, stages).play(Random(3), most=12, wild=False)
    first, *_others = order_of(cup)
    began = next(row for row in cup.ready() if first.pk not in row.slots.values_list("entry", flat=True))
    other = next(row for row in cup.ready() if row != began)
    places = [standing_in(cup, number) for number in (13, 14)]
    cup.report(began, won_by(0))
    cup.leave(first)
    assert [standing_in(cup, number) for number in (13, 14)] == places, "a walkover moves nobody else"
    assert cup.results()[other.number].kind == "walkover"
    play_out(cup)


@pytest.mark.slow
def test_a_place_that_led_to_a_walkover_under_an_earlier_rule_stays() -> None:
    cup = after_groups()
    first, *_others = order_of(cup)
    cup.report(next(row for row in cup.ready() if first.pk not in standing_in(cup, row.number)), won_by(0))
    cup.leave(first)
    Withdrawal.objects.update(at=NOON)
    before = cup.standing()
    settle_division(division_id=cup.division.pk, now=cup.now())
    assert cup.standing() == before
    play_out(cup)


def test_a_withdrawn_group_winner_who_returns_in_time_has_the_place_again() -> None:
    cup = after_groups()
    before = cup.standing()
    first = order_of(cup)[0]
    cup.leave(first)
    assert cup.standing() != before
    bring_back(cup, first)
    assert cup.standing() == before
    assert integrity_differences() == []


def test_one_who_returns_after_the_knockout_began_does_not_take_the_place_back() -> None:
    cup = after_groups()
    first, _second, third, _last = order_of(cup)
    cup.leave(first)
    cup.report(next(row for row in cup.ready() if third.pk in standing_in(cup, row.number)), won_by(0))
    before = cup.standing()
    bring_back(cup, first)
    assert cup.standing()["slots"] == before["slots"]
    play_out(cup)


def bring_back(cup: Cup, entry: Entry) -> None:
    entry.refresh_from_db()
    cup.division.refresh_from_db()
    entry.division = cup.division
    seen = returns.preview_return(entry=entry).mark
    returns.bring_back(entry=entry, seen=seen, by=SYSTEM, now=cup.now())


def test_a_person_who_withdrew_and_entered_again_goes_on_once() -> None:
    """Both entries are among the first two of a league."""
    stages = [StageSettings("league", qualifiers=2, leaver_rule=LeaverRule.KEEP), KNOCKOUT]
    cup = Cup.create(4, stages).play(Random(3), most=0, wild=False)
    bob = cup.entry_of(1, 0)
    win_all(cup, bob)
    cup.leave(bob)
    (again,) = late.enter_late(division=cup.division, players=[bob.player], by=SYSTEM, now=cup.now())
    win_all(cup, again)
    play_out(cup)
    order = [entry.pk for entry in order_of(cup)]
    assert {bob.pk, again.pk} <= set(order)
    final = next(row for row in cup.fixtures() if row.stage.number == 2)
    expected = [pk for pk in order if pk != bob.pk][:2]
    assert standing_in(cup, final.number) == set(expected)
    assert cup.results()[final.number].kind == "played"


def win_all(cup: Cup, entry: Entry) -> None:
    """An entry plays all its open matches and wins them."""
    while rows := [row for row in cup.ready() if entry.pk in standing_in(cup, row.number)]:
        sides = list(rows[0].slots.order_by("side").values_list("entry", flat=True))
        cup.report(rows[0], won_by(sides.index(entry.pk)))


def test_once_the_round_of_the_next_swiss_is_published_nobody_moves_up() -> None:
    cup = Cup.create(6, [SWISS, StageSettings("swiss", rounds=1)])
    cup.play(Random(5), most=6, wild=False)
    first, *_middle, fifth, _sixth = order_of(cup)
    assert Fixture.objects.filter(stage__number=2, stage__division=cup.division).count() == 2
    cup.leave(first)
    assert standing_of_next(cup) >= {first.pk}, "the match is a walkover"
    assert fifth.pk not in standing_of_next(cup)
    play_out(cup)


def test_before_the_draw_of_the_next_swiss_the_next_moves_up() -> None:
    cup = Cup.create(6, [SWISS, StageSettings("swiss", rounds=1)])
    cup.play(Random(5), most=5, wild=False)
    results.enter_result(fixture=cup.ready()[0], result=won_by(0), by=SYSTEM, now=cup.now())
    first, *_middle, fifth, _sixth = order_of(cup)
    draft = Draw.objects.get(stage__division=cup.division, state=Draw.State.REQUESTED)
    draws.make_draft(draw_id=draft.pk, now=cup.now())
    entries.withdraw(entry=first, by=SYSTEM, now=cup.now())
    with pytest.raises(Refused, match="draft_outdated"):
        draws.publish_draw(division=cup.division, after=cup.seq, by=SYSTEM, now=cup.now())
    draws.request_draw(division=cup.division, by=SYSTEM, now=cup.now(), reason="The first has left.")
    cup.work()
    assert first.pk not in standing_of_next(cup)
    assert fifth.pk in standing_of_next(cup)
    play_out(cup)


def standing_of_next(cup: Cup) -> set[int | None]:
    rows = Slot.objects.filter(fixture__stage__number=2, fixture__stage__division=cup.division)
    return set(rows.values_list("entry", flat=True))


def test_from_a_double_elimination_the_next_moves_up_too() -> None:
    cup = Cup.create(6, [StageSettings("double", qualifiers=2), KNOCKOUT])
    while cup.division.stages.get(number=1).status != "finished":
        cup.play(Random(5), most=1, wild=False)
    final = next(row for row in cup.fixtures() if row.stage.number == 2)
    before = standing_in(cup, final.number)
    leaver = cup.division.entries.get(pk=min(entry for entry in before if entry is not None))
    cup.leave(leaver)
    after = standing_in(cup, final.number)
    assert len(before & after) == 1
    assert None not in after
    play_out(cup)
