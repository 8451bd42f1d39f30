"""The page on which somebody asks to join a club, and the lists of requests for the API."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView
from core.messages import sentence
from core.requests import is_htmx
from engine.errors import Refused
from players import access, selectors
from players.accounts.api import me
from players.accounts.serializers import PROBLEM, PROBLEMS, MergedSerializer, PersonSerializer
from players.joining import services
from players.joining.actions import JoinRequestSerializer
from players.models import Club, JoinRequest, Player, User


@never_cache
@open_to(get=Who.EVERYBODY)
def join_club(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask to join a club, or see what became of that; for htmx, only the players that `?q=` finds."""
    club = access.club(slug)
    context: dict[str, Any] = {"club": club, "q": request.GET.get("q", "")}
    if isinstance(request.user, User):
        latest = selectors.latest_request(request.user, club)
        context |= {
            "open_request": latest if latest is not None and latest.state == JoinRequest.State.OPEN else None,
            "refused": latest if latest is not None and latest.state == JoinRequest.State.REFUSED else None,
            "role": access.role_given(request.user, club),
            **_found(request.user, club, context["q"]),
        }
    name = "players/joining/_found.html" if is_htmx(request) else "players/joining/join.html"
    return render(request, name, context)


def _found(user: User, club: Club, q: str) -> dict[str, Any]:
    """Return the players to claim: those that a search finds; without one, those who are called like the account."""
    if not q.strip():
        return {"found": services.find_claimable(club, user.display_name), "refusal": ""}
    try:
        return {"found": _search(user, club, q), "refusal": ""}
    except Refused as refused:
        return {"found": [], "refusal": sentence(refused.code, refused.params)}


def _search(user: User, club: Club, q: str) -> list[Player]:
    """Find players to claim. Refused: `too_many_attempts`, so that nobody copies a list of names."""
    throttle.count(throttle.NAME_SEARCHES_BY, str(user.pk))
    return services.find_claimable(club, q)


@open_to(get=Who.SIGNED_IN)
class ClaimablePlayers(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="claimable_list",
        summary="Find the player without an account that you are",
        description="Up to ten members whom the club entered; never those who show only initials.",
        parameters=[OpenApiParameter("q", str, required=True, description="Beginnings of the words of a name.")],
        responses={200: PersonSerializer(many=True), 429: PROBLEM, **PROBLEMS},
    )
    def get(self, request: Request, slug: str) -> Response:
        players = _search(me(request), access.club(slug), request.query_params.get("q", ""))
        return Response(PersonSerializer(players, many=True).data)


@open_to(get=Who.DIRECTORS)
class ClubJoinRequests(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="join_requests_list",
        summary="List the open requests to join a club",
        description="For directors; the oldest first.",
        responses={200: JoinRequestSerializer(many=True), **PROBLEMS},
    )
    def get(self, request: Request, slug: str) -> Response:
        club = access.club_for_director(request.user, slug)
        return Response(JoinRequestSerializer(selectors.open_requests(club), many=True).data)


@open_to(get=Who.SIGNED_IN)
class MyClaims(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="my_claims_list",
        summary="List the players that you are",
        description="Those that can still be undone.",
        responses={200: MergedSerializer(many=True), 401: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        return Response(MergedSerializer(selectors.claims_of(me(request), timezone.now()), many=True).data)


@open_to(get=Who.SIGNED_IN)
class MyJoinRequests(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="my_join_requests_list",
        summary="List your open requests to join clubs",
        responses={200: JoinRequestSerializer(many=True), 401: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """Return all of them, without pages."""
        rows = selectors.my_requests(me(request)).select_related("user__player")
        return Response(JoinRequestSerializer(rows, many=True).data)
