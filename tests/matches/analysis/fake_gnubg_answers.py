"""What the program that stands in for GNU Backgammon answers.

Every play made is the best, but the first of game 1 with a choice, which costs 0.03; nothing is said about the cube.
"""

import re

import engine
from engine import legal_plays
from engine.ids import parse_gnubg_ids
from engine.plays import Play
from engine.transcript import Kind
from matches.analysis.situations import decision_frames

FIRST_ERROR = 0.03
_HEAD = "E ver 3"
_CHANCES = "0.5 0.1 0.0 0.1 0.0"
_NODE = re.compile(r";([WB])\[([a-z0-9]+)\]")


def letters(play: Play, side: int) -> str:
    """Return the steps of a play as gnubg writes them."""
    points = [point for step in play.steps for point in (step.source, step.target)]
    return "".join("z" if p == 0 else "y" if p == 25 else chr(96 + (p if side == 0 else 25 - p)) for p in points)


def candidates(played: str, others: list[str], *, is_first: bool) -> str:
    """Return the properties of a play: the play made is best, or the first with a choice second by 0.03."""
    rows = [f"[{other} {_HEAD} {_CHANCES} 0.050000 2C 0 1 0.000000 1]" for other in others[:3]]
    rows.insert(0, f"[{played} {_HEAD} {_CHANCES} 0.100000 2C 0 1 0.000000 1]")
    # Not looked at as deeply, so not the best.
    rows += [f"[{other} {_HEAD} {_CHANCES} 0.200000 0C 0 1 0.000000 1]" for other in others[3:4]]
    if is_first:
        better = f"[{others[0]} {_HEAD} {_CHANCES} {0.1 + FIRST_ERROR:.6f} 2C 0 1 0.000000 1]"
        rows = [better, rows[0]]
    return f"A[{int(is_first)}]{''.join(rows)}LU[0.01000]"


def analysed(record: bytes, fault: str) -> str:
    """Return the SGF of a match with an analysis."""
    transcript = engine.read(record)
    text = engine.write(transcript, "sgf").decode()
    frames = iter(decision_frames(transcript))
    is_first = True

    def with_analysis(match: re.Match[str]) -> str:
        nonlocal is_first
        frame = next(frames, None)
        if frame is None or frame.kind is not Kind.PLAY or frame.dice is None:
            return match[0]
        is_first = is_first and frame.game == 1
        plays = {play.result: letters(play, frame.side) for play in legal_plays(frame.before, frame.dice)}
        if not plays:
            return match[0]
        played = plays.pop(frame.after)
        if fault == "play" and plays and not is_first:
            played, plays = next(iter(plays.values())), {frame.after: played}
        answer = match[0] + candidates(played, list(plays.values()), is_first=is_first and bool(plays))
        is_first = is_first and not plays
        return answer

    answer = _NODE.sub(with_analysis, text)
    if fault == "drop":
        answer = answer[: answer.rindex("(;")]
    if fault == "dice":
        answer = re.sub(r";([WB])\[31", r";\1[41", answer, count=1)
    return answer


def hint(commands: str, fault: str) -> str:
    """Return what gnubg prints about one decision: each play is worth 0.01 less than the one before."""
    position_id, match_id = re.findall(r"set gnubgid (\S+):(\S+)", commands)[0]
    state = parse_gnubg_ids(position_id, match_id)
    if state.dice is None:
        rows = ["1. No double           +0.400000", "2. Double, pass        +1.000000  (+0.600000)"]
        return "\n".join(["Cubeful equities:", *rows, "3. Double, take        +0.700000  (+0.300000)"])
    plays = [str(play) for play in state.legal_plays()]
    if fault == "drop":
        plays.pop()
    if fault == "play":
        plays[0] = "24/1"
    return "\n".join(
        f"{number:5}. Cubeful 2-ply    {play:28} Eq.: {0.5 - number / 100:+.6f}\n       0.5 0.1 0.0 - 0.5 0.1 0.0"
        for number, play in enumerate(plays, start=1)
    )
