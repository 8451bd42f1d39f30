"""A place for everybody, as it is drawn, played, corrected, shown and paid."""

from collections.abc import Callable
from random import Random

import pytest
from django.test import Client

from engine.errors import Refused
from formats.elimination.places import certain_places
from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.actors import Actor
from players.models import Player
from prizes.prizes import pot_keys, standings_of
from seasons.facts import facts_of
from tests.pages import html
from tests.tiers import first_in_make_test
from tests.tournaments.support.correcting import Cup, another, integrity_differences, won_by
from tests.tournaments.support.drawn_divisions import page_of
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.entries.late import preview_late, preview_undo, undo_late
from tournaments.entries.previews import late_view
from tournaments.ledger.shares import CertainPlaces, Pot, PrizePlacing, prize_table
from tournaments.match_events import consequences_of
from tournaments.models import Bracket, Division, Draw, Entry, Fixture, Round, Withdrawal
from tournaments.results import services as results
from tournaments.results.corrections import preview_correction
from tournaments.standings.brackets import seeds_of
from tournaments.standings.rounds import RoundNames
from tournaments.state.derivation import states_of
from tournaments.state.preview import Choice

pytestmark = pytest.mark.django_db
ALL = [StageSettings("places")]
Begun = Callable[..., DivisionDriver]


@pytest.fixture
def begun(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Begun:
    """Return a function that starts a division in which everybody plays to the end."""

    def make(count: int) -> DivisionDriver:
        driver = DivisionDriver(make_division(), by_alice)
        driver.enter(make_players(count))
        return driver.begin(*ALL)

    return make


def places_of(division: Division) -> list[tuple[int, int, tuple[int, ...]]]:
    """First, last and entries of the certain places."""
    return [(row.first, row.last, row.entries) for row in certain_places(states_of(division)[0].progress)]


def late(number: int = 1) -> Player:
    return Player.objects.create(name=f"Late {number}")


@pytest.mark.parametrize("count", first_in_make_test(13, 3, 8))
def test_everybody_has_a_place_that_prizes_and_seasons_follow(begun: Begun, count: int) -> None:
    driver = begun(count)
    driver.play_out(Random(count))
    division = Division.objects.get(pk=driver.division.pk)
    assert division.status == Division.Status.FINISHED
    order = places_of(division)
    assert [(first, last) for first, last, _entries in order] == [(at, at) for at in range(1, count + 1)]

    assert pot_keys(division) == ("main",)
    assert [(row.first, row.last, row.entries) for row in standings_of(division)["main"].placings] == order
    (bracket,) = facts_of([division])[division.pk].brackets
    people = dict(division.entries.values_list("pk", "player__public_id"))
    assert [placing for (placing,) in bracket.placings] == [people[entry] for _first, _last, (entry,) in order]
    assert is_clean()


@pytest.mark.parametrize("seed", first_in_make_test(4, 0, 1, 2, 3))
def test_whatever_happens_is_derived_the_same(seed: int) -> None:
    """With forfeits of one or both, withdrawals, and corrections that are undone."""
    chance = Random(seed)
    cup = Cup.create(5 + 3 * seed, ALL).play(chance, most=12 + 4 * seed)
    assert integrity_differences() == []
    for fixture in chance.sample(cup.settled(), 2):
        before = cup.standing()
        correction = cup.correct(fixture, another(chance, cup.results()[fixture.number]))
        assert integrity_differences() == []
        cup.undo(correction)
        assert {**cup.standing(), "results": 0} == {**before, "results": 0}
    cup.play(chance)
    assert cup.standing()["division"] == "finished"
    assert integrity_differences() == []


def test_a_correction_shows_whose_places_change() -> None:
    cup = Cup.create(4, ALL)
    cup.play(Random(1), most=0)
    for number in (1, 2, 3, 4):
        cup.work()
        cup.report(cup.fixture(number), won_by(0))
    preview = preview_correction(fixture=cup.fixture(4), new=won_by(1))
    changed = preview.consequences[Choice.CORRECT_ALL].places
    assert sorted((change.key, change.before, change.after) for change in changed) == [
        ("main", (3, None), (4, None)),
        ("main", (4, None), (3, None)),
    ]


def test_both_who_forfeit_share_what_is_left_of_their_lines(begun: Begun) -> None:
    driver = begun(8)
    first = driver.ready()[0]
    pair = [slot.entry_id for slot in first.slots.all() if slot.entry_id is not None]
    nobody = ResultInput(None, None, Result.Kind.DOUBLE_FORFEIT)
    results.enter_result(fixture=first, result=nobody, by=driver.by, now=driver.now())
    driver.play_out(Random(2))
    order = places_of(driver.division)
    assert (4, 8, tuple(sorted(pair))) in order
    assert sorted(entry for _first, _last, entries in order for entry in entries) == sorted(
        driver.division.entries.values_list("pk", flat=True)
    )
    placings = standings_of(driver.division)["main"].placings
    due = prize_table(1000, [Pot("main", (4000, 3000, 2000, 1000))], {"main": CertainPlaces(placings, over=True)})
    assert sum(prize.due for prize in due) == 1000
    assert [prize.due for prize in due if prize.entry in pair] == [50, 50]
    assert is_clean()


def test_shares_of_places_apart_sum_to_the_fund() -> None:
    standing = CertainPlaces((PrizePlacing(1, 1, (1,)), PrizePlacing(2, 4, (2, 4), (2, 4)), PrizePlacing(3, 3, (3,))))
    prizes = prize_table(1001, [Pot("main", (4000, 3000, 2000, 1000))], {"main": standing}, unit=5)
    assert [(prize.entry, prize.due) for prize in prizes] == [(1, 401), (2, 200), (4, 200), (3, 200)]


def test_who_withdraws_from_one_bracket_leaves_the_division(begun: Begun) -> None:
    driver = begun(8)
    for fixture in driver.ready():
        driver.report(fixture, 0)
    below = next(fixture for fixture in driver.ready() if fixture.round.bracket.key == "p5")
    _entry, preview = results.preview_withdrawal_of_side(fixture=below, side=0, scope="bracket")
    assert below.number in [change.row.number for change in preview[0].following.changes]
    entry = results.withdraw_side(fixture=below, side=0, scope="bracket", by=driver.by, now=driver.now())
    assert Entry.objects.get(pk=entry.pk).status == Entry.Status.OUT
    assert not Withdrawal.objects.exclude(bracket=None).exists()
    driver.play_out(Random(3))
    assert (8, 8, (entry.pk,)) in places_of(driver.division)
    assert is_clean()


def test_a_late_entry_takes_the_bye_and_the_lower_half_is_planned_for_one_more(begun: Begun) -> None:
    driver = begun(9)
    first = driver.ready()[0]
    driver.report(first, 0)
    before = set(Bracket.objects.values_list("key", flat=True))
    assert before == {"main", "p4", "p6", "p8"}
    newcomer = late()
    preview = preview_late(division=Division.objects.get(pk=driver.division.pk), players=[newcomer], now=driver.now())
    assert [row.waits for row in preview.newcomers] == [False]
    assert "The lower half is drawn again, because none of its matches has begun." in late_view(preview).notes

    (entry,) = driver.late(newcomer)
    assert entry.status == Entry.Status.IN
    assert set(Bracket.objects.values_list("key", flat=True)) == {"main", "p4", "p6", "p9"}
    assert is_clean()
    assert [row.status for row in driver.late(late(2))] == [Entry.Status.WAITING], "there is no other bye"

    seen = Division.objects.get(pk=driver.division.pk).seq
    assert preview_undo(entry=entry).anew is not None
    undo_late(entry=entry, after=seen, by=driver.by, now=driver.now())
    assert set(Bracket.objects.values_list("key", flat=True)) == before
    assert is_clean()
    driver.play_out(Random(5))
    assert len([row for row in places_of(driver.division) if row[0] == row[1]]) == 9
    assert is_clean()


def test_four_play_for_four_places_where_three_were_drawn(begun: Begun) -> None:
    driver = begun(3)
    driver.late(late())
    assert set(Bracket.objects.values_list("key", flat=True)) == {"main", "p3"}
    driver.play_out(Random(1))
    assert [row[:2] for row in places_of(driver.division)] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert is_clean()


def test_nobody_joins_once_the_lower_half_has_begun(begun: Begun) -> None:
    driver = begun(9)
    for fixture in driver.ready()[:2]:
        driver.report(fixture, 0)
    below = next(fixture for fixture in driver.ready() if fixture.round.bracket.key == "p6")
    driver.report(below, 0)
    assert [row.status for row in driver.late(late())] == [Entry.Status.WAITING]
    assert is_clean()


def test_nobody_enters_again(begun: Begun) -> None:
    driver = begun(9)
    leaver = driver.division.entries.first()
    assert leaver is not None
    driver.withdraw(leaver)
    with pytest.raises(Refused) as refused:
        driver.late(leaver.player)
    assert refused.value.code == "reentry_not_offered"


def test_a_later_stage_and_shared_places() -> None:
    stages = [StageSettings("swiss", rounds=3, qualifiers=5), StageSettings("places", played_to=2, shared_by=2)]
    cup = Cup.create(8, stages).play(Random(2), wild=False)
    assert cup.standing()["division"] == "finished"
    (_swiss, last) = states_of(cup.division)
    assert [(row.first, row.last) for row in certain_places(last.progress)] == [(1, 1), (2, 2), (3, 3), (4, 5)]
    assert integrity_differences() == []


def test_rounds_are_named_by_their_places_and_players_are_told_theirs(begun: Begun) -> None:
    driver = begun(9)
    names = RoundNames(Round.objects.all())
    assert {names[row.pk] for row in Round.objects.filter(bracket__key="p6")} == {"Places 6–9", "Places 6–7"}
    assert {names[row.pk] for row in Round.objects.filter(bracket__key="main")} >= {"Semi-finals", "Final"}
    for fixture in driver.ready():
        driver.report(fixture, 0)
    below = next(fixture for fixture in driver.ready() if fixture.round.bracket.key == "p6")
    driver.report(below, 0)
    other = next(fixture for fixture in driver.ready() if fixture.round.bracket.key == "p6")
    driver.report(other, 0)
    last = next(fixture for fixture in driver.ready() if fixture.round.bracket.key == "p8")
    assert last.match is not None
    assert consequences_of(last.match, 0, 0) == ["You have place 8."]
    assert consequences_of(last.match, 0, 1) == ["You have place 9."]


def test_the_page_shows_the_order_so_far_before_the_brackets(begun: Begun, client: Client) -> None:
    driver = begun(4)
    address = page_of(Division.objects.get(pk=driver.division.pk))
    page = html(client.get(address))
    assert page.index("No places are decided yet.") < page.index('id="tree-main"') < page.index('id="tree-p3"')
    driver.play_out(Random(1))
    page = html(client.get(address))
    order = page[page.index("Final order") : page.index('id="tree-main"')]
    assert [f"<dt>{place}</dt>" in order for place in range(1, 6)] == [True] * 4 + [False]
    assert "Places 3–4" in page


def test_seeds_stand_where_they_do_in_a_bracket(begun: Begun) -> None:
    driver = begun(7)
    division = driver.division
    Division.objects.filter(pk=division.pk).update(draw_method=Division.DrawMethod.ENTRY)
    division.refresh_from_db()
    draw = division.stages.get().draws.get()
    by_seed = sorted(seeds_of(draw, division).items(), key=lambda row: row[1])
    places = [entry for entry in draw.places if entry is not None]
    assert [places.index(entry) for entry, _seed in by_seed] == [0, 3, 5, 1, 2, 6, 4]


def test_too_few_and_too_many_are_refused(make_division: Callable[..., Division], by_alice: Actor) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter([Player.objects.create(name="Ann"), Player.objects.create(name="Bea")])
    with pytest.raises(Refused):
        driver.begin(StageSettings("places"))
    assert (Draw.objects.get().refusal or {})["code"] == "places_field"
    assert not Fixture.objects.exists()
