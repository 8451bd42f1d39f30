"""Verdicts: outcome, score, games and how they ended (docs/rules.md §4)."""

from dataclasses import replace

import pytest

from engine import Outcome, Position, adjudicate, check_record, read, write
from engine.scoring import WinKind
from engine.transcript import Event, Game, Kind, Move, StatedResult, Transcript
from engine.verdict import Severity
from tests.engine.boards import board
from tests.engine.findings_table import DOUBLED, DROPPED, OPENING, RECORDS, set_up
from tests.engine.written import game, judged, left, match, one_game, right, row

LEFT, RIGHT = 0, 1
TAKEN = [DOUBLED, row(2, "Takes", "42: 8/4 6/4")]


def outcome(*games, length=7):
    return judged(match(length, *games)).outcome


def last(record):
    """Return the verdict on the last game of a record."""
    return judged(record).games[-1]


# Outcome


@pytest.mark.parametrize(("record", "expected"), RECORDS.values(), ids=RECORDS)
def test_errors_reject_and_warnings_and_notes_do_not(record, expected):
    verdict = judged(record)
    assert (verdict.outcome is Outcome.REJECTED) == ("error" in {severity for severity, *_ in expected})


def test_a_whole_match_is_accepted():
    verdict = judged(match(1, game(1, OPENING, right("Wins 1 point and the match"))))
    assert (verdict.outcome, verdict.winner, verdict.score) == (Outcome.ACCEPTED, RIGHT, (0, 1))


def test_a_match_without_its_last_game_is_incomplete():
    assert outcome(game(1, *DROPPED, right("Wins 1 point"))) is Outcome.INCOMPLETE
    assert outcome(game(1, *DROPPED, right("Wins 1 point")), game(2, OPENING, score=(0, 1))) is Outcome.INCOMPLETE


@pytest.mark.parametrize("result", ["Wins 1 point and the match", "Wins 4 points and the match", "Wins and the match"])
def test_words_alone_do_not_win_a_match_of_two_plays(result: str) -> None:
    verdict = judged(match(9, game(1, OPENING, right(result))))
    assert verdict.outcome is Outcome.REJECTED
    assert [f.code for f in verdict.findings if f.severity is Severity.ERROR] == ["match_not_won"]


def test_a_resignation_of_one_point_is_not_made_a_concession_by_the_words_after_it() -> None:
    rows = [OPENING, row(2, "Losses 1 point and the match"), right("Wins 1 point")]
    assert (judged(one_game(*rows)).outcome, judged(one_game(*rows)).score) == (Outcome.INCOMPLETE, (0, 1))


LAST = row(2, "65: 24/13", "????   Wins 1 point and the match")


@pytest.mark.parametrize(
    ("rows", "score"),
    [
        ([OPENING, LAST], (11, 10)),
        ([OPENING, row(2, "65: 24/13", "41: ????   Wins 1 point and the match")], (11, 10)),
        ([OPENING, row(2, "65: 24/13", "????"), left("Wins 1 point and the match")], (11, 10)),
        ([OPENING, row(2, "????   Wins 1 point and the match")], (10, 11)),
        ([OPENING, row(2, "65: 24/13", "41: 13/9 6/5"), row(3, "", "????   Wins 1 point and the match")], (10, 11)),
    ],
)
def test_a_last_turn_of_which_nothing_is_known_was_given_up(rows: list[str], score: tuple[int, int]) -> None:
    """The side on turn lost, whichever column the cell is in."""
    verdict = judged(match(11, game(1, *rows, score=(10, 10))))
    assert (verdict.outcome, verdict.score) == (Outcome.ACCEPTED, score)


def test_a_turn_in_the_middle_of_which_nothing_is_known_is_an_error() -> None:
    verdict = judged(one_game(OPENING, row(2, "????", "61: 13/7 8/7"), right("Wins 1 point")))
    assert [f.code for f in verdict.findings if f.severity is Severity.ERROR] == ["roll_missing"]


def test_a_turn_after_the_last_checker_of_which_nothing_is_known_is_ignored() -> None:
    record = set_up(board({1: 1}, {24: 2}), row(1, "21: 1/off", "????   Wins 1 point"))
    assert [f.code for f in judged(record).findings if f.severity is Severity.ERROR] == ["position_set"]
    assert judged(record).score == (1, 0)


@pytest.mark.parametrize(
    ("cell", "codes"),
    [
        ("41: Cannot Move", ["must_play"]),
        ("41: no move", ["must_play"]),
        ("41:", []),
        ("41: ????", []),
    ],
)
def test_a_last_roll_that_could_be_played_cannot_have_been_a_dance(cell: str, codes: list[str]) -> None:
    """A blank cell is not one either: GNU Backgammon writes it when the game is resigned at a roll."""
    verdict = judged(one_game(OPENING, row(2, "65: 24/13", cell), left("Wins 1 point")))
    assert [f.code for f in verdict.findings if f.severity is Severity.ERROR] == codes
    assert verdict.score == (1, 0)


def test_a_last_dance_stays_one_when_it_is_written_again() -> None:
    first = read(one_game(OPENING, row(2, "65: 24/13", "66: Cannot Move"), left("Wins 1 point")))
    assert read(write(first, "mat")).games[0].events == first.games[0].events


def test_a_start_at_one_point_each_is_no_crawford_game() -> None:
    verdict = judged(match(5, game(1, DOUBLED, row(2, "Takes", "42: 8/4 6/4"), right("Wins 2 points"), score=(4, 4))))
    assert {f.code for f in verdict.findings} == {"start_score", "dead_cube", "resignation_implied"}
    assert (verdict.games[0].crawford, verdict.score) == (False, (4, 6))


def test_a_mark_of_the_crawford_game_at_one_point_each_changes_nothing() -> None:
    played = read(match(5, game(1, OPENING, right("Wins 1 point"), score=(4, 4))))
    marked = replace(played, games=tuple(replace(game, crawford=True) for game in played.games))
    assert adjudicate(marked) == adjudicate(played)


def test_an_accepted_match_can_have_warnings():
    assert outcome(game(1, DOUBLED, right("Wins 1 point")), length=1) is Outcome.REJECTED
    assert outcome(game(1, OPENING, right("Wins 7 points"))) is Outcome.ACCEPTED_WITH_WARNINGS


def test_a_money_session_has_no_match_score():
    verdict = judged(
        match(0, game(1, *TAKEN, right("Wins 6 points")), game(2, OPENING, left("Wins 1 point"), score=(0, 6)))
    )
    assert (verdict.outcome, verdict.length, verdict.score, verdict.winner) == (Outcome.ACCEPTED, 0, (1, 6), None)
    assert [game.crawford for game in verdict.games] == [False, False]


def test_a_money_session_may_have_beavers_and_any_score():
    beaver = [DOUBLED, row(2, "Beavers => 4", "Takes"), row(3, "", "42: 8/4 6/4")]
    verdict = judged(match(0, game(1, *beaver, right("Wins 4 points"), score=(80, 3))))
    assert {finding.code for finding in verdict.findings} == {"resignation_implied"}
    assert (verdict.outcome, verdict.games[0].cube, verdict.score) == (Outcome.ACCEPTED, 4, (80, 7))


def test_a_money_session_may_have_raccoons_and_unanswered_beavers():
    raccoon = [DOUBLED, row(2, "Beavers => 4", "Raccoons => 8"), row(3, "", "42: 8/4 6/4")]
    unanswered = [DOUBLED, row(2, "Beavers => 4", "42: 8/4 6/4")]
    assert last(match(0, game(1, *raccoon, right("Wins 8 points")))).cube == 8
    assert judged(match(0, game(1, *unanswered, right("Wins 4 points")))).outcome is Outcome.ACCEPTED


def test_a_cube_turned_by_itself_before_the_opening_belongs_to_money_play():
    doubled = ["; Set Cube=2 centre", OPENING, right("Wins 2 points")]
    assert judged(match(0, game(1, *doubled))).outcome is Outcome.ACCEPTED
    assert last(match(0, game(1, *doubled))).cube == 2
    assert judged(match(7, game(1, *doubled))).outcome is Outcome.REJECTED


# How a game ended


@pytest.mark.parametrize(
    ("rows", "kind", "points", "cube", "ended_by"),
    [
        ([*DROPPED, right("Wins 1 point")], WinKind.DROP, 1, 1, "drop"),
        ([*TAKEN, row(3, "Doubles => 4")], WinKind.UNFINISHED, 0, 2, "unfinished"),
        ([*TAKEN, row(3, "Resigns gammon"), right("Wins 4 points")], WinKind.RESIGNATION, 4, 2, "resignation"),
        ([OPENING, row(2, "Resigns"), right("Wins 1 point")], WinKind.RESIGNATION, 1, 1, "resignation"),
        ([OPENING, row(2, "Resigns gammon")], WinKind.RESIGNATION, 2, 1, "resignation"),
        ([OPENING, row(2, "Losses 2 point"), right("Wins 2 point")], WinKind.RESIGNATION, 2, 1, "resignation"),
        ([OPENING, right("Wins 3 points")], WinKind.RESIGNATION, 3, 1, "resignation"),
        ([OPENING, row(2, "64: ???"), right("Wins 2 point")], WinKind.RESIGNATION, 2, 1, "resignation"),
        ([OPENING, right("Wins 7 points")], WinKind.CONCESSION, 7, 1, "concession"),
        ([OPENING, right("Wins 2008 point")], WinKind.CONCESSION, 7, 1, "concession"),
        ([OPENING, right("Wins 7 points and the match")], WinKind.CONCESSION, 7, 1, "concession"),
        ([*TAKEN, right("Wins 7 points")], WinKind.CONCESSION, 7, 2, "concession"),
        ([OPENING, row(2, "Concedes the match"), right("Wins 7 points")], WinKind.CONCESSION, 7, 1, "concession"),
        ([OPENING], WinKind.UNFINISHED, 0, 1, "unfinished"),
    ],
)
def test_a_game_ended(rows, kind, points, cube, ended_by):
    ended = last(one_game(*rows))
    assert (ended.kind, ended.points, ended.cube, ended.ended_by) == (kind, points, cube, ended_by)
    assert ended.end == (0, points)


def test_a_concession_is_accepted_in_the_last_game_only():
    verdict = judged(match(7, game(1, OPENING, right("Wins 4 points")), game(2, OPENING, score=(0, 4))))
    assert "impossible_points" in {finding.code for finding in verdict.findings}


def test_the_winner_of_a_concession_wins_the_match_with_the_points_needed():
    verdict = judged(match(7, game(1, OPENING, left("Wins 5 points"), score=(2, 6))))
    assert (verdict.winner, verdict.score, verdict.games[0].points) == (LEFT, (7, 6), 5)


def test_exactly_the_points_needed_mean_that_the_match_was_conceded():
    """With the cube on 2 a game is worth 2, 4 or 6 points, so 3 can only be what Carol needed for the match."""
    verdict = judged(match(7, game(1, *TAKEN, right("Wins 3 points"), score=(0, 4))))
    assert (verdict.winner, verdict.games[0].kind, verdict.score) == (RIGHT, WinKind.CONCESSION, (0, 7))


def test_the_points_won_may_exceed_the_length():
    verdict = judged(match(7, game(1, *TAKEN, right("Wins 4 points"), score=(4, 5))))
    assert (verdict.winner, verdict.score) == (RIGHT, (4, 9))


def test_a_refused_resignation_ends_nothing():
    rows = [OPENING, row(2, "Resigns single", "Refuses"), row(3, "61: 13/7 8/7")]
    assert last(one_game(*rows)).kind is WinKind.UNFINISHED
    assert last(one_game(*rows, right("Wins 2 points"))).points == 2


# Crawford and the score in the headers


def test_the_cube_comes_back_after_the_crawford_game():
    crawford = game(2, OPENING, left("Wins 1 point"), score=(0, 2))
    after = game(3, row(1, "31: 8/5 6/5", "42: 8/4 6/4"), row(2, "Doubles => 2", "Takes"), score=(1, 2))
    verdict = judged(match(3, game(1, *TAKEN, right("Wins 2 points")), crawford, after))
    assert [game.crawford for game in verdict.games] == [False, True, False]
    assert verdict.outcome is Outcome.INCOMPLETE
    assert verdict.games[-1].cube == 2


def test_a_start_one_point_short_is_the_crawford_game():
    verdict = judged(match(7, game(1, OPENING, score=(3, 6))))
    assert (verdict.start, verdict.games[0].crawford) == ((3, 6), True)


def test_a_second_crawford_game_is_an_error():
    first = Game(1, (), start=(2, 0), crawford=True, claim=StatedResult(RIGHT, 1))
    second = Game(2, (), start=(2, 1), crawford=True, claim=StatedResult(RIGHT, 1))
    verdict = adjudicate(Transcript(("Bob", "Carol"), 3, (first, second)))
    assert [(finding.code, finding.game) for finding in verdict.findings if finding.code == "not_crawford"] == [
        ("not_crawford", 2)
    ]


def test_without_the_crawford_rule_no_game_is_without_the_cube():
    drop = [*DROPPED, right("Wins 1 point")]
    record = match(2, game(1, *drop), game(2, *drop, score=(0, 1)))
    assert "cube_in_crawford" in {finding.code for finding in judged(record).findings}
    without = b'; [Crawford "Off"]\n' + record
    assert "cube_in_crawford" not in {finding.code for finding in judged(without).findings}


def test_a_wrong_header_is_reported_once_and_later_games_follow_it():
    drop = [*DROPPED, right("Wins 1 point")]
    record = match(7, game(1, *drop), game(2, *drop, score=(3, 1)), game(3, OPENING, score=(3, 2)))
    verdict = judged(record)
    assert [(finding.code, finding.game) for finding in verdict.findings] == [("score_contradicts", 2)]
    assert verdict.score == (3, 2)


def test_a_score_header_past_the_length_may_be_capped():
    record = match(3, game(1, *TAKEN, right("Wins 4 points")), game(2, OPENING, score=(0, 3)))
    assert "score_contradicts" not in {finding.code for finding in judged(record).findings}
    assert "play_after_match" in {finding.code for finding in judged(record).findings}


# What a file says of itself


def test_a_verdict_has_players_and_length():
    verdict = judged(match(11, game(1, OPENING)))
    assert (verdict.players, verdict.length) == (("Bob", "Carol"), 11)


def test_a_verdict_has_the_score_before_and_after_each_game():
    verdict = judged(match(7, game(1, *DROPPED, right("Wins 1 point")), game(2, OPENING, score=(0, 1))))
    assert [(game.number, game.start, game.end) for game in verdict.games] == [(1, (0, 0), (0, 1)), (2, (0, 1), (0, 1))]


def test_a_game_lost_on_time_counts_the_cube_and_a_match_lost_on_time_the_match():
    opened = Event(LEFT, Kind.PLAY, (3, 1), (Move((8, 5)), Move((6, 5))))
    for value, points, winner in ((1, 1, None), (None, 7, LEFT)):
        flagged = Game(1, (opened, Event(RIGHT, Kind.FLAG, value=value)), start=(0, 0))
        verdict = adjudicate(Transcript(("Bob", "Carol"), 7, (flagged,)))
        assert (verdict.games[0].kind, verdict.games[0].points, verdict.winner) == (WinKind.FLAG, points, winner)


def test_a_check_has_the_format():
    check = check_record(one_game(OPENING))
    assert check.format == check.transcript.format == "mat"


# What rests on words alone


@pytest.mark.parametrize(
    ("rows", "rests_on_words"),
    [
        ([OPENING, right("Wins 1 point")], True),
        ([OPENING, row(2, "64: ???"), right("Wins 2 point")], True),
        ([OPENING, right("Wins 7 points")], True),
        ([OPENING, row(2, "Concedes the match"), right("Wins 7 points")], True),
        ([right("Wins 1 point")], True),
        ([row(1, "Resigns"), right("Wins 1 point")], True),
        ([*DROPPED, right("Wins 1 point")], False),
        ([OPENING, row(2, "Resigns"), right("Wins 1 point")], False),
        ([OPENING], False),
    ],
)
def test_a_result_that_the_record_only_states_rests_on_words(rows, rests_on_words):
    verdict = judged(one_game(*rows))
    assert (verdict.games[0].rests_on_words, verdict.rests_on_words) == (rests_on_words, rests_on_words)


@pytest.mark.parametrize(
    "rows",
    [
        [left("Wins 5 points and the match")],
        [row(1, "31: 8/5 6/5"), left("Wins 5 points and the match")],
        [row(1, "31: 8/5 6/5"), row(2, "", "Concedes the match"), left("Wins 5 points")],
    ],
)
def test_a_record_in_which_a_side_never_moves_is_incomplete(rows):
    verdict = judged(one_game(*rows, length=5))
    assert verdict.outcome is Outcome.INCOMPLETE
    assert "side_never_moved" in {finding.code for finding in verdict.findings}


@pytest.mark.parametrize("rows", [[row(2, "", "31: 8/5 6/5")], [row(2, "", "Doubles => 2")]])
def test_a_position_that_is_already_on_the_board_is_no_finding(rows):
    """After 31: 8/5 6/5 the record states the position, with the checkers of the left player in capitals."""
    counts = Position.start().counts
    moved = [*counts[:5], 2, counts[6] - 1, counts[7], counts[8] - 1, *counts[9:]]
    letters = "".join("-" if not n else chr(64 + n) if n > 0 else chr(96 - n) for n in moved)
    assert judged(one_game(row(1, "31: 8/5 6/5"), f"; Set Pos={letters}", *rows)).findings == ()


@pytest.mark.parametrize("roll", ["", "31: "])
def test_a_marker_before_the_first_play_sets_a_position_up_and_is_nobodys_illegal_play(roll):
    marker = "5;0;0;0;1;Carol;Bob;0;0;0;1;0;-1;3;0;0;0;-2;4;0;0;0;0;0;0;2;0;0;0;0;0;0;-2;0;0;0;-1;2;0;0;"
    findings = judged(one_game(row(1, f"{roll}Illegal play ({marker})"))).findings
    assert [finding.code for finding in findings] == ["position_set"]


def test_the_side_that_moves_next_is_on_roll_in_a_position_set_up():
    letters = "-b----D-C---eF---c-e----B-"
    codes = [finding.code for finding in judged(one_game(f"; Set Pos={letters}", row(1, "", "31: 8/5 6/5"))).findings]
    assert codes == ["position_set"]
