"""Whatever the staff do on the floor of a random night, undoing it restores where everybody is, and does so again."""

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from tests.tiers import TIER, first_in_make_test
from tests.tournaments.floor.test_batches import Night, derived, people, start
from tournaments.entries import check_in
from tournaments.floor import calls, evening, length_offers
from tournaments.floor.batches import ask_whether_over, hold_pairing, waive_lead
from tournaments.floor.undo import last_act, undo
from tournaments.models import Autopilot, CheckIn, Division, Entry, Fixture, Stage, Table, Tournament
from tournaments.results.quick_entry import forfeit_missing
from tournaments.results.services import enter_result
from tournaments.state.integrity import Selection, differences

__all__ = ["people", "start"]
pytestmark = pytest.mark.django_db


class Floor:
    """What the staff may do on the floor of a night, each with something chosen by chance."""

    def __init__(self, night: Night, chance: Random) -> None:
        self.night, self.chance = night, chance

    @property
    def event(self) -> Tournament:
        return self.night.event

    @property
    def by(self) -> dict[str, Any]:
        return {"by": self.night.by, "now": self.night.now}

    def match(self) -> Fixture:
        return self.chance.choice(self.night.open())

    def table(self) -> Table:
        return self.chance.choice(list(self.event.floor_tables.all()))

    def entry(self) -> Entry:
        rows = self.night.division.entries.exclude(status=Entry.Status.OUT).select_related("player")
        return self.chance.choice(list(rows.order_by("pk")))

    def acts(self) -> dict[str, Callable[[], object]]:
        """Each by its name; those that do not fit the moment are refused."""
        match, table, entry = self.match(), self.table(), self.entry()
        minutes = timedelta(minutes=self.chance.randint(1, 30))
        assert match.match is not None
        score = (self.chance.randrange(match.match.length), self.chance.randrange(match.match.length))
        side = self.chance.randrange(2)
        stage = Stage.objects.get(division=self.night.division, number=1)
        return {
            "call": lambda: calls.call(fixture=match, **self.by),
            "call again": lambda: calls.call_again(fixture=match, **self.by),
            "take back": lambda: calls.take_back(fixture=match, **self.by),
            "start": lambda: calls.start(fixture=match, **self.by),
            "start all": lambda: calls.start_called(tournament=self.event, **self.by),
            "move": lambda: calls.move(fixture=match, table=table, **self.by),
            "score": lambda: calls.set_running_score(fixture=match, score=score, **self.by),
            "late": lambda: calls.mark_late(fixture=match, player=match.match.players[side], minutes=7, **self.by),
            "waive rest": lambda: calls.waive_rest(fixture=match, **self.by),
            "pin": lambda: calls.pin(fixture=match, **self.by),
            "hold": lambda: calls.hold(fixture=match, **self.by),
            "free": lambda: calls.free_table(table=table, **self.by),
            "out of use": lambda: calls.take_out_of_use(table=table, reason="lamp", **self.by),
            "clocks": lambda: evening.put_clocks_on(fixture=match, **self.by),
            "adjourn": lambda: evening.adjourn(fixture=match, **self.by),
            "shorten": lambda: evening.shorten(fixture=match, length=3, **self.by),
            "propose": lambda: length_offers.propose_length(fixture=match, length=3, **self.by),
            "pause": lambda: evening.pause(tournament=self.event, until=None, **self.by),
            "suggest": lambda: evening.set_autopilot(tournament=self.event, mode=Autopilot.SUGGEST, **self.by),
            "waive lead": lambda: waive_lead(fixture=match, **self.by),
            "ask": lambda: ask_whether_over(fixture=match, **self.by),
            "hold pairing": lambda: hold_pairing(stage=stage, held=True, **self.by),
            "away": lambda: self.mark(entry, CheckIn.State.AWAY, self.night.now + minutes),
            "missing": lambda: self.mark(entry, CheckIn.State.MISSING),
            "here": lambda: check_in.mark_players_here(tournament=self.event, players=[entry.player], **self.by),
            "result": lambda: enter_result(
                fixture=match,
                result=ResultInput.played((5, 2) if side else (1, 5)),
                settle_after=timedelta(0, 5),
                **self.by,
            ),
            "no show": lambda: forfeit_missing(fixture=match, side=side, **self.by),
        }

    def mark(self, entry: Entry, state: str, until: datetime | None = None) -> object:
        return check_in.mark(entry=entry, state=state, until=until, **self.by)


@pytest.mark.parametrize("seed", first_in_make_test(*range(1, 1 + TIER.nights)))
def test_undoing_whatever_was_done_restores_where_everybody_is(
    start: Callable[..., Tournament], by_alice: Actor, seed: int
) -> None:
    chance, undone = Random(seed), set()
    night = Night(start(), by_alice, seed=seed)
    floor = Floor(night, chance)
    for _step in range(8):
        night.step()
        if night.division.status == Division.Status.FINISHED or not night.open():
            break
        for _act in range(4):
            moment, last = night.now, last_act(night.event, by_alice)
            name, act = chance.choice(list(floor.acts().items()))
            night.now += timedelta(seconds=2)
            before = derived(night)
            night.now = moment + timedelta(seconds=1)
            for _again in range(2):
                try:
                    act()
                except Refused:
                    break
                newest = last_act(night.event, by_alice)
                if newest == last or newest is None:
                    break
                night.now = moment + timedelta(seconds=2)
                undo(tournament=night.event, act=newest, by=by_alice, now=night.now)
                after = derived(night)
                changed = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
                assert not changed, name
                undone.add(name)
            night.now = moment + timedelta(seconds=2)
    assert len(undone) > 5
    assert list(differences(Selection.of())) == []
