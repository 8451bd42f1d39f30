"""What GNU Backgammon's command `hint` says about one decision; its text is read, since not every build has Python.

A play is a line such as `1. Cubeful 2-ply    13/7 8/7    Eq.: +0.016662`, best first; a cube decision has lines such as
`2. Double, pass        +1.000000`. Equities are normalised to the cube. Source: GNU Backgammon 1.07.
"""

import re

from engine.actions import Phase
from engine.errors import Refused
from engine.ids import gnubg_match_id
from engine.match import MatchState
from engine.notation import parse_play
from engine.plays import legal_plays
from engine.position import Position, position_of
from engine.resolution import resolve
from matches.analysis.values import Candidate, CubeEquities, Judgement

_ALL_PLAYS = 9999
_PLAY = re.compile(r"^\s*\d+\. Cubeful (\d+)-ply\s+(\S.*?)\s+Eq\.:\s*([+-]\d+\.\d+)", re.MULTILINE)
_CUBE = re.compile(r"^\d+\. (No (?:re)?double|(?:Double|Redouble), (?:take|pass))\s+([+-]\d+\.\d+)", re.MULTILINE)


def hint_commands(state: MatchState, plies: int) -> str:
    """Return the commands that have gnubg rate every choice of the side to act in a match."""
    if state.phase is Phase.DOUBLED:
        # gnubg does not read a match ID with a double; the equities are those of the decision to double.
        state = state._replace(phase=Phase.TO_ROLL)
    lines = [
        "set threads 1",
        "set automatic game off",
        "set automatic roll off",
        "set output digits 6",
        "set output mwc off",
        f"set evaluation chequerplay evaluation plies {plies}",
        f"set evaluation cubedecision evaluation plies {plies}",
        f"set gnubgid {state.position.gnubg_id}:{gnubg_match_id(state)}",
        f"hint {_ALL_PLAYS}",
    ]
    return "\n".join([*lines, ""])


def judgement_in(text: str, state: MatchState) -> Judgement:
    """Return what the answer says. Refused: `analysis_unreadable`, and `analysis_differs` for other plays."""
    if state.phase is Phase.TO_PLAY and state.dice is not None:
        return Judgement(candidates=_candidates(text, state.position, state.dice))
    equities = {name.lower().replace("redouble", "double"): float(equity) for name, equity in _CUBE.findall(text)}
    try:
        values = (equities["no double"], equities["double, take"], equities["double, pass"])
    except KeyError:
        raise Refused("analysis_unreadable") from None
    return Judgement(equities=CubeEquities(*values))


def _candidates(text: str, position: Position, dice: tuple[int, int]) -> tuple[Candidate, ...]:
    rows = _PLAY.findall(text)
    if not rows:
        raise Refused("analysis_unreadable")
    plays = {play.result: play for play in legal_plays(position, dice)}
    try:
        results = [position_of(resolve(position.key, dice, parse_play(play)).key) for _, play, _ in rows]
    except Refused:
        raise Refused("analysis_differs") from None
    if set(results) != plays.keys():
        raise Refused("analysis_differs")
    return tuple(
        Candidate(str(plays[result]), float(equity), None, f"{plies}-ply")
        for result, (plies, _, equity) in zip(results, rows, strict=True)
    )
