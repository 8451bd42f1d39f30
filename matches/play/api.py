"""The API of matches played here: open one, commit to dice, act, rule, read.

A player is signed in or names a personal link in `Match-Link`. An action names the last action it has seen as `after`;
with an `Idempotency-Key` it is safe to repeat.
"""

from collections.abc import Sequence
from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core import throttle
from core.live.presence import Presence
from core.requests import arrived_at, parse_int
from engine.actions import Act
from engine.clock import DAY
from engine.errors import Refused
from matches import access
from matches.access import MatchSeat, side_of
from matches.api_access import LINK, match_and_seat, seat_of
from matches.lifecycle import links
from matches.lifecycle.events import events
from matches.models import LONGEST_ACTION_KEY, LiveMatch, Match
from matches.play.dice_export import dice_of
from matches.play.live import EventKind
from matches.play.page_tickets import Page, page_of, page_ticket
from matches.play.presentation import as_json
from matches.play.serializers import (
    DiceChainSerializer,
    DiceSerializer,
    LiveActionInputSerializer,
    LiveGoodbyeSerializer,
    LiveMatchSerializer,
    LivePingSerializer,
    LivePongSerializer,
    LiveRulingSerializer,
    StartLiveSerializer,
)
from matches.play.services import absences, acting, directing, lag, starting
from matches.play.services.acting import Acted
from matches.play.watching.delay import watched
from matches.records.api import KEY
from players.accounts.api import by, validated
from players.accounts.serializers import PROBLEM

LONGEST_KEY = LONGEST_ACTION_KEY - len("0:")
"""Of an Idempotency-Key; the side is stored before it."""
RULES = ("clock", "overtime_minutes", "turn_days", "bank_days", "flag_rule", "spectators_delay")
"""What a director may choose instead of the settings of the division."""
SINCE = OpenApiParameter("since", OpenApiTypes.INT, description="Only actions after this number; 0: all.")
WRITTEN: dict[Any, Any] = {
    200: LiveMatchSerializer,
    401: PROBLEM,
    403: PROBLEM,
    404: PROBLEM,
    409: PROBLEM,
    422: PROBLEM,
}


class Live(APIView):
    """The board of a match."""

    throttle_classes = throttle.LIVE_MATCH

    def get_permissions(self) -> list[Any]:
        """Anyone who may see the match may read; directors open it."""
        return [AllowAny() if self.request.method == "GET" else IsAuthenticated()]

    @extend_schema(
        operation_id="live_retrieve",
        summary="Where a match that is played here stands",
        parameters=[SINCE, LINK],
        responses={200: LiveMatchSerializer, 401: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Its state, and its actions since a number."""
        match, player = match_and_seat(request, public_id)
        since = parse_int(request.query_params.get("since"), 0)
        return _answer(request, _live(match), player, since=since)

    @extend_schema(
        operation_id="live_start",
        summary="Open a match to be played here (directors)",
        request=StartLiveSerializer,
        examples=[OpenApiExample("With the usual clock", value={"clock": "table"}, request_only=True)],
        responses={**WRITTEN, 201: LiveMatchSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """201 with the board before the first roll."""
        match = access.match_for_director(request.user, public_id)
        form = validated(StartLiveSerializer, request)
        rules = events().play_rules(match.parent_topic)._replace(**{name: form[name] for name in RULES if name in form})
        settings = starting.PlaySettings.by_rules(rules, match)._replace(server_chains=form["server_chains"])
        starting.start(match=match, settings=settings, by=by(request), now=timezone.now())
        return _answer(request, _live(match), None, code=status.HTTP_201_CREATED)


class LiveOpening(APIView):
    """The opening of a match by one of its players."""

    permission_classes = (AllowAny,)
    throttle_classes = throttle.LIVE_MATCH

    @extend_schema(
        operation_id="live_open",
        summary="Open a match to be played here (its players)",
        description="Where the settings of the division allow it (`play_mode`), with its clock and rules. If the match "
        "is being played here already, nothing changes.",
        request=None,
        parameters=[LINK],
        responses=WRITTEN,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The board before the first roll, or as it is."""
        player = seat_of(request, public_id)
        starting.open_by_player(match=player.match, by=player.by, now=timezone.now())
        return _answer(request, _live(player.match), player)


class LiveChains(APIView):
    """Dice chains of the players."""

    permission_classes = (AllowAny,)
    throttle_classes = throttle.LIVE_MATCH

    @extend_schema(
        operation_id="live_commit_chain",
        summary="Arm a dice chain, and commit to it if it is new",
        description="Once before the first roll, and whenever this device is to be played on again. docs/dice.md "
        "describes chains.",
        request=DiceChainSerializer,
        examples=[OpenApiExample("Kept by the server", value={"anchor": ""}, request_only=True)],
        parameters=[LINK],
        responses=WRITTEN,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The board with the new anchor."""
        player = seat_of(request, public_id)
        form = validated(DiceChainSerializer, request)
        starting.commit_chain(
            match=player.match,
            side=side_of(player),
            anchor=form["anchor"],
            number=form.get("number"),
            by=player.by,
            now=timezone.now(),
        )
        return _answer(request, _live(player.match), player)


class LiveActions(APIView):
    """What the players do."""

    permission_classes = (AllowAny,)
    # Counted by side instead: everybody at a venue shares an IP address.
    throttle_classes = ()

    @extend_schema(
        operation_id="live_act",
        summary="Roll, play, double, answer, resign, pause",
        request=LiveActionInputSerializer,
        examples=[OpenApiExample("A play", value={"kind": "play", "play": "8/5 6/5", "after": 3}, request_only=True)],
        parameters=[KEY, LINK],
        responses=WRITTEN,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The board after the action, with the actions since `after`."""
        player = seat_of(request, public_id, only_seat=True)
        throttle.count(throttle.LIVE_ACTIONS_OF, f"{public_id}:{player.side}")
        form = validated(LiveActionInputSerializer, request)
        action = acting.ActionInput(
            kind=form["kind"],
            after=form["after"],
            key=_key(request),
            moves=form["moves"],
            value=_value(form),
            link=form["link"],
            seen=form.get("seen"),
            play_forced=form["play_forced"],
            bear_off=form["bear_off"],
        )
        side = side_of(player)
        network, now = throttle.client_network(request), arrived_at(request)
        acted = acting.act(match=player.match, side=side, request=action, by=player.by, now=now, network=network)
        sign = absences.sign_of(public_id, side, form["tab"], form["every"]) if form["tab"] else None
        seen = absences.side_presences(public_id, now, sign)
        return _answer(request, acted.live, player, since=form["after"], acted=acted, presences=seen)


class LivePing(APIView):
    """Signs of life of the players' pages."""

    permission_classes = (AllowAny,)
    throttle_classes = ()

    @extend_schema(
        operation_id="live_ping",
        summary="Measure the lag of a player's connection",
        request=LivePingSerializer,
        description="With the `ticket` of an earlier answer neither an account nor a link is needed for five minutes.",
        examples=[OpenApiExample("Every 15 seconds", value={"tab": "k3v9", "every": 15}, request_only=True)],
        parameters=[LINK],
        responses={200: LivePongSerializer, 401: PROBLEM, 404: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The estimate after this ping, and the next ping."""
        form = validated(LivePingSerializer, request)
        ticket, page = form["ticket"], page_of(form["ticket"], public_id)
        if page is None:
            seat = seat_of(request, public_id, only_seat=True)
            page = Page(seat.match.pk, side_of(seat))
            ticket = page_ticket(public_id, page)
        match_id, side = page
        throttle.count(throttle.LIVE_PINGS_OF, f"{public_id}:{side}")
        network, now = throttle.client_network(request), arrived_at(request)
        if form["ping"]:
            estimate = lag.measure(match_id=match_id, side=side, network=network, ping=form["ping"], now=now)
        else:
            estimate = lag.measured(match_id, side, network)
        absences.note_sign_of_life(absences.sign_of(public_id, side, form["tab"], form["every"]), now)
        return Response({"lag": estimate, "ping": lag.new_ping(match_id, side, timezone.now()), "ticket": ticket})


class LiveGoodbye(APIView):
    """What a page says when it is closed."""

    permission_classes = (AllowAny,)
    throttle_classes = ()

    @extend_schema(
        operation_id="live_goodbye",
        summary="Say that a player's page is closed",
        description="Made for `navigator.sendBeacon`: form data with `tab`, and `link` or `csrfmiddlewaretoken`.",
        request=LiveGoodbyeSerializer,
        examples=[OpenApiExample("One tab", value={"tab": "k3v9"}, request_only=True)],
        parameters=[LINK],
        responses={204: None, 401: PROBLEM, 404: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """204; the opponent's page shows it after some seconds, unless the page is loaded again."""
        form = validated(LiveGoodbyeSerializer, request)
        player = access.match_for_link(form["link"]) if form["link"] else seat_of(request, public_id)
        if player.match.public_id != public_id:
            raise Http404
        side = side_of(player)
        throttle.count(throttle.LIVE_PINGS_OF, f"{public_id}:{side}")
        absences.note_goodbye(public_id=public_id, side=side, tab=form["tab"], now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class LiveRulings(APIView):
    """What directors do."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="live_rule",
        summary="Adjust a clock, set the score, end a game, adjourn or resume (directors)",
        request=LiveRulingSerializer,
        examples=[OpenApiExample("Adjourn", value={"kind": "adjourn", "after": 3}, request_only=True)],
        parameters=[KEY],
        responses=WRITTEN,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The board after the ruling."""
        match = access.match_for_director(request.user, public_id)
        form = validated(LiveRulingSerializer, request)
        left_right = form.get("score")
        ruling = directing.Ruling(
            kind=form["kind"],
            after=form["after"],
            side=form.get("side"),
            value=form.get("value") if form["kind"] in (Act.END_GAME, EventKind.ADJUST_CLOCK) else None,
            score=(left_right[0], left_right[1]) if left_right else None,
            reason=form["reason"],
            key=_key(request),
        )
        directing.rule(match=match, ruling=ruling, by=by(request), now=timezone.now())
        return _answer(request, _live(match), None, since=form["after"])


class LiveDice(APIView):
    """The rolls of a match with their proof."""

    permission_classes = (AllowAny,)
    throttle_classes = throttle.LIVE_MATCH

    @extend_schema(
        operation_id="live_dice",
        summary="Every roll with its proof",
        description="The input of tools/verify_dice.py; docs/dice.md describes the format.",
        parameters=[LINK],
        responses={200: DiceSerializer, 401: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Those made so far."""
        match, seat = match_and_seat(request, public_id)
        live = _live(match)
        return Response(dice_of(live, watched(live, seat, request.user, timezone.now())))


def _key(request: Request) -> str:
    """The Idempotency-Key of a request, or nothing. Refused: `key_too_long`."""
    key: str = request.headers.get("Idempotency-Key", "")
    if len(key) > LONGEST_KEY:
        raise Refused("key_too_long", most=LONGEST_KEY)
    return key


def _value(form: dict[str, Any]) -> int | None:
    """The value of an action: of a resignation, or the milliseconds of a vacation."""
    if form["kind"] == EventKind.VACATION:
        return int(form["days"]) * DAY
    return form.get("value") if form["kind"] == Act.RESIGN else None


def _live(match: Match) -> LiveMatch:
    """The board of a match; 404 where it is not played here."""
    try:
        return LiveMatch.objects.select_related("match").get(pk=match.pk)
    except LiveMatch.DoesNotExist:
        raise Http404 from None


def _answer(
    request: Request,
    live: LiveMatch,
    seat: MatchSeat | None,
    *,
    since: int = 0,
    acted: Acted | None = None,
    presences: Sequence[Presence] | None = None,
    code: int = status.HTTP_200_OK,
) -> Response:
    """The board as its reader sees it, after an action of theirs; for the holder of a link with a stream ticket."""
    latest, lag_credits = (acted.actions, acted.credits) if acted else ((), None)
    reader = watched(live, seat, request.user, timezone.now())
    board = as_json(reader, since=since, latest=latest, lag_credits=lag_credits, presences=presences)
    ticket = links.stream_ticket(live.match, seat.side) if seat is not None and seat.token else None
    return Response(board | {"ticket": ticket}, status=code)
