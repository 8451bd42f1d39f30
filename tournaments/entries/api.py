"""API: who takes part in a division, re-entry, personal links, and previews of what they change."""

from functools import partial
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import validated_query
from core.links import absolute_url
from core.people_lists import not_kept
from core.repeats import Repeat, repeated
from core.requests import parse_int
from core.text_lengths import MAX_NAME_LENGTH, MAX_NOTE_LENGTH
from players.access import Role, my_player, require
from players.accounts.serializers import (
    ALIKE,
    LISTS,
    PEOPLE,
    CsvOptionsSerializer,
    CsvParser,
    NameFileSerializer,
    NameListSerializer,
    PersonSerializer,
    people_data,
)
from players.accounts.services import ensure_player
from players.clubs.lists import LeftOut, ListedName, left_out_data
from players.people.pairs import load_people
from tournaments import access
from tournaments.entries import check_in, lists, services
from tournaments.entries.event_links import generations_of, links_to_hand_out, person_in, revoke_event_link
from tournaments.entries.forms import DIVISION, EVENT
from tournaments.entries.late import preview_undo, undo_late
from tournaments.entries.previews import PartView, late_view, reentry_view, return_view, undo_view, withdrawal_view
from tournaments.entries.reentries import preview_reentry, reenter
from tournaments.entries.returns import bring_back, preview_return
from tournaments.entries.substitutions import SubstituteInput, substitute, undo_substitution
from tournaments.events.api import DivisionView, EntryView, TournamentView
from tournaments.models import CheckIn as CheckInRow
from tournaments.models import Division, Entry
from tournaments.models.entries import MAX_TEAM_LENGTH
from tournaments.standings.consequences import ConsequencesSerializer, represent_consequences
from tournaments.state.api import AFTER, READ, WRITE, ReasonSerializer, by, example, me, read_after, validated

SCOPES = ["division", "event"]
"""The scopes of a withdrawal or a return."""


TEAM = "Of everybody in the list. Two or more names make the division a match between teams."
PAST_WAITING = "Confirms a late entry that the others who wait with an earlier turn (`others_wait`) do not get."


class EntrySerializer(serializers.ModelSerializer[Entry]):
    """Somebody who takes part."""

    player = PersonSerializer()
    people = serializers.SerializerMethodField(help_text=PEOPLE)
    division = serializers.CharField(source="division.public_id")

    class Meta:
        model = Entry
        fields = (
            "public_id", "division", "player", "people", "number", "status", "rating", *Entry.FIELDS, "checked_in_at",
            "away_until", "entered_at", "withdrawn_at",
        )  # fmt: skip

    @extend_schema_field(PersonSerializer(many=True))
    def get_people(self, entry: Entry) -> Any:
        return people_data(entry.player)


class NamedSideSerializer(serializers.Serializer[Any]):
    """Who plays, by name; a pair by both."""

    name = serializers.CharField(max_length=MAX_NAME_LENGTH)
    player = serializers.CharField(
        max_length=10,
        required=False,
        allow_blank=True,
        help_text="Public id of a member, or `new` for another player with that name.",
    )
    partner = serializers.CharField(
        max_length=MAX_NAME_LENGTH, required=False, allow_blank=True, help_text="Who plays with them, as a pair."
    )
    partner_player = serializers.CharField(
        max_length=10, required=False, allow_blank=True, help_text="As `player`, of the partner."
    )


class NewEntrySerializer(NamedSideSerializer):
    """Somebody to be entered."""

    preview = serializers.BooleanField(
        default=False, help_text="Only preview what a late entry would change, in a division that is being played."
    )
    after = serializers.IntegerField(
        min_value=0, required=False, help_text="Of the preview: refused as `stale` if anything has changed since."
    )
    here = serializers.BooleanField(default=False, help_text="Also check the player in.")
    past_waiting = serializers.BooleanField(default=False, help_text=PAST_WAITING)


class EntryListSerializer(NameListSerializer):
    """A list of people to enter."""

    past_waiting = serializers.BooleanField(default=False, help_text=PAST_WAITING)
    team = serializers.CharField(max_length=MAX_TEAM_LENGTH, default="", allow_blank=True, help_text=TEAM)


class EntryFileSerializer(NameFileSerializer):
    """A list of people to enter, or a file with one instead."""

    past_waiting = serializers.BooleanField(default=False, help_text=PAST_WAITING)
    team = serializers.CharField(max_length=MAX_TEAM_LENGTH, default="", allow_blank=True, help_text=TEAM)


class PairFileSerializer(EntryFileSerializer):
    """A list with pairs to enter."""

    pairs = True


class NamedPersonSerializer(serializers.Serializer[Any]):
    """What became of a name."""

    name = serializers.CharField()
    what = serializers.ChoiceField(["member", "new", "returned", "ambiguous", "partial", "repeated", "entered"])
    asks = serializers.BooleanField(
        help_text="Whether it should be looked at: several members, another spelling, or part of a name."
    )
    alike = serializers.CharField(help_text=ALIKE)
    player = PersonSerializer(allow_null=True)
    candidates = PersonSerializer(many=True)


class LeftOutSerializer(serializers.Serializer[Any]):
    """A line of a list of which nobody was entered."""

    place = serializers.IntegerField(allow_null=True, help_text="Among the names, from 0; null if it is `unclear`.")
    name = serializers.CharField()
    why = serializers.ChoiceField(["ambiguous", "partial", "repeated", "entered", "in_pair", "unclear"])
    alike = serializers.CharField(help_text=ALIKE)
    candidates = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), help_text="Id, name."
    )


class EnteredSerializer(serializers.Serializer[Any]):
    """What became of a list."""

    lines = NamedPersonSerializer(many=True)
    entries = EntrySerializer(many=True)
    left_out = LeftOutSerializer(many=True, help_text="Without `partial`, only people who are in already.")
    not_kept = serializers.ListField(
        child=serializers.CharField(), help_text="Titles of the columns that entries do not keep."
    )


class WithdrawalSerializer(ReasonSerializer):
    """From what somebody withdraws."""

    scope = serializers.ChoiceField(SCOPES)


class ScopeSerializer(serializers.Serializer[Any]):
    """Whether a player returns to one division or to the whole event."""

    scope = serializers.ChoiceField(SCOPES, default=DIVISION)


class PresentSerializer(serializers.Serializer[Any]):
    """Whether a player is here, missing, or away until a time: `present`, or `state`."""

    present = serializers.BooleanField(required=False, help_text="True is the state `here`, false is `missing`.")
    state = serializers.ChoiceField(CheckInRow.State.choices, required=False)
    until = serializers.DateTimeField(required=False, help_text="When a player who is `away` comes back.")
    person = serializers.CharField(
        required=False,
        help_text="Of a pair: whom it is said of, by public id; without it, of both. A pair plays without whoever is "
        "`excused`.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Replace `present` with the `state`; require `until` for a player who is away, and for nobody else."""
        if ("present" in attrs) == ("state" in attrs):
            raise serializers.ValidationError({"state": "Send either `present` or `state`."})
        if "present" in attrs:
            attrs["state"] = CheckInRow.State.HERE if attrs.pop("present") else CheckInRow.State.MISSING
        if (attrs["state"] == CheckInRow.State.AWAY) != ("until" in attrs):
            raise serializers.ValidationError({"until": "Send `until` with `away`, and only then."})
        return attrs


class AffectedFixtureSerializer(serializers.Serializer[Any]):
    """A match whose players change, or that is played again."""

    number = serializers.IntegerField(help_text="13 is M13.")
    public_id = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    remarks = serializers.ListField(child=serializers.CharField())


class EntryPreviewSerializer(serializers.Serializer[Any]):
    """The effects in one division."""

    division = serializers.CharField()
    notes = serializers.ListField(child=serializers.CharField())
    changes = AffectedFixtureSerializer(many=True)
    following = ConsequencesSerializer(allow_null=True)

    def to_representation(self, instance: PartView) -> dict[str, Any]:
        """Represent what follows; null where that is no more than in the notes."""
        following, labels = instance.consequences, instance.labels
        return {
            "division": instance.division,
            "notes": instance.notes,
            "changes": AffectedFixtureSerializer(instance.changes, many=True).data,
            "following": None if labels is None else represent_consequences(following, labels),
        }


class ReturnPreviewSerializer(serializers.Serializer[Any]):
    """The effects of a return."""

    seen = serializers.CharField(help_text="Send it with the return, which is `stale` if anything has changed.")
    divisions = EntryPreviewSerializer(many=True)


class ReturnSerializer(ReasonSerializer):
    """A return after a withdrawal."""

    scope = serializers.ChoiceField(SCOPES)
    seen = serializers.CharField(max_length=64, help_text="The value from the preview.")


class UndoPreviewSerializer(serializers.Serializer[Any]):
    """The effects of a late entry, or of undoing one."""

    after = serializers.IntegerField(help_text="Send it with the change, which is `stale` if anything has changed.")
    divisions = EntryPreviewSerializer(many=True)


class UndoSerializer(ReasonSerializer):
    """A late entry to undo."""

    after = serializers.IntegerField(min_value=0, required=False, help_text="The value from the preview.")


class ReentrySerializer(UndoSerializer):
    """A re-entry."""

    past_waiting = serializers.BooleanField(default=False, help_text=PAST_WAITING)


class SubstituteSerializer(NamedSideSerializer):
    """Who takes the place of an entry, and why."""

    reason = serializers.CharField(max_length=MAX_NOTE_LENGTH, required=False, allow_blank=True)
    past_waiting = serializers.BooleanField(default=False, help_text="Confirms that those who wait go on waiting.")
    after = serializers.IntegerField(min_value=0, required=False, help_text="The `seq` of the division you saw.")


class UndoSubstitutionSerializer(serializers.Serializer[Any]):
    """What was seen of the division."""

    after = serializers.IntegerField(min_value=0, required=False, help_text="The `seq` of the division you saw.")


class EventLinkSerializer(serializers.Serializer[Any]):
    """A player's personal link for an event."""

    url = serializers.URLField()
    generation = serializers.IntegerField(help_text="How often the link was revoked.")


@open_to(get=Who.EVERYBODY, post=Who.DIRECTORS)
class Entries(DivisionView, generics.ListAPIView[Entry]):
    serializer_class = EntrySerializer
    filter_backends = ()

    def get_queryset(self) -> Any:
        """Return the entries in the order they were made, with the status in the query if there is one."""
        if getattr(self, "swagger_fake_view", False):
            return Entry.objects.none()
        entries = self.get_division().entries.filter(joined_to=None).select_related("player__merged_into", "division")
        status_ = self.request.query_params.get("status")
        return entries.filter(status=status_) if status_ in Entry.Status.values else entries

    def paginate_queryset(self, queryset: Any) -> Any:
        """Return a page of entries with both people of its pairs."""
        page = super().paginate_queryset(queryset)
        load_people(entry.player for entry in page or ())
        return page

    @extend_schema(
        operation_id="entries_list",
        summary="List the entries of a division",
        parameters=[OpenApiParameter("status", str, enum=Entry.Status.values)],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One page of entries."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="entries_create",
        summary="Enter a player by name",
        description=(
            "Members are matched regardless of capitals and accents; an unknown name becomes a member. If several "
            "members match, the answer is 422 `name_ambiguous`; if one matches with another spelling, "
            "`name_of_member`; if the name may be part of a member's name, `name_partial`. All have `candidates`: send "
            "one of them, or `new`, as what it `asks`: `player`, or `partner_player`. A pair is entered by both names, "
            "the second as `partner`. With `here` the player is also checked in. In a running division "
            "this is a late entry: into the next round of a Swiss, with a bye of a knockout, against everybody in a "
            "league. If nothing is free, `status` is `waiting`."
        ),
        request=NewEntrySerializer,
        examples=[OpenApiExample("By name", value={"name": "Elif Ristic"}, request_only=True)],
        responses={201: EntrySerializer, 200: UndoPreviewSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `already_entered` if the player is already in, `others_wait` if somebody has an earlier turn."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(NewEntrySerializer, request)
        named = {name: fields.get(name, "") for name in ("name", "player", "partner", "partner_player")}
        if fields["preview"]:
            preview = lists.preview_late_name(division=division, now=self.acting()["now"], **named)
            return Response(UndoPreviewSerializer({"after": preview.seq, "divisions": [late_view(preview)]}).data)
        named |= {"after": fields.get("after"), "here": fields["here"], "past_waiting": fields["past_waiting"]}
        entry = lists.enter_name(division=division, **self.acting(), **named)
        return Response(EntrySerializer(entry).data, status=status.HTTP_201_CREATED)


@open_to(post=Who.DIRECTORS)
class Paste(DivisionView):
    parser_classes = (*DivisionView.parser_classes, CsvParser)

    @extend_schema(
        operation_id="entries_paste",
        summary="Enter a list of names",
        description="With `preview` nothing is written. Players who are already in are skipped, so it can be repeated. "
        "A name that is `ambiguous`, `partial`, `repeated` or has an `alike` one before it needs a choice. "
        "Where pairs enter, a line may have both names (`Ann & Bea`), or a table a column `partner`; `lines` has each "
        "of the two, and choices count both. " + LISTS,
        parameters=[CsvOptionsSerializer],
        request={
            "multipart/form-data": EntryFileSerializer,
            "text/csv": OpenApiTypes.BINARY,
            "application/json": EntryListSerializer,
        },
        examples=[
            OpenApiExample(
                "A list", value={"names": ["Elif Ristic", "Omar Kageyama"], "preview": True}, request_only=True
            )
        ],
        responses={200: EnteredSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        division = self.get_division(Role.DIRECTOR)
        of_pairs = division.sides != Division.Sides.ONE
        fields = validated(PairFileSerializer if of_pairs else EntryFileSerializer, request)
        query = validated_query(CsvOptionsSerializer, request)
        lines = lists.preview(division=division, people=fields["people"])
        result = lists.ListResult([], [])
        if not (fields["preview"] or query["preview"]):
            listed = {name: fields[name] for name in ("people", "choices", "past_waiting", "team", "partial")}
            result = lists.enter_list(division=division, **listed, **self.acting())
        left_out = [*result.left_out, *(LeftOut(text, "unclear") for text in fields["unclear"])]
        data = {
            "lines": [_line(line) for line in lines],
            "entries": result.entries,
            "left_out": list(map(left_out_data, left_out)),
            "not_kept": not_kept(fields["people"], Entry.FIELDS),
        }
        return Response(EnteredSerializer(data).data)


def _line(line: ListedName) -> dict[str, Any]:
    return {
        "name": line.match.name,
        "what": line.status,
        "asks": line.needs_choice,
        "alike": line.match.alike,
        "player": line.match.player,
        "candidates": line.match.candidates,
    }


@open_to(post=Who.SIGNED_IN)
class Register(DivisionView):
    @extend_schema(
        operation_id="entries_register",
        summary="Enter myself",
        description="If all places are taken, `status` of the answer is `waiting`.",
        request=None,
        responses={201: EntrySerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `registration_closed` or `already_entered`."""
        division = self.get_division()
        player = ensure_player(user=me(request), by=by(request))
        entry = services.register(division=division, player=player, **self.acting())
        return Response(EntrySerializer(entry).data, status=status.HTTP_201_CREATED)


@open_to(get=Who.EVERYBODY)
class OneEntry(EntryView):
    @extend_schema(operation_id="entries_retrieve", summary="Get an entry", responses={200: EntrySerializer, **READ})
    def get(self, request: Request, **kwargs: str) -> Response:
        """The entry as shown to everybody."""
        return Response(EntrySerializer(self.get_entry()).data)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class Withdraw(EntryView):
    @extend_schema(
        operation_id="entries_withdraw_preview",
        summary="Preview a withdrawal: what is forfeited, and whom it lets through",
        parameters=[OpenApiParameter("scope", str, enum=SCOPES)],
        responses={200: EntryPreviewSerializer(many=True), **READ, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Nothing is written. For directors and the player; one part for each division."""
        entry = self.get_entry(Role.DIRECTOR)
        query = validated_query(ScopeSerializer, request)
        preview = services.preview_withdrawal(entry=entry, event=query["scope"] == EVENT)
        return Response(EntryPreviewSerializer(withdrawal_view(preview), many=True).data)

    @extend_schema(
        operation_id="entries_withdraw",
        summary="Withdraw an entry from its division, or its player from the whole event",
        description="For directors and the player.",
        request=WithdrawalSerializer,
        examples=example(scope="event", reason="I am ill."),
        responses={200: EntrySerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `not_entered` if it is already withdrawn."""
        entry = self.get_entry(Role.DIRECTOR)
        fields = validated(WithdrawalSerializer, request)
        reason = fields.get("reason", "")
        if fields["scope"] == "event":
            event = entry.division.tournament
            services.withdraw_from_event(tournament=event, player=entry.player, reason=reason, **self.acting())
        else:
            services.withdraw(entry=entry, reason=reason, **self.acting())
        entry.refresh_from_db()
        return Response(EntrySerializer(entry).data)


@open_to(post=Who.HELPERS)
class CheckInView(EntryView):
    @extend_schema(
        operation_id="entries_check_in",
        summary="Check a player in or out, or record until when they are away",
        request=PresentSerializer,
        examples=[
            OpenApiExample("Here", value={"present": True}, request_only=True),
            OpenApiExample("Away", value={"state": "away", "until": "2026-11-20T21:10:00+01:00"}, request_only=True),
        ],
        responses={200: EntrySerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """For assistants and helpers."""
        entry = self.get_entry(access.HELPER)
        access.require_in(request.user, entry.division.tournament, access.HELPER)
        fields = validated(PresentSerializer, request)
        if "person" in fields:
            partners = check_in.partners_in(entry.division.tournament)
            fields["person"] = partners.filter(public_id=fields["person"]).first()
            if fields["person"] is None:
                raise serializers.ValidationError({"person": ["This player is not of the entry."]}, code="unknown")
        entry = check_in.mark(entry=entry, **fields, **self.acting())
        return Response(EntrySerializer(entry).data)


@open_to(post=Who.SIGNED_IN)
class Leave(TournamentView):
    @extend_schema(
        operation_id="tournaments_leave",
        summary="Withdraw myself from every division",
        request=ReasonSerializer,
        examples=example(reason="I am ill."),
        responses={204: None, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """Does nothing if I am not entered."""
        tournament = self.get_tournament()
        player = my_player(me(request))
        fields = validated(ReasonSerializer, request)
        services.withdraw_from_event(tournament=tournament, player=player, **self.acting(), **fields)
        return Response(status=status.HTTP_204_NO_CONTENT)


class DirectedEntryView(EntryView):
    """Base of the endpoints about an entry that only directors may use."""

    permission_classes = (IsAuthenticated,)

    def get_directed_entry(self) -> Entry:
        """Return the entry of the URL for a director; unlike elsewhere, its player is refused."""
        entry = self.get_entry()
        require(self.request.user, entry.division.tournament.club, Role.DIRECTOR)
        return entry


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class ReturnView(DirectedEntryView):
    @extend_schema(
        operation_id="entries_return_preview",
        summary="Preview the return of a withdrawn player",
        parameters=[OpenApiParameter("scope", str, enum=SCOPES)],
        responses={200: ReturnPreviewSerializer, **READ, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Nothing is written. 409 `not_withdrawn` or `return_too_late`."""
        entry = self.get_directed_entry()
        query = validated_query(ScopeSerializer, request)
        preview = preview_return(entry=entry, event=query["scope"] == EVENT)
        return Response(ReturnPreviewSerializer({"seen": preview.mark, "divisions": return_view(preview)}).data)

    @extend_schema(
        operation_id="entries_return",
        summary="Let a withdrawn player return",
        description="Walkovers that followed from the withdrawal are opened again. Matches that have begun stay.",
        request=ReturnSerializer,
        examples=example(scope="division", seen="0f3c", reason="Was only stuck in traffic."),
        responses={200: EntrySerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `stale` if something has changed since the preview."""
        entry = self.get_directed_entry()
        fields = validated(ReturnSerializer, request)
        bring_back(
            entry=entry,
            seen=fields["seen"],
            event=fields["scope"] == EVENT,
            reason=fields.get("reason", ""),
            **self.acting(),
        )
        entry.refresh_from_db()
        return Response(EntrySerializer(entry).data)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class UndoLateView(DirectedEntryView):
    @extend_schema(
        operation_id="entries_undo_late_preview",
        summary="Preview undoing a late entry",
        responses={200: UndoPreviewSerializer, **READ, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Nothing is written. 409 `not_late` or `late_entry_begun`."""
        preview = preview_undo(entry=self.get_directed_entry())
        return Response(UndoPreviewSerializer({"after": preview.seq, "divisions": [undo_view(preview)]}).data)

    @extend_schema(
        operation_id="entries_undo_late",
        summary="Undo a late entry",
        description="The byes that it took are byes again.",
        parameters=[AFTER],
        request=UndoSerializer,
        examples=example(after=12, reason="Typed into the wrong division."),
        responses={200: EntrySerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `stale` if something has changed since the preview."""
        entry = self.get_directed_entry()
        fields = validated(UndoSerializer, request)
        undo_late(entry=entry, after=read_after(request, fields), reason=fields.get("reason", ""), **self.acting())
        entry.refresh_from_db()
        return Response(EntrySerializer(entry).data)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class ReentryView(DirectedEntryView):
    @extend_schema(
        operation_id="entries_re_enter_preview",
        summary="Preview a re-entry",
        responses={200: UndoPreviewSerializer, **READ, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Nothing is written. 409 `reentry_still_in`, `reentry_without_bye` or `reentry_closed`."""
        preview = preview_reentry(entry=self.get_directed_entry(), now=self.acting()["now"])
        return Response(UndoPreviewSerializer({"after": preview.seq, "divisions": [reentry_view(preview)]}).data)

    @extend_schema(
        operation_id="entries_re_enter",
        summary="Let a player enter again",
        description="A player who is out of the main bracket takes a bye by lot. Returns the new entry; undoing it is "
        "undoing a late entry.",
        parameters=[AFTER],
        request=ReentrySerializer,
        examples=example(after=12),
        responses={201: EntrySerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `stale` if something has changed since the preview."""
        entry = self.get_directed_entry()
        fields = validated(ReentrySerializer, request)
        confirmed = {"after": read_after(request, fields), "past_waiting": fields["past_waiting"]}
        again = reenter(entry=entry, **confirmed, reason=fields.get("reason", ""), **self.acting())
        return Response(EntrySerializer(again).data, status=status.HTTP_201_CREATED)


@open_to(post=Who.DIRECTORS)
class SubstituteView(DirectedEntryView):
    @extend_schema(
        operation_id="entries_substitute",
        summary="Let a substitute, or another pair, take the place of an entry",
        description="Possible until the first match of the place has begun. Names are matched as in `entries_create`. "
        "Who is new is not checked in.",
        parameters=[AFTER],
        request=SubstituteSerializer,
        examples=example(name="Elif Ristic", after=12, reason="Missed the train."),
        responses={200: EntrySerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `substitution_too_late` once a match has begun, `stale` if something has changed."""
        entry, fields = self.get_directed_entry(), validated(SubstituteSerializer, request)
        after = read_after(request, fields)
        wanted = SubstituteInput(**{name: value for name, value in fields.items() if name != "after"})
        done = substitute(entry=entry, substitute=wanted, after=after, **self.acting())
        return Response(EntrySerializer(done.entry).data)


@open_to(post=Who.DIRECTORS)
class UndoSubstitutionView(DirectedEntryView):
    @extend_schema(
        operation_id="entries_undo_substitution",
        summary="Give an entry its place back from the last substitute",
        parameters=[AFTER],
        request=UndoSubstitutionSerializer,
        examples=example(after=12),
        responses={200: EntrySerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `not_substituted`, or what refuses a substitute."""
        entry, fields = self.get_directed_entry(), validated(UndoSubstitutionSerializer, request)
        done = undo_substitution(entry=entry, after=read_after(request, fields), **self.acting())
        return Response(EntrySerializer(done.entry).data)


PERSON = OpenApiParameter("person", description="The public id of the one of a pair whose link it is.")


@open_to(get=Who.STAFF, delete=Who.STAFF)
class EventLinkView(EntryView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="entries_link",
        summary="Get the personal link of a player for the event: for the player and those who run the event",
        description="Whoever has the link can check the player in and report their matches. Directors do not get "
        "their opponent's while somebody else can hand it out (`link_of_opponent`).",
        parameters=[PERSON],
        responses={200: EventLinkSerializer, **READ, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        entry = self.get_entry(Role.ASSISTANT)
        person = person_in(entry, request.query_params.get("person", ""))
        links = links_to_hand_out(entry, by(request), partial(absolute_url, request), only=person)
        return Response(EventLinkSerializer({"url": links[0].url, "generation": links[0].generation}).data)

    @extend_schema(
        operation_id="entries_revoke_link",
        summary="Revoke the personal link of a player for the event, and those of all its matches",
        description="QR codes already printed will stop working. There are new links at once.",
        request=None,
        parameters=[
            PERSON,
            OpenApiParameter("generation", OpenApiTypes.INT, description="Revokes only this generation."),
        ],
        responses={204: None, **WRITE},
    )
    def delete(self, request: Request, **kwargs: str) -> Response:
        entry = self.get_entry(Role.ASSISTANT)
        person = person_in(entry, request.query_params.get("person", ""))
        current = generations_of(entry.division.tournament, [person.pk])[person.pk]
        generation = parse_int(request.query_params.get("generation"), current)
        revoke_event_link(entry=entry, person=person, generation=generation, by=by(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
