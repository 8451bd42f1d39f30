"""One record, one match: whether the plays of a record already stand for another match."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Q, QuerySet

from core.locks import for_update
from core.messages import sentence
from matches.access import Visitor
from matches.lifecycle.events import events
from matches.lifecycle.voiding import ACCEPTED
from matches.models import GameFingerprint, Match, Submission
from matches.presentation.visibility import NOBODY, Viewer

REPEATS = "record_repeats"
"""The fault of a record whose plays stand for another match."""


def note_plays(match_id: int, fingerprints: Iterable[int], submission: Submission | None = None) -> None:
    """Store the fingerprints of a record of this match, or of its board, instead of those stored before."""
    GameFingerprint.objects.filter(match=match_id, submission=submission).delete()
    GameFingerprint.objects.bulk_create(
        GameFingerprint(match_id=match_id, fingerprint=fingerprint, submission=submission)
        for fingerprint in sorted(set(fingerprints))
    )


def matches_repeated(record: Submission, *, lock: bool = False) -> QuerySet[Match]:
    """Return the other matches for which some game of this record stands: by a record, or since it was played here.

    With `lock`, the plays are locked until the transaction ends: of two matches at once, one waits for the other.
    """
    own = GameFingerprint.objects.filter(submission=record).values("fingerprint")
    same = GameFingerprint.objects.filter(fingerprint__in=own)
    if lock:
        list(for_update(same.order_by("pk")))
    stands = Q(submission__standing__in=ACCEPTED) | (Q(submission=None) & ~Q(match__state=Match.State.VOID))
    return Match.objects.filter(pk__in=same.filter(stands).exclude(match=record.match_id).values("match"))


def sentence_of(record: Submission, code: str, params: Mapping[str, Any], user: Visitor | None) -> str:
    """Say why a record is not accepted, and for which match its plays stand if the reader may see that match."""
    if code == REPEATS:
        viewer = Viewer.of(user) if user is not None else NOBODY
        others = matches_repeated(record).select_related("player_0", "player_1").order_by("pk")
        if other := next((match for match in others if viewer.sees(match) or viewer.is_staff_of(match)), None):
            place = events().places([other.pk]).get(other.pk, "")
            named = " · ".join(filter(None, (place, " – ".join(other.names))))
            return sentence("record_repeats_match", {"match": named})
    return sentence(code, params)
