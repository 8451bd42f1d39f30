"""Damaged records and nonsense: every input gets a verdict, and no illegal play is accepted."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fuzz import FuzzReport, mutated, own_samples, run, shared_samples, try_input, wrong, wrong_plays
from engine import Outcome, check_record, replay
from engine.records import read
from engine.transcript import Move
from tests.engine.written import one_game, row

SAMPLES = own_samples(seed=42)
ROWS = st.lists(
    st.sampled_from(
        [
            row(1, "31: 8/5 6/5", "42: 8/4 6/4"),
            row(2, "Doubles => 2", "Takes"),
            row(3, "61: 13/7 8/7"),
            row(4, "11:"),
            row(5, "66: ????", "Drops"),
            row(6, "", "65: 24/13"),
            row(7, "Resigns gammon", "Accepts"),
            "      Wins 1 point",
            " Game 1",
            " Bob : 0      Carol : 0",
            " 3 point match",
            "; Set Pos=-b----E-C---eE---c-e----B-",
        ]
    )
)


def assert_sound(report):
    """Assert that nothing raised and no illegal play was accepted. The benchmark measures the time."""
    assert [fault for fault in report.faults if not fault.endswith(" s")] == []


@pytest.mark.slow
def test_damaged_samples_of_our_own_get_a_sound_verdict():
    report = run(SAMPLES, inputs=200, seed=7)
    assert_sound(report)
    assert report.plays > 1000
    assert {"rejected", "accepted"} <= set(report.outcomes)


@pytest.mark.slow
def test_damaged_records_of_other_programs_get_a_sound_verdict(shared_data):
    report = run(shared_samples(), inputs=40, seed=8)
    assert_sound(report)
    assert report.plays > 1000


@given(st.text(max_size=300))
def test_any_text_has_a_verdict(text):
    report = FuzzReport()
    try_input(text.encode(errors="surrogatepass"), text, report)
    assert_sound(report)


@given(st.binary(max_size=300))
def test_any_bytes_have_a_verdict(data):
    report = FuzzReport()
    try_input(data, "bytes", report)
    assert_sound(report)


@given(ROWS, st.integers(0, 64))
def test_any_order_of_rows_has_a_verdict(rows, length):
    report = FuzzReport()
    try_input("\n".join([f" {length} point match", *rows]).encode(), "rows", report)
    assert_sound(report)
    assert report.inputs == 1


def test_damage_is_the_same_for_the_same_seed():
    sample = SAMPLES["own gnubg"]
    assert mutated(sample, Random(3)) == mutated(sample, Random(3)) != sample


def test_an_illegal_play_in_a_sound_record_is_never_accepted():
    """Each play of a match in turn gets another roll: what is then accepted, the naive generator allows."""
    sample = SAMPLES["own canonical"]
    assert check_record(sample).verdict.outcome is Outcome.ACCEPTED
    rolls = [at for at in range(len(sample)) if sample[at : at + 2] == b": " and sample[at - 2 : at].isdigit()]
    assert len(rolls) > 20
    report = FuzzReport()
    for at in rolls:
        for roll in (b"65", b"11", b"42"):
            try_input(sample[: at - 2] + roll + sample[at:], f"{roll!r} at {at}", report)
    assert_sound(report)
    assert report.outcomes["rejected"] > len(rolls)


def test_the_check_of_plays_notices_an_illegal_one():
    """The control: a board that the dice do not allow, a play that differs from the recorded one, and one left out."""
    transcript = read(one_game(row(1, "31: 8/5 6/5")))
    (event,) = transcript.games[0].events
    (frame,) = replay(transcript)
    assert list(wrong(frame, event.moves)) == []
    assert [fault.split(": ")[1] for fault in wrong(frame._replace(dice=(4, 2)), None)] == ["not legal"]
    assert [fault.split(": ")[1] for fault in wrong(frame, (Move((24, 20)),))] == ["not what is written"]
    game = replace(transcript.games[0], events=(event._replace(dice=(4, 2)),))
    (fault,) = wrong_plays(replace(transcript, games=(game,)), FuzzReport(), whole=True)
    assert fault.endswith("accepted without a legal play")


@pytest.mark.slow
@pytest.mark.parametrize("size", [1 << 10, 1 << 18])
def test_endless_repetition_gets_a_verdict(size):
    for unit in (b"1) 31: 8/5 6/5 42: 8/4 6/4\n", b"(;", b"[", b"{", b" Game 1\n", b"11:", b"/1", b"\n", b"(4)", b"; "):
        report = FuzzReport()
        try_input(b" 7 point match\n\n Game 1\n A : 0     B : 0\n" + unit * (size // len(unit)), repr(unit), report)
        try_input(unit * (size // len(unit)), repr(unit), report)
        assert_sound(report)
