"""Variants of `.mat` as found in real files, each in a record of a few rows."""

import pytest

from engine.records import read, write
from engine.transcript import Event, Kind, Place, StatedResult

from .samples import HEADER, codes, events, mat, move, play

OPENING = "  1) 31: 8/5 6/5                 64: 24/18 13/9"
BOTH = (play(0, "31", "8/5", "6/5"), play(1, "64", "24/18", "13/9"))


def test_a_row_has_a_play_in_each_column() -> None:
    transcript = mat(OPENING)
    assert transcript.players == ("Bob", "Carol")
    assert transcript.length == 7
    assert transcript.games[0].start == (0, 0)
    assert events(transcript) == BOTH
    assert transcript.games[0].places == (Place(5, 6), Place(5, 34))


@pytest.mark.parametrize(
    "row",
    [
        "  1) 31: 8/5 6/5 64: 24/18 13/9",
        "1) 31: 8/5 6/5                 64: 24/18 13/9",
        "  1) 31: 8/5 6/5\t64: 24/18 13/9",
        "  1)\t31: 8/5 6/5\t\t64: 24/18 13/9   ",
        "  1) 31: 8/5, 6/5                64: 24/18, 13/9",
        "  1) 31:8/5 6/5                  64:24/18 13/9",
        "  1) 31 : 8/5 6/5                64 : 24/18 13/9",
        " 1) 31: 8/5 6/5 0/0              64: 24/18 13/9",
    ],
)
def test_blanks_and_tabs_between_the_cells_do_not_matter(row: str) -> None:
    transcript = mat(row)
    assert events(transcript) == BOTH
    assert transcript.problems == ()


def test_a_left_cell_may_run_far_into_the_right_column() -> None:
    transcript = mat("  1) 66: bar/19* 24/18 13/7 13/7 13/7 11/5 64: 24/18 13/9")
    assert [event.side for event in events(transcript)] == [0, 1]
    assert len(events(transcript)[0].moves or ()) == 6


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("bar/20", ["25/20"]),
        ("Bar/20", ["25/20"]),
        ("25/20", ["25/20"]),
        ("6/off", ["6/0"]),
        ("6/Off", ["6/0"]),
        ("6/0", ["6/0"]),
        ("8/7(2)", ["8/7", "8/7"]),
        ("8/7*(2)", ["8/7*", "8/7"]),
        ("8/7(2)*", ["8/7*", "8/7"]),
        ("24/18*/14", ["24/18*/14"]),
        ("24/20/16*/12", ["24/20/16*/12"]),
        ("bar/20*/14 6/5", ["25/20*/14", "6/5"]),
    ],
)
def test_a_move_may_be_written_in_many_ways(text: str, moves: list[str]) -> None:
    [event] = events(mat(f"  1) 31: {text}"))
    assert event.moves == tuple(move(written) for written in moves)


@pytest.mark.parametrize("cell", ["", "Cannot Move", "cannot move", "No move", "Can't move", "0/0", "Dances"])
def test_a_dance_is_a_roll_without_moves(cell: str) -> None:
    transcript = mat(f"  1) 66: {cell:<27} 31: 8/5 6/5")
    assert events(transcript) == (play(0, "66"), play(1, "31", "8/5", "6/5"))
    assert transcript.problems == ()


@pytest.mark.parametrize("cell", ["???", "????"])
def test_a_hidden_play_is_a_roll_with_unknown_moves(cell: str) -> None:
    [event] = events(mat(f"  1) 33: {cell}", "                                  Wins 2 point"))
    assert event == Event(0, Kind.PLAY, (3, 3), None)


@pytest.mark.parametrize("cell", ["00:", "Cannot Move", "00: Cannot Move"])
def test_a_turn_may_have_no_roll(cell: str) -> None:
    assert events(mat(OPENING, f"  2) {cell}"))[-1] == Event(0, Kind.PLAY, None, ())


@pytest.mark.parametrize(
    "rows",
    [
        ("  2)  Doubles => 2                Takes",),
        ("  2) Doubles ==> 2               Takes",),
        ("  2) Doubles to 2                Accepts",),
        ("  2) Doubles => 2 / Takes",),
        ("  2)  Doubles => 2", "                                  Takes"),
    ],
)
def test_a_double_and_its_take(rows: tuple[str, ...]) -> None:
    if len(rows) > 1:
        rows = (rows[0], "  3)                              Takes")
    assert events(mat(OPENING, *rows))[2:] == (Event(0, Kind.DOUBLE, value=2), Event(1, Kind.TAKE))


def test_a_drop_with_the_result_beside_it() -> None:
    transcript = mat(
        OPENING, "  2) 52: 13/8 24/22               Doubles => 2", "  3)  Drops                       Wins 1 point"
    )
    assert [event.kind for event in events(transcript)[3:]] == [Kind.DOUBLE, Kind.DROP]
    assert transcript.games[0].claim == StatedResult(1, 1)


def test_beavers_belong_to_a_money_session() -> None:
    header = HEADER.replace("7 point match", "0 point match")
    transcript = mat(OPENING, "  2)  Doubles => 2                Beavers => 4", "  3)  Takes", header=header)
    assert transcript.length == 0
    assert events(transcript)[2:] == (
        Event(0, Kind.DOUBLE, value=2),
        Event(1, Kind.BEAVER, value=4),
        Event(0, Kind.TAKE),
    )


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("      Wins 1 point", StatedResult(0, 1)),
        ("      Wins 4 points and the match", StatedResult(0, 4, match=True)),
        ("                                  Wins 2 points", StatedResult(1, 2)),
        ("  2)                              Wins 2 points", StatedResult(1, 2)),
        ("  2) 33: ????                     Wins 2008 point", StatedResult(1, 2008)),
    ],
)
def test_the_column_of_a_result_shows_the_winner(line: str, claim: StatedResult) -> None:
    assert mat(OPENING, line).games[0].claim == claim


@pytest.mark.parametrize(
    ("cell", "event"),
    [
        ("Resigns", Event(0, Kind.RESIGN)),
        ("Resigned Game", Event(0, Kind.RESIGN)),
        ("Resigned Match", Event(0, Kind.CONCEDE)),
        ("Resigns the match", Event(0, Kind.CONCEDE)),
        ("Resign single", Event(0, Kind.RESIGN, value=1)),
        ("Resign gammon", Event(0, Kind.RESIGN, value=2)),
        ("Resigns backgammon", Event(0, Kind.RESIGN, value=3)),
        ("Losses 2 point", Event(0, Kind.RESIGN, points=2)),
        ("Lost on time", Event(0, Kind.FLAG)),
    ],
)
def test_resignations_and_concessions(cell: str, event: Event) -> None:
    transcript = mat(OPENING, f"  2) {cell}", "                                  Wins 2 points")
    assert events(transcript)[-1] == event
    assert transcript.games[0].claim == StatedResult(1, 2)


def test_a_resignation_may_follow_a_roll_or_the_opponents_play() -> None:
    assert events(mat("  1) 64: Resigns"))[-1].side == 0
    assert events(mat("  1) 31: 8/5 6/5 Resigns"))[-1].side == 1


def test_a_resignation_may_be_answered() -> None:
    rows = ("  2)  Resigns                      Refuses", "  3)  Resigns gammon               Accepts")
    kinds = [event.kind for event in events(mat(OPENING, *rows))[2:]]
    assert kinds == [Kind.RESIGN, Kind.REFUSE, Kind.RESIGN, Kind.ACCEPT]


def test_galaxy_writes_a_lost_game_on_a_line_without_a_number_in_either_column() -> None:
    transcript = mat(OPENING, " Losses 1 point", "", "      Wins 1 point and the match")
    assert events(transcript)[-1] == Event(1, Kind.RESIGN, points=1)
    assert transcript.games[0].claim == StatedResult(0, 1, match=True)


def test_galaxy_sometimes_writes_a_row_inside_a_row() -> None:
    transcript = mat("  1) 31: 8/5 6/5               1)  Losses 2 point            Wins 2 point and the match")
    assert events(transcript) == (BOTH[0], Event(0, Kind.RESIGN, points=2))
    assert transcript.games[0].claim == StatedResult(1, 2, match=True)


def test_a_match_given_up_before_its_first_roll() -> None:
    transcript = mat("  1)                              Losses 3 point", "", "      Wins 3 point and the match")
    assert events(transcript) == (Event(1, Kind.RESIGN, points=3),)


def test_the_sides_turn_with_the_header() -> None:
    """The second header has Carol on the left: her score, her plays and her result stand there, too."""
    second = "\n".join([" Game 2", " Carol : 2                      Bob : 0", OPENING, "      Wins 1 point"])
    transcript = mat(OPENING, "                                  Wins 2 points", "", second)
    first, turned = transcript.games
    assert (turned.start, turned.claim) == ((0, 2), StatedResult(1, 1))
    assert turned.events == tuple(event._replace(side=1 - event.side) for event in first.events)
    assert codes(transcript) == []
    assert read(write(transcript, "mat")) == transcript


def test_an_empty_last_row_is_ignored() -> None:
    transcript = mat(OPENING, "  2)", "                                   Wins 3 points and the match")
    assert events(transcript) == BOTH
    assert transcript.games[0].claim == StatedResult(1, 3, match=True)


def test_an_illegal_play_that_stood_gives_the_position_after_it() -> None:
    # Seen by Carol, who is on roll: rules, names, score and cube, her bar, her points 1 to 24, Bob's bar, dice.
    board = "0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0"
    marker = f"7;0;0;0;1;Carol;Bob;0;0;0;1;0;{board};6;4;"
    transcript = mat(f"  1) 31: Illegal play ({marker})     64: 24/18 13/9")
    illegal, answer = events(transcript)
    assert (illegal.side, illegal.kind, illegal.dice) == (0, Kind.ILLEGAL, (3, 1))
    assert illegal.position is not None
    assert illegal.position.gnubg_id == "4HPwATDgc/ABMA"
    assert answer == BOTH[1]


def test_a_marker_has_the_opponents_bar_before_the_points_and_the_movers_bar_after_them() -> None:
    # The line gnubg's `export position snowietxt` writes for position YQDAoIMHDAADAA, Carol on roll.
    marker = "5;0;0;0;1;Carol;Bob;0;0;0;1;0;-1;3;0;0;0;-2;4;0;0;0;0;0;0;2;0;0;0;0;0;0;-2;0;0;0;-1;2;0;0;"
    transcript = mat(OPENING, f"  2) 31: Illegal play ({marker})     64: 24/18 13/9")
    position = events(transcript)[2].position
    assert position is not None
    assert position.swapped().gnubg_id == "YQDAoIMHDAADAA"
    assert events(read(write(transcript, "mat")))[2].position == position
    assert b";0;-1;3;0;0;0;-2;4;" in write(transcript, "mat")


@pytest.mark.parametrize(
    "rows",
    [
        ["  2)  Concedes                    Wins 2 point"],
        ["      Concedes                    Wins 2 point"],
        ["  2) 65: Concedes", "                                   Wins 2 point"],
    ],
)
def test_a_game_conceded_beside_its_result(rows: list[str]) -> None:
    transcript = mat(OPENING, *rows)
    assert events(transcript)[-1][:2] == (0, Kind.RESIGN)
    assert transcript.games[0].claim == StatedResult(1, 2)
    assert codes(transcript) == []


def test_a_concession_right_of_the_result_is_not_after_it() -> None:
    transcript = mat(OPENING, "  2)  Wins 2 point                Concedes")
    assert events(transcript)[-1][:2] == (1, Kind.RESIGN)
    assert codes(transcript) == []


def test_games_counted_from_zero_are_numbered_from_one() -> None:
    header = " 5 point match\n\n Game 0\n Bob : 0                        Carol : 0\n"
    transcript = mat(OPENING, "      Wins 1 point", "", " Game 1", " Bob : 1            Carol : 0", header=header)
    assert [game.number for game in transcript.games] == [1, 2]
    assert read(write(transcript, "json")) == transcript


GALAXY = '; [Site "BackgammonGalaxy"]\n\n16 point match\n\n Game 1\n Bob : 0                        Carol : 0\n'


def test_a_single_galaxy_game_to_sixteen_points_is_a_money_game() -> None:
    transcript = mat(OPENING, "      Wins 1 point", header=GALAXY)
    assert (transcript.length, transcript.jacoby) == (0, True)
    assert codes(transcript) == [("note", "money_game")]
    whole = mat(OPENING, "      Wins 16 point and the match", header=GALAXY)
    assert (whole.length, whole.jacoby) == (16, False)
    elsewhere = mat(OPENING, "      Wins 1 point", header=GALAXY.replace("BackgammonGalaxy", "Club"))
    assert elsewhere.length == 16


BEAR_IN = "5;0;0;0;1;Carol;Bob;0;0;0;1;0;-1;3;0;0;0;-2;4;0;0;0;0;0;0;2;0;0;0;0;0;0;-2;0;0;0;-1;2;0;0;"
"""Position YQDAoIMHDAADAA as GNU Backgammon writes it in a marker, Carol on roll."""


@pytest.mark.parametrize("roll", ["", "31: "])
def test_a_marker_before_the_first_play_is_a_position_that_was_set_up(roll: str) -> None:
    transcript = mat(f"  1) {roll}Illegal play ({BEAR_IN})", "  2)                          64: 24/18 13/9")
    first, answer = events(transcript)
    assert (first.kind, first.dice) == (Kind.SET_POSITION, None)
    assert first.position is not None
    assert first.position.swapped().gnubg_id == "YQDAoIMHDAADAA"
    assert (answer.side, answer.kind) == (1, Kind.PLAY)
    assert b"Illegal play" not in write(transcript, "mat")
    assert events(read(write(transcript, "mat")))[0].kind is Kind.SET_POSITION


def test_a_marker_of_the_start_itself_finds_nothing() -> None:
    start = "0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0"
    transcript = mat(f"  1) Illegal play (7;0;0;0;1;Bob;Carol;0;0;0;1;0;{start};0;0;)", OPENING)
    assert events(transcript)[0].kind is Kind.SET_POSITION
    assert events(transcript)[1:] == BOTH


def test_a_position_set_up_by_hand() -> None:
    transcript = mat("; Set Pos=-b----E-C---eE---c-e----B-/0", OPENING)
    first = events(transcript)[0]
    assert first.kind is Kind.SET_POSITION
    assert first.position is not None
    assert first.position.gnubg_id == "4HPwATDgc/ABMA"


def test_header_remarks_are_kept_in_order_and_others_skipped() -> None:
    header = '; [Site "Club"]\n; [Crawford "Off"]\n;| some box |\n; [Round "2"]\n\n' + HEADER
    transcript = mat(OPENING, "; nice play", "well, well", header=header)
    assert list(transcript.info.items()) == [("Site", "Club"), ("Crawford", "Off"), ("Round", "2")]
    assert not transcript.crawford_rule
    assert events(transcript) == BOTH
    assert transcript.problems == ()


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (" Bob: 0                           Carol: 0", ("Bob", "Carol")),
        (" Bob van Dam : 0              Carol O'Neil Jr. : 0", ("Bob van Dam", "Carol O'Neil Jr.")),
        (" B:ob : 0              Carol : 0", ("B:ob", "Carol")),
        (" Bob: 3 : 0              Carol: 4 : 0", ("Bob: 3", "Carol: 4")),
        (" bob :    0               : 0", ("bob", "")),
        (" : 0                          Carol : 0", ("", "Carol")),
        (" winsalot : 0                 doubles2 : 0", ("winsalot", "doubles2")),
        (" 3) x : 0                     Game 2 : 0", ("3) x", "Game 2")),
        (" ;bob : 0                     Łucja Ö : 0", (";bob", "Łucja Ö")),
    ],
)
def test_names_may_look_like_anything(line: str, names: tuple[str, str]) -> None:
    transcript = read(f" 7 point match\n\n Game 1\n{line}\n{OPENING}\n".encode())
    assert transcript.players == names
    assert transcript.games[0].start == (0, 0)
    assert events(transcript) == BOTH


def test_gamesgrid_writes_ratings_after_the_names() -> None:
    transcript = read(f" 7 point match\n\n Game 1\n Bob,1859 : 0              Carol,1702 : 0\n{OPENING}\n".encode())
    assert transcript.players == ("Bob", "Carol")
    assert transcript.info["Player 2 Elo"] == "1702"
    assert transcript.dialect == "gamesgrid"


def test_the_remarks_may_name_the_players_in_the_other_order() -> None:
    header = '; [Player 1 "Carol"]\n; [Player 2 "Bob"]\n' + HEADER
    assert mat(OPENING, header=header).players == ("Bob", "Carol")


def test_a_text_without_repeated_blanks_is_read_by_whose_turn_it_is() -> None:
    lines = ("1) 64: 24/18 13/9", "2) 31: 8/5 6/5 52: 13/8 24/22", "3) Doubles => 2 Drops", "Wins 1 point")
    transcript = read(("7 point match\nGame 1\nBob : 0 Carol : 0\n" + "\n".join(lines)).encode())
    assert [event.side for event in events(transcript)] == [1, 0, 1, 0, 1]
    assert transcript.games[0].claim == StatedResult(0, 1)


@pytest.mark.parametrize("cell", ["31: 8/5 6?5", "31: 8-5", "31: 8/5 banana", "31: 26/20", "31: 8/5/", "31: 8//5"])
def test_a_cell_that_is_not_understood_is_reported(cell: str) -> None:
    transcript = mat(f"  1) {cell:<27} 64: 24/18 13/9")
    assert codes(transcript) == [("error", "unreadable_cell")]
    assert transcript.problems[0].place == Place(5, 6)
    assert events(transcript) == (Event(0, Kind.PLAY, (3, 1), None), BOTH[1])


def test_text_before_the_first_cell_is_reported() -> None:
    assert codes(mat("  1) hm 31: 8/5 6/5")) == [("error", "unreadable_cell")]
    assert codes(mat("  1) whatever this is")) == [("error", "unreadable_cell")]


def test_a_line_without_number_that_looks_like_a_play_is_reported() -> None:
    transcript = mat(OPENING, "      then 13/7 6/5")
    assert codes(transcript) == [("warning", "unreadable_line")]
    (problem,) = transcript.problems
    assert (problem.place, problem.params) == (Place(6, 1), {"text": "then 13/7 6/5"})


def test_text_after_a_result_is_reported() -> None:
    transcript = mat(OPENING, "      Wins 1 point", "  2) 31: 8/5 6/5", "      Wins 2 points")
    assert codes(transcript) == [("warning", "after_result"), ("error", "second_result")]


def test_of_several_matches_the_first_is_read() -> None:
    transcript = mat(OPENING, "      Wins 7 points and the match", HEADER + OPENING)
    assert len(transcript.games) == 1
    assert codes(transcript) == [("note", "several_matches")]


def test_a_score_line_and_a_length_may_be_missing() -> None:
    transcript = read(f' Game 1\n{OPENING}\n; [Player 1 "late"]\n'.encode())
    assert transcript.length is None
    assert transcript.games[0].start is None
    assert events(transcript) == BOTH


def test_another_kind_of_backgammon_is_an_error() -> None:
    assert codes(mat(OPENING, header='; [Variation "Nackgammon"]\n' + HEADER)) == [("error", "other_variant")]


def test_a_long_name_in_the_header_does_not_move_a_lone_cell_to_the_left() -> None:
    name = "Maximiliane Charlotte von Hohenlohe-Waldenburg-Bartenstein"
    lines = [" 7 point match", "", " Game 1", f" {name} : 0                Bob : 0", " 1)" + " " * 29 + "31: 8/5 6/5"]

    transcript = read("\n".join(lines).encode())

    assert transcript.players == (name, "Bob")
    assert [event.side for event in transcript.games[0].events] == [1]


@pytest.mark.parametrize(
    ("rows", "quoted"),
    [
        (["  1) 31: 8/5//6"], "31: 8/5//6"),
        (["  1) 31: 8/5 6/5", "      Wins 1 point", "      Wins 2 points"], "Wins 2 points"),
        (["  1) 31: 8/5 6/5", "      Wins 1 point   42: 8/4 6/4"], "42: 8/4 6/4"),
    ],
)
def test_a_problem_quotes_its_cell(rows: list[str], quoted: str) -> None:
    (problem,) = mat(*rows).problems
    assert problem.params == {"text": quoted}


@pytest.mark.parametrize("names", [("Bob,1859", "Carol"), ("Bob", "Carol,1702"), ("Bob", "Carol")])
def test_a_rating_after_one_name_alone_is_part_of_the_name(names: tuple[str, str]) -> None:
    line = f" {names[0]} : 0              {names[1]} : 0"
    assert read(f" 7 point match\n\n Game 1\n{line}\n{OPENING}\n".encode()).players == names
