"""API: events, divisions and helpers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView
from core.links import absolute_url
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NAME_LENGTH
from matches.lifecycle.play_rules import MAX_DELAY, MAX_NO_SHOW, MAX_OVERTIME, MAX_SPAN_DAYS
from matches.models import ClockPreset, LiveMatch, PlayMode
from matches.models.matches import MAX_MATCH
from players import access as people
from players.access import Role
from players.accounts.serializers import LOCATION, ZoneField
from players.actions import FormSerializer
from tournaments import access
from tournaments.access import Needed
from tournaments.events import deadlines, helpers, selectors, services
from tournaments.events.dates import is_announced, moved_dates
from tournaments.events.forms import TournamentForm
from tournaments.events.helpers import STATES, helpers_of, state_of
from tournaments.ledger.fields import MinorUnitsField
from tournaments.models import Division, Entry, Helper, Tournament
from tournaments.models.events import MAX_ENTRIES, MAX_ROUNDS
from tournaments.state import log
from tournaments.state.api import (
    AFTER,
    READ,
    WRITE,
    ReasonSerializer,
    by,
    example,
    me,
    read_after,
    validated,
    with_etag,
)
from tournaments.state.changes import Audience, audience_of
from tournaments.state.stages import round_deadlines


class EventSerializer(serializers.ModelSerializer[Tournament]):
    """An event."""

    club = serializers.CharField(source="club.slug")

    class Meta:
        model = Tournament
        fields = (
            "public_id", "club", "slug", "name", "status", "starts_at", "ends_at", "closing_rule",
            "silent_desk", "language", "second_language",
            "check_in_opens_at", "check_in_closes_at", "time_zone", "venue", "tables", "about", "currency",
            "currency_exponent", "rated", "season", "created_at",
        )  # fmt: skip


class EventFieldsSerializer(FormSerializer):
    """The editable fields of an event."""

    closing_rule = serializers.ChoiceField(
        Tournament.ClosingRule.choices, required=False, help_text="For matches that still run at `ends_at`."
    )
    silent_desk = serializers.ChoiceField(
        Tournament.SilentDesk.choices,
        required=False,
        help_text="Whether the autopilot calls while the pages of the staff have no connection.",
    )
    time_zone = ZoneField(required=False)
    language = serializers.CharField(
        max_length=10,
        required=False,
        allow_blank=True,
        help_text="Of wall and paper: one that the site offers; empty for the club's.",
    )
    second_language = serializers.CharField(
        max_length=10,
        required=False,
        allow_blank=True,
        help_text="In which the headings of printed sheets stand as well; empty for none.",
    )
    currency = serializers.RegexField(
        r"^(ticket|[A-Z]{3})$", required=False, help_text="`ticket`, or an ISO 4217 code."
    )
    currency_exponent = serializers.IntegerField(min_value=0, max_value=4, required=False)
    rated = serializers.BooleanField(
        required=False, help_text="Whether divisions added from now on are rated, unless they say otherwise."
    )
    season = serializers.BooleanField(
        required=False,
        help_text="Whether it counts, once published, in the seasons of the club whose days it falls on.",
    )

    class Meta:
        form = TournamentForm
        extra_kwargs: ClassVar = {
            "ends_at": {"allow_null": True},
            "check_in_opens_at": {
                "allow_null": True,
                "help_text": "For players themselves; null: two hours before the start.",
            },
            "check_in_closes_at": {"allow_null": True, "help_text": "Null: when the draw is published."},
            "tables": {
                "allow_null": True,
                "help_text": "Null: as many as the players need; a new event without it has those of the club's venue.",
            },
        }


class EditEventSerializer(EventFieldsSerializer):
    """Fields of an event to be changed."""

    move_dates = serializers.BooleanField(
        required=False,
        help_text="Whether the dates that depend on the start move with it, and into a new time zone, unless they are "
        "given here: end, check-in, registration, re-entry, deadlines and last days. Without it they do.",
    )
    preview = serializers.BooleanField(required=False, help_text="Only preview what follows from the change.")


class CancelSerializer(ReasonSerializer):
    """Why an event is cancelled."""

    preview = serializers.BooleanField(required=False, help_text="Only preview how many people are notified.")


class ChangedEventSerializer(EventSerializer):
    """An event, with what follows from a change."""

    notified = serializers.IntegerField(help_text="How many of its people are notified.")
    moved = serializers.DictField(
        help_text="The dates that move with the start, as they become, by name; those of a division after its id."
    )

    class Meta(EventSerializer.Meta):
        fields = (*EventSerializer.Meta.fields, "notified", "moved")  # type: ignore[assignment]


class NewEventSerializer(EventFieldsSerializer):
    """A new event of a club."""

    club = serializers.CharField(max_length=60, help_text="The slug of the club.")


class DivisionSerializer(serializers.ModelSerializer[Division]):
    """A division and its settings."""

    tournament = serializers.CharField(source="tournament.public_id")
    pool_id = serializers.IntegerField(
        allow_null=True, help_text="A rating pool of the club, or null for that of the site."
    )
    deadlines = serializers.SerializerMethodField(help_text="The deadline of each round, or null.")
    seed_hash = serializers.SerializerMethodField(help_text="SHA-256 of the secret seed of the draw.")

    class Meta:
        model = Division
        fields = (
            "public_id", "tournament", "name", "status", "seq", "self_registration", "closes_at", "capacity", "fee",
            "sides", "reentry_until", "reentry_keeps", "is_side",
            "match_length", "round_lengths", "crawford", "rated", "pool_id", "draw_method", "apart",
            "start_rule", "start_cap", "start_table",
            "deadline_rule", "no_show_loses", "no_show_minutes", "extension_hours", "claim_wait", "records_stand",
            "play_mode", "clock", "overtime_minutes", "turn_days", "bank_days", "flag_rule", "spectators_delay",
            "deadlines", "seed_hash",
        )  # fmt: skip

    @extend_schema_field(serializers.ListField(child=serializers.DateTimeField(allow_null=True)))
    def get_deadlines(self, division: Division) -> list[datetime | None]:
        """As set for the first stage."""
        stage = division.stages.order_by("number").first()
        return round_deadlines(stage) if stage else []

    @extend_schema_field(OpenApiTypes.STR)
    def get_seed_hash(self, division: Division) -> str | None:
        """Of the first stage."""
        stage = division.stages.order_by("number").first()
        return stage.seed_hash if stage else None


class DivisionFieldsSerializer(serializers.Serializer[Any]):
    """The settings of a division."""

    name = serializers.CharField(max_length=MAX_NAME_LENGTH)
    is_side = serializers.BooleanField(
        required=False,
        help_text="A side event: its matches are called after all others, and wait for whoever is wanted there.",
    )
    self_registration = serializers.BooleanField(required=False)
    closes_at = serializers.DateTimeField(required=False, allow_null=True)
    capacity = serializers.IntegerField(min_value=2, max_value=MAX_ENTRIES, required=False, allow_null=True)
    sides = serializers.ChoiceField(
        Division.Sides.choices,
        required=False,
        help_text="Who plays as one side. Fixed once somebody is entered. Pairs play at tables, are entered by staff "
        "and are rated only in ratings of pairs.",
    )
    fee = MinorUnitsField(required=False, help_text="In whole minor units.")
    reentry_until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="Until when a player who is out of the main bracket can enter again; null: not at all.",
    )
    reentry_keeps = serializers.BooleanField(
        required=False, help_text="After a re-entry the previous entry plays on in the consolation."
    )
    match_length = serializers.IntegerField(min_value=1, max_value=MAX_MATCH, required=False)
    round_lengths = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MAX_MATCH),
        max_length=MAX_ROUNDS,
        required=False,
        help_text="By round; the last length applies to all later rounds. Empty: `match_length` for all rounds.",
    )
    crawford = serializers.BooleanField(required=False)
    rated = serializers.BooleanField(required=False)
    pool_id = serializers.IntegerField(
        required=False, allow_null=True, help_text="A rating pool of the club, or null for that of the site."
    )
    draw_method = serializers.ChoiceField(Division.DrawMethod.choices, required=False)
    apart = serializers.BooleanField(required=False)
    start_rule = serializers.ChoiceField(
        Division.StartRule.choices, required=False, help_text="Matches with any but `none` are never rated."
    )
    start_cap = serializers.IntegerField(
        min_value=0,
        max_value=MAX_MATCH - 1,
        required=False,
        allow_null=True,
        help_text="The most points at the start; null: by ratings half of the length, rounded down.",
    )
    start_table = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(min_value=1), min_length=2, max_length=2),
        max_length=services.MAX_START_ROWS,
        required=False,
        help_text="Pairs of a rating difference and the points that the weaker side begins with from there on.",
    )
    deadline_rule = serializers.ChoiceField(Division.DeadlineRule.choices, required=False)
    no_show_loses = serializers.BooleanField(
        required=False,
        help_text="A player who is late for an appointment loses the match if the opponent claims it.",
    )
    no_show_minutes = serializers.IntegerField(
        min_value=1, max_value=MAX_NO_SHOW, required=False, help_text="After so many minutes a player is late."
    )
    extension_hours = serializers.IntegerField(min_value=1, max_value=2000, required=False)
    claim_wait = serializers.IntegerField(min_value=60, max_value=2_000_000, required=False, help_text="Seconds.")
    records_stand = serializers.BooleanField(
        required=False, help_text="An accepted record stands at once, whoever sends it; for matches opened from now on."
    )
    play_mode = serializers.ChoiceField(
        PlayMode.choices,
        required=False,
        help_text="Where matches are played: `table` (over the board), `here`, or `either`. Where it is not `table`, "
        "each of the two players may open their match here.",
    )
    clock = serializers.ChoiceField(
        ClockPreset.choices,
        required=False,
        help_text="Of matches played here; like the other settings of play here, for matches opened from now on.",
    )
    overtime_minutes = serializers.IntegerField(min_value=0, max_value=MAX_OVERTIME, required=False)
    turn_days = serializers.IntegerField(
        min_value=1, max_value=MAX_SPAN_DAYS, required=False, help_text="Correspondence: days for each turn."
    )
    bank_days = serializers.IntegerField(
        min_value=0, max_value=MAX_SPAN_DAYS, required=False, help_text="Correspondence: days more for the whole match."
    )
    flag_rule = serializers.ChoiceField(LiveMatch.FlagRule.choices, required=False)
    spectators_delay = serializers.IntegerField(
        min_value=0,
        max_value=MAX_DELAY,
        required=False,
        allow_null=True,
        help_text="Minutes by which spectators are behind; 0: none; null: they see a match once it is over.",
    )


class ChangedDivisionSerializer(DivisionFieldsSerializer):
    """Settings to be changed, and what was seen."""

    name = serializers.CharField(max_length=MAX_NAME_LENGTH, required=False)
    after = serializers.IntegerField(min_value=0, required=False, help_text="The `seq` you saw.")


class DeadlinesSerializer(serializers.Serializer[Any]):
    """When each round ends."""

    deadlines = serializers.ListField(child=serializers.DateTimeField(allow_null=True), max_length=MAX_ROUNDS)
    after = serializers.IntegerField(min_value=0, required=False, help_text="The `seq` you saw.")


class LogSerializer(serializers.Serializer[Any]):
    """One thing that was done."""

    at = serializers.DateTimeField()
    by = serializers.CharField(source="who")
    verb = serializers.CharField()
    topic = serializers.CharField()
    params = serializers.DictField()
    sentence = serializers.SerializerMethodField()

    @extend_schema_field(OpenApiTypes.STR)
    def get_sentence(self, line: Any) -> str:
        """In the language asked for."""
        return " · ".join([f"{line.who} {line.what}", *([line.where] if line.where else []), *line.details])


# Base views of endpoints about one event, division or entry, which the URL names by its public id.


class PublicView(APIView):
    """An endpoint that calls services on behalf of its user."""

    def acting(self) -> dict[str, Any]:
        """Return the arguments `by` and `now` of a service."""
        return {"by": by(self.request), "now": timezone.now()}


class TournamentView(PublicView):
    def get_tournament(self, role: Needed | None = None) -> Tournament:
        """Return the event of the URL, for somebody with this role in its club if one is required."""
        return access.tournament_by_id(self.request.user, self.kwargs["tournament"], role)


class DivisionView(PublicView):
    def get_division(self, role: Role | None = None) -> Division:
        """Return the division of the URL, for somebody with this role in its club if one is required."""
        user, public_id = self.request.user, self.kwargs["division"]
        return access.division(user, public_id) if role is None else access.division_as(user, public_id, role)


class EntryView(PublicView):
    def get_entry(self, role: Needed | None = None) -> Entry:
        """Return the entry of the URL, for its player or somebody with this role if one is required."""
        user, public_id = self.request.user, self.kwargs["entry"]
        return access.entry(user, public_id) if role is None else access.entry_as_player_or(user, public_id, role)


EXAMPLE = OpenApiExample(
    "A club night",
    value={"club": "harbour", "name": "Club Open 2026", "starts_at": "2026-11-20T18:00:00+01:00", "venue": "Café"},
    request_only=True,
)


@open_to(get=Who.EVERYBODY, post=Who.SIGNED_IN)
class EventList(PublicView, generics.ListAPIView[Tournament]):
    serializer_class = EventSerializer
    filter_backends = ()

    def get_queryset(self) -> Any:
        """Return visible events, newest first."""
        query = self.request.query_params
        events = selectors.listed(self.request.user, query.get("club", ""), query.get("status", ""))
        return events.order_by("-starts_at", "-pk")

    @extend_schema(
        operation_id="tournaments_list",
        summary="List events",
        parameters=[
            OpenApiParameter("club", str, description="A club's slug."),
            OpenApiParameter("status", str, enum=Tournament.Status.values),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One page of events; drafts only for the staff of their club."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="tournaments_create",
        summary="Create an event",
        description="For directors of the club. The event is a draft until it is published.",
        parameters=[LOCATION],
        request=NewEventSerializer,
        examples=[EXAMPLE],
        responses={201: EventSerializer, **WRITE},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request) -> Response:
        fields = validated(NewEventSerializer, request)
        club = people.club_for_director(request.user, fields.pop("club"))
        event = services.create_tournament(club=club, **self.acting(), **fields)
        url = request.build_absolute_uri(reverse("api-tournament", args=[event.public_id]))
        return Response(EventSerializer(event).data, status=status.HTTP_201_CREATED, headers={"Location": url})


def changed_event(event: Tournament, audience: Audience | None, moved: Mapping[str, Any]) -> Response:
    """Return an event, with how many people hear of its change and which dates move with it."""
    notified = len(audience.divisions) if audience is not None else 0
    return Response({**EventSerializer(event).data, "notified": notified, "moved": moved})


@open_to(get=Who.EVERYBODY, patch=Who.DIRECTORS)
class OneEvent(TournamentView):
    @extend_schema(
        operation_id="tournaments_retrieve", summary="Get an event", responses={200: EventSerializer, **READ}
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """The event as shown to everybody."""
        return Response(EventSerializer(self.get_tournament()).data)

    @extend_schema(
        operation_id="tournaments_update",
        summary="Change the settings of an event",
        description="People who are entered, waiting or invited are notified of another start or venue.",
        request=EditEventSerializer,
        examples=example(venue="Café Central"),
        responses={200: ChangedEventSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def patch(self, request: Request, **kwargs: str) -> Response:
        """Missing fields stay as they are."""
        tournament = self.get_tournament(Role.DIRECTOR)
        fields = validated(EditEventSerializer, request, partial=True)
        preview, moves = fields.pop("preview", False), fields.pop("move_dates", True)
        moved = {row.key: row.becomes for row in moved_dates(tournament, fields)} if moves else {}
        audience = audience_of(tournament, **self.acting()) if is_announced(tournament, fields) else None
        if not preview:
            move = None if moves else ()
            tournament = services.update_tournament(tournament=tournament, move=move, **self.acting(), **fields)
        return changed_event(tournament, audience, moved)


@open_to(post=Who.DIRECTORS)
class Publish(TournamentView):
    @extend_schema(
        operation_id="tournaments_publish",
        summary="Publish an event",
        request=None,
        responses={200: EventSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `tournament_not_draft` if it is already published."""
        tournament = self.get_tournament(Role.DIRECTOR)
        return Response(EventSerializer(services.publish_tournament(tournament=tournament, **self.acting())).data)


@open_to(post=Who.DIRECTORS)
class Cancel(TournamentView):
    @extend_schema(
        operation_id="tournaments_cancel",
        summary="Cancel an event",
        description="Nothing is deleted; open matches become void. Who is entered, waiting or invited is notified.",
        request=CancelSerializer,
        examples=example(reason="The café is closed."),
        responses={200: ChangedEventSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """This cannot be undone."""
        tournament = self.get_tournament(Role.DIRECTOR)
        fields = validated(CancelSerializer, request)
        audience = audience_of(tournament, **self.acting())
        if not fields.pop("preview", False):
            tournament = services.cancel_tournament(tournament=tournament, **self.acting(), **fields)
        return changed_event(tournament, audience, {})


@open_to(get=Who.STAFF)
class Log(TournamentView, generics.GenericAPIView[Any]):
    serializer_class = LogSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="tournaments_log",
        summary="Get the log of an event",
        description="For the staff of the club; newest first. Who is kept apart and money: for directors only.",
        parameters=[
            OpenApiParameter("kind", str, enum=list(log.KINDS)),
        ],
        responses={200: LogSerializer(many=True), 401: WRITE[401], 403: WRITE[403], **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        tournament = self.get_tournament(Role.ASSISTANT)
        directs = people.is_at_least(people.role_in(request.user, tournament.club), Role.DIRECTOR)
        rows = log.of_kind(log.entries_of(tournament, directs=directs), request.query_params.get("kind", ""))
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(LogSerializer(log.log_lines(page or [], tournament), many=True).data)


def division_response(division: Division, code: int = status.HTTP_200_OK, **headers: str) -> Response:
    return with_etag(DivisionSerializer(division).data, division.seq, code, **headers)


@open_to(get=Who.EVERYBODY, post=Who.DIRECTORS)
class Divisions(TournamentView):
    @extend_schema(
        operation_id="divisions_list",
        summary="List the divisions of an event",
        responses={200: DivisionSerializer(many=True), **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """All divisions, without pages."""
        rows = self.get_tournament().divisions.select_related("tournament").prefetch_related("stages")
        return Response(DivisionSerializer(rows, many=True).data)

    @extend_schema(
        operation_id="divisions_create",
        summary="Add a division",
        parameters=[LOCATION],
        request=DivisionFieldsSerializer,
        examples=[
            OpenApiExample("Knockout", value={"name": "Open", "round_lengths": [5, 5, 7, 9, 11]}, request_only=True)
        ],
        responses={201: DivisionSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the URL of the division."""
        tournament = self.get_tournament(Role.DIRECTOR)
        fields = validated(DivisionFieldsSerializer, request)
        division = services.create_division(tournament=tournament, **self.acting(), **fields)
        url = request.build_absolute_uri(reverse("api-division", args=[division.public_id]))
        return division_response(division, status.HTTP_201_CREATED, Location=url)


@open_to(get=Who.EVERYBODY, patch=Who.DIRECTORS)
class OneDivision(DivisionView):
    @extend_schema(
        operation_id="divisions_retrieve", summary="Get a division", responses={200: DivisionSerializer, **READ}
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Its settings; its `seq` is the ETag."""
        return division_response(self.get_division())

    @extend_schema(
        operation_id="divisions_update",
        summary="Change the settings of a division",
        description="After the draw only name, fee, deadline rule and waiting times (else `division_drawn`).",
        parameters=[AFTER],
        request=ChangedDivisionSerializer,
        examples=[OpenApiExample("Longer final", value={"round_lengths": [5, 7, 11], "after": 3}, request_only=True)],
        responses={200: DivisionSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def patch(self, request: Request, **kwargs: str) -> Response:
        """Missing fields stay as they are."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(ChangedDivisionSerializer, request, partial=True)
        after = read_after(request, fields)
        return division_response(
            services.update_division(division=division, after=after or 0, **self.acting(), **fields)
        )


@open_to(put=Who.DIRECTORS)
class Deadlines(DivisionView):
    @extend_schema(
        operation_id="divisions_deadlines",
        summary="Set the deadlines of all rounds",
        description="Open matches of a round get its deadline, except those that were extended.",
        parameters=[AFTER],
        request=DeadlinesSerializer,
        examples=[
            OpenApiExample(
                "A week each",
                value={"deadlines": ["2026-11-27T20:00:00+01:00", "2026-12-04T20:00:00+01:00"], "after": 4},
                request_only=True,
            )
        ],
        responses={200: DivisionSerializer, **WRITE},
    )
    def put(self, request: Request, **kwargs: str) -> Response:
        """Replaces all deadlines at once."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(DeadlinesSerializer, request)
        after = read_after(request, fields)
        return division_response(
            deadlines.set_deadlines(division=division, after=after or 0, **self.acting(), **fields)
        )


class HelperSerializer(serializers.Serializer[Any]):
    """A helper of an event, or an invitation to help."""

    public_id = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    name = serializers.CharField(help_text="The name of the account; empty until the invitation is accepted.")
    email = serializers.CharField(help_text="The address that was invited; empty once the invitation is accepted.")
    added_at = serializers.DateTimeField()
    accepted_at = serializers.DateTimeField(allow_null=True)


class NewHelperSerializer(serializers.Serializer[Any]):
    """Who is invited to help."""

    email = serializers.EmailField(max_length=254)


class InvitedHelperSerializer(HelperSerializer):
    """A new invitation to help, with its link."""

    url = serializers.URLField(help_text="The link of the invitation. It is not shown again.")


def _body(helper: Helper) -> dict[str, Any]:
    return {
        "public_id": helper.public_id,
        "state": state_of(helper, timezone.now()),
        "name": str(helper.user) if helper.user else "",
        "email": helper.email,
        "added_at": helper.added_at,
        "accepted_at": helper.accepted_at,
    }


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class Helpers(TournamentView):
    @extend_schema(
        operation_id="tournaments_helpers_list",
        summary="List the helpers of an event",
        responses={200: HelperSerializer(many=True), 403: WRITE[403], **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """For directors: helpers, and invitations that are not accepted."""
        rows = helpers_of(self.get_tournament(Role.DIRECTOR))
        return Response(HelperSerializer([_body(row) for row in rows], many=True).data)

    @extend_schema(
        operation_id="tournaments_helpers_create",
        summary="Invite a helper",
        description="E-mails a link. The response is the same whether or not there is an account with this address.",
        request=NewHelperSerializer,
        examples=example(email="erik@example.org"),
        responses={201: InvitedHelperSerializer, **WRITE},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, **kwargs: str) -> Response:
        """For directors; an earlier link for the same address stops working."""
        tournament = self.get_tournament(Role.DIRECTOR)
        fields = validated(NewHelperSerializer, request)
        throttle.count(throttle.INVITE_BY, str(me(request).pk))
        invited = helpers.add_helper(
            tournament=tournament,
            link=lambda secret: absolute_url(request, reverse("helping", args=[secret])),
            **self.acting(),
            **fields,
        )
        body = InvitedHelperSerializer({**_body(invited.helper), "url": invited.url}).data
        return Response(body, status=status.HTTP_201_CREATED)


@open_to(delete=Who.DIRECTORS)
class OneHelper(TournamentView):
    @extend_schema(
        operation_id="tournaments_helpers_delete",
        summary="Remove a helper",
        description="Withdraws the invitation if it was not accepted. What the helper recorded stays.",
        responses={204: None, **WRITE},
    )
    def delete(self, request: Request, **kwargs: str) -> Response:
        tournament = self.get_tournament(Role.DIRECTOR)
        helper = access.helper_of(tournament, self.kwargs["helper"])
        helpers.remove_helper(helper=helper, **self.acting())
        return Response(status=status.HTTP_204_NO_CONTENT)
