"""The API of matches: reports, records, appointments and shorter lengths."""

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView, read_after, stated_after, validated
from core.links import absolute_url
from core.repeats import Repeat, repeated
from core.requests import parse_int
from engine.errors import Refused
from matches import access
from matches.access import LINK, MatchSeat, match_and_seat_in_api, seat_of, side_of
from matches.lifecycle.at_tables import EnteredScore, Offered
from matches.lifecycle.events import events
from matches.lifecycle.finish import check_report
from matches.lifecycle.where import where_is
from matches.models import CalendarFeed, Match, Submission
from matches.models.matches import MAX_MATCH
from matches.play.watching import facts_of, where_of
from matches.presentation.visibility import NOBODY, Viewer
from matches.records.api import TEXT, RecordSerializer, RecordTextSerializer
from matches.records.intake import count_upload, record_in, refuse_long_body
from matches.records.submissions import RecordFile
from matches.reporting import appointments, calendars, links, records, reports
from matches.reporting.links import log_link_shown, withheld_side
from matches.reporting.match_context import may_offer, running_score
from matches.reporting.reports import preview_of
from matches.reporting.serializers import (
    AFTER,
    ClaimSerializer,
    MatchLinksSerializer,
    MatchSerializer,
    MatchSummarySerializer,
    ProposeSerializer,
    ReportedScoreSerializer,
    ReportPreviewSerializer,
    RunningScoreSerializer,
    Score,
    links_data,
    match_data,
    match_summary_data,
)
from players.accounts.api import by, me
from players.accounts.serializers import PROBLEM
from players.models import Player, User
from players.people.leaving import together_with
from players.people.pairs import load_people
from players.people.rows import canonical, pairs_of

# What the API views of matches share: parameters of writes, and responses.


IF_MATCH = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The ETag of the match you are changing; the same as `after`.",
)
ERRORS = {401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM}
CREATE: dict[str, Any] = {"parameters": [LINK, IF_MATCH], "responses": {201: MatchSerializer, **ERRORS}}
"""Parameters and responses of a write to a match that creates something, for `extend_schema`."""


def write_params(request: Request, fields: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments that every service takes, with `after` from the validated fields or If-Match."""
    after = read_after(request, fields)
    return {"after": after, "now": timezone.now()}


def match_response(request: Request, seat: MatchSeat, code: int = status.HTTP_200_OK) -> Response:
    """The match as it is after a write."""
    match = access.refetch(seat.match)
    return with_etag(match_data(match, seat._replace(match=match), request, timezone.now()), code)


def with_etag(data: Any, code: int = status.HTTP_200_OK) -> Response:
    """A response whose ETag is the `seq` of the match that `data` shows."""
    return Response(data, status=code, headers={"ETag": f'"{data["seq"]}"'})


# API views for reporting a match: report and preview; what answers a report is in `actions`.


@open_to(post=Who.PLAYERS)
class MatchReports(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_claim",
        summary="Report a score",
        description=(
            "The loser's report is pending for two minutes and then stands. The winner's report waits until the other "
            "side confirms it, or until its waiting time is over, which starts once that side has acted on having "
            "seen it. Two reports that differ make a dispute. The sheet link needs `i_am`; such a report does not "
            "stand by itself."
        ),
        request=ClaimSerializer,
        examples=[OpenApiExample("Bob won", value={"score": [7, 5], "after": 0}, request_only=True)],
        **CREATE,
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        seat = seat_of(request, public_id, sheet=True)
        data = validated(ClaimSerializer, request)
        winner, score = _score(data)
        report = {
            "match": seat.match,
            "report": reports.ScoreReport(winner, score, data["note"]),
            "by": seat.by,
            **write_params(request, data),
        }
        if seat.side is None and "i_am" not in data:
            raise Refused("sheet_sender_missing")
        if data["kept"]:
            reports.report_late(side=seat.side, says_side=data.get("i_am"), **report)
        elif seat.side is None:
            reports.report_from_sheet(says_side=data["i_am"], **report)
        else:
            reports.report_score(side=seat.side, **report)
        return match_response(request, seat, status.HTTP_201_CREATED)


def _score(data: dict[str, Any]) -> tuple[int, tuple[int, int]]:
    left, right = data["score"]
    return data.get("winner", 0 if left > right else 1), (left, right)


@open_to(post=Who.PLAYERS)
class PreviewReport(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_preview_claim",
        summary="Preview a report; nothing is stored",
        request=ReportedScoreSerializer,
        examples=[OpenApiExample("Bob won", value={"score": [7, 5]}, request_only=True)],
        parameters=[LINK],
        responses={200: ReportPreviewSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, public_id: str) -> Response:
        """Return the sentences that the page shows."""
        seat = seat_of(request, public_id, sheet=True)
        winner, score = _score(validated(ReportedScoreSerializer, request))
        match = seat.match
        reports.refuse_settled_or_disputed(match)
        check_report(length=match.length, start=match.start_score, winner=winner, score=score)
        preview = preview_of(seat, winner, score)
        return Response({"message": preview.summary, "follows": preview.follows, "next_step": preview.next_step})


@open_to(post=Who.PLAYERS)
class RunningScoreView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_running_score",
        summary="Enter how a match at a table stands; never a result",
        description=(
            "For matches that are called to a table of an event or are played there. The last score stands, whoever "
            "enters it; the same score again changes nothing. The score that decides the match is reported as usual; "
            "in a stage without rounds, entering it asks both players whether the match is over."
        ),
        request=RunningScoreSerializer,
        examples=[OpenApiExample("4–2", value={"score": [4, 2]}, request_only=True)],
        parameters=[LINK],
        responses={200: RunningScoreSerializer, **ERRORS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        seat = seat_of(request, public_id)
        left, right = validated(RunningScoreSerializer, request)["score"]
        entered = EnteredScore(seat.match, side_of(seat), (left, right))
        events().record_score(entered, by=seat.by, now=timezone.now())
        return Response({"score": [left, right]})


# API views of matches, their records and proposed times.
#
# A client is signed in as one of the players, or sends the token of one of the match's links in the header `Match-
# Link`. Every write sends the `seq` it is based on, as `after` or `If-Match`; `Idempotency-Key` makes it safe to
# repeat.


class MatchFilter(filters.FilterSet):
    state = filters.ChoiceFilter(choices=Match.State.choices)
    club = filters.CharFilter("club__slug", label="The slug of the club.")
    player = filters.CharFilter(method="of_player", label="The public id of a player.")
    topic = filters.CharFilter("parent_topic", label="The topic that the match was opened for.")
    mine = filters.BooleanFilter(method="of_me", label="Only matches that I play.")

    def of_player(self, rows: QuerySet[Match], name: str, value: str) -> QuerySet[Match]:
        """Matches of the person or pair with this public id, under whatever name they played, and in pairs."""
        player = Player.objects.select_related("merged_into").filter(public_id=value).first()
        own = together_with(canonical(player)) if player is not None else []
        players = [row.pk for row in (*own, *pairs_of(own))]
        return rows.filter(Q(player_0__in=players) | Q(player_1__in=players))

    def of_me(self, rows: QuerySet[Match], name: str, value: bool) -> QuerySet[Match]:
        """Matches of the user who sends the request."""
        players = Viewer.of(self.request.user).players
        return rows.filter(Q(player_0__in=players) | Q(player_1__in=players)) if value else rows


@open_to(get=Who.EVERYBODY)
class MatchList(APIView, generics.ListAPIView[Match]):
    permission_classes = (AllowAny,)
    filterset_class = MatchFilter
    serializer_class = MatchSummarySerializer
    queryset = Match.objects.none()

    def get_queryset(self) -> QuerySet[Match]:
        """Only matches that the user may see."""
        return (
            Match.objects.filter(Viewer.of(self.request.user).visible())
            .select_related("club", "player_0", "player_1", "live")
            .prefetch_related("results")
            .order_by("-created_at", "-pk")
        )

    @extend_schema(operation_id="matches_list", summary="Matches")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List matches that you may see, newest first."""
        rows = self.paginate_queryset(self.filter_queryset(self.get_queryset())) or []
        load_people(player for row in rows for player in row.players)
        viewer = Viewer.of(request.user)
        where = where_of(rows, viewer, timezone.now())
        data = [match_summary_data(row, where[row.pk], request, inside=viewer.plays_or_runs(row)) for row in rows]
        return self.get_paginated_response(data)


@open_to(get=Who.EVERYBODY)
class MatchDetail(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_retrieve",
        summary="A match with its reports, records, proposed times and next steps",
        parameters=[LINK],
        responses={200: MatchSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The ETag is the version that the next write has to send."""
        match, seat = match_and_seat_in_api(request, public_id)
        return with_etag(match_data(match, seat, request, timezone.now()))


class RecordTextOfMatchSerializer(RecordTextSerializer):
    """The text of a record of a match, and the version of the match that its sender saw."""

    after = serializers.IntegerField(required=False, min_value=0, help_text=AFTER)


class RecordOfMatchSerializer(RecordSerializer):
    """A record of a match, and the version of the match that its sender saw."""

    after = serializers.IntegerField(required=False, min_value=0, help_text=AFTER)


@open_to(post=Who.PLAYERS)
class MatchRecords(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_send_record",
        summary="Send the record of a match",
        description=(
            "The record is checked in the background; see `records` of the match for the outcome. An accepted record "
            "counts as its sender's report: it stands if the loser sends it, if both players' records agree, or if "
            "`records_stand` is set. `after` may be left out, since a record is valid whatever was reported before."
        ),
        request={"multipart/form-data": RecordOfMatchSerializer, "application/json": RecordTextOfMatchSerializer},
        examples=[TEXT],
        parameters=[LINK, IF_MATCH],
        responses={201: MatchSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 413: PROBLEM, 422: PROBLEM},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, public_id: str) -> Response:
        refuse_long_body(request)
        seat = seat_of(request, public_id)
        count_upload(request)
        record = validated(RecordOfMatchSerializer, request)
        data, name = record_in(record.get("file"), record.get("text", ""))
        records.submit_for_match(
            match=seat.match,
            side=seat.side,
            file=RecordFile(data, Submission.Source.API, name or record.get("file_name", "")),
            by=seat.by,
            after=stated_after(request, record),
            now=timezone.now(),
        )
        return match_response(request, seat, status.HTTP_201_CREATED)


@open_to(post=Who.PLAYERS)
class Proposals(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_propose",
        summary="Propose up to five times",
        request=ProposeSerializer,
        examples=[
            OpenApiExample(
                "Two evenings",
                value={"times": ["2026-11-24T19:00:00Z", "2026-11-26T20:30:00+01:00"], "after": 0},
                request_only=True,
            )
        ],
        **CREATE,
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        """They replace the open proposal."""
        seat = seat_of(request, public_id)
        proposal = validated(ProposeSerializer, request)
        times: list[datetime] = proposal["times"]
        appointments.propose(
            match=seat.match,
            side=side_of(seat),
            offer=appointments.Dates(times, proposal["note"]),
            by=seat.by,
            **write_params(request, proposal),
        )
        return match_response(request, seat, status.HTTP_201_CREATED)


@open_to(get=Who.STAFF)
class MatchLinks(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_links",
        summary="The personal links and the sheet link, for those who run the match",
        responses={200: MatchLinksSerializer, 401: PROBLEM, 403: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Give a personal link only to its player. Directors who play the match: docs/reporting.md."""
        if not isinstance(request.user, User):
            raise NotAuthenticated
        match = access.match_for_director(request.user, public_id)
        log_link_shown(match=match, by=by(request))
        return Response(links_data(match, request, withheld_side(match, by(request))))


@open_to(delete=Who.STAFF)
class MatchLink(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="matches_revoke_link",
        summary="Revoke the personal link of a side: for its player and those who run the match",
        description="QR codes already printed will stop working. There is a new link at once.",
        request=None,
        parameters=[OpenApiParameter("generation", OpenApiTypes.INT, description="Revokes only this generation.")],
        responses={204: None, 401: PROBLEM, 403: PROBLEM, 404: PROBLEM},
    )
    def delete(self, request: Request, public_id: str, side: str) -> Response:
        match = access.match_for_link_owner(me(request), public_id, int(side))
        current = match.link_generations[int(side)]
        generation = parse_int(request.query_params.get("generation"), current)
        links.revoke_link(match=match, side=int(side), generation=generation, by=by(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class CalendarFeedSerializer(serializers.Serializer[CalendarFeed]):
    """The secret URL of an account's calendar."""

    url = serializers.URLField(allow_null=True, help_text="Null: there is none.")


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN, delete=Who.SIGNED_IN)
class MyCalendar(APIView):
    permission_classes = (IsAuthenticated,)

    def answer(self, code: int = status.HTTP_200_OK) -> Response:
        """The URL of the feed, if there is one."""
        row = CalendarFeed.objects.filter(user=me(self.request)).first()
        path = reverse("calendar-feed", args=[calendars.token_of(row)]) if row is not None else None
        return Response({"url": absolute_url(self.request, path) if path else None}, status=code)

    @extend_schema(
        operation_id="me_calendar",
        summary="The secret URL of my calendar",
        responses={200: CalendarFeedSerializer, 401: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """An iCalendar feed of my appointments and deadlines."""
        return self.answer()

    @extend_schema(
        operation_id="me_calendar_renew",
        summary="Make a secret URL for my calendar",
        description="An earlier one stops working.",
        request=None,
        responses={201: CalendarFeedSerializer, 401: PROBLEM},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request) -> Response:
        calendars.renew(user=me(request), now=timezone.now())
        return self.answer(status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="me_calendar_revoke",
        summary="Stop the secret URL of my calendar",
        responses={204: None, 401: PROBLEM},
    )
    def delete(self, request: Request) -> Response:
        """204, also if there was none."""
        calendars.revoke(user=me(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


# The shorter length that the players of a match at a table can agree on.


class LengthOfferSerializer(serializers.Serializer[Any]):
    """A shorter length that is on offer."""

    offer = serializers.IntegerField(help_text="Its number, which an answer names.")
    length = serializers.IntegerField()
    side = serializers.IntegerField(allow_null=True, help_text="Who offers it; null: the director.")
    agreed = serializers.ListField(child=serializers.IntegerField(), help_text="The sides that agree to it.")


class MatchLengthSerializer(serializers.Serializer[Any]):
    """The length of a match, and what is on offer."""

    length = serializers.IntegerField()
    offer = LengthOfferSerializer(allow_null=True)
    may_offer = serializers.BooleanField(help_text="Whether its players can offer a shorter length by themselves.")


class OfferingSerializer(serializers.Serializer[Any]):
    """A shorter length to offer."""

    length = serializers.IntegerField(min_value=1, max_value=MAX_MATCH)
    score = Score(help_text="How the match stands; the offer is refused if it stands otherwise.")


@open_to(get=Who.PLAYERS, post=Who.PLAYERS)
class LengthOffers(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_length_offer",
        summary="The shorter length that is on offer to the players of a match",
        parameters=[LINK],
        responses={200: MatchLengthSerializer, 401: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """For the players of the match."""
        return length_response(seat_of(request, public_id))

    @extend_schema(
        operation_id="matches_offer_length",
        summary="Offer a shorter length to the other player",
        description=(
            "For matches that are being played at a table, once the event should be over, if it shortens matches then. "
            "The match changes only when the other player agrees, or offers the same length; another length takes the "
            "place of the one on offer."
        ),
        request=OfferingSerializer,
        examples=[OpenApiExample("To 5", value={"length": 5, "score": [4, 2]}, request_only=True)],
        parameters=[LINK],
        responses={200: MatchLengthSerializer, **ERRORS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        seat = seat_of(request, public_id)
        fields = validated(OfferingSerializer, request)
        left, right = fields["score"]
        move = Offered(seat.match, side_of(seat), fields["length"], (left, right))
        events().record_length(move, by=seat.by, now=timezone.now())
        return length_response(seat)


def length_response(seat: MatchSeat) -> Response:
    match = access.refetch(seat.match)
    now = timezone.now()
    facts = facts_of([match], NOBODY, now)[match.pk]
    running, where = running_score(match, facts.at_tables), where_is(match, facts)
    offer = running.offer if running is not None else None
    body = {
        "length": match.length,
        "offer": None
        if offer is None
        else {"offer": offer.number, "length": offer.length, "side": offer.side, "agreed": sorted(offer.agreed)},
        "may_offer": running is not None and may_offer(running, where, now),
    }
    return Response(MatchLengthSerializer(body).data)
