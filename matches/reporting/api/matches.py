"""The API of matches: what the page of a match does, for programs.

Whoever acts is signed in as one of the players, or names one of the match's links in the header `Match-Link`.
Every write names the state it was decided on, as `after` or as `If-Match`; `Idempotency-Key` makes it safe to repeat.
"""

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import generics, status
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches import access
from matches.models import Match, Submission
from matches.presentation.visibility import Viewer
from matches.records.api import KEY, TEXT, RecordSerializer
from matches.records.intake import record_in, refuse_long_body
from matches.records.throttle import count_upload
from matches.reporting.api.reports import AFTER_ONLY
from matches.reporting.api.seats import (
    IF_MATCH,
    LINK,
    MAKES,
    WRITES,
    after,
    answer,
    common,
    seat,
    side_of,
    tagged,
    viewed,
)
from matches.reporting.serializers import (
    AcceptSerializer,
    ContestSerializer,
    MatchLinksSerializer,
    MatchSerializer,
    MatchSummarySerializer,
    ProposeSerializer,
    RecordNamesSerializer,
    links_as_answer,
    match_as_answer,
    summary_as_answer,
)
from matches.reporting.services import proposals, records
from players.accounts.api import validated
from players.accounts.serializers import PROBLEM
from players.models import User


class MatchFilter(filters.FilterSet):
    """Which matches."""

    state = filters.ChoiceFilter(choices=Match.State.choices)
    club = filters.CharFilter("club__slug", label="The address of the club.")
    player = filters.CharFilter(method="of_player", label="The public id of a player.")
    topic = filters.CharFilter("parent_topic", label="What the match was made for.")
    mine = filters.BooleanFilter(method="of_me", label="Only those I play.")

    def of_player(self, rows: QuerySet[Match], name: str, value: str) -> QuerySet[Match]:
        """Those that somebody plays."""
        return rows.filter(Q(player_0__public_id=value) | Q(player_1__public_id=value))

    def of_me(self, rows: QuerySet[Match], name: str, value: bool) -> QuerySet[Match]:
        """Those that whoever asks plays."""
        players = Viewer.of(self.request.user).players
        return rows.filter(Q(player_0__in=players) | Q(player_1__in=players)) if value else rows


class Matches(generics.ListAPIView[Match]):
    """The matches that whoever asks may see, the newest first."""

    permission_classes = (AllowAny,)
    filterset_class = MatchFilter
    serializer_class = MatchSummarySerializer
    queryset = Match.objects.none()

    def get_queryset(self) -> QuerySet[Match]:
        """Only what may be seen."""
        return (
            Match.objects.filter(Viewer.of(self.request.user).visible())
            .select_related("club", "player_0", "player_1")
            .prefetch_related("results")
            .order_by("-created_at", "-pk")
        )

    @extend_schema(operation_id="matches_list", summary="Matches")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """A page of them."""
        rows = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response([summary_as_answer(row, request) for row in rows or []])


class OneMatch(APIView):
    """One match."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_retrieve",
        summary="A match: what is claimed, sent in, proposed and awaited",
        parameters=[LINK],
        responses={200: MatchSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """With its ETag, which the next write names."""
        match, acting = viewed(request, public_id)
        side = acting.side if acting is not None else None
        return tagged(match_as_answer(match, side, request, timezone.now()), match)


class MatchRecords(APIView):
    """Records of a match."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_send_record",
        summary="Send in the record of a match",
        description=(
            "It is checked in the background; `records` of the match tells what became of it. An accepted record is "
            "its sender's report with evidence: it stands if the loser sends it, if both players' records agree, or "
            "where `records_stand`. `after` may be left out: a record is one whatever was reported meanwhile."
        ),
        request={"multipart/form-data": RecordSerializer, "application/json": RecordSerializer},
        examples=[TEXT],
        parameters=[KEY, LINK, IF_MATCH],
        responses={201: MatchSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 413: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """201 with the match as it is then."""
        refuse_long_body(request)
        acting = seat(request, public_id)
        count_upload(request)
        form = validated(RecordSerializer, request)
        data, name = record_in(form.get("file"), form.get("text", ""))
        records.submit_for_match(
            match=acting.match,
            side=acting.side,
            data=data,
            file_name=name or form.get("file_name", ""),
            source=Submission.Source.API,
            submitter=acting.by.user,
            by=acting.by,
            key=request.headers.get("Idempotency-Key", ""),
            after=after(request, needed=False),
            now=timezone.now(),
        )
        return answer(request, acting, status.HTTP_201_CREATED)


class RecordNames(APIView):
    """Who is who in a record."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_record_names",
        summary="Say which player of a record is which",
        request=RecordNamesSerializer,
        examples=[OpenApiExample("Swapped", value={"left": 1, "after": 3}, request_only=True)],
        **WRITES,
    )
    def post(self, request: Request, public_id: str, record_id: str) -> Response:
        """Asked of its sender, once: the names are remembered."""
        acting = seat(request, public_id)
        form = validated(RecordNamesSerializer, request)
        records.identify_players(
            submission=access.record_of(acting, record_id),
            swapped=form["left"] == 1,
            side=side_of(acting),
            by=acting.by,
            after=after(request),
            now=timezone.now(),
        )
        return answer(request, acting)


class Proposals(APIView):
    """Times to play."""

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
        **MAKES,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """They replace whatever was open."""
        acting = seat(request, public_id)
        form = validated(ProposeSerializer, request)
        times: list[datetime] = form["times"]
        proposals.propose(
            match=acting.match,
            side=side_of(acting),
            times=times,
            by=acting.by,
            note=form["note"],
            **common(request),
        )
        return answer(request, acting, status.HTTP_201_CREATED)


class AcceptProposal(APIView):
    """An appointment."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_accept_time",
        summary="Accept one of the proposed times",
        request=AcceptSerializer,
        examples=[OpenApiExample("The first", value={"time": "2026-11-24T19:00:00Z", "after": 1}, request_only=True)],
        **WRITES,
    )
    def post(self, request: Request, public_id: str, proposal_id: str) -> Response:
        """It binds both."""
        acting = seat(request, public_id)
        proposals.accept(
            match=acting.match,
            proposal=access.proposal_of(acting, proposal_id),
            side=side_of(acting),
            time=validated(AcceptSerializer, request)["time"],
            by=acting.by,
            **common(request),
        )
        return answer(request, acting)


class WithdrawProposal(APIView):
    """Times taken back."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_withdraw_times",
        summary="Take one's own times back",
        request=ContestSerializer,
        examples=[AFTER_ONLY],
        **WRITES,
    )
    def post(self, request: Request, public_id: str, proposal_id: str) -> Response:
        """While nobody has answered."""
        acting = seat(request, public_id)
        proposals.withdraw_proposal(
            match=acting.match,
            proposal=access.proposal_of(acting, proposal_id),
            side=side_of(acting),
            by=acting.by,
            **common(request),
        )
        return answer(request, acting)


class MatchLinks(APIView):
    """The links to hand out."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_links",
        summary="The personal links and the sheet's, for those who run the match",
        responses={200: MatchLinksSerializer, 401: PROBLEM, 403: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Give a personal link to its player and to nobody else."""
        if not isinstance(request.user, User):
            raise NotAuthenticated
        match = access.match_for_director(request.user, public_id)
        return Response(links_as_answer(match, request))
