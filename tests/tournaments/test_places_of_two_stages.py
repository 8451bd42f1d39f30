"""Places, prizes and season points of two stages, against a model that knows only the rules of docs/formats.md.

The model reads who met whom in which round of a bracket and who went on, and the tables of the other stages. Whoever
last stood in a later round is placed before; those who last stood in the same round, or have the same place of several
groups, share their places. Behind the last stage come those who did not reach it, in the order of the stage before.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby, product
from random import Random
from typing import Any

import pytest
from django.db import transaction

from formats.elimination.places import certain_places
from formats.graph import FINAL, LOWER, MAIN
from formats.series.facts import events_from
from formats.series.plan import plan_from
from formats.series.points import event_points
from formats.settings import BY_ROUND, DOUBLE, ELIMINATION, LIVES, PLACES, SWISS, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import Player, User
from prizes.prizes import pot_keys, prizes_of, standings_of
from prizes.services import PlanInput, save_plan
from seasons.facts import facts_of
from tests.event_cast import NOON
from tests.tiers import TEST_SEED, TIER
from tests.tournaments.support.swiss_rounds import DivisionDriver, MakeDivision
from tests.tournaments.test_every_event_ends import Evening
from tests.tournaments.test_stages_that_follow import PAIRS, SIZES, TRIES, WITHOUT_ROUNDS, TwoStages
from tournaments.draws import services as draws
from tournaments.floor.endings import end_stage
from tournaments.ledger.shares import Pot
from tournaments.models import Division, Stage
from tournaments.results import services as results
from tournaments.state.derivation import StageState, states_of
from tournaments.state.stages import set_stages

pytestmark = pytest.mark.django_db
FUND = 9001
SHARES = (3000, 2000, 1500, 1000, 800, 700, 500, 300, 200)
POINTS = [100, 80, 65, 54, 45, 37, 30, 24, 19, 15, 12, 10, 8, 6, 5, 4, 3, 2, 1]
Groups = list[list[int]]
"""Who shares each place, the best first."""


# The model


def order_of_brackets(state: StageState, keys: Sequence[str]) -> Groups:
    """Those who stood in these brackets, of which the last one decides the title, by the round they last stood in."""
    shown = state.progress.fixtures
    last: dict[int, tuple[int, int]] = {}
    champion = None
    for depth, key in enumerate(keys):
        for round_ in next((row.rounds for row in state.progress.graph.brackets if row.key == key), ()):
            # Two finals count as one round.
            at = depth, 0 if key == FINAL else round_.number
            fixtures = [shown[row.number] for row in round_.fixtures if shown[row.number].status != "not_needed"]
            last |= {slot.entrant: at for row in fixtures for slot in row.slots if slot.entrant is not None}
            champion = fixtures[-1].winner.entry if fixtures else champion
    rest = sorted((entry for entry in last if entry != champion), key=lambda entry: last[entry], reverse=True)
    groups = [list(group) for _at, group in groupby(rest, key=lambda entry: last[entry])]
    return groups if champion is None else [[champion], *groups]


def order_of_tables(state: StageState, *, ties_share: bool) -> Groups:
    """The rows of a table by place, or by points; of several groups, those in the same place together."""
    by_points = ties_share and len(state.tables) == 1 and state.rows.settings.format != LIVES
    groups: dict[float, list[int]] = defaultdict(list)
    for table in state.tables:
        for row in table.rows:
            groups[-row.points if by_points else row.place].append(row.entry)
    return [groups[key] for key in sorted(groups)]


def order_of(state: StageState, *, ties_share: bool) -> Groups:
    format_ = state.rows.settings.format
    if format_ == PLACES:
        # It has a model of its own (tests/formats/test_places.py).
        return [list(place.entries) for place in certain_places(state.progress)]
    if format_ in ELIMINATION:
        return order_of_brackets(state, (MAIN, LOWER, FINAL) if format_ == DOUBLE else (MAIN,))
    return order_of_tables(state, ties_share=ties_share)


def order_of_all(states: Sequence[StageState], *, ties_share: bool) -> Groups:
    """Everybody who was drawn, by the last stage and then by those before it."""
    groups: Groups = []
    for state in reversed(states):
        placed = {entry for group in groups for entry in group}
        own = [[entry for entry in group if entry not in placed] for group in order_of(state, ties_share=ties_share)]
        groups += [group for group in own if group]
    return groups


def amounts(groups: Groups, values: Sequence[int], *, to_first: bool) -> dict[int, Fraction]:
    """What each gets: the mean of the places they share; what places that nobody has are worth goes to the first."""
    count = sum(map(len, groups))
    worth = [Fraction(value) for value in (*values, *[0] * count)]
    if to_first:
        worth[0] += sum(worth[count:])
    shares: dict[int, Fraction] = {}
    for group in groups:
        own, worth = worth[: len(group)], worth[len(group) :]
        shares |= dict.fromkeys(group, sum(own, Fraction(0)) / len(group))
    return shares


# The events


class Placed(TwoStages):
    """An event of two stages to which random things happen; a director may end the first one, or a bracket follows."""

    withdraw_one, let_in, let_back = Evening.withdraw_one, Evening.let_in, Evening.let_back
    correct, undo_correction, leave_bracket = Evening.correct, Evening.undo_correction, Evening.leave_bracket

    def draw(self) -> None:
        """Set formats of the pair until one of them can be drawn."""
        if self.is_without_rounds:
            self.open_floor()
        for _try in range(TRIES):
            if self.asks(set_stages, division=self.division, stages=self.stages(), after=self.seq) is None:
                continue
            self.asks(draws.request_draw, division=self.division, reason="another format")
            self.make_drafts()
            self.asks(draws.publish_draw, division=self.division, after=self.seq)
            if self.is_drawn():
                return

    @property
    def is_without_rounds(self) -> bool:
        return any(kind.endswith(WITHOUT_ROUNDS) for kind in self.pair)

    def open_pages(self) -> None:
        """The pages are read by `test_stages_that_follow`."""

    def is_joint(self) -> bool:
        return False

    def play(self) -> None:
        # Only what is paired without rounds needs a floor.
        super().play() if self.is_without_rounds else Evening.play(self)

    def deed(self) -> None:
        if self.chance.random() < 0.25:
            self.end_a_stage()
        else:
            super().deed()

    def keep_apart(self) -> None:
        """Nobody is kept apart: without rounds that may leave nobody to pair, which says nothing of places."""

    def end_a_stage(self) -> None:
        running = Stage.objects.filter(division=self.division, format__in=BY_ROUND, status=Stage.Status.RUNNING)
        if (stage := self.pick(running.select_related("division__tournament"))) is not None:
            ending = {"places": self.chance.choice([None, 2, 4]), "stop": self.chance.random() < 0.5}
            self.asks(end_stage, stage=stage, after=self.seq, **ending)


def compare(division: Division, *, ties_share: bool = False) -> Counter[str]:
    """Compare places, prizes and season points of a division that is over with the model; return what was compared."""
    states, compared = states_of(division), Counter[str]()
    plan = PlanInput([Pot(key, SHARES) for key in pot_keys(division)[:1]], guaranteed=FUND, ties_share=ties_share)
    if len(states[-1].tables) > 1:
        # Groups have no order among each other.
        return compared
    drawn = {entry for state in states for group in order_of(state, ties_share=False) for entry in group}
    stood = {slot.entrant for state in states for row in state.progress.fixtures.values() for slot in row.slots}
    assert stood - {None} <= drawn
    save_plan(division=division, plan=plan, publish=True, by=SYSTEM, now=NOON)
    prizes = prizes_of(division)
    placings = next(iter(standings_of(division, ties_share=ties_share).values())).placings
    assert sorted(entry for row in placings for entry in row.entries) == sorted(drawn)
    assert sorted(place for row in placings for place in row.places) == [*range(1, len(drawn) + 1)]
    assert all(len(row.places) == len(row.entries) for row in placings)
    due = {row.entry: row.due for row in prizes.rows if row.due}
    assert None not in due
    assert sum(due.values()) == FUND
    if any(row.only for row in placings):
        compared["places apart"] += 1
        worth = [*POINTS, *[0] * len(drawn)]
        values = {
            entry: Fraction(sum(worth[place - 1] for place in row.places), len(row.places))
            for row in placings
            for entry in row.entries
        }
    else:
        groups = order_of_all(states, ties_share=ties_share)
        assert [sorted(row.entries) for row in placings] == [sorted(group) for group in groups]
        for entry, share in amounts(groups, SHARES, to_first=True).items():
            if entry not in groups[0]:
                assert due.get(entry, 0) == share * FUND // sum(SHARES)
        compared["prizes"] += 1
        values = amounts(groups, POINTS, to_first=False)
    facts = facts_of([division])[division.pk]
    (event,) = events_from([{"id": "e", "date": "2026-11-20", "divisions": []}])
    players = dict(division.entries.values_list("pk", "player__public_id"))
    for bracket in ("main", "all"):
        points = {"place": {"bracket": bracket, "values": {"kind": "list", "points": POINTS}}}
        rules: dict[str, Any] = {"points": points, "tied_wins_share": ties_share}
        earned = event_points(plan_from(rules), replace(event, divisions=(facts,)))
        assert {player: row.points for player, row in earned.items() if row.points} == {
            players[entry]: value for entry, value in values.items() if value
        }
    compared["season points"] += 1
    return compared


@pytest.mark.parametrize(
    "first", [StageSettings(SWISS, rounds=3, qualifiers=4), StageSettings("groups", groups=2, qualifiers=2)]
)
def test_the_places_after_a_bracket_of_four_are_those_of_the_table(
    first: StageSettings, make_division: MakeDivision
) -> None:
    driver = DivisionDriver(make_division(), SYSTEM)
    driver.enter([Player.objects.create(name=f"Player {number}") for number in range(8)])
    driver.begin(first, StageSettings("knockout"))
    driver.play_out(Random(1))
    assert compare(driver.division) == {"prizes": 1, "season points": 1}
    champion = prizes_of(driver.division).rows[0].prize
    assert champion is not None
    assert champion.share == SHARES[0] + sum(SHARES[8:])
    main = [bracket for bracket in facts_of([driver.division])[driver.division.pk].brackets if bracket.name == "main"]
    assert [(len(bracket.players), sum(map(len, bracket.placings))) for bracket in main] == [(4, 8)]


def test_places_that_do_not_follow_one_another_have_a_mean_of_their_own(make_division: MakeDivision) -> None:
    driver = DivisionDriver(make_division(), SYSTEM)
    driver.enter([Player.objects.create(name=f"Player {number}") for number in range(8)])
    driver.begin(StageSettings(PLACES))
    nobody = ResultInput(None, None, "double_forfeit")
    results.enter_result(fixture=driver.ready()[0], result=nobody, by=SYSTEM, now=driver.now())
    driver.play_out(Random(2))
    assert compare(driver.division) == {"places apart": 1, "season points": 1}


@pytest.mark.soak
def test_places_prizes_and_points_of_two_stages_are_those_of_the_rules(alice: User) -> None:
    cases = Random(f"places {TEST_SEED}").sample([*product(PAIRS, SIZES)], TIER.placed)
    assert cases
    compared, done = Counter[str](), Counter[str]()
    for pair, field in cases:
        with transaction.atomic():
            chance = Random(f"{TEST_SEED}:{pair}:{field}")
            event = Placed(chance, pair, field, alice, every_page=False)
            if event.is_drawn():
                try:
                    event.play()
                    event.division.refresh_from_db()
                    compared += compare(event.division, ties_share=chance.random() < 0.3)
                except BaseException:
                    print(f"{pair}, {field} players, TEST_SEED={TEST_SEED}")
                    raise
                done += event.done
            transaction.set_rollback(True)
    print(dict(compared), dict(done))
