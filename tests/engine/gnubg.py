"""GNU Backgammon as a second reader and writer of our records.

gnubg aborts on an empty player name, now and then loses a game without a word, and exits with 0 after an error:
whoever uses this compares everything that comes back.
"""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from engine import Frame, Outcome, Verdict, adjudicate, legal_plays, replay
from engine.records import read, write
from engine.scoring import WinKind
from engine.transcript import Kind, Transcript

PROGRAM = shutil.which("gnubg") or shutil.which("/usr/games/gnubg")
_READ = {"mat": "import mat", "sgf": "load match"}
_WRITE = {"mat": "export match mat", "sgf": "save match"}
ROUTES = tuple(product(_READ, _WRITE))
"""The format that we write and gnubg reads, and the one that gnubg writes and we read."""
_SECONDS = 300
_GIVEN_UP = (WinKind.RESIGNATION, WinKind.CONCESSION)


class Summary(NamedTuple):
    """Everything that must survive another program."""

    games: list[tuple[object, ...]]
    """Of each game: the score before, whether it is the Crawford game, winner, cube and points."""
    plays: list[tuple[object, ...]]
    """Of each play and cube action: the roll, and the positions before and after."""


def summary(transcript: Transcript) -> Summary:
    """Summarise a match."""
    verdict = adjudicate(transcript)
    return Summary(
        [(game.start, game.crawford, game.winner, game.cube, game.points) for game in verdict.games],
        [
            (frame.game, frame.side, frame.kind, sorted(frame.dice or ()), frame.before, frame.after)
            for frame in replay(transcript)
            if frame.kind in (Kind.PLAY, Kind.DOUBLE, Kind.TAKE, Kind.DROP) and not _is_forced_last_roll(frame, verdict)
        ],
    )


def _is_forced_last_roll(frame: Frame, verdict: Verdict) -> bool:
    """Whether a game was given up at this roll, which has a single legal play: gnubg makes that play itself."""
    game = next((game for game in verdict.games if game.number == frame.game), None)
    if frame.dice is None or game is None or game.kind not in _GIVEN_UP or game.winner == frame.side:
        return False
    plays = legal_plays(frame.before, frame.dice)
    return len(plays) == 1 and frame.after in (frame.before, plays[0].result)


def differences(before: Transcript, after: Transcript) -> list[str]:
    """What is not the same, in short words; empty if the match came through.

    gnubg has no word for a conceded match: it counts a resignation, so the points of that game may differ.
    """
    sent, returned = summary(before), summary(after)
    conceded = {number for number, game in enumerate(adjudicate(before).games) if game.kind is WinKind.CONCESSION}
    differing = (
        [] if len(sent.games) == len(returned.games) else [f"{len(sent.games)} games, {len(returned.games)} came back"]
    )
    for number, (sent_game, returned_game) in enumerate(zip(sent.games, returned.games, strict=False)):
        compared = len(sent_game) - (number in conceded)
        if sent_game[:compared] != returned_game[:compared]:
            differing.append(f"game {number + 1}: {sent_game} came back as {returned_game}")
    if adjudicate(after).outcome is Outcome.REJECTED and adjudicate(before).outcome is not Outcome.REJECTED:
        differing.append("what came back is rejected")
    if sent.plays != returned.plays:
        at = next((n for n, pair in enumerate(zip(sent.plays, returned.plays, strict=False)) if pair[0] != pair[1]), -1)
        differing.append(f"plays differ from number {at} on")
    return differing


def through_gnubg(matches: Mapping[str, Transcript], folder: Path) -> dict[tuple[str, str, str], Transcript | None]:
    """Send every match through gnubg by every route; by name and route, None if gnubg wrote nothing."""
    assert PROGRAM is not None
    commands = ["set display off", "set confirm new off"]
    for name, match in matches.items():
        left, right = (player or default for player, default in zip(match.players, ("Left", "Right"), strict=True))
        named = replace(match, players=(left, right))
        for source in _READ:
            path = folder / f"{name}.{source}"
            path.write_bytes(write(named, source))
            # What a failed import leaves must not be taken for the match.
            # A `.mat` file says nothing about Jacoby, so gnubg goes by its own setting.
            commands.append(f"set jacoby {'on' if match.jacoby else 'off'}")
            commands += ["new match 1", f'{_READ[source]} "{path}"']
            commands += [f'{_WRITE[target]} "{folder / f"{name}-{source}.{target}"}"' for target in _WRITE]
    subprocess.run(
        [PROGRAM, "-t", "-q", "-r"],
        input="\n".join(commands) + "\n",
        text=True,
        capture_output=True,
        env={"HOME": str(folder)},
        timeout=_SECONDS,
        check=False,
    )
    return {
        (name, source, target): _back(folder / f"{name}-{source}.{target}", match)
        for name, match in matches.items()
        for source, target in ROUTES
    }


def _back(path: Path, match: Transcript) -> Transcript | None:
    if not path.exists():
        return None
    back = read(path.read_bytes())
    # gnubg writes no Jacoby rule into a `.mat` file, and reads none from it.
    return replace(back, jacoby=match.jacoby) if back.format == "mat" else back
