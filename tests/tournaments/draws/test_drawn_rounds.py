"""Rounds of a lower bracket that are drawn when their players are known."""

from collections.abc import Callable
from random import Random

import pytest

from matches.lifecycle.finish import ResultInput
from matches.reporting import reports
from players.actors import SYSTEM, Actor
from players.models import Player
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.draws.kept_apart import keep_apart
from tournaments.formats.settings import DOUBLE, PROGRESSIVE, StageSettings
from tournaments.models import Correction, Division, Fixture, Round, Slot, Stage
from tournaments.results import corrections
from tournaments.state.preview import Choice

pytestmark = pytest.mark.django_db
Begun = Callable[[int, str], DivisionDriver]
Seats = list[tuple[str, int | None, int | None]]


@pytest.fixture
def begun(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Begun:
    """Return a function that starts a division with a fixed seed for lots."""

    def make(count: int, format_: str) -> DivisionDriver:
        driver = DivisionDriver(make_division(match_length=5), by_alice)
        driver.enter(make_players(count))
        driver.begin(StageSettings(format_))
        Stage.objects.filter(division=driver.division).update(lots_seed=bytes(range(32)).hex())
        return driver

    return make


def drawn_round(driver: DivisionDriver) -> Round:
    """Return the first round that is drawn later."""
    rows = Round.objects.filter(bracket__stage__division=driver.division).exclude(entrants=[])
    return rows.order_by("bracket__order", "number")[0]


def seats(round_: Round) -> Seats:
    """Return the source and the entry of each slot."""
    rows = Slot.objects.filter(round=round_).order_by("fixture__number", "side")
    return list(rows.values_list("source", "source_fixture", "entry"))


def feeding(driver: DivisionDriver, round_: Round) -> list[Fixture]:
    numbers = [number for _, number in round_.entrants]
    return list(Fixture.objects.filter(stage__division=driver.division, number__in=numbers).select_related("match"))


def play_until_drawn(driver: DivisionDriver, round_: Round) -> None:
    """Play matches until the players of the round are known."""
    chance = Random(7)
    waiting = {Fixture.Status.WAITING, Fixture.Status.READY}
    while any(fixture.status in waiting for fixture in feeding(driver, round_)):
        inside = set(round_.fixtures.values_list("number", flat=True))
        fixture = next(ready for ready in driver.ready() if ready.number not in inside)
        assert {source for source, _, _ in seats(round_)} <= {"drawn", "bye"}
        driver.report(fixture, chance.randrange(2))


def correct(driver: DivisionDriver, fixture: Fixture) -> Correction:
    """Correct the result so that the other player won."""
    fixture = Fixture.objects.select_related("stage", "match").get(pk=fixture.pk)
    assert fixture.match is not None
    standing = fixture.match.results.latest("version")
    assert None not in (standing.winner, standing.score_0, standing.score_1)
    new = ResultInput(1 - (standing.winner or 0), (standing.score_1 or 0, standing.score_0 or 0))
    correction = corrections.CorrectionInput(new, Choice.CORRECT_ALL)
    done = corrections.apply_correction(
        fixture=fixture,
        correction=correction,
        after=driver.seq,
        by=driver.by,
        now=driver.now(),
    )
    assert done is not None
    return done


@pytest.mark.parametrize(
    ("count", "format_"), [(13, PROGRESSIVE), (11, DOUBLE), pytest.param(19, PROGRESSIVE, marks=pytest.mark.slow)]
)
def test_a_round_is_drawn_as_soon_as_its_players_are_known(begun: Begun, count: int, format_: str) -> None:
    driver = begun(count, format_)
    round_ = drawn_round(driver)

    play_until_drawn(driver, round_)

    assert {source for source, _, _ in seats(round_)} <= {"winner", "loser", "bye"}
    came = sorted((source, number) for source, number, _ in seats(round_) if source != "bye")
    assert came == sorted(map(tuple, round_.entrants))
    assert is_clean()
    driver.play_out(Random(3))
    assert is_clean()
    assert driver.division.stages.get().status == Stage.Status.FINISHED


def test_a_correction_before_the_round_begins_and_its_undo_give_the_same_lot(begun: Begun) -> None:
    driver = begun(19, PROGRESSIVE)
    round_ = drawn_round(driver)
    play_until_drawn(driver, round_)
    before = seats(round_)
    for fixture in feeding(driver, round_):
        if fixture.match is None:
            continue
        correction = correct(driver, fixture)
        assert seats(round_) != before
        assert is_clean()
        corrections.undo_correction(correction=correction, after=driver.seq, by=driver.by, now=driver.now())
        assert seats(round_) == before
        assert is_clean()


@pytest.mark.parametrize("how", ["played", "reported"])
def test_a_round_that_has_begun_is_not_drawn_again(begun: Begun, how: str) -> None:
    driver = begun(19, PROGRESSIVE)
    round_ = drawn_round(driver)
    play_until_drawn(driver, round_)
    sources = [(source, number) for source, number, _ in seats(round_)]
    first = next(ready for ready in driver.ready() if ready.round_id == round_.pk)
    if how == "played":
        driver.report(first, 0)
    else:
        assert first.match is not None
        reports.report_score(
            match=first.match, side=0, report=reports.ScoreReport(1, (2, 5)), by=Actor.link(0), now=driver.now()
        )
    for fixture in feeding(driver, round_):
        if fixture.match is not None:
            correct(driver, fixture)
            assert [(source, number) for source, number, _ in seats(round_)] == sources
            assert is_clean()


def test_pairs_that_are_kept_apart_are_stored_with_the_draw(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(match_length=5), by_alice)
    bob, carol, *_ = driver.enter(make_players(9))
    keep_apart(first=bob, second=carol, by=SYSTEM, now=driver.now())
    driver.begin(StageSettings(PROGRESSIVE))
    assert driver.division.stages.get().apart == [[bob.pk, carol.pk]]
