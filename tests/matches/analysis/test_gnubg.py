"""GNU Backgammon's answer counts only if it is about exactly the match that it was given."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import LazySettings

import engine
from engine.errors import Refused
from engine.ids import parse_xgid
from engine.simulation import play_out
from engine.transcript import Kind, Move, Transcript
from matches.analysis.arithmetic import summary
from matches.analysis.backends import gnubg
from matches.analysis.backends.base import Depth
from matches.analysis.backends.chosen import chosen_backend
from matches.analysis.backends.gnubg import Gnubg, neutral_mat
from matches.analysis.backends.processes import ProgramLimits, run
from matches.analysis.judging import judged
from matches.analysis.queue import analyse, record_hash
from matches.analysis.situations import situations_of
from matches.analysis.values import DecisionKind
from tests.matches.analysis.fake_gnubg_answers import FIRST_ERROR
from tests.matches.analysis.programs import fake_gnubg, is_running, needs_gnubg
from tests.matches.records.samples import ILLEGAL

MATCH = play_out(seed=3, length=3, players=("Bob", "Carol"))
"""Three games."""


def test_a_proper_answer(tmp_path: Path) -> None:
    """Also one with a bad exit code, which means nothing; the first play with a choice cost 0.03."""
    analysed = analyse(MATCH, fake_gnubg(tmp_path))
    plays = [decision for decision in analysed.decisions if decision.kind is DecisionKind.PLAY]
    assert len(plays) == len([s for s in situations_of(MATCH) if s.kind is DecisionKind.PLAY])
    assert (analysed.backend, analysed.version) == ("gnubg", "1.07.fake")
    assert analysed.settings == {"plays": "2-ply", "cube": "2-ply", "luck": "0-ply"}
    first = next(decision for decision in plays if decision.candidates)
    assert first.error == pytest.approx(FIRST_ERROR)
    assert [candidate.played for candidate in first.candidates] == [False, True]
    assert {candidate.chances for candidate in first.candidates} == {(0.5, 0.1, 0.0, 0.1, 0.0)}
    assert all(
        (candidate.chances is not None) is (candidate.played or candidate is decision.candidates[0])
        for decision in plays
        for candidate in decision.candidates
    )
    assert sum(side.error for side in summary(analysed.decisions).sides) == pytest.approx(FIRST_ERROR)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("kill", "analysis_unreadable"),
        ("nonsense", "analysis_unreadable"),
        ("play", "analysis_differs"),
    ],
)
def test_a_wrong_answer_is_refused(tmp_path: Path, fault: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        analyse(MATCH, fake_gnubg(tmp_path, fault))
    assert refused.value.code == code


@pytest.mark.parametrize("fault", ["drop", "dice"])
def test_a_wrong_answer_about_one_game_costs_that_game(tmp_path: Path, fault: str) -> None:
    analysed = analyse(MATCH, fake_gnubg(tmp_path, fault))
    [number] = analysed.settings["games_left_out"]
    assert {decision.game for decision in analysed.decisions} == {1, 2, 3} - {number}


@pytest.mark.slow
@needs_gnubg
def test_a_match_is_judged_by_its_games_as_it_is_whole() -> None:
    """Seven points, so that cube and luck depend on the score, with a Crawford game."""
    match, program = play_out(seed=3, length=7), Gnubg(plies=0, limits=ProgramLimits(niceness=0))
    situations = situations_of(match)
    assert any(situation.crawford for situation in situations)
    opinion = program.judge(match, situations)
    pairs = [(s, j) for s, j in zip(situations, opinion.judgements, strict=True) if j is not None]
    assert analyse(match, program).decisions == judged(pairs)


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this kernel does not group by session")
def test_a_program_yields_to_those_of_other_sessions_too(tmp_path: Path) -> None:
    program = "import os, pathlib; print(os.nice(0), pathlib.Path('/proc/self/autogroup').read_text())"
    finished = run([sys.executable, "-c", program], folder=tmp_path, limits=ProgramLimits(niceness=19))
    niceness, _, *of_session = finished.output.decode().split()
    assert (niceness, of_session) == ("19", ["nice", "19"])


@pytest.mark.slow
def test_a_hanging_program_is_killed_with_its_children(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        analyse(MATCH, fake_gnubg(tmp_path, "hang", idle_seconds=1))
    assert refused.value.code == "analysis_timed_out"
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    deadline = time.monotonic() + 10
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, pids))


def test_a_program_that_is_absent(tmp_path: Path) -> None:
    backend = Gnubg(path=str(tmp_path / "gnubg"))
    assert not backend.is_available()
    with pytest.raises(Refused) as refused:
        analyse(MATCH, backend)
    assert refused.value.code == "no_analysis_backend"


@pytest.mark.parametrize("fault", ["none", "kill", "nonsense", "drop"])
def test_a_program_is_used_only_if_it_answers_about_the_opening(
    tmp_path: Path, fault: str, settings: LazySettings
) -> None:
    backend = fake_gnubg(tmp_path, fault)
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", backend.path
    assert backend.is_installed()
    assert backend.is_available() is (chosen_backend() is not None) is (fault == "none")


def test_a_program_that_was_replaced_is_asked_again(tmp_path: Path) -> None:
    """A package that was being upgraded, for example."""
    broken, working = fake_gnubg(tmp_path, "nonsense"), fake_gnubg(tmp_path)
    assert not broken.is_available()
    Path(working.path).rename(broken.path)
    assert broken.is_available()


def test_a_program_that_failed_is_asked_again_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing, working = fake_gnubg(tmp_path, "nonsense"), fake_gnubg(tmp_path)
    changed_at = Path(failing.path).stat().st_mtime_ns
    assert not failing.is_available()
    Path(working.path).rename(failing.path)
    os.utime(failing.path, ns=(changed_at, changed_at))
    assert not failing.is_available()
    monkeypatch.setattr(gnubg, "PROBE_AGAIN_AFTER", 0.0)
    assert failing.is_available()


def test_no_name_reaches_the_program() -> None:
    named = replace(MATCH, info={"Event": "Copenhagen"})
    record = neutral_mat(named)
    assert b"White" in record
    assert not [name for name in (b"Bob", b"Carol", b"Copenhagen") if name in record]
    assert record_hash(named) == record_hash(replace(MATCH, players=("Dave", "Alice")))


def test_only_legal_matches_are_analysed() -> None:
    with pytest.raises(Refused) as refused:
        situations_of(engine.read(ILLEGAL))
    assert refused.value.code == "not_analysable"


def spoiled(match: Transcript, number: int, moves: tuple[Move, ...] | None) -> Transcript:
    """Return the match with other moves in the fourth play of a game."""
    games = list(match.games)
    events = list(games[number - 1].events)
    fourth = [at for at, event in enumerate(events) if event.kind is Kind.PLAY][3]
    events[fourth] = events[fourth]._replace(moves=moves)
    games[number - 1] = replace(games[number - 1], events=tuple(events))
    return replace(match, games=tuple(games))


ILLEGAL_MOVES = (Move((24, 23)), Move((13, 1)))


@pytest.mark.parametrize("moves", [ILLEGAL_MOVES, None], ids=["illegal", "unreadable"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_illegal_or_unreadable_play_costs_its_game_only(
    tmp_path: Path, number: int, moves: tuple[Move, ...] | None
) -> None:
    whole = analyse(MATCH, fake_gnubg(tmp_path))
    rest = analyse(spoiled(MATCH, number, moves), fake_gnubg(tmp_path))
    assert [(d.game, d.event, d.xgid) for d in rest.decisions] == [
        (d.game, d.event, d.xgid) for d in whole.decisions if d.game != number
    ]
    assert (rest.settings["games_left_out"], whole.settings.get("games_left_out")) == ([number], None)


@needs_gnubg
@pytest.mark.parametrize("moves", [ILLEGAL_MOVES, None], ids=["illegal", "unreadable"])
def test_the_real_program_analyses_the_other_games(moves: tuple[Move, ...] | None) -> None:
    analysed = analyse(spoiled(MATCH, 2, moves), Gnubg(plies=0, limits=ProgramLimits(niceness=0)))
    assert {decision.game for decision in analysed.decisions} == {1, 3}


def test_a_roll_given_up_with_the_game_is_no_decision() -> None:
    header = " 1 point match\n\n Game 1\n Bob : 0   Carol : 0\n"
    (only,) = situations_of(engine.read(f"{header} 1) 31: 8/5 6/5   64: ????\n      Wins 1 point and the match\n"))
    assert (only.side, only.choices, only.played) == (0, 16, "8/5 6/5")


@needs_gnubg
def test_the_real_program_at_its_lowest_depth() -> None:
    match = play_out(seed=5, length=1)
    analysed = analyse(match, Gnubg(plies=0, limits=ProgramLimits(niceness=0)))
    left, right = summary(analysed.decisions).sides
    assert left.pr is not None
    assert right.pr is not None
    assert left.decisions + right.decisions > 20
    # In a match to 1 an equity of 1 is half the match.
    assert left.luck_winning == pytest.approx(left.luck / 2)
    assert analysed.cpu_seconds > 0
    # So is the chance to win, of the side that plays.
    rated = [c for decision in analysed.decisions for c in decision.candidates if c.chances is not None]
    assert [c.equity for c in rated] == pytest.approx([2 * c.chances.win - 1 for c in rated if c.chances], abs=1e-4)


@needs_gnubg
def test_the_chances_of_a_take_are_those_of_the_side_that_doubled() -> None:
    analysed = analyse(play_out(seed=3, length=7), Gnubg(plies=0, limits=ProgramLimits(niceness=0)))
    doubles = {(row.game, row.event): row for row in analysed.decisions if row.kind is DecisionKind.DOUBLE}
    takes = [row for row in analysed.decisions if row.kind is DecisionKind.TAKE]
    assert takes
    for take in takes:
        double = doubles[take.game, take.event - 1]
        assert (take.chances, take.side) == (double.chances, 1 - double.side)
    # A doubler who is far ahead wins more than half the games.
    far = [row for row in analysed.decisions if row.no_double is not None and abs(row.no_double) > 0.5]
    assert far
    assert all(row.chances and (row.chances.win > 0.5) is ((row.no_double or 0) > 0) for row in far)


@needs_gnubg
@pytest.mark.parametrize("jacoby", [True, False])
def test_the_real_program_knows_whether_the_jacoby_rule_applies(*, jacoby: bool) -> None:
    """What it says of a session is what it says of single positions, whose ids contain the rule."""
    program = Gnubg(plies=0, limits=ProgramLimits(niceness=0))
    session = replace(play_out(seed=5, length=1), length=0, jacoby=jacoby)
    decision = next(row for row in analyse(session, program).decisions if row.kind is DecisionKind.DOUBLE)
    asked, other = (parse_xgid(decision.xgid)._replace(jacoby=rule) for rule in (jacoby, not jacoby))
    answer, different = (program.advise(state, Depth.QUICK).equities for state in (asked, other))
    assert answer is not None
    assert different is not None
    assert decision.no_double == pytest.approx(answer.no_double, abs=1e-4)
    assert different.no_double != pytest.approx(answer.no_double, abs=1e-3)
