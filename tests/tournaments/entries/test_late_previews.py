"""Previews of late entries, and undoing late entries."""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from engine.errors import Refused
from formats.elimination.byes import LowerByes
from formats.settings import StageSettings
from players.actors import Actor
from players.models import Player
from tests.tiers import first_in_make_test
from tests.tournaments.support.entries import refusal_code, slot_states
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.entries.late import enter_late, preview_late, preview_undo, undo_late
from tournaments.entries.previews import late_view
from tournaments.models import Division, Entry, Fixture, LateEntry, Slot

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


def opponent(entry: Entry) -> int | None:
    """Whose bye a late entry took."""
    slot = Slot.objects.get(source_entry=entry)
    return slot.fixture.slots.exclude(pk=slot.pk).get().entry_id


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

    (newcomer,) = look(driver, "Somebody").newcomers
    assert slot_states(driver) == before

    (entry,) = driver.late(late)
    assert newcomer.waits == (entry.status == Entry.Status.WAITING)
    if entry.status == Entry.Status.IN:
        taken = opponent(entry)
        assert taken in newcomer.byes
        undo(driver, entry)
        assert slot_states(driver) == before
        assert is_clean()
        assert look(driver, "Somebody").newcomers == [newcomer]
        (other,) = driver.late(Player.objects.create(name="Gram"))
        assert opponent(other) == taken, "neither undoing nor another player draws a new lot"


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


@pytest.mark.parametrize("count", [5, 11])
def test_no_preview_shows_which_bye_the_lot_gives(begun: Begun, count: int) -> None:
    driver = begun("knockout", count)
    byes = Fixture.objects.filter(stage__division=driver.division, status=Fixture.Status.BYE)
    holders = {slot.entry_id for fixture in byes for slot in fixture.slots.all() if slot.entry_id}

    first, second = look(driver, "Late 0", "Late 1").newcomers

    assert set(first.byes) == set(second.byes) == holders
    notes = late_view(look(driver, "Late 0")).notes
    assert f"Late 0 takes one of {len(holders)} byes" in notes[0]
    assert late_view(look(driver, "Late 0")).changes == []


def consolation(driver: DivisionDriver) -> list[Fixture]:
    return list(Fixture.objects.filter(stage__division=driver.division, round__bracket__key="consolation"))


def matches_of(driver: DivisionDriver) -> list[int]:
    """How many matches each entry has in the whole division."""
    slots = Slot.objects.filter(fixture__stage__division=driver.division, fixture__match__isnull=False)
    counted = Counter(slot.entry_id for slot in slots.exclude(fixture__match__state="void") if slot.entry_id)
    return sorted(counted[entry.pk] for entry in driver.division.entries.filter(status=Entry.Status.IN))


@pytest.mark.slow
def test_a_consolation_without_a_bye_is_drawn_again_so_that_everybody_has_two_matches(begun: Begun) -> None:
    driver = begun("progressive", 12)
    for fixture in driver.ready():
        driver.report(fixture, 0)
    late = [Player.objects.create(name=f"Late {number}") for number in range(4)]

    preview = look(driver, *(player.name for player in late))
    assert preview.at_least == 2
    assert "The consolation is drawn again, because none of its matches has begun." in late_view(preview).notes
    assert late_view(preview).notes[-1] == "At least 2 matches for everybody."
    entries = driver.late(*late)

    assert [entry.status for entry in entries] == [Entry.Status.IN] * 4
    assert is_clean()
    driver.play_out(Random(1))
    assert matches_of(driver)[0] == 2
    assert is_clean()


@pytest.mark.slow
def test_a_late_entry_that_drew_the_consolation_again_is_undone(begun: Begun) -> None:
    driver = begun("progressive", 12)
    before = [(row.round.number, row.slots.count()) for row in consolation(driver)]
    entries = driver.late(*(Player.objects.create(name=f"Late {number}") for number in range(4)))
    assert len(consolation(driver)) > len(before)

    for entry in reversed(entries):
        undo(driver, entry)
        assert is_clean()

    assert [(row.round.number, row.slots.count()) for row in consolation(driver)] == before
    driver.play_out(Random(2))
    assert matches_of(driver)[0] == 2
    assert is_clean()


def test_once_the_consolation_has_begun_the_preview_says_who_has_one_match_only(begun: Begun) -> None:
    driver = begun("progressive", 14)
    driver.late(Player.objects.create(name="Louise"))
    first = [fixture for fixture in driver.ready() if fixture.round.bracket.key == "main"]
    for fixture in [row for row in first if row.round.number == 1]:
        driver.report(fixture, 0)
    begun_match = next(row for row in driver.ready() if row.round.bracket.key == "consolation")
    driver.report(begun_match, 0)

    preview = look(driver, "Gram")

    assert (preview.newcomers[0].drop, preview.at_least) == ("out", 1)
    notes = late_view(preview).notes
    assert notes[1].startswith("The loser of the first match of Gram has this one match only")
    assert notes[-1] == "At least 1 match for everybody."
    (entry,) = driver.late(Player.objects.create(name="Gram"))
    assert entry.status == Entry.Status.IN
    undo(driver, entry)
    assert is_clean()


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
    driver = begun("progressive", 9, lower_byes=LowerByes.LOTS)
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
