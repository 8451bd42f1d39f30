"""API views of matches, their records and proposed times.

A client is signed in as one of the players, or sends the token of one of the match's links in the header `Match-Link`.
Every write sends the `seq` it is based on, as `after` or `If-Match`; `Idempotency-Key` makes it safe to repeat.
"""

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.requests import parse_int
from matches import access
from matches.access import side_of
from matches.api_access import LINK, match_and_seat, seat_of
from matches.models import Match, Submission
from matches.play.whereabouts import where_of
from matches.presentation.visibility import Viewer
from matches.records.api import KEY, TEXT, RecordSerializer
from matches.records.intake import record_in, refuse_long_body
from matches.records.services.submissions import RecordFile
from matches.records.throttle import count_upload
from matches.reporting.api.base import CREATE, IF_MATCH, UPDATE, match_response, parse_after, with_etag, write_params
from matches.reporting.api.reports import AFTER_ONLY
from matches.reporting.link_handouts import log_link_shown, withheld_side
from matches.reporting.serializers import (
    AcceptSerializer,
    ContestSerializer,
    MatchLinksSerializer,
    MatchSerializer,
    MatchSummarySerializer,
    ProposeSerializer,
    RecordNamesSerializer,
    links_data,
    match_data,
    match_summary_data,
)
from matches.reporting.services import personal_links, proposals, records
from players.accounts.api import by, me, validated
from players.accounts.serializers import PROBLEM
from players.models import User


class MatchFilter(filters.FilterSet):
    """Filters of the list of matches."""

    state = filters.ChoiceFilter(choices=Match.State.choices)
    club = filters.CharFilter("club__slug", label="The slug of the club.")
    player = filters.CharFilter(method="of_player", label="The public id of a player.")
    topic = filters.CharFilter("parent_topic", label="The topic that the match was opened for.")
    mine = filters.BooleanFilter(method="of_me", label="Only matches that I play.")

    def of_player(self, rows: QuerySet[Match], name: str, value: str) -> QuerySet[Match]:
        """Matches of the player with this public id."""
        return rows.filter(Q(player_0__public_id=value) | Q(player_1__public_id=value))

    def of_me(self, rows: QuerySet[Match], name: str, value: bool) -> QuerySet[Match]:
        """Matches of the user who sends the request."""
        players = Viewer.of(self.request.user).players
        return rows.filter(Q(player_0__in=players) | Q(player_1__in=players)) if value else rows


class MatchList(generics.ListAPIView[Match]):
    """Matches that you may see, newest first."""

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
        viewer = Viewer.of(request.user)
        where = where_of(rows, viewer, timezone.now())
        data = [match_summary_data(row, where[row.pk], request, inside=viewer.plays_or_runs(row)) for row in rows]
        return self.get_paginated_response(data)


class MatchDetail(APIView):
    """A match."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_retrieve",
        summary="A match with its reports, records, proposed times and next steps",
        parameters=[LINK],
        responses={200: MatchSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The ETag is the version that the next write has to send."""
        match, seat = match_and_seat(request, public_id)
        return with_etag(match_data(match, seat, request, timezone.now()))


class MatchRecords(APIView):
    """The records of a match."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_send_record",
        summary="Send the record of a match",
        description=(
            "The record is checked in the background; see `records` of the match for the outcome. An accepted record "
            "counts as its sender's report: it stands if the loser sends it, if both players' records agree, or if "
            "`records_stand` is set. `after` may be left out, since a record is valid whatever was reported before."
        ),
        request={"multipart/form-data": RecordSerializer, "application/json": RecordSerializer},
        examples=[TEXT],
        parameters=[KEY, LINK, IF_MATCH],
        responses={201: MatchSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 413: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Return 201 and the match."""
        refuse_long_body(request)
        seat = seat_of(request, public_id)
        count_upload(request)
        record = validated(RecordSerializer, request)
        data, name = record_in(record.get("file"), record.get("text", ""))
        records.submit_for_match(
            match=seat.match,
            side=seat.side,
            file=RecordFile(data, Submission.Source.API, name or record.get("file_name", "")),
            by=seat.by,
            key=request.headers.get("Idempotency-Key", ""),
            after=parse_after(request, required=False),
            now=timezone.now(),
        )
        return match_response(request, seat, status.HTTP_201_CREATED)


class RecordNames(APIView):
    """Which player of a record is which."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_record_names",
        summary="Say which player of a record is which",
        request=RecordNamesSerializer,
        examples=[OpenApiExample("Swapped", value={"left": 1, "after": 3}, request_only=True)],
        **UPDATE,
    )
    def post(self, request: Request, public_id: str, record_id: str) -> Response:
        """Only the sender can say it. The names are remembered, so it is asked only once."""
        seat = seat_of(request, public_id)
        form = validated(RecordNamesSerializer, request)
        records.identify_players(
            submission=access.record_of(seat, record_id),
            swapped=form["left"] == 1,
            side=side_of(seat),
            by=seat.by,
            after=parse_after(request),
            now=timezone.now(),
        )
        return match_response(request, seat)


class Proposals(APIView):
    """Proposed times to play."""

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
    def post(self, request: Request, public_id: str) -> Response:
        """They replace the open proposal."""
        seat = seat_of(request, public_id)
        proposal = validated(ProposeSerializer, request)
        times: list[datetime] = proposal["times"]
        proposals.propose(
            match=seat.match,
            side=side_of(seat),
            offer=proposals.Offer(times, proposal["note"]),
            by=seat.by,
            **write_params(request),
        )
        return match_response(request, seat, status.HTTP_201_CREATED)


class AcceptProposal(APIView):
    """Accepting a proposed time."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_accept_time",
        summary="Accept one of the proposed times",
        request=AcceptSerializer,
        examples=[OpenApiExample("The first", value={"time": "2026-11-24T19:00:00Z", "after": 1}, request_only=True)],
        **UPDATE,
    )
    def post(self, request: Request, public_id: str, proposal_id: str) -> Response:
        """The appointment is binding for both players."""
        seat = seat_of(request, public_id)
        proposals.accept(
            proposal=access.proposal_of(seat, proposal_id),
            side=side_of(seat),
            time=validated(AcceptSerializer, request)["time"],
            by=seat.by,
            **write_params(request),
        )
        return match_response(request, seat)


class WithdrawProposal(APIView):
    """Withdrawing proposed times."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_withdraw_times",
        summary="Withdraw your own proposed times",
        request=ContestSerializer,
        examples=[AFTER_ONLY],
        **UPDATE,
    )
    def post(self, request: Request, public_id: str, proposal_id: str) -> Response:
        """Possible until the other player has answered."""
        seat = seat_of(request, public_id)
        proposals.withdraw_proposal(
            proposal=access.proposal_of(seat, proposal_id),
            side=side_of(seat),
            by=seat.by,
            **write_params(request),
        )
        return match_response(request, seat)


class MatchLinks(APIView):
    """The links of a match, to hand out."""

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


class MatchLink(APIView):
    """One personal link of a match."""

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
        """Return 204."""
        match = access.match_for_link_owner(me(request), public_id, int(side))
        current = match.link_generations[int(side)]
        generation = parse_int(request.query_params.get("generation"), current)
        personal_links.revoke_link(match=match, side=int(side), generation=generation, by=by(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
