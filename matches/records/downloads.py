"""Downloads of checked matches."""

import re
from typing import NamedTuple

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from core.text_lengths import MAX_NAME_LENGTH
from engine import normalised
from engine.errors import Refused
from engine.records import from_data, write
from engine.transcript import Transcript
from matches.models import Submission
from matches.records.names import Mask

CONTENT_TYPES = {
    "mat": "text/plain; charset=utf-8",
    "sgf": "application/x-backgammon-sgf; charset=utf-8",
    "json": "application/json",
}
"""Content types of the available formats, by extension."""


class File(NamedTuple):
    name: str
    content_type: str
    data: bytes


def download(submission: Submission, extension: str, mask: Mask) -> File:
    """Write the match in one of the formats, with the names that the reader may see.

    JSON has the transcript as it was read; the other formats are normalised.
    Refused: `no_transcript` if no match could be read.
    """
    if submission.transcript is None:
        raise Refused("no_transcript")
    transcript = from_data(mask.transcript(submission.transcript) if mask else submission.transcript)
    return written(transcript, extension, f"match-{submission.public_id}")


def written(transcript: Transcript, extension: str, name: str) -> File:
    """Write a match in one of the formats; `name` is the file's name if the players have none."""
    left, right = (re.sub(r"[^\w.-]+", "-", name).strip("-") for name in transcript.players)
    if left and right:
        name = f"{left}_{right}"[:MAX_NAME_LENGTH]
    content = transcript if extension == "json" else normalised(transcript)
    return File(f"{name}.{extension}", CONTENT_TYPES[extension], write(content, extension))


def as_attachment(file: File) -> HttpResponse:
    """A response that makes the browser save the file."""
    response = HttpResponse(file.data, content_type=file.content_type)
    response.headers["Content-Disposition"] = content_disposition_header(True, file.name) or "attachment"
    return response
