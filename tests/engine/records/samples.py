"""Small records, and short forms of what a reader returns."""

from engine.records import read
from engine.transcript import Event, Kind, Move, Transcript

HEADER = " 7 point match\n\n Game 1\n Bob : 0                        Carol : 0\n"


def mat(*rows: str, header: str = HEADER) -> Transcript:
    """Return a seven-point match of Bob and Carol with these rows in its first game."""
    return read((header + "\n".join(rows) + "\n").encode())


def events(transcript: Transcript) -> tuple[Event, ...]:
    """Return the events of the first game."""
    return transcript.games[0].events


def play(side: int, dice: str | None, *moves: str) -> Event:
    """Return a play: `play(0, "31", "8/5", "6/5*")`."""
    rolled = (int(dice[0]), int(dice[1])) if dice else None
    return Event(side, Kind.PLAY, rolled, tuple(move(text) for text in moves))


def move(text: str) -> Move:
    """Return a move written in numbers: `25/20*/18`."""
    words = text.split("/")
    stars = tuple(word.endswith("*") for word in words[1:])
    return Move(tuple(int(word.rstrip("*")) for word in words), stars if any(stars) else ())


def codes(transcript: Transcript) -> list[tuple[str, str]]:
    """Return severity and code of each problem."""
    return [(problem.severity, problem.code) for problem in transcript.problems]
