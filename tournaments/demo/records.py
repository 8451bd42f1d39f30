"""Match records as other programs write them, and one that nobody could have played."""

from dataclasses import replace
from typing import NamedTuple

from engine.records import write, write_mat
from engine.transcript import Event, Kind, Move, Transcript

DIALECTS = ("gnubg", "xg", "galaxy", "studio", "xg-text", "sgf", "canonical", "json")


class Record(NamedTuple):
    """A file as a player would send it in."""

    file_name: str
    data: bytes


def written(transcript: Transcript, dialect: str, stem: str) -> Record:
    """A transcript as a file."""
    if dialect in ("sgf", "json"):
        return Record(f"{stem}.{dialect}", write(transcript, dialect))
    return Record(f"{stem}.{'txt' if dialect != 'gnubg' else 'mat'}", write_mat(transcript, dialect))


def with_an_illegal_play(transcript: Transcript) -> Transcript:
    """The same match with one play nobody could have made: a checker that jumps home."""
    game = transcript.games[0]
    plays = [at for at, event in enumerate(game.events) if event.kind is Kind.PLAY and event.moves]
    spoilt = plays[len(plays) // 2]
    events = tuple(_spoilt(event) if at == spoilt else event for at, event in enumerate(game.events))
    return replace(transcript, games=(replace(game, events=events), *transcript.games[1:]))


def _spoilt(event: Event) -> Event:
    assert event.moves  # noqa: S101, chosen so
    first = event.moves[0].points[0]
    return event._replace(moves=(Move((first, max(1, first - 13))), *event.moves[1:]))
