"""Pairs and triples of corrections, and their undoing in any order: always what a second model says.

`TEST_TIER=soak .venv/bin/python -m pytest tests/tournaments/results/test_second_model.py -n 2 -rP` tries 1,000 of them.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from django.db import transaction

from engine.errors import Refused
from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import PlayerRating, Result
from tests.tiers import TEST_SEED, TIER, first_in_make_test
from tests.tournaments.support.correcting import DOUBLE, KNOCKOUT, PROGRESSIVE, Cup, integrity_differences, won_by
from tests.tournaments.support.second_model import FIRST_RATING, PLAIN, SecondModel
from tournaments.models import Advance, Correction, Slot
from tournaments.results import corrections
from tournaments.state.derivation import states_of
from tournaments.state.preview import Choice, Consequences, CorrectionPreview

pytestmark = [pytest.mark.django_db, pytest.mark.soak]

GROUPS = StageSettings("groups", groups=2, qualifiers=2, tiebreaks=PLAIN)
SWISS = StageSettings("swiss", rounds=3, qualifiers=4, tiebreaks=PLAIN)
FORMATS: list[tuple[list[StageSettings], int, int]] = [
    ([GROUPS, StageSettings("knockout")], 7, 9),
    (KNOCKOUT, 5, 12),
    ([SWISS, StageSettings("knockout")], 6, 9),
    (DOUBLE, 5, 9),
    (PROGRESSIVE, 8, 12),
    ([replace(GROUPS, qualifiers=3), GROUPS, StageSettings("knockout")], 8, 9),
]
"""Stages, and the least and most entries."""
REFUSALS = {"successor_begun", "correction_not_last", "nothing_to_correct"}
"""What undoing in another order may be refused with."""
IN_ONE_EVENT = 20
"""Pairs and triples that are tried in each."""
PARTS = 8
"""Tests among which they are divided, so that several processes share them."""


class Trial:
    """An event that is played for a while, and then corrected again and again, each time from the same point."""

    def __init__(self, number: int, again: float) -> None:
        self.again = again
        self.chance = Random(f"{TEST_SEED} {number}")
        stages, least, most = FORMATS[number % len(FORMATS)]
        matches = self.chance.choice((8, 14, 18, 22, 40))
        self.cup = Cup.create(self.chance.randint(least, most), stages)
        self.cup.play(self.chance, most=matches, wild=self.chance.random() < 0.6)
        self.cup.replay()
        self.played = self.model = SecondModel.of(self.cup)
        self.players = dict(self.cup.division.entries.values_list("pk", "player"))
        self.done: Counter[str] = Counter()
        self.compare()

    def run(self) -> None:
        """Two or three corrections, then undo and redo in any order; everything is rolled back."""
        at = self.cup.at
        with transaction.atomic():
            done: list[tuple[Correction, SecondModel]] = []
            before, number = self.snapshot(), None
            many = self.chance.choice((2, 3))
            for _ in range(many):
                number = self.another_number(number)
                done.append(self.correct(number))
            self.compare_ratings()
            if self.chance.random() < 0.5:
                for correction, model in reversed(done):
                    assert self.undo(correction, model, count="undone in reverse") is not None
                assert self.snapshot() == before
                self.done["exact"] += 1
            else:
                self.undo_in_any_order(done)
            self.compare_ratings()
            assert integrity_differences() == []
            self.done["triples" if many > 2 else "pairs"] += 1
            transaction.set_rollback(True)
        self.model, self.cup.at = self.played, at

    def another_number(self, last: int | None) -> int:
        """A match with a result, often the one that was just corrected."""
        numbers = [row.number for row in self.cup.settled()]
        return last if last in numbers and self.chance.random() < self.again else self.chance.choice(numbers)

    def snapshot(self) -> tuple[Any, ...]:
        """Everything that is derived, with the ratings."""
        self.cup.replay()
        return self.cup.standing(), self.cup.rated()

    # One step

    def correct(self, number: int) -> tuple[Correction, SecondModel]:
        """Correct a result in one of the ways offered, all of which the model has predicted."""
        fixture, standing = self.cup.fixture(number), self.cup.results()[number]
        new, rated = self.other_result(standing), self.chance.random() < 0.6
        at = self.cup.now()
        preview = corrections.preview_correction(fixture=fixture, new=new, voided_rated=rated)
        offered = [Choice.CORRECT_ALL]
        after = {}
        for choice in (Choice.KEEP_BRACKET, Choice.CORRECT_ALL):
            keep = choice == Choice.KEEP_BRACKET
            after[choice] = self.model.correct(number, new, keep=keep, rated=rated, at=at)
            if keep and after[choice].view.slots != self.model.view.slots:
                assert choice not in preview.consequences
                self.done["not kept"] += 1
                continue
            offered = [*offered, choice, choice] if keep else offered
            self.compare_changes(preview.consequences[choice], after[choice])
        choice = self.chance.choice(offered)
        correction = self.cup.correct(fixture, new, choice, voided_rated=rated, now=at)
        before, self.model = self.model, after[choice]
        self.compare()
        self.done[choice.value] += 1
        return correction, before

    def undo(self, correction: Correction, before: SecondModel, *, count: str) -> Correction | None:
        """Undo a correction that was made when `before` stood; None if that is refused."""
        at, number = self.cup.now(), correction.fixture.number
        try:
            preview = corrections.preview_undo(correction=correction)
        except Refused as refused:
            if refused.code not in REFUSALS:
                raise
            self.done[f"refused: {refused.code}"] += 1
            return None
        after = self.model.undo(before, number, at)
        self.compare_changes(preview.consequences[Choice.CORRECT_ALL], after)
        undone = self.cup.undo(correction, now=at)
        self.model = after
        self.compare()
        self.done[count] += 1
        return undone

    def undo_in_any_order(self, done: list[tuple[Correction, SecondModel]]) -> None:
        """Undo, and undo what was undone."""
        waiting = list(done)
        for _ in range(6):
            if not waiting:
                return
            correction, before = waiting.pop(self.chance.randrange(len(waiting)))
            was = self.model
            again = self.undo(correction, before, count="redone" if correction.undoes else "undone")
            if again is not None and self.chance.random() < 0.5:
                waiting.append((again, was))

    def other_result(self, standing: Result) -> ResultInput:
        """Something else than what stands."""
        was = ResultInput.of(standing)
        choices = [ResultInput(None, None, "double_forfeit"), ResultInput(0, None, "forfeit")]
        choices += [won_by(0), won_by(0, 2), won_by(1), won_by(1, 2), won_by(1, 1)]
        return self.chance.choice([new for new in choices if new != was])

    # Whether they agree

    def compare_changes(self, following: Consequences, after: SecondModel) -> None:
        """The preview lists the changes that the model predicts."""
        old, new = self.model.view, after.view
        numbers = {number for number in old.slots if old.slots[number] != new.slots[number]}
        listed = {change.row.number: change for change in following.changes}
        assert {number for number, change in listed.items() if change.moves_players} == numbers
        for number in numbers:
            stored = tuple((slot.status.value, slot.entry, slot.absent) for slot in listed[number].after.slots)
            assert stored == new.slots[number], number
        pairs = {number: (old.pair(number), new.pair(number)) for number in numbers}
        decided = {number: self.was_decided(number, old.pair(number)) for number in numbers}
        voided = {number for number, (was, now) in pairs.items() if was != now and decided[number]}
        assert {change.row.number for change in following.voided} == voided
        returning = {number for number, (was, now) in pairs.items() if was != now and self.was_decided(number, now)}
        assert {change.row.number for change in following.returning} == returning

    def was_decided(self, number: int, pair: tuple[int, int] | None) -> bool:
        return pair is not None and (number, *pair) in self.model.decisions

    def compare(self) -> None:
        """Slots, fixtures and places are as the model says."""
        view = self.model.view
        assert stored_slots(self.cup) == view.slots
        assert {row.number: row.status for row in self.cup.fixtures()} == view.statuses
        assert tables_of(self.cup) == (view.orders, view.places)

    def compare_ratings(self) -> None:
        """So are the ratings."""
        self.cup.replay()
        stored = dict(PlayerRating.objects.filter(pool=self.cup.pool).values_list("player", "rating"))
        predicted = {self.players[entry]: rating for entry, rating in self.model.ratings().items()}
        different = {
            player: (stored.get(player, FIRST_RATING), predicted.get(player, FIRST_RATING))
            for player in stored.keys() | predicted.keys()
            if abs(stored.get(player, FIRST_RATING) - predicted.get(player, FIRST_RATING)) > 1e-4
        }
        assert different == {}


def stored_slots(cup: Cup) -> dict[int, tuple[Any, Any]]:
    """The slots of every fixture, as rows have them."""
    rows = Slot.objects.filter(fixture__stage__division=cup.division).order_by("fixture__number", "side")
    slots: dict[int, tuple[Any, ...]] = {}
    for number, status, entry, absent in rows.values_list("fixture__number", "status", "entry", "absent"):
        slots[number] = (*slots.get(number, ()), (status, entry, absent))
    return slots  # type: ignore[return-value]


def tables_of(cup: Cup) -> tuple[dict[str, list[int]], dict[str, tuple[int | None, ...]]]:
    """The tables that are over, best first, and who goes on from them."""
    orders: dict[str, list[int]] = {}
    places: dict[str, dict[int, int | None]] = {}
    for state in states_of(cup.division):
        for table in state.tables:
            key = f"{state.stage.number}:{table.key}" if state.stage.format == "groups" else str(state.stage.number)
            if table.over:
                orders[key] = [row.entry for row in table.rows]
        for place, entry in state.places.items():
            places.setdefault(place.stage, {})[place.place] = entry
    return orders, {key: tuple(by_place[place] for place in sorted(by_place)) for key, by_place in places.items()}


def trials(count: int, numbers: Iterable[int], *, again: float = 0.35) -> Counter[str]:
    """So many pairs and triples in these events; the number of an event decides its format and everything in it.

    `again` is the chance that the same match is corrected again.
    """
    done: Counter[str] = Counter()
    for number in numbers:
        with transaction.atomic():
            trial = Trial(number, again)
            for _ in range(min(IN_ONE_EVENT, count - tried(done)) if trial.cup.settled() else 0):
                trial.run()
            done.update(trial.done)
            transaction.set_rollback(True)
        if tried(done) == count:
            break
    return done


def tried(done: Counter[str]) -> int:
    return done["pairs"] + done["triples"]


@pytest.mark.slow
@pytest.mark.parametrize("part", first_in_make_test(*range(PARTS)))
def test_corrections_do_what_the_second_model_says(part: int) -> None:
    done = trials(TIER.second_model // PARTS, range(part, 10**6, PARTS))
    print(f"{tried(done)} tried:", ", ".join(f"{count} {what}" for what, count in sorted(done.items())))
    assert done["keep_bracket"] + done["correct_all"] >= 2 * tried(done) > 0


@pytest.mark.slow
def test_the_second_model_finds_a_preview_that_forgets_what_it_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: a correction of a result that kept its table's places stored none, since the preview still saw them."""
    record = corrections._record_advance

    def record_forgetfully(preview: CorrectionPreview, choice: str, result: Result, proof: Result | None) -> None:
        kept = Advance.objects.filter(result=preview.standing).exclude(places=[]).exists()
        record(replace(preview, kept_places={}) if kept else preview, choice, result, proof)

    monkeypatch.setattr(corrections, "_record_advance", record_forgetfully)
    with pytest.raises(AssertionError):
        trials(200, range(0, 10**6, len(FORMATS)), again=1)
