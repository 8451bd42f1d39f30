"""Results, rulings and deadlines of single fixtures, for programs."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from matches.reporting.services import objections
from players.access import Role
from tournaments import access
from tournaments.entries.services import entries
from tournaments.events.services import deadlines
from tournaments.models import Fixture
from tournaments.results.api import fixture_serializers as fixture_shapes
from tournaments.results.api.lines import division_on_screen
from tournaments.results.services import results
from tournaments.results.services.quick_entry import enter_line
from tournaments.standings.api.brackets import fixture_body, rows_and_names
from tournaments.standings.selectors import brackets
from tournaments.state import serializers as shapes
from tournaments.state.api import AFTER, READ, WRITE, by, example, read_after, validated, with_etag


def answer(request: Request, fixture: Fixture) -> Response:
    """A fixture as it stands now; the ETag is its match's seq."""
    found, names = rows_and_names(request, fixture.stage.division)
    targets = brackets.targets(found)
    row = next(row for round_ in found for row in round_.fixtures if row.public_id == fixture.public_id)
    body = shapes.FixtureSerializer(fixture_body(row, names, targets)).data
    return with_etag(body, row.played.seq if row.played.public_id else None)


class OneFixture(APIView):
    """A fixture."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="fixtures_retrieve", summary="A fixture", responses={200: shapes.FixtureSerializer, **READ}
    )
    def get(self, request: Request, fixture: str) -> Response:
        """As everybody sees it."""
        return answer(request, access.fixture(request.user, fixture))


def _common(request: Request, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "by": by(request),
        "now": timezone.now(),
        "after": read_after(request, fields),
        "reason": fields.get("reason", ""),
    }


class EnterResult(APIView):
    """The score of a match."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="fixtures_result",
        summary="Enter the score of a match that was played",
        description="For assistants. The same result sent twice is booked once.",
        parameters=[AFTER],
        request=fixture_shapes.PlayedScoreSerializer,
        examples=[OpenApiExample("11–7", value={"score": [11, 7], "after": 0}, request_only=True)],
        responses={200: shapes.FixtureSerializer, **WRITE},
    )
    def post(self, request: Request, fixture: str) -> Response:
        """409 `stale`, `fixture_not_ready`, `successor_begun`."""
        found = access.fixture_as(request.user, fixture, Role.ASSISTANT)
        fields = validated(fixture_shapes.PlayedScoreSerializer, request)
        left, right = fields["score"]
        winner = 0 if left > right else 1
        results.enter_result(fixture=found, result=ResultInput(winner, (left, right)), **_common(request, fields))
        return answer(request, found)


class Forfeit(APIView):
    """A match given up."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="fixtures_forfeit",
        summary="Book a forfeit, of one side or both",
        parameters=[AFTER],
        request=fixture_shapes.ForfeitSerializer,
        examples=[
            OpenApiExample("Side 1", value={"side": "1", "reason": "did not come", "after": 0}, request_only=True)
        ],
        responses={200: shapes.FixtureSerializer, **WRITE},
    )
    def post(self, request: Request, fixture: str) -> Response:
        """For assistants."""
        found = access.fixture_as(request.user, fixture, Role.ASSISTANT)
        fields = validated(fixture_shapes.ForfeitSerializer, request)
        common = _common(request, fields)
        if fields["side"] == "both":
            kind = Result.Kind.DOUBLE_FORFEIT
            results.enter_result(fixture=found, result=ResultInput(None, kind=kind), **common)
        else:
            results.forfeit(fixture=found, side=int(fields["side"]), **common)
        return answer(request, found)


class AnswerObjection(APIView):
    """A player's objection, answered."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="fixtures_objection",
        summary="Uphold or dismiss a player's objection to the result",
        description="For directors. Upheld, the result still stands until it is corrected.",
        parameters=[AFTER],
        request=fixture_shapes.ObjectionAnswerSerializer,
        examples=[
            OpenApiExample(
                "Dismissed",
                value={"objection": "k3m9x2p7qa", "upheld": False, "reason": "Two saw it end.", "after": 4},
                request_only=True,
            )
        ],
        responses={200: shapes.FixtureSerializer, **WRITE},
    )
    def post(self, request: Request, fixture: str) -> Response:
        """409 `stale`, `objection_answered`."""
        found = access.fixture_as(request.user, fixture, Role.DIRECTOR)
        fields = validated(fixture_shapes.ObjectionAnswerSerializer, request)
        common = _common(request, fields)
        objections.answer_objection(
            objection=access.objection_of(found, fields["objection"]),
            upheld=fields["upheld"],
            answer=common.pop("reason"),
            **common,
        )
        return answer(request, found)


class Rule(APIView):
    """A ruling."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="fixtures_rule",
        summary="Rule on a match",
        description="For directors; ends a dispute. The reason is shown to both players.",
        parameters=[AFTER],
        request=fixture_shapes.RulingSerializer,
        examples=[
            OpenApiExample("Ruling", value={"winner": 0, "score": [11, 9], "reason": "sheet signed", "after": 2},
                           request_only=True)
        ],
        responses={200: shapes.FixtureSerializer, **WRITE},
    )  # fmt: skip
    def post(self, request: Request, fixture: str) -> Response:
        """409 `stale`, `successor_begun`; 422 `ruling_needs_reason`."""
        found = access.fixture_as(request.user, fixture, Role.DIRECTOR)
        fields = validated(fixture_shapes.RulingSerializer, request)
        score = fields.get("score")
        pair = (score[0], score[1]) if score else None
        results.rule(fixture=found, winner=fields["winner"], score=pair, **_common(request, fields))
        return answer(request, found)


class Accept(APIView):
    """A rejected record let stand."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="fixtures_accept_record",
        summary="Let a rejected record stand by ruling, naming the findings waived",
        parameters=[AFTER],
        request=fixture_shapes.AcceptRecordSerializer,
        examples=example(
            submission="k7m2q9x4ab",
            waived=[{"code": "illegal_play", "game": 2, "ply": 17}],
            reason="Both agree.",
            after=2,
        ),
        responses={200: shapes.FixtureSerializer, **WRITE},
    )
    def post(self, request: Request, fixture: str) -> Response:
        """422 `findings_not_waived` names what is missing."""
        found = access.fixture_as(request.user, fixture, Role.DIRECTOR)
        fields = validated(fixture_shapes.AcceptRecordSerializer, request)
        record = found.match.submissions.filter(public_id=fields["submission"]).first() if found.match else None
        if record is None:
            raise Http404
        waived = [(one["code"], one["game"], one["ply"]) for one in fields["waived"]]
        score = fields["score"]
        results.accept_record(
            fixture=found,
            submission=record,
            waived=waived,
            swapped=fields["swapped"],
            winner=fields["winner"],
            score=(score[0], score[1]) if score else None,
            **_common(request, fields),
        )
        return answer(request, found)


class Extend(APIView):
    """More time for one match."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="fixtures_deadline",
        summary="Move the deadline of one match",
        parameters=[AFTER],
        request=fixture_shapes.DueSerializer,
        examples=example(due_at="2026-12-04T20:00:00+01:00", after=1),
        responses={200: shapes.FixtureSerializer, **WRITE},
    )
    def put(self, request: Request, fixture: str) -> Response:
        """422 `deadline_not_ahead` for an instant that has passed."""
        found = access.fixture_as(request.user, fixture, Role.DIRECTOR)
        fields = validated(fixture_shapes.DueSerializer, request)
        after = read_after(request, fields)
        deadlines.extend_deadline(
            fixture=found, due_at=fields["due_at"], after=after, by=by(request), now=timezone.now()
        )
        return answer(request, found)


class WithdrawSide(APIView):
    """One of the two comes no more."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="fixtures_withdraw",
        summary="Withdraw one of the two from this bracket, the division or the event",
        request=fixture_shapes.SideSerializer,
        examples=example(side=1, scope="division", reason="He is ill."),
        responses={200: shapes.FixtureSerializer, **WRITE},
    )
    def post(self, request: Request, fixture: str) -> Response:
        """For directors."""
        found = access.fixture_as(request.user, fixture, Role.DIRECTOR)
        fields = validated(fixture_shapes.SideSerializer, request)
        slot = found.slots.select_related("entry__player", "fixture__stage", "fixture__round__bracket").get(
            side=fields["side"]
        )
        if slot.entry is None:
            raise Refused("not_entered", name="")
        what: dict[str, Any] = {"by": by(request), "now": timezone.now(), "reason": fields.get("reason", "")}
        if fields["scope"] == "bracket":
            results.withdraw_from_bracket(slot=slot, **what)
        elif fields["scope"] == "event":
            tournament = found.stage.division.tournament
            entries.withdraw_from_event(tournament=tournament, player=slot.entry.player, **what)
        else:
            entries.withdraw(entry=slot.entry, **what)
        return answer(request, found)


class OneLine(APIView):
    """A result in one line."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_line",
        summary="Enter a result in one line",
        request=fixture_shapes.LineSerializer,
        examples=[OpenApiExample("M22", value={"line": "m22 11-7"}, request_only=True)],
        responses={200: shapes.FixtureSerializer, **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """422 with a code that says what is wrong with the line."""
        found = access.tournament_by_id(request.user, tournament, Role.ASSISTANT)
        fields = validated(fixture_shapes.LineSerializer, request)
        division = division_on_screen(found, fields.get("division"))
        done = enter_line(tournament=found, text=fields["line"], division=division, by=by(request), now=timezone.now())
        return answer(request, done.fixture)
