"""Sample records: simulated, or written by hand with a known error."""

from engine.records import write
from engine.simulation import play_out

ILLEGAL = """\
 3 point match

 Game 1
 Bob : 0                         Carol : 0
  1) 31: 8/5 6/5                  64: 24/14
  2) 52: 24/22 13/8               66: 24/18 13/7
"""
"""In Carol's second play, a 66, she plays only two of four possible steps; then the record ends."""

EMPTY_NAMES = ILLEGAL.replace("Bob", "").replace("Carol", "")


def simulated(seed: int = 1, length: int = 3, players: tuple[str, str] = ("Bob", "Carol")) -> bytes:
    """A legal match as a `.mat` file."""
    return write(play_out(seed, length, players=players), "mat")


def long_session(games: int) -> bytes:
    """A long money session of simulated games, slow enough to be interrupted."""
    lines = [" 0 point match", ""]
    left = right = 0
    for number in range(1, games + 1):
        body = simulated(seed=number, length=1).decode().splitlines()
        start = next(at for at, line in enumerate(body) if line.strip() == "Game 1")
        lines += [f" Game {number}", f" Bob : {left}                         Carol : {right}"]
        for line in body[start + 2 :]:
            lines.append(line.replace(" and the match", ""))
        won = next(line for line in reversed(body) if "Wins" in line)
        points = int(won.split("Wins", 1)[1].split()[0])
        if won.index("Wins") < WINS_COLUMN:
            left += points
        else:
            right += points
        lines.append("")
    return "\n".join(lines).encode()


WINS_COLUMN = 20
"""Column of a `.mat` file that separates the left player's result from the right player's."""
