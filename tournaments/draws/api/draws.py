"""The draw, for programs: ask for a draft, read it, publish it; and repeat a published one."""

from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from players.access import Role, is_at_least, role_in
from tournaments import access
from tournaments.draws.services import draws as services
from tournaments.draws.services.take_back import take_back_draw
from tournaments.models import Division, Draw
from tournaments.standings.selectors import brackets
from tournaments.state import serializers as shapes
from tournaments.state.api import AFTER, READ, WRITE, by, example, read_after, validated, with_etag
from tournaments.state.names import Names, names_of


def answer(draw: Draw, names: Names, *, published: bool) -> dict[str, Any]:
    """A draw as programs see it; the seed when nothing more is drawn from it."""
    seeds = brackets.seeds_of(draw, draw.stage.division)
    return shapes.DrawSerializer(
        {
            "stage": draw.stage.number,
            "number": draw.number,
            "round": draw.round,
            "state": draw.state,
            "algorithm": draw.algorithm,
            "reason": draw.reason,
            "made_at": draw.made_at,
            "publish_at": draw.publish_at,
            "published_at": draw.published_at,
            "taken_back_at": draw.taken_back_at,
            "taken_back_reason": draw.taken_back_reason,
            **_commitment(draw, published=published),
            "refusal": draw.refusal,
            "kept_apart": draw.stage.division.keeps_apart,
            "places": [_place(entry, names, seeds) for entry in draw.places],
        }
    ).data


def _commitment(draw: Draw, *, published: bool) -> dict[str, Any]:
    """What bound the draw, and the seeds as far as they are public: of a draw taken back, the retired one."""
    stage, commitment = draw.stage, draw.commitment
    retired = commitment is not None and bool(commitment.seed)
    seed = commitment.seed if commitment is not None and retired else stage.seed
    shown = retired or (published and stage.seed_is_public)
    return {
        "commitment": commitment.number if commitment is not None else None,
        "seed_hash": commitment.seed_hash if commitment is not None else stage.seed_hash,
        "seed": seed if shown else None,
        "lots_hash": stage.lots_hash,
        "lots_seed": stage.lots_seed if published and stage.lots_seed_is_public else None,
    }


def _place(entry: int | None, names: Names, seeds: dict[int, int]) -> dict[str, Any]:
    if entry is None:
        return {"entry": None, "number": None, "name": None, "seed": None}
    public_id = names.entries[entry].public_id
    return {"entry": public_id, "number": entry, "name": names.of(entry), "seed": seeds.get(entry)}


def _seen(request: Request, division: Division) -> tuple[list[Draw], Names]:
    """The drafts somebody may see: directors all, everybody else those that are or were published."""
    directs = is_at_least(role_in(request.user, division.tournament.club), Role.DIRECTOR)
    drawn = Draw.objects.filter(stage__division=division).select_related("stage", "commitment")
    rows = drawn.order_by("stage__number", "number")
    if not directs:
        rows = rows.filter(state__in=[Draw.State.PUBLISHED, Draw.State.TAKEN_BACK])
    for row in rows:
        row.stage.division = division
    return list(rows), names_of(division, staff=directs)


class Draws(APIView):
    """The drafts of a division's draw."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="draws_list",
        summary="The draw of a division",
        description=(
            "Directors see every draft, everybody else those that are or were published. Where rounds are paired one "
            "by one, each has draws of its own."
        ),
        responses={200: shapes.DrawSerializer(many=True), **READ},
    )
    def get(self, request: Request, division: str) -> Response:
        """In the order they were asked for."""
        found = access.division(request.user, division)
        rows, names = _seen(request, found)
        published = any(row.state == Draw.State.PUBLISHED for row in rows)
        return with_etag([answer(row, names, published=published) for row in rows], found.seq)

    @extend_schema(
        operation_id="draws_create",
        summary="Ask for a draft of the draw",
        description="A worker makes it: ask at `Location` while `state` is `requested`. A redraw needs a reason.",
        request=shapes.ReasonSerializer,
        examples=[OpenApiExample("Again", value={"reason": "Two players came late"}, request_only=True)],
        responses={202: shapes.DrawSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """202 and where to ask."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(shapes.ReasonSerializer, request)
        draw = services.request_draw(
            division=found, by=by(request), now=timezone.now(), reason=fields.get("reason", "")
        )
        here = request.build_absolute_uri(reverse("api-draw", args=[found.public_id, draw.number]))
        body = answer(draw, Names({}, True), published=False)
        return Response(body, status=status.HTTP_202_ACCEPTED, headers={"Location": here})


class OneDraw(APIView):
    """One draft, or the published draw."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="draws_retrieve",
        summary="One draft, or the published draw with all that is needed to repeat it",
        responses={200: shapes.DrawSerializer, **READ},
    )
    def get(self, request: Request, division: str, number: str) -> Response:
        """404 for a draft that is not one's to see."""
        found = access.division(request.user, division)
        rows, names = _seen(request, found)
        published = any(row.state == Draw.State.PUBLISHED for row in rows)
        for row in rows:
            if row.number == int(number):
                return with_etag(answer(row, names, published=published), found.seq)
        raise Http404


class StopCountdown(APIView):
    """Keeping a draft from publishing itself."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="draws_stop_countdown",
        summary="Stop the countdown of a draft",
        parameters=[AFTER],
        request=shapes.AfterSerializer,
        examples=example(after=4),
        responses={200: shapes.DrawSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """The draft waits for a director. 409 `no_countdown`, `stale`."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        after = read_after(request, validated(shapes.AfterSerializer, request))
        draw = services.stop_countdown(division=found, after=after or 0, by=by(request), now=timezone.now())
        draw.stage.division = found
        found.refresh_from_db(fields=["seq"])
        return with_etag(answer(draw, names_of(found, staff=True), published=False), found.seq)


class TakeBackDraw(APIView):
    """Making the draw a thing of the past."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="draws_take_back",
        summary="Take the published draw back",
        description=(
            "While none of its matches has begun. The division takes entries again, the matches are void, the seed is "
            "retired and public, and the next draft comes from a new one."
        ),
        parameters=[AFTER],
        request=shapes.TakeBackSerializer,
        examples=example(after=4, reason="The format was wrong"),
        responses={200: shapes.DrawSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """409 `division_not_drawn`, `draw_begun`, `stale`."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(shapes.TakeBackSerializer, request)
        after = read_after(request, fields)
        draw = take_back_draw(division=found, after=after or 0, by=by(request), now=timezone.now(), **fields)
        draw.stage.division = found
        found.refresh_from_db()
        return with_etag(answer(draw, names_of(found, staff=True), published=False), found.seq)


class PublishDraw(APIView):
    """Making the draft the draw."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="draws_publish",
        summary="Publish the draft",
        parameters=[AFTER],
        request=shapes.AfterSerializer,
        examples=example(after=4),
        responses={200: shapes.DrawSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """The bracket stands and its first matches are open. 409 `no_draft`, `draft_outdated`, `stale`."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        after = read_after(request, validated(shapes.AfterSerializer, request))
        draw = services.publish_draw(division=found, after=after or 0, by=by(request), now=timezone.now())
        draw.stage.division = found
        found.refresh_from_db(fields=["seq", "status"])
        names = names_of(found, staff=True)
        return with_etag(answer(draw, names, published=True), found.seq)
