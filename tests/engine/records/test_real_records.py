"""Records of other programs, read and compared with what is known of them.

They lie beside the project and are never part of it; the tests are skipped where they are absent.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.records import read, write
from engine.transcript import Event, Game, Kind, Transcript

from .test_hostile import mutations, survives

PLAYS = (Kind.PLAY, Kind.ILLEGAL)
# GammonView writes `Resigns` and the result in one row; the replay behind the manifest did not follow it there.
NOT_IN_MANIFEST = {("5nqfGw9bWG3deTaU.mat", 4), ("5nqfGw9bWG3deTaU.mat", 6)}


def manifest(shared_data: Path) -> list[dict[str, Any]]:
    lines = (shared_data / "records" / "MANIFEST.jsonl").read_text().splitlines()
    assert lines
    return [json.loads(line) for line in lines]


def accounts(shared_data: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return gnubg's own data of each of its matches, with the path of its records without suffix."""
    paths = sorted(path for path in (shared_data / "gnubg").glob("*.json") if ".actions" not in path.name)
    assert paths
    return [(path.with_suffix(""), json.loads(path.read_text())) for path in paths]


def plies(game: Game) -> int:
    return sum(event.kind in PLAYS for event in game.events)


def test_every_record_agrees_with_its_manifest(shared_data: Path) -> None:
    for row in manifest(shared_data):
        transcript = read((shared_data / "records" / row["file"]).read_bytes())
        name = row["file"].rpartition("/")[2]
        assert list(transcript.players) == row["players"], name
        money = [problem.code for problem in transcript.problems] == ["money_game"]
        assert transcript.length == (0 if money else row["match_length"]), name
        assert row["match_length"] == 16 or not money, name
        assert len(transcript.games) == row["n_games"], name
        assert transcript.problems == () or money, name
        for game, known in zip(transcript.games, row.get("games", ()), strict=False):
            assert list(game.start or ()) == known["start"], (name, game.number)
            assert plies(game) == known["plies"], (name, game.number)
            stated = (known.get("stated_side"), known.get("stated_points"))
            claimed = (game.claim.winner, game.claim.points) if game.claim else (None, None)
            assert claimed == stated or (name, game.number) in NOT_IN_MANIFEST, (name, game.number)


def test_xg_files_agree_with_their_own_footers(shared_data: Path) -> None:
    rows = [row for row in manifest(shared_data) if "xg_games" in row]
    assert rows
    for row in rows:
        transcript = read((shared_data / "records" / row["file"]).read_bytes())
        for game, known in zip(transcript.games, row["xg_games"], strict=True):
            assert list(game.start or ()) == known["start"]
            assert game.crawford == known["crawford"]
            assert game.claim is not None
            assert (game.claim.winner, game.claim.points) == ({1: 0, -1: 1}[known["winner"]], known["points"])


@pytest.mark.parametrize("suffix", [".mat", ".sgf"])
def test_matches_of_gnubg_agree_with_its_own_account(shared_data: Path, suffix: str) -> None:
    for path, account in accounts(shared_data):
        transcript = read(path.with_suffix(suffix).read_bytes())
        assert transcript.players == (account["players"]["X"], account["players"]["O"]), path.name
        assert transcript.length == account["length"], path.name
        assert transcript.problems == (), path.name
        for game, known in zip(transcript.games, account["games"], strict=True):
            where = (path.name, game.number)
            before = known["score_before"]
            assert game.start == (before["X"], before["O"]), where
            assert game.claim is not None, where
            assert (game.claim.winner, game.claim.points) == ("XO".index(known["winner"]), known["points"]), where
            kinds = Counter(event.kind for event in game.events)
            assert (kinds[Kind.PLAY], kinds[Kind.DOUBLE], kinds[Kind.TAKE], kinds[Kind.DROP]) == tuple(
                known["counts"][word] for word in ("move", "double", "take", "drop")
            ), where


def steps(event: Event) -> tuple[object, ...]:
    """Return a play as its single steps in any order."""
    moves = None
    if event.moves is not None:
        moves = sorted(step for move in event.moves for step in zip(move.points, move.points[1:], strict=False))
    return event.side, event.kind, event.dice and sorted(event.dice), moves


def recorded_events(game: Game) -> list[tuple[object, ...]]:
    """Return the events without those that `.mat` leaves out: resignations, and a roll at which a side resigned."""
    return [
        steps(event)
        for event in game.events
        if event.kind is not Kind.RESIGN and not (event.kind is Kind.PLAY and event.moves is None)
    ]


def test_both_records_of_a_gnubg_match_agree(shared_data: Path) -> None:
    for path, _ in accounts(shared_data):
        text, sgf = (read(path.with_suffix(suffix).read_bytes()) for suffix in (".mat", ".sgf"))
        for left, right in zip(text.games, sgf.games, strict=True):
            assert recorded_events(left) == recorded_events(right), (path.name, left.number)


def test_the_plays_are_those_of_gnubg(shared_data: Path) -> None:
    paths = sorted((shared_data / "gnubg").glob("*.actions.json"))
    assert paths
    for path in paths:
        data = json.loads(path.read_text())
        transcript = read(path.with_name(path.name.replace(".actions.json", ".mat")).read_bytes())
        for game, actions in zip(transcript.games, data["games"], strict=True):
            gnubg_plays = [
                ("XO".index(action["player"]), sorted(action["dice"]), sorted(map(tuple, action["move"])))
                for action in actions
                if action["action"] == "move"
            ]
            read_plays = [
                (event.side, sorted(event.dice or ()), sorted(move.points for move in event.moves or ()))
                for event in game.events
                if event.kind is Kind.PLAY
            ]
            assert read_plays == gnubg_plays, (path.name, game.number)


def test_the_same_match_as_xg_and_as_sgf_agrees(shared_data: Path) -> None:
    folder = shared_data / "records" / "kevung+gbf"
    binary, sgf = (read((folder / name).read_bytes()) for name in ("test.xg", "test.sgf"))
    for left, right in zip(binary.games, sgf.games, strict=True):
        assert [steps(event) for event in left.events] == [steps(event) for event in right.events], left.number
        assert left.claim == right.claim


def without_hits(transcript: Transcript) -> list[object]:
    return [
        (event.side, event.kind, event.dice, event.moves and [move.points for move in event.moves])
        for game in transcript.games
        for event in game.events
    ]


@pytest.mark.slow
def test_records_survive_being_written_again(shared_data: Path) -> None:
    paths = [path for path in sorted(shared_data.glob("records/*/*")) if path.is_file()]
    paths += sorted((shared_data / "gnubg").glob("*.sgf"))
    assert paths
    for path in paths:
        transcript = read(path.read_bytes())
        assert read(write(transcript, "json")) == transcript, path.name
        if transcript.format in ("mat", "sgf"):
            assert read(write(transcript, transcript.format)) == transcript, path.name
        else:
            assert without_hits(read(write(transcript, "mat"))) == without_hits(transcript), path.name


# gnubg invents a double after a drop and a take after a beaver, and passes over the marker of an illegal play.
NOT_AS_GNUBG = {"double_drop", "money_beaver_noTake", "illegal_play_snowie"}


def test_small_files_are_read_as_gnubg_reads_them(shared_data: Path) -> None:
    cases = json.loads((shared_data / "dialect_cases_gnubg.json").read_text())
    compared = 0
    for case in cases:
        transcript = read(case["text"].encode())
        known = case["gnubg107"]
        if case["case"] in NOT_AS_GNUBG or "nodes" not in known or any("Invalid" in text for text in known["messages"]):
            continue
        root = f"(;GM[6]MI{known['mi']}RU[{known['rules']}]"
        reading = read((root + "".join(known["nodes"]).rstrip(")") + ")").encode())
        ours, theirs = (
            [event[:3] for event in t.games[0].events if event.kind not in (Kind.RESIGN, Kind.SET_CUBE)]
            for t in (transcript, reading)
        )
        assert ours == theirs, case["case"]
        compared += 1
    assert compared > 20


@pytest.mark.slow
def test_damaged_real_records_raise_nothing_but_refusals(shared_data: Path) -> None:
    paths = [path for path in sorted(shared_data.glob("records/*/*")) if path.stat().st_size < 200_000]
    files = [path.read_bytes() for path in paths + sorted((shared_data / "gnubg").glob("m*.*"))]
    assert files
    assert max(survives(data) for data in mutations(files, 1500)) < 2.0
