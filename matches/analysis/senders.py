"""Analyses that came with a record: of eXtreme Gammon in `.xg` files, and of GNU Backgammon in SGF."""

from engine import Transcript
from engine.errors import Refused
from matches.analysis.backends.gnubg import judgements_in
from matches.analysis.judging import judged
from matches.analysis.situations import situations_of
from matches.analysis.stored_xg import stored_analysis
from matches.analysis.values import AnalysedMatch


def senders_analysis(data: bytes, transcript: Transcript) -> AnalysedMatch | None:
    """Return the analysis in a file with its errors computed as everywhere here; None if it has none that fits."""
    try:
        match transcript.format:
            case "xg":
                return stored_analysis(data)
            case "sgf":
                return _of_sgf(data.decode("utf-8", "replace"), transcript)
    except Refused:
        return None
    return None


def _of_sgf(text: str, transcript: Transcript) -> AnalysedMatch | None:
    situations = situations_of(transcript)
    judgements = judgements_in(text, transcript, situations, complete=False)
    pairs = [(situation, judgement) for situation, judgement in zip(situations, judgements, strict=True) if judgement]
    if not pairs:
        return None
    return AnalysedMatch("gnubg", "", {}, 0.0, 0, judged(pairs))
