"""Our files through gnubg and back: the same winners, points, cubes and plays, by every route."""

from collections import Counter
from pathlib import Path

import pytest

from engine import Outcome, adjudicate
from engine.records import read, write
from engine.transcript import Event, Game, Kind, StatedResult, Transcript

from .gnubg import PROGRAM, ROUTES, differences, through_gnubg
from .lively import lively_match

needs_gnubg = pytest.mark.skipif(PROGRAM is None, reason="GNU Backgammon is not installed (apt-get install gnubg)")
MATCHES = {f"{number}": lively_match(number, 1 + number % 15) for number in range(60)}


def test_the_matches_have_what_is_hard_to_convert() -> None:
    verdicts = [adjudicate(match) for match in MATCHES.values()]
    kinds = Counter(game.kind.value for verdict in verdicts for game in verdict.games)
    assert all(verdict.outcome in (Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_WARNINGS) for verdict in verdicts)
    assert min(kinds[kind] for kind in ("drop", "resignation", "single", "gammon", "backgammon")) >= 5
    assert sum(game.crawford for verdict in verdicts for game in verdict.games) >= 10
    refused = [event for match in MATCHES.values() for game in match.games for event in game.events]
    assert any(event.kind is Kind.REFUSE for event in refused)


@pytest.mark.slow
@needs_gnubg
def test_generated_matches_come_back_from_gnubg_by_every_route(tmp_path: Path) -> None:
    back = through_gnubg(MATCHES, tmp_path)
    assert len(back) == len(MATCHES) * len(ROUTES)
    lost = {route: differences(MATCHES[route[0]], match) if match else "nothing" for route, match in back.items()}
    assert {route: differing for route, differing in lost.items() if differing} == {}


@needs_gnubg
def test_an_implied_resignation_comes_back_from_gnubg(tmp_path: Path) -> None:
    """The record has the result only; gnubg takes a game that is not marked as resigned for unfinished."""
    text = " 3 point match\n\n Game 1\n Bob : 0                  Carol : 0\n  1) 31: 8/5 6/5   64: 24/14\n"
    match = read((text + "      Wins 3 points and the match\n").encode())
    back = through_gnubg({"implied": match}, tmp_path)
    assert [differences(match, came) if came else "nothing" for came in back.values()] == [[]] * len(ROUTES)


def test_a_drop_by_the_left_player_and_the_result_share_a_row() -> None:
    events = (Event(1, Kind.PLAY, (3, 1), ()), Event(0, Kind.PLAY, (3, 1), ()), Event(1, Kind.DOUBLE, value=2))
    game = Game(1, (*events, Event(0, Kind.DROP)), start=(0, 0), claim=StatedResult(1, 1))
    lines = write(Transcript(("Bob", "Carol"), 3, (game,)), "mat").decode().splitlines()
    assert [line.split() for line in lines if "Wins" in line] == [["3)", "Drops", "Wins", "1", "point"]]
