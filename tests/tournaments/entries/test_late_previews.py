"""Previews of late entries, and undoing late entries."""

from collections.abc import Callable
from random import Random

import pytest

from engine.errors import Refused
from players.actors import Actor
from players.models import Player
from tests.tiers import first_in_make_test
from tests.tournaments.support.entries import refusal_code, slot_states
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.entries.late import enter_late, preview_late, preview_undo, undo_late
from tournaments.formats.settings import StageSettings
from tournaments.models import Division, Entry, LateEntry

pytestmark = pytest.mark.django_db
Begun = Callable[..., DivisionDriver]


@pytest.fixture
def begun(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Begun:
    """Return a function that starts a division with this format."""

    def make(format_: str, count: int, **settings: object) -> DivisionDriver:
        driver = DivisionDriver(make_division(), by_alice)
        driver.enter(make_players(count))
        return driver.begin(StageSettings(format_, **settings))

    return make


def look(driver: DivisionDriver, *players: Player | str) -> object:
    driver.division.refresh_from_db()
    return preview_late(division=driver.division, players=players, now=driver.at)


def undo(driver: DivisionDriver, entry: Entry) -> None:
    entry = Entry.objects.select_related("division__tournament__club", "player").get(pk=entry.pk)
    undo_late(entry=entry, after=preview_undo(entry=entry).seq, by=driver.by, now=driver.now())


@pytest.mark.parametrize(("format_", "count"), [("knockout", 5), ("knockout", 11), ("progressive", 13)])
@pytest.mark.parametrize("seed", first_in_make_test(1, 0, 2))
def test_applying_matches_the_preview_and_undoing_restores_everything(
    begun: Begun, format_: str, count: int, seed: int
) -> None:
    chance = Random(seed)
    driver = begun(format_, count)
    for fixture in chance.sample(driver.ready(), seed):
        driver.report(fixture, chance.randrange(2))
    before = slot_states(driver)
    late = Player.objects.create(name="Louise")

    preview = look(driver, "Somebody")
    assert look(driver, late).changes == preview.changes, "the lot does not depend on the player"
    assert slot_states(driver) == before

    (entry,) = driver.late(late)
    after = slot_states(driver)
    foreseen = {
        (change.row.number, side): (slot.status.value, entry.pk if slot.entry == 0 else slot.entry)
        for change in preview.changes
        for side, slot in enumerate(change.after.slots)
    }
    real = {row[:2]: row[2:4] for row in after}
    assert foreseen.items() <= real.items()
    moved = {old[0] for old, new in zip(before, after, strict=True) if old != new}
    assert moved <= {number for number, _ in foreseen}
    assert bool(moved) == (not preview.newcomers[0].waits) == (entry.status == Entry.Status.IN)
    if entry.status == Entry.Status.IN:
        undo(driver, entry)
        assert slot_states(driver) == before
        assert is_clean()
        assert look(driver, "Somebody").changes == preview.changes, "undoing does not draw a new lot"


def test_several_late_entries_are_previewed_together(begun: Begun) -> None:
    driver = begun("knockout", 5)
    preview = look(driver, "Late 0", "Late 1", "Late 2", "Late 3")
    entries = enter_late(
        division=driver.division,
        players=[Player.objects.create(name=f"Late {number}") for number in range(4)],
        by=driver.by,
        now=driver.now(),
        after=preview.seq,
    )
    assert [newcomer.waits for newcomer in preview.newcomers] == [
        entry.status == Entry.Status.WAITING for entry in entries
    ]
    assert [newcomer.waits for newcomer in preview.newcomers] == [False, False, False, True]


def test_a_late_entry_with_an_old_seq_is_stale(begun: Begun) -> None:
    driver = begun("knockout", 5)
    seen = look(driver, "Somebody").seq
    driver.report(driver.ready()[0], 0)
    late = Player.objects.create(name="Louise")
    with pytest.raises(Refused, match="stale"):
        enter_late(division=driver.division, players=[late], by=driver.by, now=driver.now(), after=seen)


def test_a_late_entry_is_undone_before_its_match_begins(begun: Begun) -> None:
    driver = begun("knockout", 9)
    first, second = driver.late(Player.objects.create(name="Louise"), Player.objects.create(name="Gram"))
    undo(driver, first)
    assert refusal_code(lambda: undo(driver, first)) == "not_late"
    match = next(fixture for fixture in driver.ready() if fixture.slots.filter(entry=second).exists())
    driver.report(match, 0)
    assert refusal_code(lambda: undo(driver, second)) == "late_entry_begun"
    assert LateEntry.objects.filter(undoes__isnull=False).count() == 1


def test_of_late_entries_that_change_the_same_round_the_last_is_undone_first(begun: Begun) -> None:
    driver = begun("progressive", 9)
    first, second = driver.late(Player.objects.create(name="Louise"), Player.objects.create(name="Gram"))
    changed = LateEntry.objects.get(entry=first).entrants
    assert changed
    # These two draw byes that lead to different rounds.
    LateEntry.objects.filter(entry=second).update(entrants=changed)
    assert refusal_code(lambda: undo(driver, first)) == "late_entry_not_last"


@pytest.mark.parametrize(("format_", "note"), [("swiss", "round"), ("lives", "round"), ("league", "matches")])
def test_other_formats_preview_the_first_round_or_number_of_matches(begun: Begun, format_: str, note: str) -> None:
    driver = begun(format_, 5, **({"rounds": 4} if format_ == "swiss" else {}))
    (newcomer,) = look(driver, "Somebody").newcomers
    assert getattr(newcomer, note) == {"round": 2, "matches": 5}[note]
    before = slot_states(driver)
    (entry,) = driver.late(Player.objects.create(name="Louise"))
    if format_ == "league":
        assert refusal_code(lambda: undo(driver, entry)) == "late_entry_of_league"
        return
    undo(driver, entry)
    entry.refresh_from_db()
    assert (entry.status, slot_states(driver)) == (Entry.Status.OUT, before)
