"""Whoever is let back in has missed what the others played meanwhile, as a late entry would have.

They open nothing again that was decided without them.
"""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

from engine.errors import Refused
from formats.settings import LIVES, SWISS, PairingMode, StageSettings, strict
from players.actors import SYSTEM, Actor
from players.models import Club, Player
from prizes.prizes import standings_of
from tests.clock import NOON
from tests.tournaments.floor.test_batches import Night, people, start
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.entries import returns
from tournaments.entries.previews import return_view
from tournaments.entries.services import withdraw
from tournaments.events import services as events
from tournaments.models import Division, Entry, MissedMatch, Slot, Tournament
from tournaments.state.derivation import states_of
from tournaments.state.pairings import begun_counts, missed_by_latecomer

__all__ = ["people", "start"]
pytestmark = pytest.mark.django_db

SWISS_FLOW = StageSettings(SWISS, rounds=4, pairing=PairingMode.CONTINUOUS)
LIVES_FLOW = StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS)
FLOWS = {
    "swiss": SWISS_FLOW,
    "lives": LIVES_FLOW,
    "strict swiss": strict(SWISS_FLOW),
    "strict lives": strict(LIVES_FLOW),
}
Start = Callable[..., Tournament]


def without(night: Night, by: Actor) -> Entry:
    """Let somebody win the first match and withdraw."""
    fixture = night.open()[0]
    night.win(fixture, 0)
    entry = Slot.objects.select_related("entry__player").get(fixture=fixture, side=0).entry
    assert entry is not None
    withdraw(entry=entry, by=by, now=night.now)
    return entry


def let_back(entry: Entry, by: Actor, night: Night) -> returns.ReturnPreview:
    entry = Entry.objects.select_related("division__tournament__club", "player").get(pk=entry.pk)
    seen = returns.preview_return(entry=entry)
    return returns.bring_back(entry=entry, seen=seen.mark, by=by, now=night.now)


@pytest.mark.slow
@pytest.mark.parametrize("flow", FLOWS.values(), ids=FLOWS)
def test_who_is_let_back_in_has_missed_what_the_others_began(
    start: Start, by_alice: Actor, flow: StageSettings
) -> None:
    night = Night(start(stages=[flow]), by_alice)
    entry = without(night, by_alice)
    while missed_by_latecomer(states_of(night.division)[0]) < 3:
        assert night.step()
    night.now += timedelta(seconds=1)
    preview = let_back(entry, by_alice, night)
    row = MissedMatch.objects.get(entry=entry)
    assert row.count >= 2 if flow.is_missed_by_lot else row.count == 2
    assert row.by_lot == (flow.format == LIVES)
    (part,) = return_view(preview)
    assert any(f"has missed {row.count} matches" in note for note in part.notes)
    (state,) = states_of(night.division)
    assert begun_counts(state.rows)[entry.pk] == row.count + 1
    night.play()
    if flow.format == SWISS:
        assert not Slot.objects.filter(source_entry=entry, fixture__pairing=None).exists(), "no bye, as nobody is alone"
    assert is_clean(night.division)


@pytest.mark.slow
@pytest.mark.parametrize("flow", FLOWS.values(), ids=FLOWS)
def test_nobody_is_let_back_into_what_was_decided_without_them(
    start: Start, by_alice: Actor, flow: StageSettings
) -> None:
    night = Night(start(stages=[flow]), by_alice)
    entry = without(night, by_alice)
    night.play()
    before = {key: table.placings for key, table in standings_of(night.division).items()}
    with pytest.raises(Refused, match="return_decided"):
        let_back(entry, by_alice, night)
    assert {key: table.placings for key, table in standings_of(night.division).items()} == before
    assert night.division.status == Division.Status.FINISHED


def rounds_of_lives(club: Club, by: Actor) -> DivisionDriver:
    event = events.create_tournament(club=club, by=by, now=NOON, name="Open", starts_at=NOON)
    driver = DivisionDriver(events.create_division(tournament=event, by=by, now=NOON, name="Main"), by)
    driver.enter([Player.objects.create(name=f"Player {number}") for number in range(6)])
    return driver.begin(StageSettings(LIVES, lives=2))


def leave_and_return(driver: DivisionDriver, rounds: int | None) -> None:
    """Withdraw somebody after the first round, play so many more rounds, or to the end, and let them back in."""
    chance = Random(1)
    driver.play_round(chance)
    driver.work()
    entry = driver.division.entries.filter(pk__in=driver.rounds()[-1].places).first()
    assert entry is not None
    driver.withdraw(entry)
    for _round in range(rounds or 0):
        driver.play_round(chance)
        driver.work()
    if rounds is None:
        driver.play_out(chance)
    entry = Entry.objects.select_related("division__tournament__club", "player").get(pk=entry.pk)
    seen = returns.preview_return(entry=entry)
    returns.bring_back(entry=entry, seen=seen.mark, by=SYSTEM, now=driver.now())


@pytest.mark.parametrize(("rounds", "code"), [(1, ""), (2, "late_entry_closed"), (None, "return_decided")])
def test_with_rounds_of_lives_one_round_may_be_missed(
    club: Club, by_alice: Actor, rounds: int | None, code: str
) -> None:
    driver = rounds_of_lives(club, by_alice)
    if code:
        with pytest.raises(Refused, match=code):
            leave_and_return(driver, rounds)
    else:
        leave_and_return(driver, rounds)
    driver.division.refresh_from_db()
    assert is_clean(driver.division)
