"""Late entries are previewed as they are then made, and undone as if they had never been."""

from collections.abc import Callable
from random import Random

import pytest

from engine.errors import Refused
from players.actors import Actor
from players.models import Player
from tests.tournaments.entries.test_returns import code, stands
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.entries.services.late import enter_late
from tournaments.entries.services.late_previews import preview_late, preview_undo, undo_late
from tournaments.formats.settings import StageSettings
from tournaments.models import Division, Entry, LateEntry

pytestmark = pytest.mark.django_db
Begun = Callable[..., DivisionDriver]


@pytest.fixture
def begun(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Begun:
    """A division of so many players that is being played in this format."""

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
@pytest.mark.parametrize("seed", range(3))
def test_applying_does_what_the_preview_says_and_undoing_takes_all_of_it_back(
    begun: Begun, format_: str, count: int, seed: int
) -> None:
    chance = Random(seed)
    driver = begun(format_, count)
    for fixture in chance.sample(driver.ready(), seed):
        driver.report(fixture, chance.randrange(2))
    before = stands(driver)
    late = Player.objects.create(name="Louise")

    preview = look(driver, "Somebody")
    assert look(driver, late).changes == preview.changes, "the lot does not depend on who comes"
    assert stands(driver) == before

    (entry,) = driver.late(late)
    after = stands(driver)
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
        assert stands(driver) == before
        assert is_clean()
        assert look(driver, "Somebody").changes == preview.changes, "the same lot again"


def test_several_who_come_late_are_previewed_together(begun: Begun) -> None:
    driver = begun("knockout", 5)
    preview = look(driver, "Late 0", "Late 1", "Late 2", "Late 3")
    made = enter_late(
        division=driver.division,
        players=[Player.objects.create(name=f"Late {number}") for number in range(4)],
        by=driver.by,
        now=driver.now(),
        after=preview.seq,
    )
    assert [one.waits for one in preview.newcomers] == [entry.status == Entry.Status.WAITING for entry in made]
    assert [one.waits for one in preview.newcomers] == [False, False, False, True]


def test_a_late_entry_that_was_seen_otherwise_is_stale(begun: Begun) -> None:
    driver = begun("knockout", 5)
    seen = look(driver, "Somebody").seq
    driver.report(driver.ready()[0], 0)
    late = Player.objects.create(name="Louise")
    with pytest.raises(Refused, match="stale"):
        enter_late(division=driver.division, players=[late], by=driver.by, now=driver.now(), after=seen)


def test_a_late_entry_stays_once_its_match_has_begun_and_until_later_ones_are_undone(begun: Begun) -> None:
    driver = begun("knockout", 9)
    first, second = driver.late(Player.objects.create(name="Louise"), Player.objects.create(name="Gram"))
    assert code(lambda: undo(driver, first)) == "late_entry_not_last"
    undo(driver, second)
    assert code(lambda: undo(driver, second)) == "not_late"
    match = next(one for one in driver.ready() if one.slots.filter(entry=first).exists())
    driver.report(match, 0)
    assert code(lambda: undo(driver, first)) == "late_entry_begun"
    assert LateEntry.objects.filter(undoes__isnull=False).count() == 1


@pytest.mark.parametrize(("format_", "note"), [("swiss", "round"), ("lives", "round"), ("league", "matches")])
def test_other_formats_say_when_or_how_much_the_newcomer_plays(begun: Begun, format_: str, note: str) -> None:
    driver = begun(format_, 5, **({"rounds": 4} if format_ == "swiss" else {}))
    (newcomer,) = look(driver, "Somebody").newcomers
    assert getattr(newcomer, note) == {"round": 2, "matches": 5}[note]
    before = stands(driver)
    (entry,) = driver.late(Player.objects.create(name="Louise"))
    if format_ == "league":
        assert code(lambda: undo(driver, entry)) == "late_entry_of_league"
        return
    undo(driver, entry)
    entry.refresh_from_db()
    assert (entry.status, stands(driver)) == (Entry.Status.OUT, before)
