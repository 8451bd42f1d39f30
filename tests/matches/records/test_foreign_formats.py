"""OGXM and `.bgf`: the same match, and refusals of what is damaged, too large, or has no reader."""

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from core import limited
from core.messages import sentence
from engine import replay
from engine.errors import Refused
from engine.records import from_data, read
from engine.simulation import play_out
from engine.transcript import Kind, Transcript
from matches.records.foreign_formats import foreign_format
from matches.records.intake import record_in
from matches.records.verdicts import checked_record
from tests.matches.records.foreign_files import HEADER, bgf, ogxm, ogxm_of_positions, packed_zeros, smile
from tests.matches.records.samples import simulated
from tests.test_layout import ROOT

GIVEN_UP = """\
 1 point match

 Game 1
 Bob : 0                         Carol : 0
  1) 31: 8/5 6/5                  64: 24/14
  2) 52: ????
                                   Wins 1 point and the match
"""
"""Bob rolls and gives up."""

SEEDS = (1, 3, 8, 11)


def found(record: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in record["verdict"]["findings"]]


def plays(transcript: Transcript) -> list[Any]:
    kinds = (Kind.PLAY, Kind.DOUBLE, Kind.TAKE, Kind.DROP)
    return [(f.game, f.side, f.kind, sorted(f.dice or ()), f.after) for f in replay(transcript) if f.kind in kinds]


@pytest.mark.parametrize("written", [ogxm, bgf])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_match_is_read_as_it_was_played(seed: int, written: Callable[[Transcript], bytes]) -> None:
    match = play_out(seed, 3, players=("Bob", "Carol"))
    record, expected = checked_record(written(match)), checked_record(simulated(seed))
    assert record["format"] == written.__name__
    assert (record["verdict"]["winner"], record["verdict"]["score"]) == (
        expected["verdict"]["winner"],
        expected["verdict"]["score"],
    )
    assert record["verdict"]["outcome"] in ("accepted", "accepted_with_warnings")
    assert plays(from_data(record["transcript"])) == plays(match)


def test_the_matches_above_have_cube_actions_dances_and_resignations() -> None:
    events = [event for seed in SEEDS for game in play_out(seed, 3).games for event in game.events]
    assert {Kind.DOUBLE, Kind.TAKE, Kind.DROP, Kind.RESIGN} <= {event.kind for event in events}
    assert any(event.kind is Kind.PLAY and event.moves == () for event in events)


def test_a_legal_play_that_is_written_as_illegal_is_legal() -> None:
    match = play_out(1, 3, players=("Bob", "Carol"))
    assert all(frame.kind is Kind.PLAY for frame in replay(match)[:6])
    record = checked_record(ogxm_of_positions(match))
    assert record["verdict"]["outcome"] == "accepted"
    assert plays(from_data(record["transcript"])) == plays(match)


def test_the_roll_at_which_a_game_is_given_up_has_no_play() -> None:
    record = checked_record(ogxm(read(GIVEN_UP)))
    assert record["verdict"]["outcome"] == "accepted"
    assert "last_play_missing" in found(record)
    events = record["transcript"]["games"][0]["events"]
    assert (events[-1]["dice"], "moves" in events[-1]) == ([2, 5], False)


def test_a_flipped_bit_in_ogxm_is_noticed() -> None:
    whole, choice = ogxm(play_out(1, 3)), random.Random(58)
    for bit in choice.sample(range(32, 8 * len(whole)), 60):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        assert found(checked_record(bytes(damaged))) == ["unreadable_record"], bit


def test_whatever_a_damaged_bgf_makes_the_library_raise_is_a_refusal_or_a_verdict() -> None:
    whole, choice = gzip.decompress(bgf(play_out(1, 3)).removeprefix(HEADER)), random.Random(58)
    for bit in choice.sample(range(32, 8 * len(whole)), 30):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        record = checked_record(HEADER + damaged)
        assert record["transcript"] is not None or found(record) == ["unreadable_record"], bit


DEEP = b":)\n\0" + b"\xf8" * 100_000
NOTHING = smile({})


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(HEADER + gzip.compress(gzip.compress(NOTHING)), id="packed twice"),
        pytest.param(HEADER + gzip.compress(DEEP), id="nested too deep"),
        pytest.param(HEADER + gzip.compress(NOTHING)[:-9], id="cut short"),
        pytest.param(b"OGXM" + bytes(40), id="OGXM of nothing"),
        pytest.param(ogxm(play_out(1, 3))[:-1], id="OGXM cut short"),
        pytest.param(b"OGXM\x02\0\x02\0\x02\0\x02\0" + b"\xff" * 5000, id="OGXM that counts to no end"),
    ],
)
def test_what_the_library_cannot_read_is_unreadable(data: bytes) -> None:
    assert foreign_format(data)
    assert found(checked_record(data)) == ["unreadable_record"]


MEASURED = """
import re, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from matches.records.verdicts import checked_record
codes = [f["code"] for f in checked_record(Path(sys.argv[2]).read_bytes())["verdict"]["findings"]]
print(*codes, int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


def in_a_new_process(data: bytes, path: Path, *options: str) -> list[str]:
    """The findings about a record, and the MiB that were taken to read it."""
    path.write_bytes(data)
    command = [sys.executable, *options, "-c", MEASURED, str(ROOT), str(path)]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()


@pytest.mark.parametrize("wbits", [31, 15], ids=["gzip", "zlib"])
def test_a_bomb_is_refused_before_it_takes_memory(tmp_path: Path, wbits: int) -> None:
    bomb = packed_zeros(1024, wbits)
    assert len(bomb) < 2 << 20
    code, mebibytes = in_a_new_process(bomb, tmp_path / "bomb.bgf")
    assert code == "record_too_large"
    assert int(mebibytes) <= 64


def test_both_are_read_in_a_limited_process() -> None:
    for data in (ogxm(play_out(1, 1)), bgf(play_out(1, 1)), HEADER + NOTHING):
        assert limited.CONTROLS.search(data)
        assert foreign_format(data)
    assert limited.read(checked_record, bgf(play_out(1, 1)))["format"] == "bgf"
    assert foreign_format(HEADER + b":)\n " + b"\xf8" * 100) == "", "without a control character none would be needed"


def test_without_the_package_the_refusal_says_which_formats_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"OGXM": ogxm(play_out(1, 1)), "BGF": bgf(play_out(1, 1))}
    for data in files.values():
        assert in_a_new_process(data, tmp_path / "record", "-I", "-S")[0] == "format_not_installed"
    assert in_a_new_process(simulated(), tmp_path / "record", "-I", "-S")[0].isdigit(), "others need no package"
    monkeypatch.setitem(sys.modules, "gvformat", None)
    for name, data in files.items():
        with pytest.raises(Refused) as refused:
            record_in(SimpleUploadedFile("record", data), "")
        text = sentence(refused.value.code, refused.value.params)
        assert text.startswith(f"This site cannot read {name} files. Save the match as .mat and send that.")
        assert ".xg" in text


def test_the_cases_of_the_specification(shared_data: Path) -> None:
    """Each is tested here or in `tests/matches/reporting/test_second_records.py`."""
    cases = json.loads((shared_data / "morning" / "feeder.json").read_text())["cases"]
    assert {case["name"]: case["answer"] for case in cases} == {
        "same record sent by the other": "already_uploaded",
        "same match, other program's spelling": "already_uploaded",
        "same match, one play differs": "differs",
        "another match of the same two": "the usual verdict: wrong score",
        "package absent": "format_not_installed",
        "bomb": "record_too_large",
        "one flipped bit in OGXM": "unreadable_record",
        "OGXM ending in a roll not played": "accepted, last roll without a play",
    }
    [absent] = [case for case in cases if "sentence" in case]
    assert sentence(absent["answer"], {"format": "OGXM", "formats": ""}).startswith(absent["sentence"])
