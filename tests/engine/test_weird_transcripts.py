"""Transcripts that no reader returns: adjudication reports what is wrong and never raises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Outcome, Position, adjudicate, normalised, replay
from engine.records import from_data, to_data
from engine.transcript import Event, Game, Kind, Move, Place, Problem, StatedResult, Transcript
from engine.verdict import Severity
from tests.engine.boards import board

wild = st.one_of(st.sampled_from([-1, 0, 1, 2, 3, 6, 7, 24, 25, 26, 64, 65]), st.integers(-(10**15), 10**15))
sides = st.one_of(st.integers(0, 1), st.sampled_from([0, 1, 0, 1, 2, -1]))
some_positions = st.sampled_from([None, Position.start(), board({25: 3}), board({}, {24: 1}), board({1: 1}, {0: 15})])
moves = st.builds(Move, st.lists(wild, max_size=4).map(tuple), st.lists(st.booleans(), max_size=4).map(tuple))
dice = st.one_of(st.none(), st.tuples(st.integers(1, 6), st.integers(1, 6)), st.tuples(wild, wild))
events = st.builds(
    Event,
    side=sides,
    kind=st.sampled_from([*Kind, *[Kind.PLAY] * 6]),
    dice=dice,
    moves=st.one_of(st.none(), st.lists(moves, max_size=5).map(tuple)),
    value=st.none() | wild,
    points=st.none() | wild,
    position=some_positions,
    extra=st.none(),
)
scores = st.none() | st.tuples(wild, wild)
games = st.builds(
    Game,
    number=wild,
    events=st.lists(events, max_size=12).map(tuple),
    start=scores,
    crawford=st.sampled_from([None, True, False]),
    claim=st.none() | st.builds(StatedResult, sides, st.none() | wild, st.booleans()),
    places=st.lists(st.builds(Place, st.none() | wild), max_size=3).map(tuple),
)
transcripts = st.builds(
    Transcript,
    players=st.just(("Bob", "Carol")),
    length=st.none() | wild | st.sampled_from([1, 3, 7]),
    games=st.lists(games, max_size=4).map(tuple),
    crawford_rule=st.booleans(),
    jacoby=st.booleans(),
    start=scores,
    info=st.just({}),
)


@pytest.mark.slow
@given(transcripts)
def test_no_transcript_makes_adjudication_raise(transcript):
    verdict = adjudicate(transcript)
    replay(transcript)
    normalised(transcript)
    for finding in verdict.findings:
        assert finding.message
    errors = [finding for finding in verdict.findings if finding.severity is Severity.ERROR]
    assert (verdict.outcome is Outcome.REJECTED) == bool(errors)


@pytest.mark.slow
@given(transcripts)
def test_the_score_is_the_sum_of_the_games_unless_a_header_differs(transcript):
    verdict = adjudicate(transcript)
    for game in verdict.games:
        gained = [end - start for start, end in zip(game.start, game.end, strict=True)]
        assert gained == ([0, 0] if game.winner is None else [game.points * (side == game.winner) for side in (0, 1)])


def test_an_event_of_an_impossible_side_ends_the_replay():
    verdict = adjudicate(Transcript(("Bob", "Carol"), 7, (Game(1, (Event(7, Kind.PLAY, (3, 1), ()),)),)))
    assert [finding.code for finding in verdict.findings] == ["wrong_side"]


def test_a_game_without_events_is_unfinished():
    verdict = adjudicate(Transcript(("Bob", "Carol"), 7, (Game(1, ()),)))
    assert verdict.outcome is Outcome.INCOMPLETE


def test_two_games_of_the_same_number_are_not_mixed_up():
    def opened(*points):
        return Event(0, Kind.PLAY, (3, 1), tuple(Move(way) for way in points))

    transcript = Transcript(("Bob", "Carol"), 7, (Game(1, (opened((8, 5), (6, 5)),)), Game(1, (opened((24, 20)),))))
    again = normalised(transcript)
    assert [game.number for game in again.games] == [1, 1]
    assert [game.events[0].moves[-1].points[-1] for game in again.games] == [5, 20]


@pytest.mark.parametrize("code", ["{0.__class__}", "{x:>999999999}", "{", "blocked", "no such code"])
def test_problems_of_a_record_sent_in_are_quoted_and_never_used_as_templates(code):
    transcript = Transcript(("a", "b"), 7, (Game(1, ()),), problems=(Problem("grave", code, {"x": "y"}),))
    (finding,) = adjudicate(transcript).findings
    assert finding.severity is Severity.ERROR
    assert len(finding.message) < 200


def test_a_json_record_with_any_problem_gets_a_verdict():
    data = to_data(Transcript(("a", "b"), 7, (Game(1, ()),), problems=(Problem("note", "blocked", {}),)))
    for severity in ("error", "warning", "note"):
        data["problems"][0]["severity"] = severity
        (finding,) = adjudicate(from_data(data)).findings
        assert (finding.severity, finding.code) == (severity, "blocked")
        assert "?" in finding.message
