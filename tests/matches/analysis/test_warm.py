"""A gnubg that stays running: it answers many questions, and faults cost one of them at most."""

import os
import signal
from pathlib import Path
from time import monotonic, sleep

import pytest

from engine.actions import Phase
from engine.ids import parse_xgid
from matches.analysis.backends import gnubg, warm
from matches.analysis.backends.base import Depth
from matches.analysis.backends.gnubg import Gnubg
from matches.analysis.backends.warm import WarmProgram
from tests.matches.analysis.programs import fake_gnubg, is_running, needs_gnubg
from tests.matches.play.conftest import refused

TO_PLAY = parse_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10")
TO_ROLL = TO_PLAY._replace(phase=Phase.TO_ROLL, dice=None)


def warm_of(program: Gnubg) -> WarmProgram:
    return gnubg.running(program.path, program.limits.for_advice())


def test_one_process_answers_all_questions(tmp_path: Path) -> None:
    program = fake_gnubg(tmp_path)
    first = program.advise(TO_PLAY, Depth.QUICK)
    pid = warm_of(program).pid
    assert program.advise(TO_ROLL, Depth.QUICK).equities is not None
    assert program.advise(TO_PLAY, Depth.QUICK) == first
    assert warm_of(program).pid == pid


def test_a_killed_one_is_started_again_without_a_word(tmp_path: Path) -> None:
    program = fake_gnubg(tmp_path)
    program.advise(TO_PLAY, Depth.QUICK)
    pid = warm_of(program).pid
    assert pid is not None
    os.killpg(pid, signal.SIGKILL)
    assert program.advise(TO_PLAY, Depth.QUICK).candidates
    assert warm_of(program).pid != pid


def test_one_that_dies_while_it_answers_is_asked_again(tmp_path: Path) -> None:
    program = fake_gnubg(tmp_path, "once")
    for _ in range(3):
        assert program.advise(TO_PLAY, Depth.QUICK).candidates


@pytest.mark.parametrize(
    ("fault", "code"),
    [("nonsense", "analysis_unreadable"), ("play", "analysis_differs"), ("hang", "analysis_timed_out")],
)
def test_one_with_a_fault_is_not_asked_twice(tmp_path: Path, fault: str, code: str) -> None:
    program = fake_gnubg(tmp_path, fault, idle_seconds=0.5 if fault == "hang" else 60)
    for _ in range(2):
        with refused(code):
            program.advise(TO_PLAY, Depth.QUICK)
        assert warm_of(program).pid is None
    if fault == "hang":
        pids = list(map(int, (tmp_path / "pids").read_text().split()))
        end = monotonic() + 5
        while any(map(is_running, pids)) and monotonic() < end:
            sleep(0.01)
        assert not any(map(is_running, pids))


def test_a_program_that_is_gone_is_named(tmp_path: Path) -> None:
    with refused("analysis_unreadable"):
        WarmProgram([str(tmp_path / "nothing")], Gnubg().limits.for_advice()).ask("hint\n", b"Seed")


def test_a_fresh_process_after_so_many_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "MAX_ANSWERS", 2)
    program, pids = fake_gnubg(tmp_path), set()
    for _ in range(4):
        program.advise(TO_PLAY, Depth.QUICK)
        pids.add(warm_of(program).pid)
    assert len(pids) == 2


def test_one_that_nobody_asks_ends_and_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "IDLE_SECONDS", 0.3)
    program = fake_gnubg(tmp_path)
    first = program.advise(TO_PLAY, Depth.QUICK)
    pid, end = warm_of(program).pid, monotonic() + 10
    assert pid is not None
    while is_running(pid) and monotonic() < end:
        sleep(0.02)
    assert not is_running(pid)
    assert warm_of(program).pid is None
    assert program.advise(TO_PLAY, Depth.QUICK) == first


@needs_gnubg
def test_a_running_gnubg_says_what_a_fresh_one_does() -> None:
    program = Gnubg()
    warm_of_it = gnubg.running(program.program, program.limits.for_advice())
    states = [TO_PLAY._replace(dice=dice) for dice in ((3, 1), (6, 5), (2, 2))] + [TO_ROLL]
    fresh = []
    for state in states:
        warm_of_it.stop()
        fresh.append(program.advise(state, Depth.QUICK))
    assert [program.advise(state, Depth.QUICK) for state in states] == fresh
