"""Corrections: what the preview says is what applying does; all corrected, it is as if it had been right at once."""

from functools import partial
from random import Random
from typing import Any, NamedTuple

import pytest
from django.db import transaction
from hypothesis import assume, given
from hypothesis import strategies as st

from matches.lifecycle.finish import ResultInput
from matches.models import Match, PlayerRating, Result
from tests.tiers import TIER
from tests.tournaments.support.correcting import FORMATS, KNOCKOUT, Cup, another, integrity_differences, quickly, won_by
from tournaments.models import Fixture
from tournaments.results import corrections
from tournaments.state.derivation import states_of
from tournaments.state.preview import Choice, Consequences, CorrectionPreview, _places

pytestmark = pytest.mark.django_db
START = 1500.0
BOTH = (Choice.KEEP_BRACKET, Choice.CORRECT_ALL)


class Case(NamedTuple):
    """The number of a format, how many play, where chance begins, and after how many matches it is looked at."""

    format: int
    count: int
    seed: int
    most: int

    def played(self) -> tuple[Cup, Random]:
        chance = Random(self.seed)
        cup = Cup.create(self.count, FORMATS[self.format][0]).play(chance, most=self.most)
        cup.replay()
        return cup, chance


@st.composite
def cups(draw: Any) -> Case:
    """Any format."""
    at = draw(st.integers(0, len(FORMATS) - 1))
    _stages, least, most = FORMATS[at]
    return Case(at, draw(st.integers(least, most)), draw(st.integers(0, 10**6)), draw(st.integers(1, 40)))


def random_result(cup: Cup, chance: Random) -> tuple[Fixture, Result] | None:
    """A match with a result."""
    settled = cup.settled()
    if not settled:
        return None
    fixture = chance.choice(settled)
    return fixture, cup.results()[fixture.number]


# As if it had been right from the start


@pytest.mark.slow
@quickly(TIER.corrections)
@given(cups())
def test_correcting_all_is_as_if_the_right_result_had_been_entered(case: Case) -> None:
    with transaction.atomic():
        cup, chance = case.played()
        entered = {played.number for played in cup.history if hasattr(played, "result")}
        mine = [row for row in cup.settled() if row.number in entered]
        if mine:
            fixture = chance.choice(mine)
            new = another(chance, cup.results()[fixture.number])
            cup.correct(fixture, new, voided_rated=False)
            cup.replay()
            twin = cup.like(fixture.number, new)
            twin.replay()
            # At the time, the first of the two to withdraw forfeited (the next test).
            assume(not cup.is_decided_by_two_withdrawals())
            corrected, other = cup.standing(), twin.standing()
            for what in corrected:
                assert corrected[what] == other[what], what
            assert cup.rated() == twin.rated()
            assert integrity_differences() == []
        transaction.set_rollback(True)


def test_where_a_correction_pairs_two_who_have_withdrawn_the_director_says_who_advances() -> None:
    cup = Cup.create(8, KNOCKOUT)
    cup.play(Random(1), most=0)
    left, right, *_ = cup.ready()
    for fixture in (left, right):
        cup.report(fixture, won_by(0))
    for number, side in ((right.number, 0), (left.number, 1)):
        cup.leave(cup.entry_of(number, side))
    cup.correct(left, won_by(1))
    assert cup.is_decided_by_two_withdrawals()
    twin = cup.like(left.number, won_by(1))
    meeting = cup.fixture(5)
    assert twin.results()[meeting.number].winner == 0, "the first to withdraw forfeits"
    assert cup.standing()["slots"] != twin.standing()["slots"]
    cup.correct(meeting, ResultInput(0, None, Result.Kind.FORFEIT))
    assert cup.standing()["slots"] == twin.standing()["slots"]
    assert integrity_differences() == []


# The preview says what applying does


def assert_consistent(cup: Cup, following: Consequences) -> None:
    """Slots, results and ratings as foretold; called after the replay."""
    for change in following.changes:
        rows = list(change.row.slots.order_by("side"))
        stored = [(row.status, row.entry_id, row.absent_id) for row in rows]
        assert stored == [(slot.status.value, slot.entry, slot.absent) for slot in change.after.slots], change
        if change.voided is not None:
            assert Match.objects.get(pk=change.voided.match_id).state == Match.State.VOID
        if change.returns is not None:
            fixture = Fixture.objects.select_related("match").get(pk=change.row.pk)
            assert fixture.match is not None
            assert (fixture.match.pk, fixture.match.state) == (change.returns.match_id, Match.State.SETTLED)


def changed_rows(before: dict[str, Any], after: dict[str, Any]) -> set[int]:
    """Fixtures whose slots are others now."""
    return {old[0] for old, new in zip(before["slots"], after["slots"], strict=True) if old != new}


@pytest.mark.slow
@quickly(TIER.corrections)
@given(cups())
def test_a_correction_does_what_its_preview_shows_and_an_undo_restores_everything(case: Case) -> None:
    with transaction.atomic():
        cup, chance = case.played()
        if (chosen := random_result(cup, chance)) is not None:
            fixture, standing = chosen
            new, rated = another(chance, standing), chance.random() < 0.5
            for choice in BOTH:
                preview = corrections.preview_correction(fixture=fixture, new=new, voided_rated=rated)
                correction = correct_as_previewed(
                    cup, preview, choice, partial(cup.correct, fixture, new, choice, voided_rated=rated)
                )
                undone = corrections.preview_undo(correction=correction)
                correct_as_previewed(cup, undone, Choice.CORRECT_ALL, partial(cup.undo, correction))
        transaction.set_rollback(True)


def correct_as_previewed(cup: Cup, preview: CorrectionPreview, choice: Choice, act: Any) -> Any:
    """Does it, and compares everything that was foretold with what is there then."""
    before, states = cup.standing(), states_of(cup.division)
    void = voids(cup)
    ratings = dict(PlayerRating.objects.filter(pool=cup.pool).values_list("player", "rating"))
    done = act()
    cup.replay()
    following = preview.consequences[choice]
    assert_consistent(cup, following)
    after = cup.standing()
    assert changed_rows(before, after) == {
        change.row.number for change in following.changes if change.before.slots != change.after.slots
    }
    assert voids(cup) - void == {change.voided.match_id for change in following.voided if change.voided} | {
        change.row.match_id for change in following.changes if gone_unplayed(change)
    }
    assert void - voids(cup) == {change.returns.match_id for change in following.returning if change.returns}
    assert tuple(_places(states, states_of(cup.division))) == following.places
    now = dict(PlayerRating.objects.filter(pool=cup.pool).values_list("player", "rating"))
    foretold = {item.player: item.after for item in following.ratings}
    known = now.keys() | ratings.keys()
    others = {player for player in known if now.get(player, START) != ratings.get(player, START)}
    assert foretold.keys() == others
    assert all(abs(now.get(player, START) - foretold[player]) < 1e-6 for player in others)
    assert integrity_differences() == []
    return done


def voids(cup: Cup) -> set[int]:
    """Matches of the division that are void."""
    rows = Match.objects.filter(parent_topic=cup.division.topic, state=Match.State.VOID)
    return set(rows.values_list("pk", flat=True))


def gone_unplayed(change: Any) -> bool:
    """Whether an open match would be let go."""
    old, new = ([slot.entry or slot.absent for slot in state.slots] for state in (change.before, change.after))
    return change.row.match_id is not None and change.voided is None and old != new


# Back to what was


@pytest.mark.slow
@quickly(TIER.corrections)
@given(cups(), st.integers(1, 4))
def test_corrections_undone_in_reverse_leave_nothing_behind(case: Case, many: int) -> None:
    with transaction.atomic():
        cup, chance = case.played()
        was = [(cup.standing(), cup.rated())]
        done = []
        for _ in range(many):
            if (chosen := random_result(cup, chance)) is None:
                break
            fixture, standing = chosen
            choice, rated = chance.choice(BOTH), chance.random() < 0.5
            done.append(cup.correct(fixture, another(chance, standing), choice, voided_rated=rated))
            cup.replay()
            was.append((cup.standing(), cup.rated()))
            assert integrity_differences() == []
        for correction, before in zip(reversed(done), reversed(was[:-1]), strict=True):
            redone = cup.undo(cup.undo(cup.undo(correction))) if chance.random() < 0.3 else cup.undo(correction)
            assert redone.undoes is not None
            cup.replay()
            assert (cup.standing(), cup.rated()) == before
            assert integrity_differences() == []
        transaction.set_rollback(True)
