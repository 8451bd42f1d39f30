"""Arguments of the wrong kind are refused with a code, and do not cause an exception deep inside."""

from collections.abc import Callable
from typing import Any

import pytest

from engine import (
    MatchState,
    Position,
    Refused,
    check_record,
    explain_illegal,
    legal_plays,
    parse_gnubg_ids,
    parse_play,
    parse_xgid,
    read,
)
from engine.simulation import play_out
from tests.matches.records.samples import ILLEGAL, simulated

START = Position()


@pytest.mark.parametrize(
    ("code", "call", "arguments"),
    [
        ("bad_position_id", Position, (5,)),
        ("bad_counts", Position.from_counts, (5,)),
        ("bad_letters", Position.from_letters, (5,)),
        ("bad_dice", legal_plays, (START, (1,))),
        ("bad_dice", explain_illegal, (START, 31, "8/5")),
        ("bad_notation", parse_play, (5,)),
        ("bad_notation", explain_illegal, (START, (3, 1), "8-5")),
        ("bad_length", MatchState.start, ("7",)),
        ("bad_length", MatchState.start, (7.5,)),
        ("bad_length", MatchState.start, (True,)),
        ("bad_score_pair", MatchState.start, (7, 5)),
        ("bad_score_pair", MatchState.start, (7, (1,))),
        ("bad_score_pair", MatchState.start, (7, (1, 2.5))),
        ("bad_length", play_out, (1, 1.5)),
        ("bad_xgid", parse_xgid, (5,)),
        ("bad_match_id", parse_gnubg_ids, ("4HPwATDgc/ABMA", 5)),
    ],
)
def test_an_argument_of_the_wrong_kind_is_refused(
    code: str, call: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(Refused) as refused:
        call(*arguments)
    assert refused.value.code == code
    assert refused.value.message != code


def test_a_record_may_be_text() -> None:
    record = simulated()
    assert read(record.decode()) == read(record)
    assert check_record(ILLEGAL).verdict == check_record(ILLEGAL.encode()).verdict
    assert check_record("\ud800").verdict.outcome == "rejected"


@pytest.mark.parametrize(
    ("play", "reason"),
    [("8/5 6/5", None), ("8/5", "must_play_both"), ("8/4 6/5", "more_than_dice"), ("", "must_play")],
)
def test_a_play_may_be_given_in_notation(play: str, reason: str | None) -> None:
    assert explain_illegal(START, (3, 1), play) == explain_illegal(START, (3, 1), parse_play(play)) == reason
