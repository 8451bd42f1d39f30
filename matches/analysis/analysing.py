"""Analysing one match with one program; needs neither database nor queue."""

import hashlib

from engine import Refused, Transcript
from matches.analysis.backends.base import Backend
from matches.analysis.backends.gnubg import neutral_mat
from matches.analysis.judging import judged
from matches.analysis.match_equity import LONGEST
from matches.analysis.situations import situations_of
from matches.analysis.values import AnalysedMatch


def analyse(transcript: Transcript, backend: Backend) -> AnalysedMatch:
    """Return every decision of a match as the program judges it.

    Refused: `not_analysable`, `match_too_long_to_analyse`, and what `Backend.judge` refuses.
    """
    situations = situations_of(transcript)
    if any(max(situation.own_away, situation.opposing_away) > LONGEST for situation in situations):
        raise Refused("match_too_long_to_analyse", most=LONGEST)
    opinion = backend.judge(transcript, situations)
    pairs = zip(situations, opinion.judgements, strict=True)
    return AnalysedMatch(
        backend=backend.name,
        version=opinion.version,
        settings=opinion.settings,
        cpu_seconds=opinion.cpu_seconds,
        memory=opinion.memory,
        decisions=judged((situation, judgement) for situation, judgement in pairs if judgement is not None),
    )


def record_hash(transcript: Transcript) -> str:
    """Return the SHA-256 of what is analysed: the canonical `.mat` with neutral names."""
    return hashlib.sha256(neutral_mat(transcript)).hexdigest()
