"""What can never be so is found where it is so, and nowhere else."""

from dataclasses import replace

from formats.elimination.knockout import main_bracket
from formats.facts import Result
from formats.graph import Bracket, EntrySource, Fixture, Graph, Round
from formats.progress import Progress, progress
from formats.settings import StageSettings
from formats.soundness import faults
from formats.states import FixtureStatus
from formats.swiss.event import ByeKind, SwissBye, SwissEvent, SwissPair, SwissPlayer, SwissRound
from formats.swiss.spent_lives import decided_without_lives, without_spent_lives
from tests.formats.cast import ALICE, BOB, CAROL, DAVE

WON, LOST = Result(0), Result(1)
LIVES = StageSettings("lives", lives=2)
EMPTY = Progress(Graph(()), {})


def event(*rounds: SwissRound) -> SwissEvent:
    return SwissEvent(tuple(SwissPlayer(entry) for entry in (ALICE, BOB, CAROL, DAVE)), rounds)


def faults_of(settings: StageSettings, state: Progress = EMPTY, paired: SwissEvent | None = None) -> list[str]:
    return [fault.what for fault in faults(settings, state, paired)]


def pairs(*results: tuple[int, int, Result | None]) -> SwissRound:
    return SwissRound(tuple(SwissPair(*result) for result in results))


TWICE = [pairs((ALICE, BOB, WON), (CAROL, DAVE, WON)), pairs((ALICE, CAROL, WON), (BOB, DAVE, LOST))]
"""Bob has lost twice, Carol and Dave once."""


def test_a_sound_event_has_no_faults() -> None:
    assert faults_of(LIVES, paired=event(*TWICE, pairs((ALICE, CAROL, None)))) == []


def test_somebody_out_of_lives_who_is_paired_is_found() -> None:
    assert faults_of(LIVES, paired=event(*TWICE, pairs((ALICE, BOB, None), (CAROL, DAVE, None)))) == [
        f"lives of entry {BOB}, who is to play in round 3"
    ]


def test_an_open_match_of_the_last_one_left_is_found() -> None:
    over = [*TWICE, pairs((CAROL, DAVE, WON), (ALICE, BOB, None)), pairs((CAROL, ALICE, LOST))]
    assert "open match of the winner in round 3" in faults_of(LIVES, paired=event(*over))


def test_two_seats_in_a_round_are_found() -> None:
    doubled = SwissRound((SwissPair(ALICE, BOB, WON),), (SwissBye(ALICE, ByeKind.SIT_OUT),))
    assert faults_of(LIVES, paired=event(doubled)) == [f"seats of entry {ALICE} in round 1"]


def test_a_second_given_bye_is_found_in_a_swiss_and_two_in_one_round() -> None:
    swiss = StageSettings("swiss", rounds=2)
    bye = SwissRound((), (SwissBye(ALICE),))
    assert faults_of(swiss, paired=event(bye, bye)) == [f"byes given to entry {ALICE}"]
    assert faults_of(swiss, paired=event(SwissRound((), (SwissBye(ALICE), SwissBye(BOB))))) == ["byes given in round 1"]
    assert faults_of(swiss, paired=event(bye, SwissRound((), (SwissBye(ALICE, ByeKind.HALF),)))) == []


def test_an_open_match_of_a_champion_and_a_player_in_two_matches_are_found() -> None:
    graph = Graph((main_bracket([EntrySource(entry) for entry in (ALICE, BOB, CAROL, DAVE)]),))
    state = progress(graph, {1: WON, 2: WON, 3: WON})
    assert faults_of(StageSettings(), state) == []
    reopened = dict(state.fixtures)
    reopened[1] = replace(reopened[1], status=FixtureStatus.READY)
    assert faults_of(StageSettings(), Progress(graph, reopened)) == ["M1: open match of the champion"]
    reopened[3] = replace(reopened[3], status=FixtureStatus.READY)
    assert f"open matches of entry {ALICE}" in faults_of(StageSettings(), Progress(graph, reopened))


def rounds_of(*paired: list[tuple[int, int]]) -> Graph:
    number, rounds = 1, []
    for at, pairs_ in enumerate(paired, start=1):
        fixtures = tuple(
            Fixture(number + place, (EntrySource(first), EntrySource(second)))
            for place, (first, second) in enumerate(pairs_)
        )
        number += len(fixtures)
        rounds.append(Round(at, fixtures))
    return Graph((Bracket("rounds", tuple(rounds)),))


def test_only_those_with_lives_are_still_to_play_and_only_in_the_last_round() -> None:
    graph = rounds_of([(ALICE, BOB), (CAROL, DAVE)], [(ALICE, CAROL), (BOB, DAVE)], [(ALICE, BOB), (CAROL, DAVE)])
    last = progress(graph, {1: WON, 2: WON, 3: WON, 4: LOST})
    assert [last.fixtures[5].status, last.fixtures[6].status] == [FixtureStatus.READY] * 2

    cut = without_spent_lives(last, 2)
    assert (cut.fixtures[5].status, cut.fixtures[5].winner.entry) == (FixtureStatus.BYE, ALICE)
    assert cut.fixtures[6] == last.fixtures[6]

    both = without_spent_lives(progress(graph, {1: WON, 2: Result(None, None, "double_forfeit"), 3: WON, 4: LOST}), 2)
    assert both.fixtures[6].status is FixtureStatus.BYE
    open_before = without_spent_lives(progress(graph, {1: WON, 2: WON, 3: WON}), 2)
    assert open_before.fixtures[4].status is FixtureStatus.EMPTY
    decided = without_spent_lives(progress(graph, {1: WON, 2: WON, 3: WON, 4: LOST, 5: WON}), 2)
    assert decided.fixtures[5].status is FixtureStatus.DECIDED
    assert decided_without_lives(decided, 2) == {5}
    assert decided_without_lives(decided, 3) == frozenset()
