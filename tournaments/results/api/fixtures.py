"""API of single fixtures: results, forfeits, rulings, records, objections, deadlines, withdrawals, one-line entry."""

from typing import Any, ClassVar

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.reporting import objections
from matches.reporting.records import RecordRuling
from players.access import Role
from tournaments import access
from tournaments.events.services import deadlines
from tournaments.models import Division, Fixture, Tournament
from tournaments.results.api import fixture_serializers as serializers
from tournaments.results.services import results
from tournaments.results.services.quick_entry import enter_line
from tournaments.results.services.withdrawals import withdraw_side
from tournaments.standings.api.brackets import fixture_body, rows_and_names, seq_of
from tournaments.standings.selectors import brackets
from tournaments.state.api import AFTER, READ, WRITE, by, example, read_after, validated, with_etag
from tournaments.state.serializers import FixtureSerializer


def fixture_response(request: Request, fixture: Fixture) -> Response:
    """Return a fixture as it is now; the ETag is its match's `seq`."""
    rounds, names = rows_and_names(request, fixture.stage.division)
    targets = brackets.targets(rounds)
    row = next(row for round_ in rounds for row in round_.fixtures if row.public_id == fixture.public_id)
    body = FixtureSerializer(fixture_body(row, names, targets)).data
    return with_etag(body, seq_of(row, names))


def division_on_screen(tournament: Tournament, public_id: str | None) -> Division | None:
    """Return the division that a client names, or None. Refused: `line_no_division`."""
    if public_id is None:
        return None
    division = tournament.divisions.filter(public_id=public_id).first()
    if division is None:
        raise Refused("line_no_division", name=public_id)
    return division


class OneFixture(APIView):
    """A fixture."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(operation_id="fixtures_retrieve", summary="A fixture", responses={200: FixtureSerializer, **READ})
    def get(self, request: Request, fixture: str) -> Response:
        """As everyone sees it."""
        return fixture_response(request, access.fixture(request.user, fixture))


class FixtureAction(APIView):
    """Base of the endpoints that change one fixture and answer with it."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    needed_role: ClassVar[access.Needed] = Role.DIRECTOR
    serializer_class: ClassVar[type[Any]]

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Call the service with the validated fields."""
        raise NotImplementedError

    def respond(self, request: Request, public_id: str) -> Response:
        """Authorise, validate, act, and return the fixture as it is then."""
        fixture = access.fixture_as(request.user, public_id, self.needed_role)
        self.act(request, fixture, validated(self.serializer_class, request))
        return fixture_response(request, fixture)


class PostFixtureAction(FixtureAction):
    """A `FixtureAction` that is sent by POST."""

    def post(self, request: Request, fixture: str) -> Response:
        return self.respond(request, fixture)


def _common(request: Request, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "by": by(request),
        "now": timezone.now(),
        "after": read_after(request, fields),
        "reason": fields.get("reason", ""),
    }


def _pair(score: list[int] | None) -> tuple[int, int] | None:
    return (score[0], score[1]) if score else None


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_result",
        summary="Enter the score of a match that was played",
        description="For assistants and helpers. Sending the same result twice records it once.",
        parameters=[AFTER],
        request=serializers.PlayedScoreSerializer,
        examples=[OpenApiExample("11–7", value={"score": [11, 7], "after": 0}, request_only=True)],
        responses={200: FixtureSerializer, **WRITE},
    )
)
class EnterResult(PostFixtureAction):
    """The score of a match. 409 `stale`, `fixture_not_ready`, `successor_begun`."""

    needed_role = access.HELPER
    serializer_class = serializers.PlayedScoreSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Enter the score."""
        left, right = fields["score"]
        results.enter_result(fixture=fixture, result=ResultInput.played((left, right)), **_common(request, fields))


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_forfeit",
        summary="Record a forfeit by one side or both",
        description="For assistants and helpers.",
        parameters=[AFTER],
        request=serializers.ForfeitSerializer,
        examples=[
            OpenApiExample("Side 1", value={"side": "1", "reason": "did not come", "after": 0}, request_only=True)
        ],
        responses={200: FixtureSerializer, **WRITE},
    )
)
class Forfeit(PostFixtureAction):
    """A forfeited match."""

    needed_role = access.HELPER
    serializer_class = serializers.ForfeitSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Record the forfeit."""
        side = None if fields["side"] == "both" else int(fields["side"])
        results.forfeit(fixture=fixture, side=side, **_common(request, fields))


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_objection",
        summary="Uphold or dismiss a player's objection to the result",
        description="For directors. Upheld, the result still stands until it is corrected.",
        parameters=[AFTER],
        request=serializers.ObjectionAnswerSerializer,
        examples=[
            OpenApiExample(
                "Dismissed",
                value={"objection": "k3m9x2p7qa", "upheld": False, "reason": "Two saw it end.", "after": 4},
                request_only=True,
            )
        ],
        responses={200: FixtureSerializer, **WRITE},
    )
)
class AnswerObjection(PostFixtureAction):
    """The answer to a player's objection. 409 `stale`, `objection_answered`."""

    serializer_class = serializers.ObjectionAnswerSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Answer the objection."""
        common = _common(request, fields)
        objections.answer_objection(
            objection=access.objection_of(fixture, fields["objection"]),
            upheld=fields["upheld"],
            answer=common.pop("reason"),
            **common,
        )


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_rule",
        summary="Rule on a match",
        description="For directors; ends a dispute. The reason is shown to both players.",
        parameters=[AFTER],
        request=serializers.RulingSerializer,
        examples=[
            OpenApiExample(
                "Ruling", value={"winner": 0, "score": [11, 9], "reason": "sheet signed", "after": 2}, request_only=True
            )
        ],
        responses={200: FixtureSerializer, **WRITE},
    )
)
class Rule(PostFixtureAction):
    """A ruling. 409 `stale`, `successor_begun`; 422 `ruling_needs_reason`."""

    serializer_class = serializers.RulingSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Decide the match."""
        score = _pair(fields.get("score"))
        results.rule(fixture=fixture, winner=fields["winner"], score=score, **_common(request, fields))


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_accept_record",
        summary="Accept a rejected record by ruling, naming the findings waived",
        description="For directors. 422 `findings_not_waived` names what is missing.",
        parameters=[AFTER],
        request=serializers.AcceptRecordSerializer,
        examples=example(
            submission="k7m2q9x4ab",
            waived=[{"code": "illegal_play", "game": 2, "ply": 17}],
            reason="Both agree.",
            after=2,
        ),
        responses={200: FixtureSerializer, **WRITE},
    )
)
class Accept(PostFixtureAction):
    """A rejected record accepted by ruling."""

    serializer_class = serializers.AcceptRecordSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Accept the record."""
        records = fixture.match.submissions if fixture.match else None
        record = records.filter(public_id=fields["submission"]).first() if records else None
        if record is None:
            raise Http404
        results.accept_record(
            fixture=fixture,
            submission=record,
            ruling=RecordRuling(
                waived=[(finding["code"], finding["game"], finding["ply"]) for finding in fields["waived"]],
                swapped=fields["swapped"],
                winner=fields["winner"],
                score=_pair(fields["score"]),
                reason=fields.get("reason", ""),
            ),
            by=by(request),
            now=timezone.now(),
            after=read_after(request, fields),
        )


@extend_schema_view(
    put=extend_schema(
        operation_id="fixtures_deadline",
        summary="Move the deadline of one match",
        description="For directors. 422 `deadline_not_ahead` for an instant that has passed.",
        parameters=[AFTER],
        request=serializers.DueSerializer,
        examples=example(due_at="2026-12-04T20:00:00+01:00", after=1),
        responses={200: FixtureSerializer, **WRITE},
    )
)
class Extend(FixtureAction):
    """A new deadline for one match."""

    serializer_class = serializers.DueSerializer

    def put(self, request: Request, fixture: str) -> Response:
        return self.respond(request, fixture)

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Move the deadline."""
        after = read_after(request, fields)
        deadlines.extend_deadline(
            fixture=fixture, due_at=fields["due_at"], after=after, by=by(request), now=timezone.now()
        )


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_withdraw",
        summary="Withdraw one of the two from this bracket, the division or the event",
        description="For directors.",
        request=serializers.SideSerializer,
        examples=example(side=1, scope="division", reason="Ill."),
        responses={200: FixtureSerializer, **WRITE},
    )
)
class WithdrawSide(PostFixtureAction):
    """The withdrawal of one of the two players."""

    serializer_class = serializers.SideSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Withdraw the player."""
        reason = fields.get("reason", "")
        withdraw_side(
            fixture=fixture,
            side=fields["side"],
            scope=fields["scope"],
            by=by(request),
            now=timezone.now(),
            reason=reason,
        )


class OneLine(APIView):
    """A result typed as one line."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_line",
        summary="Enter a result in one line",
        request=serializers.LineSerializer,
        examples=[OpenApiExample("M22", value={"line": "m22 11-7"}, request_only=True)],
        responses={200: FixtureSerializer, **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """For assistants and helpers. 422 with a code that says what is wrong with the line."""
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        fields = validated(serializers.LineSerializer, request)
        division = division_on_screen(event, fields.get("division"))
        entered = enter_line(
            tournament=event, text=fields["line"], division=division, by=by(request), now=timezone.now()
        )
        return fixture_response(request, entered.fixture)
