"""Whatever the staff do on the floor of a random night, undoing it restores where everybody is, and does so again."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.reporting import reports
from matches.reporting.reports import ScoreReport
from players.actors import Actor
from tests.tiers import TIER, first_in_make_test
from tests.tournaments.floor.test_batches import Night, derived, people, start
from tournaments.draws.kept_apart import keep_apart
from tournaments.entries import check_in
from tournaments.entries.services import withdraw
from tournaments.events.services import update_division, update_tournament
from tournaments.floor import calls, evening, length_offers
from tournaments.floor.batches import changes_of
from tournaments.floor.by_hand import hold_pairing
from tournaments.floor.derivation import floor_state
from tournaments.floor.flows import flows_of
from tournaments.floor.hold_ups import ask_whether_over, waive_lead
from tournaments.floor.selectors import load_facts
from tournaments.floor.state import FloorSettings
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
            "take back": lambda: calls.undo_call(fixture=match, **self.by),
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


@pytest.mark.slow
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


class Hall(Floor):
    """The same, and what others do meanwhile: players report, and directors change tables and settings."""

    def acts(self) -> dict[str, Callable[[], object]]:
        match, table, entry, division = self.match(), self.table(), self.entry(), self.night.division
        assert match.match is not None
        other = self.entry()
        side, tables = self.chance.randrange(2), {"tournament": self.event, **self.by}
        report, settings = ScoreReport(side, (5, 2) if side == 0 else (2, 5)), FloorSettings(rest=9)
        accessible = {"label": "by the door", "category": Table.Category.ACCESSIBLE}
        acts = super().acts()
        # A result of the night has the usual length.
        del acts["shorten"]
        return {
            **acts,
            "report": lambda: reports.report_score(match=match.match, side=side, report=report, **self.by),
            "contest": lambda: reports.contest(match=match.match, side=side, **self.by),
            "add a table": lambda: evening.add_table(label=str(self.event.floor_tables.count() + 1), **tables),
            "change a table": lambda: evening.change_table(table=table, **accessible, **self.by),
            "settings": lambda: evening.change_settings(settings=settings, **tables),
            "accessible": lambda: evening.set_needs_accessible(player=entry.player, needed=True, **tables),
            "keep apart": lambda: keep_apart(first=entry, second=other, **self.by),
            "withdraw": lambda: withdraw(entry=entry, **self.by),
            "capacity": lambda: update_division(division=division, after=division.seq, capacity=99, **self.by),
            "fewer tables": lambda: update_tournament(tournament=self.event, tables=1, **self.by),
        }


def pairs_of(night: Night) -> list[object]:
    """What the next pairs are decided from and called to."""
    event = Tournament.objects.prefetch_related("divisions__stages").get(pk=night.event.pk)
    state = floor_state(load_facts(event, night.now), night.now)
    flows = flows_of(event, state, night.now)
    return [state.pause, state.queue, state.facts.autopilot, *((flow.pool, flow.granted, flow.held) for flow in flows)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_in_make_test(*range(1, 1 + TIER.nights)))
def test_what_changes_the_next_pairs_changes_the_number_by_which_one_knows(
    start: Callable[..., Tournament], by_alice: Actor, seed: int
) -> None:
    """Otherwise they would be made from what is not so any more, or not looked for."""
    chance, seen = Random(seed), set[str]()
    night = Night(start(), by_alice, seed=seed)
    hall = Hall(night, chance)
    for _step in range(8):
        night.step()
        if night.division.status == Division.Status.FINISHED or not night.open():
            break
        for name, act in chance.sample(list(hall.acts().items()), 9):
            night.now += timedelta(seconds=1)
            number, before = changes_of(night.event), pairs_of(night)
            with suppress(Refused):
                act()
                seen.add(name)
            if changes_of(night.event) == number:
                assert pairs_of(night) == before, name
    assert len(seen) > 12
