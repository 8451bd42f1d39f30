"""Matches played by gnubg: the same winners, points, cubes and scores, and the same board before every play."""

import json
from pathlib import Path

import pytest

from engine import Outcome, Position, adjudicate, check_record, replay
from engine.records import read
from engine.transcript import Kind


@pytest.fixture(scope="module")
def matches(shared_data: Path) -> dict[str, dict]:
    """Return gnubg's own data of each match, by the path of its files without suffix."""
    paths = [path for path in sorted((shared_data / "gnubg").glob("*.json")) if ".actions" not in path.name]
    assert len(paths) >= 82
    return {str(path.with_suffix("")): json.loads(path.read_text()) for path in paths}


def by_side(pair: dict[str, int]) -> tuple[int, int]:
    return pair["X"], pair["O"]


@pytest.mark.parametrize("suffix", [".mat", ".sgf"])
def test_every_match_is_accepted_with_gnubgs_own_result(matches, suffix):
    for path, account in matches.items():
        verdict = check_record(Path(path + suffix).read_bytes()).verdict
        assert verdict.outcome is Outcome.ACCEPTED, path
        assert (verdict.length, verdict.players) == (account["length"], by_side(account["players"])), path
        assert verdict.score == by_side(account["games"][-1]["score_after"]), path
        assert verdict.winner == "XO".index(account["games"][-1]["winner"]), path


@pytest.mark.parametrize("suffix", [".mat", ".sgf"])
def test_every_game_has_gnubgs_winner_points_cube_kind_and_score(matches, suffix):
    games = 0
    for path, account in matches.items():
        verdict = check_record(Path(path + suffix).read_bytes()).verdict
        for game, known in zip(verdict.games, account["games"], strict=True):
            where = (path, known["n"])
            assert (game.number, game.winner) == (known["n"], "XO".index(known["winner"])), where
            assert (game.points, game.cube) == (known["points"], known["cube_final"]), where
            assert game.start == by_side(known["score_before"]), where
            assert game.end == by_side(known["score_after"]), where
            assert game.crawford == (known["crawford_game"] and account["length"] > 1), where
            assert game.kind == ("resignation" if known["resigned"] else known["kind"]), where
            games += 1
    assert games >= 350


@pytest.mark.slow
def test_the_replay_shows_the_board_gnubg_had_before_every_play_and_double(shared_data):
    paths = sorted((shared_data / "gnubg").glob("*.actions.json"))
    assert len(paths) >= 50
    for path in paths:
        transcript = read(path.with_name(path.name.replace(".actions.json", ".mat")).read_bytes())
        frames = replay(transcript)
        for number, actions in enumerate(json.loads(path.read_text())["games"], start=1):
            shown = [frame for frame in frames if frame.game == number and frame.kind is not Kind.RESIGN]
            shown_actions = [action for action in actions if action["action"] != "resign"]
            for frame, action in zip(shown, shown_actions, strict=True):
                where = (path.name, number, frame.event)
                assert frame.side == "XO".index(action["player"]), where
                assert frame.kind == {"move": "play"}.get(action["action"], action["action"]), where
                assert frame.before.gnubg_id == action.get("board", frame.before.gnubg_id), where
                assert sorted(frame.dice or ()) == sorted(action.get("dice", ())), where
                assert sorted((step.source, step.target) for step in frame.steps) == sorted(
                    map(tuple, action.get("move", ()))
                ), where


@pytest.mark.slow
def test_a_replay_has_no_jumps(matches):
    """Each frame starts where the one before it ended, and each game with the opening position."""
    for path in matches:
        frames = replay(read(Path(path + ".sgf").read_bytes()))
        assert frames
        board, game, side = Position.start(), 0, None
        for frame in frames:
            if frame.game != game:
                board, game, side = Position.start(), frame.game, frame.side
            seen = board if frame.side == side else board.swapped()
            assert frame.before == seen, (path, frame.game, frame.event)
            assert frame.legal
            board, side = frame.after, frame.side


def test_mat_and_sgf_of_a_match_get_the_same_verdict(matches):
    for path in matches:
        mat, sgf = (adjudicate(read(Path(path + suffix).read_bytes())) for suffix in (".mat", ".sgf"))
        assert [game[:8] for game in mat.games] == [game[:8] for game in sgf.games], path
