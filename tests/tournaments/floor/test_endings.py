"""A Swiss or lives is ended in mid-evening: a bracket follows, or nothing, and it can be undone until that begins."""

import runpy
from collections.abc import Callable
from datetime import timedelta
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.errors import Refused
from formats.lots import Lots
from formats.settings import LIVES, SWISS, StageSettings
from formats.settings import PairingMode as Mode
from players.actors import Actor
from players.models import Player, User
from prizes.prizes import standings_of
from seasons.facts import facts_of
from tests.tiers import TEST_SEED, TIER_NAME
from tests.tournaments.floor.test_batches import FLOW, SWITCH, Night, people, start
from tournaments.draws import services as draws
from tournaments.draws.verifiable import later_lots, pairings_data
from tournaments.floor.calls import call_ready
from tournaments.floor.calls import start as begin
from tournaments.floor.endings import end_stage
from tournaments.floor.undo import UndoableAct, last_act, undo
from tournaments.models import Batch, Division, Draw, FloorEvent, FloorKind, Stage, Tournament
from tournaments.state.derivation import StageState, states_of
from tournaments.state.integrity import Selection, differences

__all__ = ["people", "start"]
pytestmark = pytest.mark.django_db
SCRIPT = Path(__file__).resolve().parents[3] / "verify/verify_pairings.py"
FORMATS = {
    "lives": FLOW,
    "lives, then a bracket": SWITCH,
    "lives in rounds": (StageSettings(LIVES, lives=3, lengths=(5,)),),
    "Swiss": (StageSettings(SWISS, rounds=5, lengths=(5,)),),
    "Swiss without rounds": (StageSettings(SWISS, rounds=6, lengths=(5,), pairing=Mode.CONTINUOUS),),
}


class Evening(Night):
    """A night that goes on in rounds, too."""

    def step(self) -> bool:
        for draw in Draw.objects.filter(state=Draw.State.REQUESTED):
            draws.make_draft(draw_id=draw.pk, now=self.now)
        if Draw.objects.filter(state=Draw.State.DRAFT).exists():
            draws.publish_draw(division=self.division, after=self.division.seq, by=self.by, now=self.now)
        return super().step()

    def stage(self, number: int = 1) -> Stage:
        return self.division.stages.get(number=number)

    def end(self, places: int | None, *, stop: bool = False) -> None:
        self.now += timedelta(seconds=1)
        end_stage(stage=self.stage(), places=places, stop=stop, after=self.division.seq, by=self.by, now=self.now)

    def undo(self) -> None:
        self.now += timedelta(seconds=1)
        act = last_act(self.event, self.by)
        assert act is not None
        undo(tournament=self.event, act=act, by=self.by, now=self.now)

    def end_is_undone(self) -> None:
        """Undo the end of the stage as one act by its name; results were entered since."""
        self.now += timedelta(seconds=1)
        fact = FloorEvent.objects.filter(kind=FloorKind.STAGE_ENDED, undone_by=None).latest("pk")
        undo(tournament=self.event, act=UndoableAct(fact), by=self.by, now=self.now, in_order=False)

    def states(self) -> list[StageState]:
        return states_of(self.division)


def assert_clean() -> None:
    assert [str(row) for row in differences(Selection.of())] == []


def assert_verified(night: Evening) -> None:
    """Check the pairings, and the lots of the standings, as anybody can once the stage is over."""
    first = night.states()[0]
    if first.rows.settings.is_continuous:
        verify = runpy.run_path(str(SCRIPT))["verify"]
        data = pairings_data(night.stage(), directs=True)
        assert verify(data)[0] == []
        (ended, *_others) = [row for row in data["events"] if row["kind"] == "ended"]
        data["events"] = [ended, *(row for row in data["events"] if row["kind"] != "ended_taken_back")]
        assert any("had ended the stage" in fault for fault in verify(data)[0]), "it would find a batch after the end"
    (lots,) = [row for row in later_lots(first) if row["key"] == "tiebreak"]
    assert lots["drawn"] == Lots(bytes.fromhex(night.stage().lots_seed), "tiebreak").shuffled(lots["among"])


def settings_in(night: Evening) -> list[dict[str, Any]]:
    return [{"format": row.format, **row.settings} for row in night.division.stages.order_by("number")]


def running(night: Evening) -> list[tuple[int, int | None]]:
    return [(row.number, row.match_id) for row in night.open() if row.stage.number == 1]


def expected_order(first: StageState) -> list[int]:
    """Who goes on, the best first: by the standings, and equals in lives by lot; nobody without lives."""
    (table,) = first.tables
    if first.rows.settings.format != LIVES:
        return [row.entry for row in table.rows]
    lots = table.records.lots
    rows = sorted(table.rows, key=lambda row: (row.place, lots[row.entry]))
    return [row.entry for row in rows if row.points > 0]


CASES = [*product(FORMATS, (None, 2, 4, 8), (False, True))]
Random(TEST_SEED).shuffle(CASES)


@pytest.mark.parametrize(("format_", "places", "stop"), CASES[:3] if TIER_NAME == "test" else CASES)
def test_a_stage_ends_as_said_and_that_can_be_undone_until_the_bracket_begins(
    start: Callable[..., Tournament], by_alice: Actor, format_: str, places: int | None, stop: bool
) -> None:
    night = Evening(start(stages=FORMATS[format_]), by_alice, seed=3)
    for _step in range(Random(f"{format_}:{places}:{stop}").randint(6, 14)):
        night.step()
    before, playing = settings_in(night), running(night)
    night.end(places, stop=stop)
    assert_clean()
    assert running(night) == ([] if stop else playing)
    night.undo()
    assert_clean()
    assert (settings_in(night), running(night)) == (before, playing)
    night.end(places, stop=stop)
    batches = Draw.objects.count(), Batch.objects.count()
    while not (first := night.states()[0]).over:
        night.step()
    assert (Draw.objects.count(), Batch.objects.count()) == batches, "somebody was paired after the end"
    assert_clean()
    assert_verified(night)
    order = expected_order(first)
    if places is None:
        assert night.division.status == Division.Status.FINISHED
        (standing,) = standings_of(night.division).values()
        assert [entry for row in standing.placings for entry in row.entries][: len(order)] == order
        return
    _first, second = night.states()
    slots = [slot.entrant for state in second.progress.fixtures.values() for slot in state.slots]
    assert {entry for entry in slots if entry is not None} == set(order[:places])
    if places <= len(order):
        opening = second.progress.graph.bracket("main").rounds[0].fixtures
        pairs = {frozenset(slot.entrant for slot in second.progress.fixtures[row.number].slots) for row in opening}
        assert pairs == {frozenset((order[at], order[places - 1 - at])) for at in range(places // 2)}
    # The bracket is drawn: undone and done again, it is the same; once a match has begun, it stays.
    drawn = slots
    night.end_is_undone()
    assert_clean()
    night.end(places, stop=stop)
    _first, second = night.states()
    assert [slot.entrant for state in second.progress.fixtures.values() for slot in state.slots] == drawn
    call_ready(tournament_id=night.event.pk, now=night.now)
    begun = night.open()[0]
    begin(fixture=begun, by=night.by, now=night.now)
    night.ends[begun.number] = night.now + timedelta(minutes=20)
    with pytest.raises(Refused, match="bracket_begun"):
        night.end_is_undone()
    night.play()
    assert_clean()
    (standing,) = standings_of(night.division).values()
    ranked = [entry for row in standing.placings for entry in row.entries]
    assert sorted(ranked) == sorted(night.division.entries.values_list("pk", flat=True))
    assert set(ranked[: min(places, len(order))]) == set(order[:places])
    assert [row.first for row in standing.placings][-1] == 1 + len(ranked) - len(standing.placings[-1].entries)
    (facts,) = facts_of([night.division]).values()
    placings = facts.brackets[-1].placings
    assert sum(map(len, placings)) == len(ranked), "everybody has a place in the season"


def test_a_director_does_not_stop_their_own_match_and_no_bracket_is_larger_than_the_field(
    start: Callable[..., Tournament], by_alice: Actor, alice: User
) -> None:
    night = Evening(start(), by_alice, seed=2)
    night.step()
    own = night.open()[0]
    assert own.match is not None
    Player.objects.filter(user=alice).update(user=None)
    Player.objects.filter(pk=own.match.player_0_id).update(user=alice)
    with pytest.raises(Refused, match="bracket_too_large"):
        night.end(16)
    with pytest.raises(Refused, match="stale"):
        end_stage(stage=night.stage(), places=4, stop=True, after=0, by=by_alice, now=night.now)
    night.end(4, stop=True)
    assert [number for number, _match in running(night)] == [own.number]
    night.undo()
    assert_clean()
    assert own.number in [number for number, _match in running(night)]
