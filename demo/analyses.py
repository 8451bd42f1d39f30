"""Finished analyses of the demo's records, so that its pages show at once how well everybody played.

The records are the same in every demo, so what gnubg says about them is kept in `analyses.json.xz`, by the hash of the
record: of each decision the figures that it is judged by, in the order of the match. The records of the last evening
are there, too: the Club Bot played them, with some worse plays, so that their errors are those of people.
`tools/demo_analyses.py` makes the file.
"""

import json
import lzma
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from engine.records import from_data, read
from engine.transcript import Transcript
from matches.analysis.judging import judged
from matches.analysis.queue import record_hash, store_finished
from matches.analysis.situations import situations_of
from matches.analysis.values import AnalysedMatch, Candidate, Chances, CubeEquities, Judgement
from matches.models import Analysis
from players.models import Club

FILE = Path(__file__).with_name("analyses.json.xz")


def load_analyses(club: Club) -> None:
    """Finish the analyses of the club's records that wait, as of the days on which their matches ended."""
    waiting = Analysis.objects.filter(club=club, state=Analysis.State.QUEUED, submission__transcript__isnull=False)
    for row in waiting.select_related("match", "submission"):
        assert row.submission is not None  # noqa: S101, it is filtered by it
        transcript = from_data(row.submission.transcript or {})
        known = known_analyses()["matches"].get(record_hash(transcript))
        if known is not None:
            pairs = zip(situations_of(transcript), map(judgement_of, known["judged"]), strict=True)
            program = {key: known_analyses()[key] for key in ("backend", "version", "settings")}
            analysed = AnalysedMatch(**program, cpu_seconds=known["cpu"], memory=0, decisions=judged(pairs))
            store_finished(row, analysed, record_hash(transcript), row.analysed_match.finished_at or row.created_at)


@cache
def known_analyses() -> dict[str, Any]:
    """Return what the file has: the program, and of each record its CPU time and its judgements."""
    known: dict[str, Any] = json.loads(lzma.decompress(FILE.read_bytes())) if FILE.exists() else {"matches": {}}
    return known


def evening_records() -> list[Transcript]:
    """Return the matches of the last evening, in the order in which they are played; their players have no names."""
    return [read(text.encode()) for text in known_analyses()["evening"]]


def judgement_of(data: Sequence[Any]) -> Judgement:
    """Read the figures of a decision: three equities of a cube, or luck, play made and plays, best first.

    A cube, and each play, may be followed by how the game may end (`Chances`).
    """
    if not isinstance(data[2], list):
        return Judgement(equities=CubeEquities(*data[:3]), chances=_chances(data[3:]))
    luck, played, plays = data
    candidates = tuple(
        Candidate(play, equity, None, depth, index == played, _chances(rest))
        for index, (play, equity, depth, *rest) in enumerate(plays)
    )
    return Judgement(candidates=candidates, luck=luck)


def _chances(rest: Sequence[Sequence[float]]) -> Chances | None:
    return Chances(*rest[0]) if rest else None
