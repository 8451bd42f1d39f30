"""Match records: from bytes to a Transcript and back.

A reader never judges: it tells what a record says. What it could not understand stands in
`transcript.problems`, and only where there is nothing to read is the file refused.
"""

from engine.errors import Refused
from engine.records.detect import decoded, is_xg, text_format
from engine.records.limits import DEFAULT_LIMITS, Limits
from engine.records.mat_reader import read_mat
from engine.transcript import Transcript

__all__ = ["Limits", "read"]


def read(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Transcript:
    """Read a match record, whatever its format; `transcript.format` and `.dialect` tell which it was.

    Raises Refused where there is nothing to read: `file_too_large`, `not_text`, `unknown_format`,
    `no_match`, `too_many_games`, `too_many_plies`, `inflates_too_much`, `damaged_file`.
    """
    if len(data) > limits.bytes:
        raise Refused("file_too_large", limit=limits.bytes)
    if is_xg(data):
        raise Refused("unknown_format")
    text = decoded(data)
    if text_format(text) != "mat":
        raise Refused("unknown_format")
    return read_mat(text, limits)
