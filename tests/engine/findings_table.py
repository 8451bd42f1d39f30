"""One small record for every finding of the adjudicator, with the expected findings and their places."""

from engine import Position
from engine.transcript import Game, Transcript
from tests.engine.boards import board
from tests.engine.written import FindingRow, game, left, match, one_game, right, row

OPENING = row(1, "31: 8/5 6/5", "42: 8/4 6/4")
DOUBLED = row(1, "31: 8/5 6/5", "Doubles => 2")
SNOWIE = "7;0;0;0;1;Bob;Carol;0;0;0;1;0;0;0;0;0;2;0;0;0;0;-5;0;-3;0;0;0;5;-5;0;0;0;3;0;5;0;0;0;0;-2;0;"
DROPPED = [DOUBLED, row(2, "Drops")]


def set_up(position: Position, *rows: str) -> bytes:
    """Return a record that sets up the checkers for Bob in line 5; Bob rolls in line 6."""
    letters = "".join("-" if not n else chr(64 + n) if n > 0 else chr(96 - n) for n in position.counts)
    return one_game(f"; Set Pos={letters}", *rows)


SET_UP: FindingRow = ("error", "position_set", 1, 1, 5, 1)
ON_THE_BAR = board({25: 1, 13: 2}, {1: 2})
LAST_MAN = board({13: 1}, {4: 2, 1: 2})
ONE_OUTSIDE = board({8: 1, 4: 2}, {24: 2})
AT_HOME = board({6: 1, 4: 2}, {24: 2})
TWO_BLOTS = board({24: 1}, {18: 1, 20: 1, 4: 2})
FORCED_HIT = board({24: 1}, {18: 2, 20: 1, 4: 2})
LAST_CHECKER = board({2: 1}, {1: 1, 12: 5})
RACE = board({5: 1, 4: 1}, {24: 2})
GAMMON = board({1: 1}, {12: 15})

RECORDS: dict[str, tuple[bytes, list[FindingRow]]] = {
    "a blocked point": (
        one_game(row(1, "31: 8/5 6/5", "51: 24/19 6/5")),
        [("error", "blocked", 1, 2, 5, 36)],
    ),
    "a point of two": (
        one_game(row(1, "31: 8/5 6/5", "41: 24/20 6/5")),
        [("error", "blocked", 1, 2, 5, 36)],
    ),
    "a checker that moves backwards": (one_game(row(1, "31: 5/8 6/5")), [("error", "no_such_move", 1, 1, 5, 6)]),
    "a point without a checker": (one_game(row(1, "31: 8/5 7/6")), [("error", "no_checker", 1, 1, 5, 6)]),
    "a wrong number of pips": (one_game(row(1, "31: 8/6 6/5")), [("error", "wrong_die", 1, 1, 5, 6)]),
    "a step too many": (one_game(row(1, "31: 8/5 6/5 6/5")), [("error", "more_than_dice", 1, 1, 5, 6)]),
    "one die where both can be played": (one_game(row(1, "31: 8/5")), [("error", "must_play_both", 1, 1, 5, 6)]),
    "two steps of a double": (
        one_game(row(1, "31: 8/5 6/5", "11: 8/7 8/7")),
        [("error", "must_play_more", 1, 2, 5, 36)],
    ),
    "no move where there is one": (
        one_game(row(1, "31:", "42: 8/4 6/4")),
        [("error", "must_play", 1, 1, 5, 6), ("note", "followed_from_likeliest", 1, 1, 5, 6)],
    ),
    "a play beside the bar": (set_up(ON_THE_BAR, row(1, "63: 13/4")), [SET_UP, ("error", "bar_first", 1, 1, 6, 6)]),
    "the smaller die alone": (
        set_up(LAST_MAN, row(1, "63: 13/10")),
        [SET_UP, ("error", "must_play_larger", 1, 1, 6, 6)],
    ),
    "bearing off too soon": (
        set_up(ONE_OUTSIDE, row(1, "41: 4/off 8/7")),
        [SET_UP, ("error", "not_all_home", 1, 1, 6, 6)],
    ),
    "bearing off below a higher checker": (
        set_up(AT_HOME, row(1, "51: 4/off 4/3")),
        [SET_UP, ("error", "higher_checker", 1, 1, 6, 6)],
    ),
    "a way that may hit either of two": (
        set_up(TWO_BLOTS, row(1, "64: 24/14")),
        [SET_UP, ("error", "ambiguous", 1, 1, 6, 6)],
    ),
    "a hit on the way": (
        set_up(FORCED_HIT, row(1, "64: 24/14")),
        [SET_UP, ("warning", "hidden_hit", 1, 1, 6, 6)],
    ),
    "steps in an impossible order": (
        set_up(RACE, row(1, "52: 4/off 5/3")),
        [SET_UP, ("warning", "reordered", 1, 1, 6, 6)],
    ),
    "the last checker off with one die": (
        set_up(LAST_CHECKER, row(1, "21: 2/off"), left("Wins 1 point")),
        [SET_UP, ("note", "last_checker_one_die", 1, 1, 6, 6)],
    ),
    "the only play, not written": (
        set_up(LAST_MAN, row(1, "63: ????", "61: 13/7 8/7")),
        [SET_UP, ("note", "play_forced", 1, 1, 6, 6), ("error", "no_checker", 1, 2, 6, 36)],
    ),
    "the only play, left blank": (set_up(LAST_MAN, row(1, "63:")), [SET_UP, ("note", "play_forced", 1, 1, 6, 6)]),
    "a star where nothing was hit": (one_game(row(1, "31: 8/5* 6/5")), [("warning", "false_star", 1, 1, 5, 6)]),
    "one hit of two without a star": (
        one_game(
            row(1, "62: 24/18 13/11", "61: 13/7 8/7"),
            row(2, "32: bar/22 24/22", "41: 13/9 6/5"),
            row(3, "21: 22/20* 6/5"),
        ),
        [("warning", "missing_star", 1, 2, 5, 36)],
    ),
    "no star anywhere": (
        one_game(row(1, "62: 24/18 13/11", "61: 13/7 8/7")),
        [("note", "stars_absent", None, None, None, None)],
    ),
    "a die of seven": (
        one_game(row(1, "31: 8/5 6/5", "72: 24/17 13/11"), row(2, "65: 24/13")),
        [("error", "bad_dice", 1, 2, 5, 36)],
    ),
    "a double to open with": (one_game(row(1, "33: 8/5(2) 6/3(2)")), [("error", "opening_double", 1, 1, 5, 6)]),
    "a double of Carol's to open with": (
        one_game(row(1, "", "33: 8/5(2) 6/3(2)")),
        [("error", "opening_double", 1, 1, 5, 36)],
    ),
    "two turns running": (one_game(OPENING, row(2, "", "61: 13/7 8/7")), [("error", "wrong_side", 1, 3, 6, 36)]),
    "a play without a roll": (one_game(OPENING, row(2, "00: 24/22")), [("error", "roll_missing", 1, 3, 6, 6)]),
    "neither roll nor play": (
        one_game(OPENING, row(2, "00: ????", "61: 13/7 8/7")),
        [("error", "roll_missing", 1, 3, 6, 6)],
    ),
    "a play that nobody wrote down": (
        one_game(OPENING, row(2, "65: ????", "61: 13/7 8/7")),
        [("error", "play_missing", 1, 3, 6, 6)],
    ),
    "a last roll that was not played": (
        one_game(OPENING, row(2, "65: ????"), right("Wins 1 point")),
        [("note", "last_play_missing", 1, 3, 6, 6), ("note", "resignation_implied", 1, 3, 6, 6)],
    ),
    "an illegal play that stood": (
        one_game(row(1, "31: 8/5 6/5", f"11: Illegal play ({SNOWIE})")),
        [("error", "illegal_play_stood", 1, 2, 5, 36)],
    ),
    "a position set up": (one_game("; Set Pos=-a----E-C---eE---c-e----A-", OPENING), [SET_UP]),
    "a play after the game": (
        one_game(DOUBLED, row(2, "Drops", "42: 8/4 6/4"), right("Wins 1 point")),
        [("error", "play_after_game", 1, 1, 6, 36)],
    ),
    "a resignation refused that nobody offered": (
        one_game(OPENING, row(2, "Refuses")),
        [("error", "nothing_to_answer", 1, 2, 6, 6)],
    ),
    "a play after a resignation was accepted": (
        one_game(OPENING, row(2, "Resigns single", "Accepts"), row(3, "61: 13/7 8/7"), right("Wins 1 point")),
        [("error", "play_after_game", 1, 2, 7, 6)],
    ),
    "a double before the opening": (
        one_game(row(1, "Doubles => 2", "Takes"), row(2, "31: 8/5 6/5")),
        [("error", "double_before_opening", 1, 1, 5, 6)],
    ),
    "a cube in a match to one point": (
        one_game(*DROPPED, right("Wins 1 point"), length=1),
        [("error", "cube_in_one_point", 1, 2, 5, 36)],
    ),
    "a cube in the Crawford game": (
        match(2, game(1, *DROPPED, right("Wins 1 point")), game(2, *DROPPED, right("Wins 1 point"), score=(0, 1))),
        [("error", "cube_in_crawford", 2, 2, 11, 36)],
    ),
    "a cube at one point short from the start": (
        match(7, game(1, *DROPPED, right("Wins 1 point"), score=(6, 0))),
        [
            ("note", "start_score", None, None, None, None),
            ("warning", "crawford_already_played", 1, None, 3, 1),
        ],
    ),
    "the Jacoby rule in a match": (
        b'; [Jacoby "On"]\n' + one_game(OPENING),
        [("error", "jacoby_in_match", None, None, None, None)],
    ),
    "a redouble of the other's cube": (
        one_game(DOUBLED, row(2, "Takes", "42: 8/4 6/4"), row(3, "65: 24/13", "Doubles => 4")),
        [("error", "cube_not_owned", 1, 4, 7, 36)],
    ),
    "a cube from one to eight": (
        one_game(row(1, "31: 8/5 6/5", "Doubles => 8"), row(2, "Takes", "42: 8/4 6/4")),
        [("error", "cube_value", 1, 2, 5, 36)],
    ),
    "a dead cube": (
        match(
            7,
            game(1, row(1, "31: 8/5 6/5"), right("Wins 1 point"), score=(6, 0)),
            game(2, row(1, "", "31: 8/5 6/5"), row(2, "Doubles => 2", "Drops"), left("Wins 1 point"), score=(6, 1)),
        ),
        [
            ("note", "start_score", None, None, None, None),
            ("note", "resignation_implied", 1, 1, 6, 36),
            ("warning", "dead_cube", 2, 2, 11, 6),
        ],
    ),
    "a take of nothing": (one_game(OPENING, row(2, "Takes")), [("error", "nothing_to_take", 1, 3, 6, 6)]),
    "a drop of nothing": (one_game(OPENING, row(2, "Drops")), [("error", "nothing_to_take", 1, 3, 6, 6)]),
    "a double passed over": (
        one_game(DOUBLED, row(2, "65: 24/13")),
        [("error", "double_unanswered", 1, 2, 6, 6), ("error", "wrong_side", 1, 2, 6, 6)],
    ),
    "a take that goes without saying": (
        one_game(DOUBLED, row(2, "", "42: 8/4 6/4")),
        [("warning", "take_missing", 1, 2, 6, 36)],
    ),
    "a drop that goes without saying": (
        one_game(DOUBLED, right("Wins 1 point")),
        [("warning", "drop_missing", 1, 1, 6, 36)],
    ),
    "a beaver in a match": (
        one_game(DOUBLED, row(2, "Beavers => 4", "42: 8/4 6/4")),
        [("error", "beaver_in_match", 1, 2, 6, 6)],
    ),
    "a cube put down": (one_game("; Set Cube=4 left", OPENING), [("error", "cube_set", 1, 1, 5, 1)]),
    "no length": (match(None, game(1, OPENING)), [("error", "length_missing", None, None, None, None)]),
    "a length beyond all matches": (match(65, game(1, OPENING)), [("error", "bad_length", None, None, None, None)]),
    "a game after the match": (
        match(1, game(1, *DROPPED[1:], OPENING, right("Wins 1 point")), game(2, OPENING, score=(0, 1))),
        [
            ("error", "nothing_to_take", 1, 1, 5, 6),
            ("note", "resignation_implied", 1, 2, 7, 36),
            ("error", "play_after_match", 2, None, 9, 1),
        ],
    ),
    "a start score": (match(7, game(1, OPENING, score=(2, 0))), [("note", "start_score", None, None, None, None)]),
    "a start beyond the length": (match(7, game(1, OPENING, score=(9, 0))), [("error", "bad_score", None, None, 3, 1)]),
    "a header that contradicts": (
        match(7, game(1, *DROPPED, right("Wins 1 point")), game(2, OPENING, score=(1, 1))),
        [("error", "score_contradicts", 2, None, 9, 1)],
    ),
    "a drop without a result": (one_game(*DROPPED), [("warning", "result_missing", 1, 1, 3, 1)]),
    "a result in the next header only": (
        match(7, game(1, OPENING), game(2, OPENING, score=(0, 1))),
        [("warning", "result_missing", 1, 2, 3, 1), ("note", "resignation_implied", 1, 2, 3, 1)],
    ),
    "a game for the one who dropped": (
        one_game(*DROPPED, left("Wins 1 point")),
        [("error", "wrong_winner", 1, 1, 7, 6)],
    ),
    "a game for the one who resigned": (
        one_game(OPENING, row(2, "Loses 1 point"), left("Wins 1 point")),
        [("error", "wrong_winner", 1, 2, 7, 6)],
    ),
    "a match for the one who conceded": (
        one_game(OPENING, row(2, "Concedes the match"), left("Wins 7 points")),
        [("error", "wrong_winner", 1, 2, 7, 6)],
    ),
    "two points for a single game": (
        one_game(*DROPPED, right("Wins 2 points")),
        [("error", "wrong_points", 1, 1, 7, 36)],
    ),
    "a gammon counted only as far as it was needed": (
        set_up(GAMMON, row(1, "31: 1/off"), left("Wins 1 point")).replace(b" 7 point", b" 1 point"),
        [SET_UP, ("warning", "points_capped", 1, 1, 7, 6)],
    ),
    "a match that was not won yet": (
        one_game(*DROPPED, right("Wins 1 point and the match")),
        [("error", "match_not_won", 1, 1, 7, 36)],
    ),
    "a game that stops in the middle": (
        match(7, game(1, OPENING), game(2, OPENING)),
        [("error", "game_unfinished", 1, 2, 3, 1)],
    ),
    "a game that stops with points": (
        one_game(OPENING, right("Wins 2 points")),
        [("note", "resignation_implied", 1, 2, 6, 36)],
    ),
    "more resigned than could be lost": (
        set_up(board({6: 14}, {24: 2}), row(1, "21: 6/4 6/5"), right("Wins 2 points")),
        [SET_UP, ("note", "resignation_implied", 1, 1, 7, 36), ("warning", "resigned_too_much", 1, 1, 7, 36)],
    ),
    "a match given up": (one_game(OPENING, right("Wins 7 points")), [("warning", "match_conceded", 1, 2, 6, 36)]),
    "a side that never moves": (
        one_game(row(1, "31: 8/5 6/5"), left("Wins 7 points and the match")),
        [("warning", "match_conceded", 1, 1, 6, 6), ("warning", "side_never_moved", None, None, None, None)],
    ),
    "points that no game is worth": (
        match(7, game(1, OPENING, right("Wins 4 points")), game(2, OPENING, score=(0, 4))),
        [("error", "impossible_points", 1, 2, 6, 36)],
    ),
}

TRANSCRIPTS: dict[str, tuple[Transcript, list[FindingRow]]] = {
    "no game": (Transcript(("Bob", "Carol"), 7, ()), [("error", "no_games", None, None, None, None)]),
    "a Crawford game that is none": (
        Transcript(("Bob", "Carol"), 7, (Game(1, (), crawford=True),)),
        [("error", "not_crawford", 1, None, None, None)],
    ),
}
