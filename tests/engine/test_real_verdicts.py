"""Records of other programs: each game has its known winner and points, or a finding explains the difference."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from engine import Check, Finding, Outcome, check_record
from engine.verdict import GameVerdict, Severity
from tests.engine.records.test_real_records import manifest


class Compared(NamedTuple):
    """One game of a record beside its result in the manifest."""

    file: str
    game: int
    expected: tuple[int | None, int]
    """Winner (0 left, 1 right) and points."""
    actual: tuple[int | None, int]
    reasons: tuple[str, ...]
    """Codes of the warnings and errors of this game, and `money_game`, as the manifest ignores the Jacoby rule."""

    @property
    def equal(self) -> bool:
        return self.expected == self.actual

    @property
    def explained(self) -> bool:
        return self.equal or bool(self.reasons)


def compared(row: dict[str, Any], check: Check) -> Iterator[Compared]:
    """Yield every game of a record whose result is in the manifest."""
    known = [_known(game) for game in row.get("games", row.get("xg_games", ()))]
    for index, expected in enumerate(known):
        verdict = check.verdict.games[index] if index < len(check.verdict.games) else None
        if expected is not None:
            yield Compared(row["file"], index + 1, expected, _actual(verdict), _reasons(check, verdict))


def _known(game: dict[str, Any]) -> tuple[int | None, int] | None:
    """Return winner and points: as replayed if the game was played out, or else as stated."""
    if "term" in game:
        return {1: 0, -1: 1}[game["winner"]], game["points"]
    if game.get("winner") is not None:
        return game["winner"], game["points"]
    if game.get("stated_side") is not None:
        return game["stated_side"], game["stated_points"]
    return None


def _actual(game: GameVerdict | None) -> tuple[int | None, int]:
    return (None, 0) if game is None else (game.winner, game.points)


def _reasons(check: Check, game: GameVerdict | None) -> tuple[str, ...]:
    number = game.number if game else None
    return tuple(
        finding.code
        for finding in check.verdict.findings
        if finding.code == "money_game" or (finding.game == number and finding.severity is not Severity.NOTE)
    )


def illegal_plays(row: dict[str, Any]) -> set[tuple[int, int]]:
    """Game and roll of each play that the manifest lists as illegal."""
    return {(play["game"], play["ply"]) for play in row.get("illegal", ())}


def plays_judged_illegal(findings: tuple[Finding, ...]) -> set[tuple[int, int]]:
    """Return game and roll of each play judged illegal; only these findings come with nearest plays."""
    return {(f.game, f.ply) for f in findings if f.nearest and f.game is not None and f.ply is not None}


@pytest.mark.slow
def test_every_known_result_is_confirmed_or_its_difference_explained(shared_data):
    folder, games = shared_data / "records", []
    for row in manifest(shared_data):
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
    for row in manifest(shared_data):
        if row["format"] == "mat-text":
            findings = check_record((folder / row["file"]).read_bytes()).verdict.findings
            assert plays_judged_illegal(findings) == illegal_plays(row), row["file"]
            listed += len(illegal_plays(row))
    assert listed >= 4


@pytest.mark.slow
def test_a_record_is_rejected_only_for_a_known_reason(shared_data):
    folder = shared_data / "records"
    for row in manifest(shared_data):
        verdict = check_record((folder / row["file"]).read_bytes()).verdict
        if verdict.outcome is Outcome.REJECTED:
            marked = any("llegal" in oddity or "differs" in oddity for oddity in row["oddities"])
            jacoby = "jacoby_in_match" in {finding.code for finding in verdict.findings}
            assert illegal_plays(row) or marked or jacoby, row["file"]
