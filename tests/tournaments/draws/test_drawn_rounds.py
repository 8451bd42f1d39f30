"""Lines of a lower bracket that are drawn when their players are known, in part of a round or in all of it."""

from collections.abc import Callable, Collection, Iterator
from random import Random

import pytest

from display.paper.brackets import SheetMatch, sheet_brackets
from formats.elimination.byes import LowerByes
from formats.settings import DOUBLE, PROGRESSIVE, StageSettings
from matches.lifecycle.finish import ResultInput
from matches.reporting import reports
from players.actors import SYSTEM, Actor
from players.models import Player
from tests.tiers import first_in_make_test
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.draws import services as draws
from tournaments.draws.kept_apart import keep_apart
from tournaments.draws.lists import draft_rounds
from tournaments.events import services as events
from tournaments.models import Correction, Division, Draw, Fixture, Round, Slot, Stage
from tournaments.results import corrections
from tournaments.state import stages
from tournaments.state.preview import Choice

pytestmark = pytest.mark.django_db
Begun = Callable[..., DivisionDriver]
Seats = list[tuple[str, int | None, int | None]]


@pytest.fixture
def begun(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Begun:
    """Return a function that starts a division with a fixed seed for lots."""

    def make(count: int, format_: str, byes: LowerByes = LowerByes.LINES) -> DivisionDriver:
        driver = DivisionDriver(make_division(match_length=5), by_alice)
        driver.enter(make_players(count))
        driver.begin(StageSettings(format_, lower_byes=byes))
        Stage.objects.filter(division=driver.division).update(lots_seed=bytes(range(32)).hex())
        return driver

    return make


def drawn_round(driver: DivisionDriver) -> Round:
    """Return the first round with lines that are drawn later."""
    rows = Round.objects.filter(bracket__stage__division=driver.division).exclude(entrants=[])
    return rows.order_by("bracket__order", "number")[0]


def seats(round_: Round) -> Seats:
    """Return the source and the entry of each slot that is drawn."""
    rows = Slot.objects.filter(round=round_).exclude(source_place=None).order_by("fixture__number", "side")
    return list(rows.values_list("source", "source_fixture", "entry"))


def feeding(driver: DivisionDriver, round_: Round) -> list[Fixture]:
    numbers = [number for _, number in round_.entrants]
    return list(Fixture.objects.filter(stage__division=driver.division, number__in=numbers).select_related("match"))


def play_until_drawn(driver: DivisionDriver, round_: Round) -> None:
    """Play matches until the players of the round are known."""
    chance = Random(7)
    waiting = {Fixture.Status.WAITING, Fixture.Status.READY}
    while any(fixture.status in waiting for fixture in feeding(driver, round_)):
        fixture = next(ready for ready in driver.ready() if ready.number not in drawn_fixtures(round_))
        assert {source for source, _, _ in seats(round_)} == {"drawn"}
        driver.report(fixture, chance.randrange(2))


def drawn_fixtures(round_: Round) -> set[int]:
    """Return the numbers of the fixtures with drawn slots."""
    slots = Slot.objects.filter(round=round_).exclude(source_place=None)
    return set(slots.values_list("fixture__number", flat=True))


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
    ("count", "format_", "byes", "lines"),
    [
        (13, PROGRESSIVE, LowerByes.LOTS, 7),
        (11, DOUBLE, LowerByes.LOTS, 3),
        (11, DOUBLE, LowerByes.LINES, 2),
        pytest.param(19, PROGRESSIVE, LowerByes.LINES, 2, marks=pytest.mark.slow),
    ],
)
def test_lines_are_drawn_as_soon_as_their_players_are_known(
    begun: Begun, count: int, format_: str, byes: LowerByes, lines: int
) -> None:
    driver = begun(count, format_, byes)
    round_ = drawn_round(driver)

    play_until_drawn(driver, round_)

    assert {source for source, _, _ in seats(round_)} <= {"winner", "loser"}
    assert len(seats(round_)) == lines
    came = sorted((source, number) for source, number, _ in seats(round_))
    assert came == sorted(map(tuple, round_.entrants))
    assert is_clean()
    driver.play_out(Random(3))
    assert is_clean()
    assert driver.division.stages.get().status == Stage.Status.FINISHED


@pytest.mark.slow
@pytest.mark.parametrize("byes", first_in_make_test(*LowerByes))
def test_a_correction_before_the_lines_begin_and_its_undo_give_the_same_lot(begun: Begun, byes: LowerByes) -> None:
    driver = begun(19, PROGRESSIVE, byes)
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


def play_until_ready(driver: DivisionDriver, numbers: set[int], *, but: Collection[int] = ()) -> Fixture:
    """Play matches, `but` those with these numbers, until one of `numbers` is ready; return it."""
    chance = Random(5)
    while True:
        ready = driver.ready()
        if awaited := [fixture for fixture in ready if fixture.number in numbers]:
            return awaited[0]
        driver.report(next(fixture for fixture in ready if fixture.number not in but), chance.randrange(2))


@pytest.mark.slow
@pytest.mark.parametrize("byes", first_in_make_test(*LowerByes))
@pytest.mark.parametrize("how", ["played", "reported"])
def test_lines_that_have_begun_are_not_drawn_again(begun: Begun, how: str, byes: LowerByes) -> None:
    driver = begun(19, PROGRESSIVE, byes)
    round_ = drawn_round(driver)
    play_until_drawn(driver, round_)
    sources = [(source, number) for source, number, _ in seats(round_)]
    first = play_until_ready(driver, drawn_fixtures(round_))
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


@pytest.mark.slow
def test_a_match_on_a_fixed_line_of_the_round_does_not_keep_the_lot(begun: Begun) -> None:
    driver = begun(19, PROGRESSIVE)
    round_ = drawn_round(driver)
    others = set(round_.fixtures.values_list("number", flat=True)) - drawn_fixtures(round_)
    assert others
    fixed = play_until_ready(driver, others, but=[number for _, number in round_.entrants])
    assert {source for source, _, _ in seats(round_)} == {"drawn"}, "it begins before the lines are drawn"
    driver.report(fixed, 0)
    play_until_drawn(driver, round_)
    before = seats(round_)
    correction = correct(driver, next(fixture for fixture in feeding(driver, round_) if fixture.match is not None))
    assert seats(round_) != before
    assert is_clean()
    corrections.undo_correction(correction=correction, after=driver.seq, by=driver.by, now=driver.now())
    assert seats(round_) == before
    assert is_clean()


def texts_of(match: SheetMatch) -> Iterator[str]:
    """Return the texts of a match on a sheet and of those that lead to it."""
    for line in match.lines:
        yield line.text
        if line.feeder is not None:
            yield from texts_of(line.feeder)


def sheet_texts(driver: DivisionDriver) -> list[str]:
    brackets = sheet_brackets(driver.division)
    return [text for bracket in brackets for root in bracket.roots for text in texts_of(root)]


def test_the_printed_sheet_names_the_lines_of_a_lot(begun: Begun) -> None:
    driver = begun(19, PROGRESSIVE)
    lines = ", ".join(f"{kind[0].upper()}{number}" for kind, number in drawn_round(driver).entrants)
    shown = sheet_texts(driver)
    assert f"Bye by lot: {lines}" in shown
    assert f"By lot: {lines}" in shown


def test_the_printed_sheet_of_thirteen_needs_no_lot(begun: Begun) -> None:
    shown = sheet_texts(begun(13, PROGRESSIVE))
    assert shown
    assert not any("lot" in text for text in shown)


def test_a_draft_made_by_an_older_algorithm_is_published_as_it_was_shown(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(match_length=5), by_alice)
    driver.enter(make_players(13))
    stages.set_stages(
        division=driver.division, stages=[StageSettings(PROGRESSIVE)], after=driver.seq, by=by_alice, now=driver.now()
    )
    events.publish_tournament(tournament=driver.division.tournament, by=by_alice, now=driver.now())
    draft = draws.request_draw(division=driver.division, by=by_alice, now=driver.now())
    draws.make_draft(draw_id=draft.pk, now=driver.now())
    draft.refresh_from_db()
    assert draft.algorithm == "barpoint-knockout/1 on barpoint-lots/1, barpoint-lines/1"
    Draw.objects.filter(pk=draft.pk).update(algorithm="barpoint-knockout/1 on barpoint-lots/1")
    draft.refresh_from_db()
    shown = [len(row.entrants) for row in draft_rounds(driver.division, draft)]
    assert max(shown) == 7

    driver.publish()

    stored = Round.objects.filter(bracket__stage__division=driver.division).order_by("bracket__order", "number")
    assert [len(row.entrants) for row in stored] == shown


def test_pairs_that_are_kept_apart_are_stored_with_the_draw(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(match_length=5), by_alice)
    bob, carol, *_ = driver.enter(make_players(9))
    keep_apart(first=bob, second=carol, by=SYSTEM, now=driver.now())
    driver.begin(StageSettings(PROGRESSIVE))
    assert driver.division.stages.get().apart == [[bob.pk, carol.pk]]
