"""What the API of matches takes and gives."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from core.messages import sentence
from matches.access import is_insider
from matches.lifecycle import links
from matches.lifecycle.finish import MOST_POINTS
from matches.models import MOST_TIMES, Claim, Match, Objection, Proposal, Result, Submission
from matches.records.masking import OPEN, Mask, mask_for
from matches.reporting.appointments import zone_of
from matches.reporting.next_steps import Pending, describe, next_steps

Json = dict[str, Any]
AFTER = "The `seq` that was seen; the same as `If-Match`."


class Score(serializers.ListField):
    """Points of side 0 and side 1."""

    def __init__(self, **more: Any) -> None:
        points = serializers.IntegerField(min_value=0, max_value=MOST_POINTS)
        super().__init__(child=points, min_length=2, max_length=2, **more)


class ClaimSerializer(serializers.Serializer[Any]):
    """A score, as a player reports it."""

    score = Score(help_text="Points really won by side 0 and side 1, the start score included.")
    winner = serializers.IntegerField(required=False, min_value=0, max_value=1, help_text="The side; or who has more.")
    i_am = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=1,
        help_text="With the sheet's link only, and needed there: the side that you say you are; null for neither.",
    )
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=300)
    after = serializers.IntegerField(required=False, min_value=0, help_text=AFTER)


class ReportPreviewSerializer(serializers.Serializer[Any]):
    """What a report would do."""

    message = serializers.CharField()
    follows = serializers.ListField(child=serializers.CharField(), help_text="What it means for the players.")
    next_step = serializers.CharField(help_text="Who has to act then, or when it stands.")


class ObjectingSerializer(serializers.Serializer[Any]):
    """Why a result is wrong."""

    reason = serializers.CharField(max_length=300)
    after = serializers.IntegerField(required=False, min_value=0, help_text=AFTER)


class ContestSerializer(serializers.Serializer[Any]):
    """An answer, with a word about it."""

    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=300)
    after = serializers.IntegerField(required=False, min_value=0, help_text=AFTER)


class RecordNamesSerializer(serializers.Serializer[Any]):
    """Who is who."""

    left = serializers.IntegerField(min_value=0, max_value=1, help_text="The side of the record's left player.")
    after = serializers.IntegerField(required=False, min_value=0, help_text=AFTER)


class ProposeSerializer(serializers.Serializer[Any]):
    """Times to play."""

    times = serializers.ListField(child=serializers.DateTimeField(), min_length=1, max_length=MOST_TIMES)
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=300)
    after = serializers.IntegerField(required=False, min_value=0, help_text=AFTER)


class AcceptSerializer(serializers.Serializer[Any]):
    """One of them."""

    time = serializers.DateTimeField()
    after = serializers.IntegerField(required=False, min_value=0, help_text=AFTER)


class SeatSerializer(serializers.Serializer[Any]):
    """A player of a match."""

    public_id = serializers.CharField()
    name = serializers.CharField()
    time_zone = serializers.CharField(help_text="In which they read times.")


class AwaitedSerializer(serializers.Serializer[Any]):
    """One thing the match waits for."""

    code = serializers.ChoiceField(["ruling", "names", "answer", "sheet", "verdict", "times", "appointment", "play"])
    side = serializers.IntegerField(allow_null=True, help_text="Who has to act.")
    until = serializers.DateTimeField(allow_null=True)
    message = serializers.CharField()


class ClaimAnswerSerializer(serializers.Serializer[Any]):
    """A report."""

    public_id = serializers.CharField()
    side = serializers.IntegerField(allow_null=True, help_text="Who signed it; null for one from the score sheet.")
    says_side = serializers.IntegerField(allow_null=True, help_text="From the score sheet: who they say they are.")
    record = serializers.CharField(allow_null=True, help_text="The submission that was sent as evidence.")
    kind = serializers.ChoiceField(Result.Kind.choices)
    winner = serializers.IntegerField()
    score = Score()
    note = serializers.CharField(help_text="For the players and those who run the match; else empty.")
    state = serializers.ChoiceField(Claim.State.choices)
    created_at = serializers.DateTimeField()
    emailed_at = serializers.DateTimeField(allow_null=True)
    seen_at = serializers.DateTimeField(allow_null=True, help_text="When the other side acted on having seen it.")
    stands_at = serializers.DateTimeField(allow_null=True, help_text="When it stands unanswered.")
    stood_unanswered = serializers.BooleanField(help_text="It came to stand by itself: the other side may object.")
    answer_note = serializers.CharField()


class ObjectionSerializer(serializers.Serializer[Any]):
    """An objection to a result."""

    public_id = serializers.CharField()
    side = serializers.IntegerField()
    reason = serializers.CharField()
    created_at = serializers.DateTimeField()
    state = serializers.ChoiceField(Objection.State.choices)
    answer = serializers.CharField()
    answered_at = serializers.DateTimeField(allow_null=True)


class MatchResultSerializer(serializers.Serializer[Any]):
    """One version of the result."""

    version = serializers.IntegerField()
    winner = serializers.IntegerField(
        allow_null=True, help_text="The side. Of a void version: who won what was played and stays rated."
    )
    score = Score(allow_null=True)
    kind = serializers.ChoiceField(Result.Kind.choices)
    source = serializers.ChoiceField(Result.Source.choices)  # type: ignore[assignment]  # a field of that name
    record = serializers.CharField(allow_null=True, help_text="The submission that proves it.")
    waived = serializers.ListField(child=serializers.ListField(), help_text="Findings waived: code, game, ply.")
    own_match = serializers.BooleanField(
        help_text="Decided by one of the two players, as the only director of the club; `reason` says why."
    )
    reason = serializers.CharField()
    at = serializers.DateTimeField()


class MatchRecordSerializer(serializers.Serializer[Any]):
    """A record sent in for the match."""

    public_id = serializers.CharField()
    side = serializers.IntegerField(allow_null=True, help_text="Who sent it.")
    state = serializers.ChoiceField(Submission.State.choices)
    standing = serializers.ChoiceField(Submission.Standing.choices)
    swapped = serializers.BooleanField(allow_null=True)
    code = serializers.CharField(allow_null=True, help_text="Why it does not settle the match.")
    message = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()


class ProposalSerializer(serializers.Serializer[Any]):
    """Proposed times."""

    public_id = serializers.CharField()
    side = serializers.IntegerField()
    times = serializers.ListField(child=serializers.DateTimeField())
    note = serializers.CharField()
    state = serializers.ChoiceField(Proposal.State.choices)
    agreed_at = serializers.DateTimeField(allow_null=True)


class MatchSummarySerializer(serializers.Serializer[Any]):
    """A match in a list."""

    public_id = serializers.CharField()
    state = serializers.ChoiceField(Match.State.choices)
    seq = serializers.IntegerField()
    length = serializers.IntegerField()
    start = Score()
    players = serializers.ListField(child=serializers.DictField(), min_length=2, max_length=2)
    club = serializers.CharField(allow_null=True)
    topic = serializers.CharField(help_text="What the match was made for.")
    due_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    result = MatchResultSerializer(allow_null=True)
    page = serializers.URLField()


class MatchSerializer(MatchSummarySerializer):
    """A match with everything about it."""

    players = SeatSerializer(many=True)  # type: ignore[assignment]  # more of them than a list shows
    crawford = serializers.BooleanField()
    rated = serializers.BooleanField()
    my_side = serializers.IntegerField(allow_null=True)
    awaited = AwaitedSerializer(many=True)
    records_stand = serializers.BooleanField(help_text="An accepted record stands at once, whoever sends it.")
    claims = ClaimAnswerSerializer(many=True)
    objections = ObjectionSerializer(many=True)
    results = MatchResultSerializer(many=True, help_text="The newest first.")
    records = MatchRecordSerializer(many=True)
    proposals = ProposalSerializer(many=True, help_text="For the players only.")


class MatchLinksSerializer(serializers.Serializer[Any]):
    """Links to hand out."""

    personal = serializers.ListField(child=serializers.URLField(), help_text="Of side 0 and side 1.")
    sheet = serializers.URLField()


def links_as_answer(match: Match, request: Request) -> Json:
    """The links of a match."""
    first, second, sheet = (
        request.build_absolute_uri(reverse("match-link", args=[links.token_for(match, side)])) for side in (0, 1, None)
    )
    return {"personal": [first, second], "sheet": sheet}


def summary_as_answer(match: Match, request: Request | HttpRequest) -> Json:
    """A match as a list shows it."""
    # Not the first by version in SQL: the results were fetched with the matches.
    versions = sorted(match.results.all(), key=lambda result: -result.version)
    return {
        "public_id": match.public_id,
        "state": match.state,
        "seq": match.seq,
        "length": match.length,
        "start": list(match.start_score),
        "players": [{"public_id": player.public_id, "name": player.shown_name} for player in match.players],
        "club": match.club.slug if match.club is not None else None,
        "topic": match.parent_topic,
        "due_at": match.due_at,
        "finished_at": match.finished_at,
        "result": _result(versions[0], None) if versions else None,
        "page": request.build_absolute_uri(reverse("match", args=[match.public_id])),
    }


def match_as_answer(match: Match, side: int | None, request: Request, now: datetime) -> Json:
    """A match as one of its sides, or whoever may see it, gets it; notes are for the players and those who run it."""
    inside = side is not None or is_insider(request.user, match)
    claims, proposals = list(match.claims.select_related("submission")), list(match.proposals.all())
    records = list(match.submissions.defer("data", "transcript").order_by("created_at", "pk"))
    public_ids = {record.pk: record.public_id for record in records}
    pending = Pending.of(claims, records, proposals)
    results = [_result(result, public_ids.get(result.submission_id or 0)) for result in match.results.all()]
    return summary_as_answer(match, request) | {
        "players": [
            {"public_id": player.public_id, "name": player.shown_name, "time_zone": str(zone_of(match, one))}
            for one, player in enumerate(match.players)
        ],
        "crawford": match.crawford,
        "rated": match.rated,
        "my_side": side,
        "awaited": [
            {"code": one.code, "side": one.side, "until": one.until, "message": describe(one, match, pending, side)}
            for one in next_steps(match, pending, now)
        ],
        "records_stand": match.records_stand,
        "claims": [_claim(claim, inside) for claim in claims],
        "objections": [objection_as_answer(row, inside) for row in match.objections.all()],
        "result": results[0] if results else None,
        "results": results,
        "records": [_record(record, OPEN if inside else mask_for(request.user, record)) for record in records],
        "proposals": [_proposal(proposal) for proposal in proposals] if side is not None else [],
    }


def _result(result: Result, record: str | None) -> Json:
    return {
        "version": result.version,
        "winner": result.winner,
        "score": list(result.score) if result.score else None,
        "kind": result.kind,
        "source": result.source,
        "record": record,
        "waived": result.waived,
        "reason": result.reason,
        "own_match": result.own_match,
        "at": result.at,
    }


def _claim(claim: Claim, inside: bool) -> Json:
    names = (
        *("public_id", "side", "says_side", "winner", "kind", "state", "created_at"),
        *("emailed_at", "seen_at", "stands_at", "stood_unanswered"),
    )
    notes = {name: getattr(claim, name) if inside else "" for name in ("note", "answer_note")}
    record = claim.submission.public_id if claim.submission is not None else None
    return {"score": list(claim.score), "record": record} | {name: getattr(claim, name) for name in names} | notes


def objection_as_answer(row: Objection, inside: bool) -> Json:
    """An objection; its words are for the players and those who run the match."""
    names = ("public_id", "side", "created_at", "state", "answered_at")
    texts = {name: getattr(row, name) if inside else "" for name in ("reason", "answer")}
    return {name: getattr(row, name) for name in names} | texts


def _record(record: Submission, mask: Mask) -> Json:
    why = record.refusal
    return {
        "public_id": record.public_id,
        "side": record.side,
        "state": record.state,
        "standing": record.standing,
        "swapped": record.swapped,
        "code": why["code"] if why else None,
        "message": sentence(why["code"], mask.inside(why["params"])) if why else None,
        "created_at": record.created_at,
    }


def _proposal(proposal: Proposal) -> Json:
    names = ("public_id", "side", "note", "state", "agreed_at")
    return {"times": proposal.instants} | {name: getattr(proposal, name) for name in names}
