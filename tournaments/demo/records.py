"""Match records as other programs write them, and one with an illegal play."""

from dataclasses import replace
from typing import NamedTuple

from engine.records import write, write_mat
from engine.transcript import Event, Kind, Move, Transcript

DIALECTS = ("gnubg", "xg", "galaxy", "studio", "xg-text", "sgf", "canonical", "json")


class Record(NamedTuple):
    """A record file as a player uploads it."""

    file_name: str
    data: bytes


def written(transcript: Transcript, dialect: str, stem: str) -> Record:
    """Write a transcript to a file in the format of another program."""
    if dialect in ("sgf", "json"):
        return Record(f"{stem}.{dialect}", write(transcript, dialect))
    return Record(f"{stem}.{'txt' if dialect != 'gnubg' else 'mat'}", write_mat(transcript, dialect))


def with_an_illegal_play(transcript: Transcript) -> Transcript:
    """Return the same match with one illegal play, a checker moved 13 points."""
    game = transcript.games[0]
    plays = [index for index, event in enumerate(game.events) if event.kind is Kind.PLAY and event.moves]
    illegal = plays[len(plays) // 2]
    events = tuple(_make_illegal(event) if index == illegal else event for index, event in enumerate(game.events))
    return replace(transcript, games=(replace(game, events=events), *transcript.games[1:]))


def _make_illegal(event: Event) -> Event:
    assert event.moves  # noqa: S101, only plays with moves are chosen
    first = event.moves[0].points[0]
    return event._replace(moves=(Move((first, max(1, first - 13))), *event.moves[1:]))
