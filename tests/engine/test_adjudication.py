"""What adjudication finds: every code, at its game, roll, line and column."""

import re
from pathlib import Path

import pytest

import engine.errors
from engine import Outcome, adjudicate, check_record, legal_plays, parse_xgid, replay
from engine.errors import MESSAGES
from engine.records import write_mat
from engine.simulation import play_out
from engine.transcript import Event, Game, Kind, StatedResult, Transcript
from engine.verdict import Severity
from tests.engine.boards import board
from tests.engine.findings_table import DOUBLED, OPENING, RECORDS, SNOWIE, TRANSCRIPTS, set_up
from tests.engine.records.samples import play
from tests.engine.written import finding_rows, judged, left, one_game, right, row

CAROL_BEARS_OFF = board({6: 15}, {24: 2})
"""Bob, on roll, has borne off no checker, and Carol all but two."""
OF_THE_ADJUDICATOR = ("Plays", "The cube", "Adjudication: plays", "Adjudication: results")


@pytest.mark.parametrize(("record", "expected"), RECORDS.values(), ids=RECORDS)
def test_the_findings_of_a_record_with(record, expected):
    assert finding_rows(judged(record)) == expected


@pytest.mark.parametrize(("transcript", "expected"), TRANSCRIPTS.values(), ids=TRANSCRIPTS)
def test_the_findings_of_a_transcript_with(transcript, expected):
    assert finding_rows(adjudicate(transcript)) == expected


def test_every_code_of_the_adjudicator_has_a_record():
    source = Path(engine.errors.__file__).read_text(encoding="utf-8")
    codes: dict[str, set[str]] = {}
    section = ""
    for line in source.splitlines():
        if heading := re.match(r" {4}# (.+)", line):
            section = heading[1]
        elif entry := re.match(r' {4}"(\w+)": ', line):
            codes.setdefault(section, set()).add(entry[1])
    reported = set().union(*(codes[name] for name in OF_THE_ADJUDICATOR))
    assert reported <= set(MESSAGES)
    covered = {code for _, expected in (*RECORDS.values(), *TRANSCRIPTS.values()) for _, code, *_ in expected}
    assert reported - covered == {"too_many_findings"}  # it has a test of its own below


@pytest.mark.parametrize("record", [record for record, _ in RECORDS.values()], ids=RECORDS)
def test_every_finding_makes_a_sentence_without_gaps_and_shows_a_position(record):
    findings = judged(record).findings
    assert findings
    for finding in findings:
        assert finding.message != finding.code
        assert not set("{}") & set(finding.message)
        assert "None" not in finding.message
        if finding.ply is not None:
            assert parse_xgid(finding.xgid)


def test_an_illegal_play_comes_with_the_legal_plays_nearest_to_it():
    (finding,) = judged(one_game(row(1, "31: 8/5 6/4"))).findings
    assert finding.nearest[0] == "8/5 6/5"
    assert len(finding.nearest) == 3
    state = parse_xgid(finding.xgid)
    assert state.dice == (3, 1)
    assert set(finding.nearest) <= {str(play) for play in legal_plays(state.position, state.dice)}


def test_the_board_of_a_finding_is_that_before_the_play():
    (finding,) = judged(one_game(row(1, "31: 8/5 6/5", "51: 24/19 6/5"))).findings
    assert finding.xgid == "-b----E-C---eE---b-db---B-:0:0:1:51:0:0:0:7:10"


def test_a_finding_of_a_game_given_up_at_a_roll_shows_the_roll():
    findings = judged(one_game(OPENING, row(2, "65: ????"), right("Wins 1 point"))).findings
    assert {(parse_xgid(finding.xgid).turn, parse_xgid(finding.xgid).dice) for finding in findings} == {(0, (6, 5))}


def test_a_game_given_up_after_a_play_shows_no_dice_of_the_other_side():
    (finding,) = judged(one_game(OPENING, row(2, "65: 24/13"), right("Wins 1 point"))).findings
    assert (parse_xgid(finding.xgid).turn, parse_xgid(finding.xgid).dice) == (1, None)


def test_an_illegal_play_that_stood_has_its_place_in_the_replay():
    record = one_game(row(1, "31: 8/5 6/5", f"11: Illegal play ({SNOWIE})"))
    frame = replay(check_record(record).transcript)[-1]
    assert (frame.ply, frame.legal, frame.dice) == (2, False, (1, 1))
    assert frame.before != frame.after


def test_faults_after_the_first_are_found_too():
    verdict = judged(one_game(row(1, "31: 8/5 7/6", "51: 24/19 6/5"), row(2, "65: 24/13", "66: 1/7")))
    codes = [code for _, code, *_ in finding_rows(verdict)]
    assert codes == ["no_checker", "followed_from_likeliest", "blocked", "no_such_move"]


def test_after_two_hundred_faults_the_rest_is_not_read():
    rows = [row(number, "31: 24/1", "42: 24/1") for number in range(1, 400)]
    findings = judged(one_game(*rows)).findings
    assert len(findings) == 201
    assert [finding.code for finding in findings[-2:]] == ["wrong_die", "too_many_findings"]


def test_a_long_match_without_stars_is_read_to_its_end():
    """The record has about 300 unmarked hits, more than the replay allows findings."""
    record = write_mat(play_out(seed=0, length=64))
    assert record.count(b"*") > 200
    verdict = judged(record.replace(b"*", b""))
    assert [finding.code for finding in verdict.findings if finding.severity is not Severity.NOTE] == []
    assert verdict.winner is not None
    assert "stars_absent" in {finding.code for finding in verdict.findings}


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"nonsense", "½ point match".encode("utf-16"), b"\xff\xfe\xff"])
def test_a_file_that_is_no_record_is_rejected_with_a_reason(data):
    check = check_record(data)
    assert check.transcript is None
    assert check.verdict.outcome is Outcome.REJECTED
    (finding,) = check.verdict.findings
    assert finding.message != finding.code


def test_a_record_that_is_legal_so_far_is_incomplete():
    verdict = judged(one_game(OPENING))
    assert (verdict.outcome, verdict.winner, verdict.findings) == (Outcome.INCOMPLETE, None, ())


def test_an_offered_cube_shows_in_the_board_of_its_finding():
    verdict = judged(one_game(DOUBLED, right("Wins 1 point")))
    assert ":D:" in verdict.findings[0].xgid


def test_a_finding_about_a_roll_names_the_roll() -> None:
    (finding,) = judged(one_game(row(1, "33: 8/5(2) 6/3(2)"))).findings
    assert finding.message == "A game cannot open with the double 3-3: equal dice are rolled again."


@pytest.mark.parametrize(("result", "too_much"), [(left("Wins 2 points"), True), (right("Wins 2 points"), False)])
def test_only_the_side_that_has_borne_off_cannot_lose_a_gammon(result: str, too_much: bool) -> None:
    codes = {finding.code for finding in judged(set_up(CAROL_BEARS_OFF, row(1, "21: 6/4 6/5"), result)).findings}
    assert "resignation_implied" in codes
    assert ("resigned_too_much" in codes) == too_much


@pytest.mark.parametrize(
    ("events", "points"),
    [
        ((), 1),
        ((Event(1, Kind.RESIGN),), 1),
        ((Event(1, Kind.RESIGN, value=2),), 2),
        ((Event(1, Kind.RESIGN, points=3),), 3),
        ((Event(1, Kind.DOUBLE), Event(0, Kind.TAKE), Event(1, Kind.RESIGN, value=2)), 4),
    ],
)
def test_a_game_won_by_an_unknown_number_of_points_counts_what_was_resigned(
    events: tuple[Event, ...], points: int
) -> None:
    game = Game(1, (play(0, "31", "8/5", "6/5"), *events), claim=StatedResult(0))
    assert adjudicate(Transcript(("Bob", "Carol"), 7, (game,))).score == (points, 0)
