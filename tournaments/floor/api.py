"""API of the floor: its tables, matches and queue, closing time, and shorter matches."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import exceptions, serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import APIView
from core.messages import sentence
from matches.models.matches import LONGEST_MATCH
from matches.reporting.serializers import WhereSerializer, where_data
from players.access import Role, is_at_least, role_in
from tournaments import access
from tournaments.floor import evening, length_offers, selectors
from tournaments.floor.closing_time import (
    CLOSING_RULES,
    MOST_POINTS_LEFT,
    ClosedMatch,
    ClosingTime,
    RunningMatch,
    close_matches,
    closing_time,
)
from tournaments.floor.lines import enter_lines
from tournaments.floor.selectors import FloorView, MatchView
from tournaments.floor.state import LengthOffer, MatchState, TableState
from tournaments.models import Autopilot, Fixture, FloorEvent, FloorKind, Table, Tournament
from tournaments.results.api import division_on_screen
from tournaments.results.lines import LONGEST_TEXT
from tournaments.results.quick_entry import LineOutcome, OutcomeKind, outcome_text
from tournaments.state.api import READ, WRITE, by, example, validated

# API of the floor: its tables, matches and queue, and closing time.
#
# Directors act on it by lines (`floor/api/lines.py`).


class FloorTableSerializer(serializers.Serializer[Any]):
    """A table of an event."""

    public_id = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # A serializer has a label of its own.
    category = serializers.ChoiceField([(category.value, category.value) for category in Table.Category])
    state = serializers.ChoiceField([(state.value, state.value) for state in TableState])
    fixture = serializers.CharField(allow_null=True, help_text="The match that is played at it.")
    suggested = serializers.CharField(allow_null=True, help_text="A match to call to it.")
    reason = serializers.CharField(allow_blank=True, help_text="Why it is out of use.")


class OnOfferSerializer(serializers.Serializer[Any]):
    """A shorter length on which the players of a match can agree."""

    offer = serializers.IntegerField(help_text="Its number, to withdraw it.")
    length = serializers.IntegerField()
    side = serializers.IntegerField(allow_null=True, help_text="Who offers it; null: a director.")
    agreed = serializers.ListField(child=serializers.IntegerField(), help_text="The sides that agree to it.")


class ShortenedSerializer(serializers.Serializer[Any]):
    """That a match was shortened."""

    fact = serializers.IntegerField(help_text="To take it back.")
    was = serializers.IntegerField(help_text="Its length before.")


class FloorMatchSerializer(serializers.Serializer[Any]):
    """A match as it stands on the floor."""

    fixture = serializers.CharField()
    number = serializers.IntegerField()
    state = serializers.ChoiceField([(state.value, state.value) for state in MatchState])
    where = WhereSerializer()
    players = serializers.ListField(child=serializers.CharField(allow_blank=True), help_text="Empty: to be decided.")
    table = serializers.CharField(allow_null=True, help_text="The label of its table.")
    score = serializers.ListField(child=serializers.IntegerField(), allow_null=True, help_text="Running score.")
    called_at = serializers.DateTimeField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    position = serializers.IntegerField(allow_null=True, help_text="Place in the queue, from 1.")
    reasons = serializers.ListField(child=serializers.CharField(), help_text="Why it waits; for the staff.")
    length = serializers.IntegerField()
    on_offer = OnOfferSerializer(allow_null=True)
    shortened = ShortenedSerializer(allow_null=True)


class RunningMatchSerializer(serializers.Serializer[Any]):
    """A match that is being played, with its running score as you saw it."""

    fixture = serializers.CharField(max_length=10)
    score = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=LONGEST_MATCH), min_length=2, max_length=2
    )


class ClosingTimeSerializer(serializers.Serializer[Any]):
    """The matches that are being played at the tables, and what the event's rule says about them."""

    rule = serializers.ChoiceField(Tournament.ClosingRule.choices)
    is_over = serializers.BooleanField(help_text="Whether the end of the event has come.")
    running = RunningMatchSerializer(many=True)


class CloseMatchesSerializer(serializers.Serializer[Any]):
    """What to do with matches that still run."""

    rule = serializers.ChoiceField(CLOSING_RULES)
    matches = RunningMatchSerializer(many=True, allow_empty=False, help_text="As `closing_time.running` has them.")
    points = serializers.IntegerField(
        min_value=1,
        max_value=MOST_POINTS_LEFT,
        required=False,
        help_text="For `shorten`: the points that each leader then still needs. Only if the players agree.",
    )


class ClosedMatchSerializer(serializers.Serializer[Any]):
    """What became of a match at closing time."""

    fixture = serializers.CharField()
    number = serializers.IntegerField()
    code = serializers.CharField(allow_null=True, help_text="Why it was refused.")
    message = serializers.CharField()


class FloorSerializer(serializers.Serializer[Any]):
    """The floor of an event."""

    autopilot = serializers.ChoiceField([(mode.value, mode.value) for mode in Autopilot])
    paused = serializers.BooleanField()
    paused_until = serializers.DateTimeField(allow_null=True)
    closing_time = ClosingTimeSerializer()
    tables = FloorTableSerializer(many=True)
    matches = FloorMatchSerializer(many=True)


class FloorOfEvent(APIView):
    """The floor of an event."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_floor",
        summary="Tables, calls and queue of an event",
        description="Matches are called and started, and tables freed, by lines (`/lines/`).",
        responses={200: FloorSerializer, **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """The state now; only staff see in full the names of players who show initials."""
        event = access.tournament_by_id(request.user, tournament)
        staff = is_at_least(role_in(request.user, event.club), Role.ASSISTANT)
        view = selectors.floor(event, timezone.now(), staff=staff)
        return Response(FloorSerializer(_body(view)).data)


class CloseMatches(APIView):
    """Closing time."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_floor_close",
        summary="Do the same with all matches that still run at closing time",
        description=(
            "For directors. A refused match does not stop the others; each is undone by itself. `leader` and `shorten` "
            "refuse a match whose running score is not the one you send (`running_score_changed`)."
        ),
        request=CloseMatchesSerializer,
        examples=example(rule="adjourn", matches=[{"fixture": "k7m2p9x4qa", "score": [5, 3]}]),
        responses={200: ClosedMatchSerializer(many=True), **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """What became of each match, in the order of the request."""
        event = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        fields = validated(CloseMatchesSerializer, request)
        if fields["rule"] == Tournament.ClosingRule.SHORTEN and "points" not in fields:
            raise exceptions.ValidationError({"points": [_("This field is required.")]}, code="required")
        closed = close_matches(
            rule=fields["rule"],
            running=_running(event, fields["matches"]),
            points=fields.get("points", 1),
            by=by(request),
            now=timezone.now(),
        )
        return Response(ClosedMatchSerializer([_closed(row) for row in closed], many=True).data)


def _running(tournament: Tournament, matches: Sequence[Mapping[str, Any]]) -> list[RunningMatch]:
    """Return the matches of the event that a request names; 422 for an unknown one."""
    rows = Fixture.objects.filter(stage__division__tournament=tournament).select_related("stage__division")
    fixtures = {row.public_id: row for row in rows.filter(public_id__in=[match["fixture"] for match in matches])}
    if any(match["fixture"] not in fixtures for match in matches):
        raise exceptions.ValidationError({"matches": [_("This event has no such match.")]}, code="unknown")
    return [RunningMatch(fixtures[match["fixture"]], (match["score"][0], match["score"][1])) for match in matches]


def _closed(row: ClosedMatch) -> dict[str, Any]:
    refused = row.refused
    return {
        "fixture": row.fixture.public_id,
        "number": row.fixture.number,
        "code": refused.code if refused is not None else None,
        "message": sentence(refused.code, refused.params) if refused is not None else row.text,
    }


def _body(view: FloorView) -> dict[str, Any]:
    pause = view.state.pause
    return {
        "autopilot": view.state.autopilot.value,
        "paused": pause is not None,
        "paused_until": pause.until if pause is not None else None,
        "closing_time": _closing_time(closing_time(view)),
        "tables": [
            {
                "public_id": table.public_id,
                "label": table.row.label,
                "category": table.row.category.value,
                "state": table.row.state.value,
                "fixture": table.match.public_id if table.match else None,
                "suggested": table.suggested.public_id if table.suggested else None,
                "reason": table.row.reason,
            }
            for table in view.tables.values()
        ],
        "matches": [match_body(match) for match in view.matches.values()],
    }


def _closing_time(closing: ClosingTime) -> dict[str, Any]:
    return {
        "rule": closing.rule,
        "is_over": closing.is_over,
        "running": [{"fixture": row.match.public_id, "score": row.score} for row in closing.running],
    }


def match_body(match: MatchView) -> dict[str, Any]:
    """Return what the API says of a match."""
    row, where = match.row, match.where
    return {
        "fixture": match.public_id,
        "number": match.number,
        "state": where.state.value if where.is_to_come else match.state.value,
        "where": where_data(where),
        "players": [side.name for side in match.sides],
        "table": match.table or None,
        "score": where.score,
        "called_at": row.called_at,
        "started_at": row.started_at,
        "position": row.position,
        "reasons": match.reasons if match.for_staff else (),
        "length": match.length,
        "on_offer": None if row.offer is None else _on_offer(row.offer),
        "shortened": None if row.shortened is None else {"fact": row.shortened.id, "was": row.shortened.params["was"]},
    }


def _on_offer(offer: LengthOffer) -> dict[str, Any]:
    return {"offer": offer.fact, "length": offer.length, "side": offer.side, "agreed": sorted(offer.agreed)}


# API of quick entry: several results typed as lines, and `undo`.


class LinesSerializer(serializers.Serializer[Any]):
    """Results typed as lines."""

    lines = serializers.CharField(
        max_length=LONGEST_TEXT,
        trim_whitespace=False,
        help_text=(
            "Separated by `;` or line breaks: `m22 11-7`, `bob 7-4`, `m3 forfeit smith`, `undo`; on the floor of an "
            "event also `t5 call m30`, `m30 start`, `m30 run 5-3`, `t5 free`, `late smith 10`, `pause 20:00`."
        ),
    )
    division = serializers.CharField(max_length=10, required=False, help_text="Used for lines that name no division.")


class OutcomeSerializer(serializers.Serializer[Any]):
    """What happened to one line."""

    line = serializers.CharField()
    what = serializers.ChoiceField([(kind.value, kind.value) for kind in OutcomeKind])
    fixture = serializers.CharField(allow_null=True)
    number = serializers.IntegerField(allow_null=True)
    code = serializers.CharField(allow_null=True, help_text="Why it was refused.")
    message = serializers.CharField(allow_blank=True)


def _line_body(outcome: LineOutcome) -> dict[str, Any]:
    return {
        "line": outcome.line,
        "what": outcome.what,
        "fixture": outcome.fixture.public_id if outcome.fixture else None,
        "number": outcome.fixture.number if outcome.fixture else None,
        "code": outcome.refused.code if outcome.refused else None,
        "message": outcome_text(outcome),
    }


class Lines(APIView):
    """Several results, one per line."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_lines",
        summary="Enter several results, one per line",
        description=(
            "For assistants and helpers. A refused line does not stop the others; `undo` takes back your last line."
        ),
        request=LinesSerializer,
        examples=example(lines="m22 11-7; bob 7-4"),
        responses={200: OutcomeSerializer(many=True), **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """What happened to each line, in order; 422 `line_empty`, `too_many_results`."""
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        fields = validated(LinesSerializer, request)
        division = division_on_screen(event, fields.get("division"))
        outcomes = enter_lines(
            tournament=event, text=fields["lines"], division=division, by=by(request), now=timezone.now()
        )
        return Response(OutcomeSerializer([_line_body(outcome) for outcome in outcomes], many=True).data)


# API with which directors shorten single matches, or propose that to their players.


class ShortenSerializer(serializers.Serializer[Any]):
    """A shorter length to which both players have agreed."""

    length = serializers.IntegerField(min_value=1, max_value=LONGEST_MATCH)
    agreed = serializers.BooleanField(help_text="That both players agree; must be true.")

    def validate_agreed(self, value: bool) -> bool:
        """Refuse anything but consent."""
        if not value:
            raise exceptions.ValidationError(_("Only if both players agree."), code="required")
        return value


class ProposeLengthSerializer(serializers.Serializer[Any]):
    """A shorter length to propose to both players."""

    length = serializers.IntegerField(min_value=1, max_value=LONGEST_MATCH)


class WithdrawLengthSerializer(serializers.Serializer[Any]):
    """The offer to withdraw."""

    offer = serializers.IntegerField(min_value=1, max_value=2**63 - 1)


class TakeBackLengthSerializer(serializers.Serializer[Any]):
    """The fact that shortened the match, as `shortened.fact` has it."""

    fact = serializers.IntegerField(min_value=1, max_value=2**63 - 1)


class _MatchAction(APIView):
    """Base of what a director does with the length of a match; the answer is the match as it then stands."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class: ClassVar[type[serializers.Serializer[Any]]]

    def post(self, request: Request, fixture: str) -> Response:
        """Authorise, validate, act."""
        row = access.fixture_as(request.user, fixture, Role.DIRECTOR)
        self.act(request, row, validated(self.serializer_class, request))
        view = selectors.floor(row.stage.division.tournament, timezone.now())
        return Response(FloorMatchSerializer(match_body(view.matches[row.pk])).data)

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Call the service with the validated fields."""
        raise NotImplementedError


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_shorten",
        summary="Shorten a match to which both players have agreed",
        description="For directors. Repeating it changes nothing.",
        request=ShortenSerializer,
        examples=example(length=5, agreed=True),
        responses={200: FloorMatchSerializer, **WRITE},
    )
)
class Shorten(_MatchAction):
    """A shorter length, at once."""

    serializer_class = ShortenSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Shorten it."""
        evening.shorten(fixture=fixture, length=fields["length"], by=by(request), now=timezone.now())


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_take_back_length",
        summary="Give a match the length back that it had before it was shortened, whoever shortened it",
        description="For directors. Repeating it changes nothing.",
        request=TakeBackLengthSerializer,
        examples=example(fact=17),
        responses={200: FloorMatchSerializer, **WRITE},
    )
)
class TakeBackLength(_MatchAction):
    """The length that a match had before."""

    serializer_class = TakeBackLengthSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Take it back; 422 for a fact that did not shorten this match."""
        facts = FloorEvent.objects.filter(fixture=fixture, kind=FloorKind.SHORTENED)
        event = facts.filter(pk=fields["fact"]).first()
        if event is None:
            raise exceptions.ValidationError({"fact": [_("This match was not shortened then.")]}, code="unknown")
        evening.take_back_length(fixture=fixture, event=event, by=by(request), now=timezone.now())


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_propose_length",
        summary="Propose a shorter length to both players of a match that is being played",
        description="For directors. It takes the place of what is on offer; the match changes once both agree.",
        request=ProposeLengthSerializer,
        examples=example(length=5),
        responses={200: FloorMatchSerializer, **WRITE},
    )
)
class ProposeLength(_MatchAction):
    """A shorter length that needs both players."""

    serializer_class = ProposeLengthSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Propose it."""
        length_offers.propose_length(fixture=fixture, length=fields["length"], by=by(request), now=timezone.now())


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_withdraw_length",
        summary="Withdraw the length that is on offer, whoever offers it",
        description="For directors. Repeating it changes nothing.",
        request=WithdrawLengthSerializer,
        examples=example(offer=17),
        responses={200: FloorMatchSerializer, **WRITE},
    )
)
class WithdrawLength(_MatchAction):
    """The end of an offer."""

    serializer_class = WithdrawLengthSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Withdraw it."""
        length_offers.decline_length(
            fixture=fixture, side=None, offer=fields["offer"], by=by(request), now=timezone.now()
        )
