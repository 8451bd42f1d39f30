"""API: request a draft, read and publish it, and everything needed to repeat a published draw."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from players.access import Role, is_at_least, role_in
from tournaments.draws.serializers import RequestDrawSerializer
from tournaments.draws.services import draws as services
from tournaments.draws.services.take_back import take_back_draw
from tournaments.events.api.base import DivisionView
from tournaments.models import Division, Draw
from tournaments.standings.selectors import brackets
from tournaments.state.api import AFTER, PROBLEM, READ, WRITE, example, read_after, validated, with_etag
from tournaments.state.names import Names, names_of
from tournaments.state.serializers import AfterSerializer, DrawSerializer, TakeBackSerializer


def draw_data(draw: Draw, names: Names, *, published: bool) -> dict[str, Any]:
    """Return a draw for the API; with `published`, its seed is included once nothing more is drawn from it."""
    seeds = brackets.seeds_of(draw, draw.stage.division)
    return DrawSerializer(
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
            "left_out": [names.entries[entry].public_id for entry in draw.left_out],
            "places": [_place(entry, names, seeds) for entry in draw.places],
        }
    ).data


def requested_response(request: Request, division: Division, draw: Draw) -> Response:
    """Return 202 with a requested draft and its URL."""
    url = request.build_absolute_uri(reverse("api-draw", args=[division.public_id, draw.number]))
    names = names_of(division, staff=True) if draw.left_out else Names({}, True)
    data = draw_data(draw, names, published=False)
    return Response(data, status=status.HTTP_202_ACCEPTED, headers={"Location": url})


def _commitment(draw: Draw, *, published: bool) -> dict[str, Any]:
    """Return the commitment of a draw and its public seeds; a draw that was taken back has its retired seed."""
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


def _visible_draws(request: Request, division: Division) -> tuple[QuerySet[Draw], bool]:
    """Return the draws a reader may see, and whether they direct: then all, else those that are or were published."""
    directs = is_at_least(role_in(request.user, division.tournament.club), Role.DIRECTOR)
    draws = Draw.objects.filter(stage__division=division).select_related("stage", "commitment")
    rows = draws.order_by("stage__number", "number")
    if not directs:
        rows = rows.filter(state__in=[Draw.State.PUBLISHED, Draw.State.TAKEN_BACK])
    return rows, directs


def _bodies(rows: Sequence[Draw], division: Division, *, directs: bool) -> list[dict[str, Any]]:
    published = Draw.objects.filter(stage__division=division, state=Draw.State.PUBLISHED).exists()
    names = names_of(division, staff=directs)
    for row in rows:
        row.stage.division = division
    return [draw_data(row, names, published=published) for row in rows]


class Draws(DivisionView, generics.GenericAPIView[Any]):
    """The drafts of a division's draw."""

    serializer_class = DrawSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="draws_list",
        summary="List the draws of a division",
        description=(
            "Directors see every draft, everybody else those that are or were published. If rounds are paired one by "
            "one, each has draws of its own."
        ),
        responses={200: DrawSerializer(many=True), **READ, 422: PROBLEM},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """In the order in which they were requested."""
        division = self.get_division()
        rows, directs = _visible_draws(request, division)
        bodies = _bodies(self.paginate_queryset(rows) or [], division, directs=directs)
        return with_etag(self.get_paginated_response(bodies).data, division.seq)

    @extend_schema(
        operation_id="draws_create",
        summary="Request a draft of the draw",
        description="A worker makes it: poll `Location` while `state` is `requested`. A new draft needs a reason.",
        request=RequestDrawSerializer,
        examples=[OpenApiExample("Again", value={"reason": "Two players came late"}, request_only=True)],
        responses={202: DrawSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """202 with the URL to poll."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(RequestDrawSerializer, request)
        draw = services.request_draw(division=division, **fields, **self.acting())
        return requested_response(request, division, draw)


class OneDraw(DivisionView):
    """One draft, or the published draw."""

    @extend_schema(
        operation_id="draws_retrieve",
        summary="Get a draft, or the published draw with everything needed to repeat it",
        responses={200: DrawSerializer, **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """404 for a draft that the reader may not see."""
        division = self.get_division()
        rows, directs = _visible_draws(request, division)
        first = list(rows.filter(number=kwargs["number"])[:1])
        if not first:
            raise Http404
        (body,) = _bodies(first, division, directs=directs)
        return with_etag(body, division.seq)


class ChangeDrawView(DivisionView):
    """Base of the endpoints that change the current draw."""

    def changed(self, draw: Draw, division: Division, *, published: bool = False) -> Response:
        """Return the changed draw with the new ETag of its division."""
        draw.stage.division = division
        division.refresh_from_db()
        return with_etag(draw_data(draw, names_of(division, staff=True), published=published), division.seq)


class StopCountdown(ChangeDrawView):
    """Stopping the countdown of a draft that publishes itself."""

    @extend_schema(
        operation_id="draws_stop_countdown",
        summary="Stop the countdown of a draft",
        parameters=[AFTER],
        request=AfterSerializer,
        examples=example(after=4),
        responses={200: DrawSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """The draft then waits until a director publishes it. 409 `no_countdown`, `stale`."""
        division = self.get_division(Role.DIRECTOR)
        after = read_after(request, validated(AfterSerializer, request))
        draw = services.stop_countdown(division=division, after=after or 0, **self.acting())
        return self.changed(draw, division)


class TakeBackDraw(ChangeDrawView):
    """Taking back the published draw."""

    @extend_schema(
        operation_id="draws_take_back",
        summary="Take the published draw back",
        description=(
            "Only while none of its matches has begun. The division takes entries again, the matches are void, the "
            "seed becomes public and is not used again, and the next draft is drawn from a new one."
        ),
        parameters=[AFTER],
        request=TakeBackSerializer,
        examples=example(after=4, reason="The format was wrong"),
        responses={200: DrawSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `division_not_drawn`, `draw_begun`, `stale`."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(TakeBackSerializer, request)
        after = read_after(request, fields)
        draw = take_back_draw(division=division, after=after or 0, **self.acting(), **fields)
        return self.changed(draw, division)


class PublishDraw(ChangeDrawView):
    """Publishing the draft."""

    @extend_schema(
        operation_id="draws_publish",
        summary="Publish the draft",
        parameters=[AFTER],
        request=AfterSerializer,
        examples=example(after=4),
        responses={200: DrawSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """Creates the bracket and opens its first matches. 409 `no_draft`, `draft_outdated`, `stale`."""
        division = self.get_division(Role.DIRECTOR)
        after = read_after(request, validated(AfterSerializer, request))
        draw = services.publish_draw(division=division, after=after or 0, **self.acting())
        return self.changed(draw, division, published=True)
