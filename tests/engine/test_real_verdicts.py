"""Records of other programs: each game has its known winner and points, or a finding explains the difference."""

import pytest

from benchmarks.records_table import compared, illegal_plays, manifest, plays_judged_illegal, table
from engine import Outcome, check_record


@pytest.mark.slow
def test_every_known_result_is_confirmed_or_its_difference_explained(shared_data):
    folder, games = shared_data / "records", []
    for row in manifest(folder):
        check = check_record((folder / row["file"]).read_bytes())
        assert len(check.verdict.games) == row["n_games"], row["file"]
        games += compared(row, check)
    assert len(games) > 1600
    assert [game for game in games if not game.explained] == []
    # Two matches given up, and two gammons that the Jacoby rule makes single games.
    assert sum(game.equal for game in games) >= len(games) - 4


@pytest.mark.slow
def test_exactly_the_listed_illegal_plays_are_reported(shared_data):
    folder, listed = shared_data / "records", 0
    for row in manifest(folder):
        if row["format"] == "mat-text":
            findings = check_record((folder / row["file"]).read_bytes()).verdict.findings
            assert plays_judged_illegal(findings) == illegal_plays(row), row["file"]
            listed += len(illegal_plays(row))
    assert listed >= 4


@pytest.mark.slow
def test_a_record_is_rejected_only_for_a_known_reason(shared_data):
    folder = shared_data / "records"
    for row in manifest(folder):
        verdict = check_record((folder / row["file"]).read_bytes()).verdict
        if verdict.outcome is Outcome.REJECTED:
            marked = any("llegal" in oddity or "differs" in oddity for oddity in row["oddities"])
            jacoby = "jacoby_in_match" in {finding.code for finding in verdict.findings}
            assert illegal_plays(row) or marked or jacoby, row["file"]


@pytest.mark.slow
def test_the_table_counts_every_file(shared_data):
    lines = table(shared_data / "records").splitlines()
    print(*lines, sep="\n")
    counted = sum(int(line.split()[0]) for line in lines if " files " in line)
    assert counted == len(manifest(shared_data / "records"))
    assert not any("DIFFERENT" in line for line in lines)
