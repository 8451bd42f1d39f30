"""Lives under corrections and undo, with rounds that pair themselves: nobody who is out plays, and undo is exact."""

from random import Random
from typing import Any

import pytest
from django.db import transaction

from engine.errors import Refused
from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from players.actors import SYSTEM
from tests.integrity import differences_left
from tests.tiers import TEST_SEED, TIER
from tests.tournaments.support.correcting import Cup, another, won_by
from tournaments.models import Correction, Division, Fixture
from tournaments.results import corrections
from tournaments.state.derivation import states_of
from tournaments.state.preview import Choice

pytestmark = pytest.mark.django_db
STEPS = 16
REFUSALS = {"round_paired_since", "successor_begun", "correction_not_last", "correction_undone", "nothing_to_correct"}
"""What an undo may be refused with."""


class Story:
    """One division of lives in which things happen at random."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.lives = self.chance.choice((2, 2, 3))
        self.cup = Cup.create(self.chance.randrange(3, 8), [StageSettings("lives", lives=self.lives)])
        self.cup.play(self.chance, most=1)
        self.before: dict[int, dict[str, Any]] = {}
        """Correction -> what stood before it, while nothing but play came after it."""
        self.done: dict[str, int] = {}

    def step(self) -> None:
        """A result mostly; else a correction or an undo."""
        lot = self.chance.randrange(10)
        if lot < 6:
            self.cup.play(self.chance, most=1, wild=self.chance.randrange(6) == 0)
        elif lot < 8:
            self.correct()
        else:
            self.undo()
        self.check()
        if lot >= 6:
            assert differences_left() == []

    def correct(self) -> None:
        settled = self.cup.settled()
        if not settled:
            return
        fixture = self.chance.choice(settled)
        standing = self.cup.results()[fixture.number]
        before = self.cup.standing()
        choice = self.chance.choice((Choice.CORRECT_ALL, Choice.KEEP_BRACKET))
        corrected = another(self.chance, standing)
        if corrected == ResultInput.of(standing):
            return
        preview = corrections.preview_correction(fixture=fixture, new=corrected)
        if choice not in preview.consequences:
            # Whoever has lost the last life does not play in the paired round, so the bracket cannot be kept.
            self.count("not kept")
            choice = Choice.CORRECT_ALL
        correction = self.cup.correct(fixture, corrected, choice, now=self.cup.now())
        self.before = {correction.pk: before}
        self.count("correction")
        if self.chance.randrange(2):
            self.cup.work()

    def undo(self) -> None:
        rows = list(Correction.objects.filter(fixture__stage__division=self.cup.division))
        if not rows:
            return
        correction = self.chance.choice(rows)
        known = self.before.get(correction.pk)
        arguments: dict[str, Any] = {"after": self.cup.seq, "now": self.cup.now()}
        code = refusal(correction, **arguments)
        if code is not None:
            assert code in REFUSALS
            self.count(code)
            return
        self.count("undo")
        self.before = {}
        if known is not None:
            self.count("exact")
            slots = {(number, side): rest for number, side, *rest in self.cup.standing()["slots"]}
            assert slots == {(number, side): rest for number, side, *rest in known["slots"]}
            now = self.cup.standing()["results"]
            assert {number: now[number] for number in known["results"]} == known["results"]

    def count(self, what: str) -> None:
        self.done[what] = self.done.get(what, 0) + 1

    def check(self) -> None:
        """Nobody who is out has a match to play, whichever way lives are counted."""
        fixtures = self.cup.fixtures()
        lost: dict[int, int] = {}
        for fixture in sorted(fixtures, key=lambda row: row.number):
            seats = [slot.entry_id for slot in fixture.slots.order_by("side")]
            if fixture.status == Fixture.Status.READY:
                assert all(lost.get(entry or 0, 0) < self.lives for entry in seats), fixture.number
                assert fixture.match is not None
                assert fixture.match.state != Match.State.VOID
            standing = fixture.match.results.order_by("-version").first() if fixture.match is not None else None
            if standing is None or standing.kind == Result.Kind.VOID:
                continue
            for side, entry in enumerate(seats):
                both = standing.winner is None and standing.kind == Result.Kind.DOUBLE_FORFEIT
                if entry is not None and (both or (standing.winner is not None and standing.winner != side)):
                    lost[entry] = lost.get(entry, 0) + 1


def refusal(correction: Correction, **options: Any) -> str | None:
    """The code with which an undo was refused, None where it was done."""
    try:
        corrections.undo_correction(correction=correction, by=SYSTEM, **options)
    except Refused as refused:
        return refused.code
    return None


@pytest.mark.slow
@pytest.mark.soak
def test_random_histories_of_corrections_and_undo() -> None:
    done: dict[str, int] = {}
    for number in range(TIER.lives):
        with transaction.atomic():
            story = Story(1000 * (TEST_SEED - 1) + number)
            for _ in range(STEPS):
                story.step()
            for what, count in story.done.items():
                done[what] = done.get(what, 0) + count
            transaction.set_rollback(True)
    print(sorted(done.items()))
    assert done["correction"] >= TIER.lives
    assert done["undo"]


def out_in_round_two() -> tuple[Cup, Fixture, Fixture]:
    """Four with one life to lose too many: M1 decided who is out, round 2 has paired itself."""
    cup = Cup.create(4, [StageSettings("lives", lives=2)])
    cup.play(Random(3), most=0)
    for _ in range(2):
        cup.work()
        for fixture in cup.ready():
            cup.report(fixture, won_by(0))
    cup.work()
    return cup, cup.settled()[-1], cup.ready()[0]


def test_whoever_lost_the_last_life_by_a_correction_is_taken_out_of_the_paired_round() -> None:
    cup, _last, paired = out_in_round_two()
    correction = eliminate_from(cup, paired)

    paired.refresh_from_db()
    assert paired.status == Fixture.Status.BYE
    assert paired.match is None
    assert differences_left() == []

    cup.undo(correction)
    paired.refresh_from_db()
    assert paired.status == Fixture.Status.READY


def test_keeping_the_bracket_is_not_offered_where_somebody_would_lose_the_last_life() -> None:
    cup, _last, paired = out_in_round_two()
    correction = eliminate_from(cup, paired)
    cup.undo(correction)
    preview = corrections.preview_correction(fixture=correction.fixture, new=won_by(1))
    assert [change.row.number for change in preview.all.changes] == [paired.number]
    assert list(preview.consequences) == [Choice.LET_STAND, Choice.CORRECT_ALL]
    with pytest.raises(Refused, match="bracket_not_kept"):
        cup.correct(correction.fixture, won_by(1), Choice.KEEP_BRACKET)


def test_undo_is_refused_once_a_player_it_would_eliminate_has_finished_a_match() -> None:
    cup, _last, paired = out_in_round_two()
    eliminated = eliminate_from(cup, paired)
    restored = cup.correct(eliminated.fixture, won_by(0), now=cup.now())
    cup.report(cup.fixture(paired.number), won_by(0))
    before = cup.standing()

    refused_with = {"fixture": restored.fixture.number, "successor": paired.number}
    with pytest.raises(Refused) as preview:
        corrections.preview_undo(correction=restored)
    assert (preview.value.code, preview.value.params) == ("successor_begun", refused_with)
    with pytest.raises(Refused) as undo:
        cup.undo(restored)
    assert (undo.value.code, undo.value.params) == ("successor_begun", refused_with)
    assert cup.standing() == before


def test_undo_is_exact_after_a_match_of_two_players_who_stay_in() -> None:
    cup = Cup.create(4, [StageSettings("lives", lives=3)])
    cup.play(Random(3), most=0)
    for fixture in cup.ready():
        cup.report(fixture, won_by(0))
    cup.work()
    correction = cup.correct(cup.fixture(1), won_by(1), now=cup.now())
    later = cup.ready()[0]
    cup.report(later, won_by(0))

    cup.undo(correction)
    assert {number: result.winner for number, result in cup.results().items()} == {1: 0, 2: 0, later.number: 0}


def eliminate_from(cup: Cup, paired: Fixture) -> Correction:
    """Take the last life of a player of a paired match by correcting a result of an earlier round."""
    (state,) = states_of(cup.division)
    assert state.event is not None
    playing = {slot.entry_id for slot in paired.slots.all()}
    fixture = next(row for row in cup.settled() if row.round.number == 2 and winner_of(cup, row) in playing)
    winner = winner_of(cup, fixture)
    if state.event.losses[winner] < 1:
        fixture = next(row for row in cup.settled() if row.round.number == 1 and winner_of(cup, row) == winner)
        cup.correct(fixture, won_by(1), now=cup.now())
        fixture = next(row for row in cup.settled() if row.round.number == 2 and winner_of(cup, row) == winner)
    return cup.correct(fixture, won_by(1), now=cup.now())


def winner_of(cup: Cup, fixture: Fixture) -> int:
    return next(slot.entry_id or 0 for slot in fixture.slots.all() if slot.side == cup.results()[fixture.number].winner)


def test_undo_after_the_next_round_paired_itself_is_refused_with_the_reason() -> None:
    cup = Cup.create(4, [StageSettings("lives", lives=2)])
    cup.play(Random(1), most=0)
    cup.work()
    first, second = cup.ready()
    cup.report(first, won_by(0))
    correction = cup.correct(first, won_by(1), now=cup.now())
    cup.report(second, won_by(0))
    cup.work()

    with pytest.raises(Refused) as refused:
        corrections.undo_correction(correction=correction, after=cup.seq, by=SYSTEM, now=cup.now())
    assert (refused.value.code, refused.value.params) == ("round_paired_since", {"round": 2, "fixture": first.number})
    assert Division.objects.get(pk=cup.division.pk).status == Division.Status.RUNNING
