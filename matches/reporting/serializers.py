"""Serializers of the API of matches."""

from datetime import datetime
from typing import Any

from django.db.models import prefetch_related_objects
from django.http import HttpRequest
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from core.links import absolute_url
from core.text_lengths import MAX_NOTE_LENGTH
from matches.access import MatchSeat, Visitor, viewer_of
from matches.lifecycle import links
from matches.lifecycle.finish import MAX_POINTS
from matches.lifecycle.provisional import provisional_of
from matches.lifecycle.spectators import seq_for
from matches.lifecycle.where import Where, WhereState
from matches.models import MAX_TIMES, Claim, Match, Objection, Proposal, Provisional, Result, Submission
from matches.play.watching import where_of
from matches.records.names import OPEN, mask_for
from matches.records.repeats import sentence_of
from matches.reporting.appointments import zone_of
from matches.reporting.next_steps import Pending, describe, next_steps, reports_of
from players.accounts.serializers import PEOPLE, PersonSerializer, people_data

Json = dict[str, Any]
AFTER = "The `seq` of the match you are changing; the same as `If-Match`."


class Score(serializers.ListField):
    """Points of side 0 and side 1."""

    def __init__(self, **kwargs: Any) -> None:
        points = serializers.IntegerField(min_value=0, max_value=MAX_POINTS)
        super().__init__(child=points, min_length=2, max_length=2, **kwargs)


class ReportedScoreSerializer(serializers.Serializer[Any]):
    """A score that a player would report."""

    score = Score(help_text="Points of side 0 and side 1, including the start score.")
    winner = serializers.IntegerField(
        required=False, min_value=0, max_value=1, help_text="The winning side; by default the side with more points."
    )
    i_am = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=1,
        help_text="Required with the sheet link and only there: the side you play, or null for neither.",
    )
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=MAX_NOTE_LENGTH)


class ClaimSerializer(ReportedScoreSerializer):
    """A player's report of the score."""

    kept = serializers.BooleanField(
        default=False,
        help_text="Typed without a connection: if the match has changed since `after`, the report is stored as "
        "evidence and answered with 409 `report_kept`.",
    )
    after = serializers.IntegerField(required=False, min_value=0, help_text=AFTER)


class RunningScoreSerializer(serializers.Serializer[Any]):
    """How a match stands that goes on."""

    score = Score(help_text="Points of side 0 and side 1, including the start score.")


class ReportPreviewSerializer(serializers.Serializer[Any]):
    """What a report would do."""

    message = serializers.CharField()
    follows = serializers.ListField(
        child=serializers.CharField(), help_text="What the result would mean for the players."
    )
    next_step = serializers.CharField(help_text="Who would have to act next, or when the report would stand.")


class ProposeSerializer(serializers.Serializer[Any]):
    """Times to play."""

    times = serializers.ListField(child=serializers.DateTimeField(), min_length=1, max_length=MAX_TIMES)
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=MAX_NOTE_LENGTH)
    after = serializers.IntegerField(required=False, min_value=0, help_text=AFTER)


class SeatSerializer(serializers.Serializer[Any]):
    """A player of a match."""

    public_id = serializers.CharField()
    name = serializers.CharField()
    people = PersonSerializer(many=True, help_text=PEOPLE)
    time_zone = serializers.CharField(help_text="The time zone of the player.")


class AwaitedSerializer(serializers.Serializer[Any]):
    """A step that the match is waiting for."""

    code = serializers.ChoiceField(
        ["ruling", "board", "names", "answer", "sheet", "verdict", "times", "appointment", "play", "result"]
    )
    side = serializers.IntegerField(allow_null=True, help_text="The side that has to act.")
    until = serializers.DateTimeField(allow_null=True)
    message = serializers.CharField()


class ClaimAnswerSerializer(serializers.Serializer[Any]):
    """A report of the result."""

    public_id = serializers.CharField()
    side = serializers.IntegerField(
        allow_null=True, help_text="The side that reported; null for a report from the score sheet."
    )
    says_side = serializers.IntegerField(
        allow_null=True, help_text="For a report from the score sheet: the side the sender says they play."
    )
    record = serializers.CharField(allow_null=True, help_text="The id of the submission sent with the report.")
    kind = serializers.ChoiceField(Result.Kind.choices)
    winner = serializers.IntegerField()
    score = Score()
    note = serializers.CharField(help_text="Empty for readers who neither play nor run the match.")
    state = serializers.ChoiceField(Claim.State.choices)
    created_at = serializers.DateTimeField()
    emailed_at = serializers.DateTimeField(allow_null=True)
    seen_at = serializers.DateTimeField(
        allow_null=True, help_text="When the other side acted on having seen the report."
    )
    stands_at = serializers.DateTimeField(allow_null=True, help_text="When the report stands if it is not answered.")
    stood_unanswered = serializers.BooleanField(
        help_text="Whether the report stands although the other side never answered; they may object."
    )
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
        allow_null=True,
        help_text="The winning side. For a void version: the winner, if the match was played and stays rated.",
    )
    score = Score(allow_null=True)
    kind = serializers.ChoiceField(Result.Kind.choices)
    source = serializers.ChoiceField(Result.Source.choices)  # type: ignore[assignment]  # a field of that name
    record = serializers.CharField(allow_null=True, help_text="The id of the submission the result is based on.")
    waived = serializers.ListField(child=serializers.ListField(), help_text="Waived findings as [code, game, ply].")
    own_match = serializers.BooleanField(
        help_text="Whether one of the two players decided it, as the only director of the club; `reason` says why."
    )
    reason = serializers.CharField()
    at = serializers.DateTimeField()
    finality = serializers.ChoiceField(
        Result.Finality.choices, help_text="Only final results are rated; a provisional one can be objected to."
    )


class ProvisionalSerializer(serializers.Serializer[Any]):
    """Why the result that stands is provisional, and how it ends (docs/reporting.md)."""

    why = serializers.ChoiceField(Provisional.Why.choices)
    against = serializers.IntegerField(allow_null=True, help_text="The side that lost; null if nobody won.")
    told = serializers.ListField(
        child=serializers.DateTimeField(allow_null=True), help_text="When each side first acted on having seen it."
    )
    ends_at = serializers.DateTimeField(
        allow_null=True, help_text="When it is final by itself; null while that is open."
    )


class MatchRecordSerializer(serializers.Serializer[Any]):
    """A record sent for the match."""

    public_id = serializers.CharField()
    side = serializers.IntegerField(allow_null=True, help_text="The side that sent the record.")
    state = serializers.ChoiceField(Submission.State.choices)
    standing = serializers.ChoiceField(Submission.Standing.choices)
    swapped = serializers.BooleanField(allow_null=True)
    code = serializers.CharField(allow_null=True, help_text="Why the record is not accepted as the result.")
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


class WhereSerializer(serializers.Serializer[Any]):
    """Where a match is, as you may see it."""

    state = serializers.ChoiceField([(state.value, state.value) for state in WhereState])
    table = serializers.CharField(allow_null=True, help_text="The label of its table.")
    since = serializers.DateTimeField(allow_null=True)
    score = Score(
        allow_null=True, help_text="The points while it goes on, never a result; spectators get them with the delay."
    )
    side = serializers.IntegerField(
        allow_null=True, help_text="The side that reported it, or whose turn it is by correspondence."
    )
    waits_for = serializers.ListField(child=serializers.CharField(), help_text="For its players and those who run it.")


class MatchSummarySerializer(serializers.Serializer[Any]):
    """A match in a list."""

    public_id = serializers.CharField()
    state = serializers.ChoiceField(Match.State.choices)
    where = WhereSerializer()
    seq = serializers.IntegerField()
    length = serializers.IntegerField()
    start = Score()
    players = serializers.ListField(
        child=serializers.DictField(),
        min_length=2,
        max_length=2,
        help_text="`public_id`, `name` and `people`: the player, or both of a pair.",
    )
    club = serializers.CharField(allow_null=True)
    topic = serializers.CharField(help_text="The topic that the match was opened for.")
    due_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    result = MatchResultSerializer(allow_null=True)
    page = serializers.URLField()


class MatchSerializer(MatchSummarySerializer):
    """A match in full."""

    players = SeatSerializer(many=True)  # type: ignore[assignment]  # more fields than in a list
    crawford = serializers.BooleanField()
    rated = serializers.BooleanField()
    my_side = serializers.IntegerField(allow_null=True)
    awaited = AwaitedSerializer(many=True)
    records_stand = serializers.BooleanField(
        help_text="Whether an accepted record stands at once, whichever player sends it."
    )
    claims = ClaimAnswerSerializer(many=True)
    objections = ObjectionSerializer(many=True)
    results = MatchResultSerializer(many=True, help_text="Newest first.")
    provisional = ProvisionalSerializer(allow_null=True)
    records = MatchRecordSerializer(many=True)
    proposals = ProposalSerializer(many=True, help_text="For the players only.")


class MatchLinksSerializer(serializers.Serializer[Any]):
    """The links of a match, to hand out."""

    personal = serializers.ListField(
        child=serializers.URLField(allow_null=True),
        help_text="The personal links of side 0 and side 1; null for your opponent's in a match that you play, unless "
        "you are the only one who runs it. Of a pair, that of the person named first.",
    )
    partners = serializers.ListField(
        child=serializers.URLField(allow_null=True),
        help_text="The same of the person named second, for each side that is a pair; else null.",
    )
    sheet = serializers.URLField()


def links_data(match: Match, request: Request, withheld: int | None) -> Json:
    """Data of MatchLinksSerializer, without the personal links of the side `withheld`."""

    def url(side: int | None, *, second: bool = False) -> str:
        return absolute_url(request, reverse("match-link", args=[links.token_for(match, side, second=second)]))

    pairs = [side != withheld and match.players[side].parts is not None for side in (0, 1)]
    return {
        "personal": [None if side == withheld else url(side) for side in (0, 1)],
        "partners": [url(side, second=True) if pairs[side] else None for side in (0, 1)],
        "sheet": url(None),
    }


def match_summary_data(match: Match, where: Where, request: Request | HttpRequest, *, inside: bool = False) -> Json:
    """Data of MatchSummarySerializer, for somebody who plays or runs the match or for others."""
    # Sorted here because the results are prefetched.
    versions = sorted(match.results.all(), key=lambda result: -result.version)
    return {
        "public_id": match.public_id,
        "state": match.state,
        "where": where_data(where),
        "seq": seq_for(match, is_insider=inside),
        "length": match.length,
        "start": list(match.start_score),
        "players": [
            {"public_id": player.public_id, "name": name, "people": people_data(player)}
            for player, name in zip(match.players, match.names, strict=True)
        ],
        "club": match.club.slug if match.club is not None else None,
        "topic": match.parent_topic,
        "due_at": match.due_at,
        "finished_at": match.finished_at,
        "result": _result(versions[0], None) if versions else None,
        "page": absolute_url(request, reverse("match", args=[match.public_id])),
    }


def where_data(where: Where) -> Json:
    return {
        "state": where.state.value,
        "table": where.table or None,
        "since": where.since,
        "score": list(where.score) if where.score is not None else None,
        "side": where.side,
        "waits_for": list(where.waits_for),
    }


def match_data(match: Match, seat: MatchSeat | None, request: Request, now: datetime) -> Json:
    """Data of MatchSerializer for a reader with this seat, or none.

    Only the players and those who run the match get notes.
    """
    side, viewer = seat.side if seat is not None else None, viewer_of(request.user, seat)
    inside, where = viewer.plays_or_runs(match), where_of([match], viewer, now)[match.pk]
    prefetch_related_objects([match], "results")
    claims, proposals = reports_of(match), list(match.proposals.all())
    records = list(match.submissions.defer("data", "transcript").order_by("created_at", "pk"))
    public_ids = {record.pk: record.public_id for record in records}
    row = provisional_of(match)
    pending = Pending.of(claims, records, proposals, row)
    results = [_result(result, public_ids.get(result.submission_id or 0)) for result in match.results.all()]
    return match_summary_data(match, where, request, inside=inside) | {
        "players": [
            {
                "public_id": player.public_id,
                "name": match.names[player_side],
                "people": people_data(player),
                "time_zone": str(zone_of(match, player_side)),
            }
            for player_side, player in enumerate(match.players)
        ],
        "crawford": match.crawford,
        "rated": match.rated,
        "my_side": side,
        "awaited": [
            {
                "code": step.code,
                "side": step.side,
                "until": step.until,
                "message": describe(step, match, where, pending, side),
            }
            for step in next_steps(match, where, pending, now)
        ],
        "records_stand": match.records_stand,
        "claims": [_claim(claim, inside) for claim in claims],
        "objections": [objection_data(row, inside) for row in match.objections.all()],
        "result": results[0] if results else None,
        "results": results,
        "provisional": _provisional(row) if row is not None else None,
        "records": [_record(record, request.user, inside=inside) for record in records],
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
        "finality": result.finality,
    }


def _provisional(row: Provisional) -> Json:
    return {"why": row.why, "against": row.against, "told": list(row.told), "ends_at": row.ends_at}


def _claim(claim: Claim, inside: bool) -> Json:
    names = (
        *("public_id", "side", "says_side", "winner", "kind", "state", "created_at"),
        *("emailed_at", "seen_at", "stands_at", "stood_unanswered"),
    )
    notes = {name: getattr(claim, name) if inside else "" for name in ("note", "answer_note")}
    record = claim.submission.public_id if claim.submission is not None else None
    return {"score": list(claim.score), "record": record} | {name: getattr(claim, name) for name in names} | notes


def objection_data(row: Objection, inside: bool) -> Json:
    """Data of ObjectionSerializer; texts are left empty for readers who neither play nor run the match."""
    names = ("public_id", "side", "created_at", "state", "answered_at")
    texts = {name: getattr(row, name) if inside else "" for name in ("reason", "answer")}
    return {name: getattr(row, name) for name in names} | texts


def _record(record: Submission, user: Visitor, *, inside: bool) -> Json:
    mask = OPEN if inside else mask_for(user, record)
    refusal = record.refusal
    return {
        "public_id": record.public_id,
        "side": record.side,
        "state": record.state,
        "standing": record.standing,
        "swapped": record.swapped,
        "code": refusal["code"] if refusal else None,
        "message": sentence_of(record, refusal["code"], mask.inside(refusal["params"]), user) if refusal else None,
        "created_at": record.created_at,
    }


def _proposal(proposal: Proposal) -> Json:
    names = ("public_id", "side", "note", "state", "agreed_at")
    return {"times": proposal.instants} | {name: getattr(proposal, name) for name in names}
