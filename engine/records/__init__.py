"""Match records: from bytes to a Transcript and back.

A reader does not check plays. What it could not understand is listed in `transcript.problems`; a file is refused only
if there is nothing to read.
"""

from engine.errors import Refused
from engine.records.detect import decoded, is_xg, refuse_other_files, text_format
from engine.records.limits import DEFAULT_LIMITS, Limits
from engine.records.mat_reader import read_mat
from engine.records.mat_writer import write_mat
from engine.records.native_json import from_data, read_json, to_data, write_json
from engine.records.sgf_reader import read_sgf
from engine.records.sgf_writer import write_sgf
from engine.records.xg_reader import read_xg
from engine.transcript import Transcript

FORMATS = ("mat", "sgf", "json")
"""The formats that `write` knows."""

__all__ = ["FORMATS", "Limits", "from_data", "read", "refuse_other_files", "to_data", "write", "write_mat"]


def read(data: bytes | str, limits: Limits = DEFAULT_LIMITS) -> Transcript:
    """Read a match record of any format, which is given by `transcript.format` and `.dialect`.

    `data` is the content of a file, or text that was pasted.

    Raises Refused if there is nothing to read: `file_too_large`, what refuse_other_files refuses, `not_text`,
    `unknown_format`, `no_match`, `too_many_games`, `too_many_plies`, `too_many_lines`, `too_many_values`,
    `inflates_too_much`, `damaged_file`.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if len(data) > limits.bytes:
        raise Refused("file_too_large", limit=limits.bytes)
    if is_xg(data):
        return read_xg(data, limits)
    refuse_other_files(data)
    text = decoded(data)
    match text_format(text):
        case "sgf":
            return read_sgf(text, limits)
        case "json":
            return read_json(text, limits)
    return read_mat(text, limits)


def write(transcript: Transcript, format: str) -> bytes:  # noqa: A002, the usual term, and the builtin is not used here
    """Write a match as `mat` (the canonical form), `sgf` or `json`.

    Raises Refused (`cannot_write`) for any other format.
    """
    match format:
        case "mat":
            return write_mat(transcript)
        case "sgf":
            return write_sgf(transcript)
        case "json":
            return write_json(transcript)
    raise Refused("cannot_write", format=format)
