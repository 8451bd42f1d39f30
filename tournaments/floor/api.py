"""API of the floor: its tables, matches and queue, closing time, and shorter matches."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView
from core.messages import sentence
from core.repeats import Repeat, repeated
from matches.lifecycle.at_tables import LengthOffer
from matches.models.matches import MAX_MATCH
from matches.reporting.serializers import WhereSerializer, where_data
from players.access import Role, is_at_least, role_in
from players.actors import Actor
from players.kept.api import CODES, OUTBOX, OutboxSerializer, outbox_data
from tournaments import access
from tournaments.floor import selectors
from tournaments.floor.closing_time import (
    CLOSING_RULES,
    MAX_POINTS_LEFT,
    ClosedMatch,
    ClosingTime,
    RunningMatch,
    close_matches,
    closing_time,
)
from tournaments.floor.flows import Flow, ReadFlows, read_flows
from tournaments.floor.kept.going_on import GoingOn, about_event, newest_fact
from tournaments.floor.lines import enter_lines
from tournaments.floor.selectors import FloorView
from tournaments.floor.sentences import waits_for
from tournaments.floor.state import FloorMatchState, MatchOnFloor, TableState
from tournaments.floor.undo import last_act, preview_undo
from tournaments.floor.waiting import waiting_in
from tournaments.models import Autopilot, Fixture, Table, Tournament
from tournaments.results.api import division_on_screen
from tournaments.results.lines import MAX_TEXT_LENGTH
from tournaments.results.quick_entry import LineOutcome, OutcomeKind
from tournaments.state.api import READ, WRITE, by, example, validated
from tournaments.state.names import shown_entry

# API of the floor: its tables, matches and queue, and closing time.
#
# Directors act on it by lines (`floor/api/lines.py`).


class TakenTableSerializer(serializers.Serializer[Any]):
    """A match of another event."""

    event = serializers.CharField()
    number = serializers.IntegerField()


class FloorTableSerializer(serializers.Serializer[Any]):
    """A table of an event."""

    public_id = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # A serializer has a label of its own.
    category = serializers.ChoiceField([(category.value, category.value) for category in Table.Category])
    state = serializers.ChoiceField([(state.value, state.value) for state in TableState])
    fixture = serializers.CharField(allow_null=True, help_text="The match that is played at it.")
    suggested = serializers.CharField(allow_null=True, help_text="A match to call to it.")
    reason = serializers.CharField(allow_blank=True, help_text="Why it is out of use.")
    elsewhere = TakenTableSerializer(allow_null=True, help_text="The match of another event by which it is taken.")


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


class EntrantSerializer(serializers.Serializer[Any]):
    """Somebody who plays, or can come to play, in a match."""

    entry = serializers.CharField()
    name = serializers.CharField()


class FloorMatchSerializer(serializers.Serializer[Any]):
    """A match as it stands on the floor."""

    fixture = serializers.CharField()
    number = serializers.IntegerField()
    state = serializers.ChoiceField([(state.value, state.value) for state in FloorMatchState])
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
    sides = serializers.ListField(
        child=EntrantSerializer(allow_null=True),
        required=False,
        help_text="With `outbox`: the entries by side; null: to be decided.",
    )
    possible = serializers.ListField(
        child=EntrantSerializer(many=True),
        required=False,
        help_text="With `outbox`: the entries that can still come to each side; empty where it is decided.",
    )
    then = serializers.CharField(required=False, help_text="With `outbox`: what follows from its result; may be empty.")
    saw = serializers.DictField(
        required=False, help_text="With `outbox`: what is shown of it beside its players and scores, for `saw` of acts."
    )
    needs_reason = serializers.BooleanField(
        required=False, help_text="With `outbox`: whether you play in it, so that its result needs the server."
    )


class RunningMatchSerializer(serializers.Serializer[Any]):
    """A match that is being played, with its running score as you saw it."""

    fixture = serializers.CharField(max_length=10)
    score = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MAX_MATCH), min_length=2, max_length=2
    )


class ClosingTimeSerializer(serializers.Serializer[Any]):
    """The matches that are being played at the tables, and what the event's rule says about them."""

    rule = serializers.ChoiceField(Tournament.ClosingRule.choices)
    is_over = serializers.BooleanField(help_text="Whether the end of the event has come.")
    running = RunningMatchSerializer(many=True)
    called = RunningMatchSerializer(many=True, help_text="Matches that are called; `adjourn` takes them, too.")
    waiting = serializers.IntegerField(help_text="How many other matches can be called, one of each person.")


class CloseMatchesSerializer(serializers.Serializer[Any]):
    """What to do with matches that still run."""

    rule = serializers.ChoiceField(CLOSING_RULES)
    matches = RunningMatchSerializer(many=True, allow_empty=False, help_text="As `closing_time.running` has them.")
    points = serializers.IntegerField(
        min_value=1,
        max_value=MAX_POINTS_LEFT,
        required=False,
        help_text="For `shorten`: the points that each leader then still needs. Only if the players agree.",
    )


class ClosedMatchSerializer(serializers.Serializer[Any]):
    """What became of a match at closing time."""

    fixture = serializers.CharField()
    number = serializers.IntegerField()
    code = serializers.CharField(allow_null=True, help_text="Why it was refused.")
    message = serializers.CharField()


class UndoableSerializer(serializers.Serializer[Any]):
    """What you did last at an event."""

    act = serializers.CharField(help_text="Its name, to undo it.")
    text = serializers.CharField()
    follows = serializers.CharField(help_text="What undoing it does beside, or why it cannot be undone; mostly empty.")
    settle_at = serializers.DateTimeField(allow_null=True, help_text="When something follows from this result.")


class WaitingSerializer(serializers.Serializer[Any]):
    """A player who is still in and plays no match."""

    entry = serializers.CharField()
    name = serializers.CharField()
    left = serializers.IntegerField(help_text="Lives left; in a Swiss, matches left.")
    matches = serializers.IntegerField(help_text="Matches begun or missed.")
    since = serializers.DateTimeField()
    code = serializers.CharField(help_text="Why they wait.")
    reason = serializers.CharField()


class MissedMatchSerializer(serializers.Serializer[Any]):
    """A match that a player missed while away."""

    missed = serializers.IntegerField(help_text="Its number, to take it back.")
    entry = serializers.CharField()


class FloorFlowSerializer(serializers.Serializer[Any]):
    """A stage without rounds that is being played, as its directors see it."""

    stage = serializers.CharField()
    seq = serializers.IntegerField(help_text="Of its division, for `after`.")
    held = serializers.BooleanField()
    due_at = serializers.DateTimeField(allow_null=True, help_text="When the next pairs are made.")
    pairs = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="The entries that can be paired and called now.",
    )
    waiting = WaitingSerializer(many=True)
    missed = MissedMatchSerializer(many=True)


class FloorSerializer(serializers.Serializer[Any]):
    """The floor of an event."""

    autopilot = serializers.ChoiceField([(mode.value, mode.value) for mode in Autopilot])
    paused = serializers.BooleanField()
    paused_until = serializers.DateTimeField(allow_null=True)
    closing_time = ClosingTimeSerializer()
    not_here = serializers.ListField(
        child=serializers.CharField(),
        help_text="The players who are not called because they are not here; for the staff.",
    )
    undoable = UndoableSerializer(allow_null=True)
    flows = FloorFlowSerializer(many=True, help_text="The stages without rounds; for the staff.")
    faulty = serializers.ListField(
        child=serializers.CharField(), help_text="Divisions whose pairing has failed, by public id; for the staff."
    )
    tables = FloorTableSerializer(many=True)
    matches = FloorMatchSerializer(many=True)
    kept = OutboxSerializer(required=False, help_text="With `outbox`, for the staff and helpers: how that stands.")


@open_to(get=Who.EVERYBODY)
class FloorOfEvent(APIView):
    codes = CODES

    @extend_schema(
        operation_id="tournaments_floor",
        summary="Tables, calls and queue of an event",
        description="Matches are called and started, and tables freed, by lines (`/lines/`).",
        parameters=[OUTBOX],
        responses={200: FloorSerializer, **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """The state now; only staff see in full the names of players who show initials.

        With `outbox`, for the staff and helpers alone, also what a browser needs to go on without a connection.
        """
        event, now = access.tournament_by_id(request.user, tournament), timezone.now()
        staff = is_at_least(role_in(request.user, event.club), Role.ASSISTANT)
        outbox, reader = request.query_params.get("outbox"), by(request)
        if outbox is None:
            return Response(FloorSerializer(floor_body(selectors.floor(event, now, staff=staff), reader)).data)
        keeps = staff or access.is_helper(request.user, event)
        if not keeps:
            # A browser that has lost its session or role has to hear it.
            raise exceptions.PermissionDenied if request.user.is_authenticated else exceptions.NotAuthenticated
        # Before the floor is read, so that nothing counts as seen that is not shown.
        kept = outbox_data(request, about_event(event, reader), _name(reader), newest_fact(event), now)
        view = selectors.floor(event, now, staff=keeps)
        body, going_on = floor_body(view, reader), GoingOn(view, reader)
        for row, match in zip(body["matches"], view.matches.values(), strict=True):
            row |= going_on.body(match)
        return Response(FloorSerializer({**body, "kept": kept}).data)


@open_to(post=Who.DIRECTORS)
class CloseMatches(APIView):
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
    @repeated(Repeat.STATE)
    def post(self, request: Request, tournament: str) -> Response:
        """What became of each match, in the order of the request."""
        event = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        fields = validated(CloseMatchesSerializer, request)
        if fields["rule"] == Tournament.ClosingRule.SHORTEN and "points" not in fields:
            raise exceptions.ValidationError(
                {"points": [serializers.Field.default_error_messages["required"]]}, code="required"
            )
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
        raise exceptions.ValidationError({"matches": ["This event has no such match."]}, code="unknown")
    return [RunningMatch(fixtures[match["fixture"]], (match["score"][0], match["score"][1])) for match in matches]


def _closed(row: ClosedMatch) -> dict[str, Any]:
    refused = row.refused
    return {
        "fixture": row.fixture.public_id,
        "number": row.fixture.number,
        "code": refused.code if refused is not None else None,
        "message": sentence(refused.code, refused.params) if refused is not None else row.text,
    }


def _flow(flow: Flow, view: FloorView) -> dict[str, Any]:
    entries = flow.state.rows.of_division.entries
    missed = flow.state.rows.of_division.missed.get(flow.stage.pk, ())
    return {
        "stage": flow.stage.public_id,
        "seq": flow.division.seq,
        "held": flow.held,
        "due_at": flow.decision.due_at,
        "pairs": [[entries[pair.first].public_id, entries[pair.second].public_id] for pair, _table in flow.granted],
        "waiting": [
            {
                "entry": row.entry.public_id,
                "name": shown_entry(row.entry, staff=True),
                "left": row.left,
                "matches": row.begun,
                "since": row.since,
                "code": row.code,
                "reason": waits_for(row.code, row.params, view.zone, you=False),
            }
            for row in waiting_in(flow, view.state, view.now)
        ],
        "missed": [
            {"missed": row.pk, "entry": entries[row.entry_id].public_id} for row in missed if row.batch_id is not None
        ],
    }


def floor_body(view: FloorView, reader: Actor) -> dict[str, Any]:
    pause = view.state.pause
    flows = read_flows(view.tournament, view.state, view.now) if view.for_staff else ReadFlows([], [])
    undoable = last_act(view.tournament, reader) if view.for_staff and reader.user is not None else None
    undo_preview = preview_undo(undoable)
    return {
        "autopilot": view.facts.autopilot.value,
        "paused": pause is not None,
        "paused_until": pause.until if pause is not None else None,
        "closing_time": _closing_time(closing_time(view)),
        "not_here": [view.names[player] for player in view.state.not_here] if view.for_staff else [],
        "flows": [_flow(flow, view) for flow in flows.flows],
        "faulty": [stage.division.public_id for stage in flows.faulty],
        "undoable": None
        if undoable is None
        else {
            "act": undoable.name,
            "text": undoable.text,
            "follows": undo_preview.text if undo_preview is not None else "",
            "settle_at": undoable.settle_at,
        },
        "tables": [
            {
                "public_id": table.facts.public_id,
                "label": table.facts.label,
                "category": table.facts.category.value,
                "state": table.state.value,
                "fixture": table.match.facts.public_id if table.match else None,
                "suggested": table.suggested.facts.public_id if table.suggested else None,
                "reason": table.reason,
                "elsewhere": table.elsewhere if table.state == TableState.ELSEWHERE else None,
            }
            for table in view.tables.values()
        ],
        "matches": [match_body(view, match) for match in view.matches.values()],
    }


def _name(reader: Actor) -> str:
    return reader.user.display_name if reader.user is not None else ""


def _closing_time(closing: ClosingTime) -> dict[str, Any]:
    return {
        "rule": closing.rule,
        "is_over": closing.is_over,
        "running": [{"fixture": row.match.facts.public_id, "score": row.score} for row in closing.running],
        "called": [{"fixture": row.match.facts.public_id, "score": row.score} for row in closing.called],
        "waiting": closing.left.waiting,
    }


def match_body(view: FloorView, match: MatchOnFloor) -> dict[str, Any]:
    where, shortened = view.where(match), match.shortened
    return {
        "fixture": match.facts.public_id,
        "number": match.number,
        "state": where.state.value if where.is_to_come else match.state.value,
        "where": where_data(where),
        "players": match.facts.names,
        "table": match.where.table or None,
        "score": where.score,
        "called_at": match.called_at,
        "started_at": match.started_at,
        "position": match.position,
        "reasons": view.reasons(match) if view.for_staff else (),
        "length": match.facts.length,
        "on_offer": None if match.offer is None else _on_offer(match.offer),
        "shortened": None if shortened is None else {"fact": shortened.id, "was": shortened.params["was"]},
    }


def _on_offer(offer: LengthOffer) -> dict[str, Any]:
    return {"offer": offer.number, "length": offer.length, "side": offer.side, "agreed": sorted(offer.agreed)}


class LinesSerializer(serializers.Serializer[Any]):
    """Results typed as lines."""

    lines = serializers.CharField(
        max_length=MAX_TEXT_LENGTH,
        trim_whitespace=False,
        help_text=(
            "Separated by `;` or line breaks: `m22 11-7`, `bob 7-4`, `m3 forfeit smith`, `undo`, `undo m22`; on the "
            "floor of an event also `t5 7-4`, `t5 call m30`, `m30 start`, `m30 run 5-3`, `t5 free`, `late smith 10`, "
            "`pause 20:00`."
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
        "message": outcome.sentence,
    }


@open_to(post=Who.HELPERS)
class ResultLines(APIView):
    @extend_schema(
        operation_id="tournaments_lines",
        summary="Enter several results, one per line",
        description=(
            "For assistants and helpers. A refused line does not stop the others; `undo` takes back what you did last, "
            "`undo m22` what was done last at a match. Nothing follows from a first result for some seconds."
        ),
        request=LinesSerializer,
        examples=example(lines="m22 11-7; bob 7-4"),
        responses={200: OutcomeSerializer(many=True), **WRITE},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, tournament: str) -> Response:
        """What happened to each line, in order; 422 `line_empty`, `too_many_results`."""
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        fields = validated(LinesSerializer, request)
        division = division_on_screen(event, fields.get("division"))
        outcomes = enter_lines(
            tournament=event, text=fields["lines"], division=division, by=by(request), now=timezone.now()
        )
        return Response(OutcomeSerializer([_line_body(outcome) for outcome in outcomes], many=True).data)
