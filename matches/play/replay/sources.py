"""What is replayed: a record that was sent in, or a match played here as far as its reader may see it."""

from dataclasses import replace
from typing import Any

from django.core.cache import cache
from django.urls import reverse
from django.utils.translation import gettext

from engine.adjudication import adjudicate
from engine.errors import Refused
from engine.records import from_data, to_data
from engine.transcript import Transcript
from matches.lifecycle.events import events
from matches.models import Match, Submission
from matches.play.replay.page import ReplaySource
from matches.play.transcripts import transcript_of
from matches.play.watching.delay import Watched
from matches.presentation import labels
from matches.records import replays
from matches.records.downloads import CONTENT_TYPES
from matches.records.masking import Mask
from matches.records.selectors import latest_verdict
from matches.records.verdicts import as_json

CACHED_FOR = 600
"""Seconds for which the adjudication of a match played here is kept, since each game of a replay needs it."""


def record_source(submission: Submission, mask: Mask) -> ReplaySource:
    """A record with the names that its reader may see. Refused: `no_transcript` if it has not been read."""
    if submission.is_open or submission.transcript is None:
        raise Refused("no_transcript")
    content, transcript = latest_verdict(submission).content, submission.transcript
    if mask:
        content, transcript = mask.verdict(content), mask.transcript(transcript)
    public_id = submission.public_id
    return ReplaySource(
        replays.ReplayedMatch(transcript, content),
        labels.names(content["players"]),
        content["length"],
        url=reverse("replay", args=[public_id]),
        back=(reverse("submission", args=[public_id]), gettext("Verdict")),
        files=tuple((format_, reverse("record", args=[public_id, format_])) for format_ in CONTENT_TYPES),
        picture_url=reverse("replay-picture", args=[public_id]),
    )


def live_source(reader: Watched, token: str = "") -> ReplaySource:
    """A match played here, with the URLs of the link by which its reader came, if any."""
    match = reader.live.match
    stored, verdict = _adjudicated(reader)
    names = match.names
    prefix, name = ("link", token) if token else ("match", match.public_id)
    context = events().contexts([match.parent_topic]).get(match.parent_topic)
    return ReplaySource(
        replays.ReplayedMatch(stored | {"players": list(names)}, verdict),
        names,
        match.length,
        url=reverse(f"{prefix}-replay", args=[name]),
        back=(reverse("match-link" if token else "match", args=[name]), gettext("Match")),
        files=tuple((format_, reverse(f"{prefix}-record", args=[name, format_])) for format_ in CONTENT_TYPES),
        picture_url="" if token else reverse("match-replay-picture", args=[name]),
        event=(context.url, context.title) if context is not None and context.url else None,
    )


def live_transcript(reader: Watched) -> Transcript:
    """A match played here as far as its reader may see it, with the names that everybody may see."""
    stored, _ = _adjudicated(reader)
    return replace(from_data(stored), players=shown_names(reader.live.match))


def shown_names(match: Match) -> tuple[str, str]:
    """The names of the players as they want to be named; the same in every record of a player."""
    left, right = (player.shown_name for player in match.players)
    return left, right


def _adjudicated(reader: Watched) -> tuple[dict[str, Any], dict[str, Any]]:
    """The transcript up to the last action that the reader sees, and the engine's verdict on it, both as data."""
    key = f"replay:{reader.live.match.public_id}:{reader.last}"
    known: tuple[dict[str, Any], dict[str, Any]] | None = cache.get(key)
    if known is None:
        transcript = transcript_of(reader.live, until=reader.last)
        known = to_data(transcript), as_json(adjudicate(transcript))
        cache.set(key, known, CACHED_FOR)
    return known
