"""SGF as GNU Backgammon writes it, and as we write it for GNU Backgammon."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused
from engine.position import Position
from engine.records import Limits, read, write
from engine.simulation import play_out
from engine.transcript import Event, Game, Kind, Place, StatedResult, Transcript

from .samples import codes, events, play
from .strategies import NAME, NUMBER, RECORD_SETTINGS, SIDE, TEXT, bare, plays, positions, transcripts

ROOT = "FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]MI[length:3][game:0][ws:0][bs:0]PW[Bob]PB[Carol]RU[Crawford]"


def sgf(*nodes: str, root: str = ROOT) -> Transcript:
    """Return a match of Bob (W) and Carol (B) with these nodes in its first game."""
    return read(("(;" + "\n;".join((root, *nodes)) + ")").encode())


def test_points_are_letters_and_run_the_other_way_for_black() -> None:
    transcript = sgf("W[31hefe]", "B[64aggk]", "W[55]", "B[21yxwz]")
    assert transcript.players == ("Bob", "Carol")
    assert transcript.length == 3
    assert events(transcript) == (
        play(0, "31", "8/5", "6/5"),
        play(1, "64", "24/18", "18/14"),
        play(0, "55"),
        play(1, "21", "25/1", "2/0"),
    )
    assert transcript.games[0].places[1] == Place(3, 1)


def test_cube_actions() -> None:
    transcript = sgf("W[31hefe]", "B[double]", "W[take]", "B[64aggk]", "W[double]", "B[drop]")
    assert [event.kind for event in events(transcript)[1:3]] == [Kind.DOUBLE, Kind.TAKE]
    assert events(transcript)[-2:] == (Event(0, Kind.DOUBLE), Event(1, Kind.DROP))


def test_a_double_by_the_side_just_doubled_is_a_beaver() -> None:
    kinds = [event.kind for event in events(sgf("W[31hefe]", "B[double]", "W[double]", "B[take]"))]
    assert kinds[1:] == [Kind.DOUBLE, Kind.BEAVER, Kind.TAKE]


def test_a_resignation_is_known_from_the_result_alone() -> None:
    transcript = sgf("W[31hefe]", root=ROOT + "RE[W+2R]")
    assert events(transcript)[-1] == Event(1, Kind.RESIGN, points=2)
    assert transcript.games[0].claim == StatedResult(0, 2)


def test_a_dropped_double_is_not_resigned_as_well() -> None:
    assert events(sgf("W[double]", "B[drop]", root=ROOT + "RE[W+1R]"))[-1].kind is Kind.DROP


def test_the_crawford_game_is_marked() -> None:
    first, second = (ROOT.replace("game:0", f"game:{n}") for n in (0, 1))
    marked = second.replace("ws:0", "ws:2").replace("RU[Crawford]", "RU[Crawford:CrawfordGame]")
    transcript = read(f"(;{first};W[31hefe])(;{marked};W[31hefe])".encode())
    assert [game.crawford for game in transcript.games] == [False, True]
    assert [game.start for game in transcript.games] == [(0, 0), (2, 0)]
    assert [game.number for game in transcript.games] == [1, 2]


@pytest.mark.parametrize(
    ("rules", "length", "crawford_rule", "jacoby"),
    [("RU[Crawford]", 3, True, False), ("RU[Jacoby]", 0, True, True), ("", 3, False, False), ("", 1, True, False)],
)
def test_rules_of_the_match(rules: str, length: int, crawford_rule: bool, jacoby: bool) -> None:
    transcript = sgf("W[31hefe]", root=ROOT.replace("length:3", f"length:{length}").replace("RU[Crawford]", rules))
    assert (transcript.crawford_rule, transcript.jacoby) == (crawford_rule, jacoby)


def test_escapes_and_remarks() -> None:
    root = ROOT.replace("Bob", "B\\]o\\\\b").replace("Carol", "Car\\\nol") + "EV[Cup]DT[2024-05-01]PC[Aachen]"
    transcript = sgf("W[31hefe]", root=root)
    assert transcript.players == ("B]o\\b", "Carol")
    assert transcript.info == {"Event": "Cup", "EventDate": "2024.05.01", "Site": "Aachen"}


def test_analysis_and_comments_are_skipped() -> None:
    assert events(sgf("W[31hefe]A[0][hefe E ver 3 0.5 (x;y) \\] ]C[a;b(c)]LU[0.1]")) == (play(0, "31", "8/5", "6/5"),)


def test_an_analysis_of_several_megabytes_is_skipped() -> None:
    analysis = "A[0]" + "[hefe E ver 3 0.5 0.1 0.0 0.1 0.0 0.02 0.0 2C 0 0.00 3.12 \\] ]" * 400
    nodes = [f"W[31hefe]{analysis}", f"B[64aggk]{analysis}"] * 60
    root = ROOT.replace("length:3", "length:25")
    assert sum(map(len, nodes)) > 2 * 1024 * 1024
    assert len(events(sgf(*nodes, root=root))) == 120


def test_only_the_first_variation_is_read() -> None:
    transcript = read(f"(;{ROOT};W[31hefe](;B[64aggk](;W[55])(;W[44]))(;B[21](;W[11]))(;B[22]))".encode())
    assert [event.dice for event in events(transcript)] == [(3, 1), (6, 4), (5, 5)]


def test_dice_set_by_hand_count_once() -> None:
    assert events(sgf("PL[W]DI[31]", "W[31hefe]")) == (play(0, "31", "8/5", "6/5"),)
    assert events(sgf("PL[W]DI[31]", "B[double]"))[0] == Event(0, Kind.PLAY, (3, 1), None)
    assert events(sgf("PL[B]DI[31]"))[-1] == Event(1, Kind.PLAY, (3, 1), None)


def test_a_position_and_a_cube_set_by_hand() -> None:
    board = "AE[a:y]AW[f][f][f][f][f][h][h][h][m][m][m][m][m][x][x]AB[s][s][s][s][s][q][q][q][l][l][l][l][l][a][a]"
    placed = events(sgf("CP[b]", "CV[4]", f"PL[B]{board}", "W[31hefe]"))
    assert placed[0] == Event(1, Kind.SET_CUBE, value=4)
    assert placed[1] == Event(1, Kind.SET_POSITION, position=Position.start())


def test_a_value_that_is_not_understood_is_reported_with_its_place() -> None:
    transcript = sgf("W[31he?e]", "B[banana]", "W[31yyzz]")
    assert codes(transcript) == [("error", "unreadable_cell")] * 3
    assert transcript.problems[0].place == Place(2, 1)
    assert events(transcript)[0] == Event(0, Kind.PLAY, (3, 1), None)


@pytest.mark.parametrize("cut", ["", ";W[31hefe", ";W[31hefe]", ";W[31hefe]) trailing"])
def test_what_precedes_the_end_of_a_cut_file_is_read(cut: str) -> None:
    transcript = read(f"(;{ROOT};W[31hefe]{cut}".encode())
    assert events(transcript)[0] == play(0, "31", "8/5", "6/5")
    assert ("error", "cut_short") in codes(transcript)


@pytest.mark.parametrize("text", ["(;GM[1]SZ[19];B[aa])", "(;FF[4];W[31hefe])"])
def test_other_games_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="another game"):
        read(text.encode())


def test_a_file_of_nothing_but_nodes_is_refused() -> None:
    with pytest.raises(Refused, check=lambda error: error.code == "too_many_plies"):
        read(f"(;{ROOT}{';' * 200})".encode(), Limits(plies=100))


def test_the_form_that_gnubg_reads() -> None:
    game = Game(
        number=2,
        start=(2, 1),
        events=(
            play(1, "61", "13/7", "8/7"),
            play(0, "65", "24/18/13"),
            play(1, "55"),
            Event(0, Kind.RESIGN, points=2),
        ),
        claim=StatedResult(1, 2),
    )
    text = write(Transcript(("Bob]", "Carol"), 3, (game,), info={"EventDate": "2024.05.01"}), "sgf").decode()
    assert text == (
        "(;FF[4]GM[6]CA[UTF-8]AP[Barpoint:1]MI[length:3][game:1][ws:2][bs:1]PW[Bob\\]]PB[Carol]DT[2024-05-01]"
        "RU[Crawford:CrawfordGame]RE[B+2R]\n;B[61lrqr]\n;W[65xrrm]\n;B[55])\n"
    )


def test_the_ratings_go_with_the_names_and_not_with_the_columns() -> None:
    info = {"Player 1": "Carol", "Player 2": "Bob", "Player 1 Elo": "1700", "Player 2 Elo": "1500"}
    text = write(Transcript(("Bob", "Carol"), 3, (Game(1, ()),), info=info), "sgf").decode()
    assert "WR[1500]BR[1700]" in text


def _events() -> st.SearchStrategy[Event]:
    resigning = st.builds(
        lambda side, value, points: Event(side, Kind.RESIGN, value=value, points=points),
        SIDE,
        st.none() | st.integers(1, 3),
        st.none() | NUMBER,
    )
    by_hand = st.builds(
        lambda side, kind, position: Event(side, kind, position=position),
        SIDE,
        st.sampled_from((Kind.SET_POSITION, Kind.ILLEGAL)),
        positions(),
    )
    others = bare(Kind.TAKE, Kind.DROP, Kind.ACCEPT, Kind.REFUSE, Kind.CONCEDE, Kind.FLAG)
    return plays(stars=False, longest=2) | others | resigning | by_hand


def _no_roll_twice(transcript: Transcript) -> bool:
    """Whether no roll alone is followed by the same side's play with it, which is read as one turn."""
    pairs = [pair for game in transcript.games for pair in zip(game.events, game.events[1:], strict=False)]
    return not any(first.moves is None and first[:3] == second[:3] for first, second in pairs)


def _with_resignations(transcript: Transcript) -> Transcript:
    """Return the match with a resignation added where only the result shows one."""
    return replace(transcript, games=tuple(map(_with_resignation, transcript.games)))


def _with_resignation(game: Game) -> Game:
    last = game.events[-1].kind if game.events else None
    if game.claim is None or last in (Kind.RESIGN, Kind.ACCEPT, Kind.DROP, Kind.CONCEDE, Kind.FLAG):
        return game
    if _ends_by_bearing_off(game, game.claim.winner):
        return game
    resignation = Event(1 - game.claim.winner, Kind.RESIGN, points=game.claim.points)
    return replace(game, events=(*game.events, resignation))


def _ends_by_bearing_off(game: Game, winner: int) -> bool:
    """Whether the winner's last checker is borne off last. Among a few plays that needs a board set up near the end."""
    last = game.events[-1] if game.events else None
    if last is None or last.side != winner or last.kind is not Kind.PLAY or not last.moves:
        return False
    at, board = max(((at, event) for at, event in enumerate(game.events) if event.position), default=(0, None))
    if board is None or board.position is None:
        return False
    borne_off = board.position.borne_off[0 if board.side == winner else 1]
    later = [event for event in game.events[at + 1 :] if event.side == winner]
    return borne_off + sum(move.points[-1] == 0 for event in later for move in event.moves or ()) >= 15


@RECORD_SETTINGS
@given(
    transcripts(
        _events(),
        info=st.dictionaries(st.sampled_from(("Event", "Round", "Site")), TEXT.filter(bool)),
        crawford=st.booleans(),
        claims=st.tuples(SIDE, st.none() | NUMBER).map(lambda stated: StatedResult(*stated)),
    ).filter(_no_roll_twice)
)
def test_everything_that_sgf_can_hold_survives(transcript: Transcript) -> None:
    assert read(write(transcript, "sgf")) == _with_resignations(transcript)


@RECORD_SETTINGS
@given(NAME, NAME)
def test_any_name_survives(left: str, right: str) -> None:
    assert read(write(Transcript((left, right), 5, (Game(1, ()),)), "sgf")).players == (left, right)


def test_only_a_game_that_was_not_played_to_its_end_is_marked_as_resigned() -> None:
    transcripts = [play_out(seed, 3) for seed in range(8)]
    games = [(transcript, game) for transcript in transcripts for game in transcript.games]
    assert {game.events[-1].kind for _, game in games} == {Kind.PLAY, Kind.DROP, Kind.RESIGN, Kind.ACCEPT}
    for transcript, game in games:
        text = write(replace(transcript, games=(game,)), "sgf").decode()
        (resigned,) = re.findall(r"RE\[[WB]\+\d+(R?)\]", text)
        assert bool(resigned) == (game.events[-1].kind in (Kind.RESIGN, Kind.ACCEPT))
