"""Rounds that are paired one by one, for programs: how they stand, pairing, byes, and how they go on."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from players.access import Role, is_at_least, role_in
from tournaments import access
from tournaments.draws.api.draws import answer as draw_answer
from tournaments.draws.selectors import rounds as pairing_desk
from tournaments.draws.services import rounds as rounds_asked
from tournaments.draws.services.rounds import Rounds
from tournaments.draws.services.take_back import take_back_round
from tournaments.formats.settings import BY_ROUND, LONGEST_COUNTDOWN, MOST_ROUNDS, NextRound
from tournaments.formats.swiss.event import ByeKind
from tournaments.models import ByeRequest, Division, Draw, Stage
from tournaments.state import serializers as shapes
from tournaments.state.api import AFTER, READ, WRITE, by, entry_by_public_id, example, read_after, validated, with_etag
from tournaments.state.forms import LONGEST_REASON
from tournaments.state.names import Names, names_of

LONGEST_ID = 10
MOST_PAIRS = 2048
DIRECTORS_ONLY = (pairing_desk.DRAFT, pairing_desk.REFUSED)


class GivenByeSerializer(serializers.Serializer[Any]):
    """An entry without a match in a round, and why: by the pairing (full, sit_out) or asked for (half, requested)."""

    entry = serializers.CharField()
    kind = serializers.CharField(help_text=", ".join(kind.value for kind in ByeKind))


class PairedRoundSerializer(serializers.Serializer[Any]):
    """A round as it was paired, its first table first; nothing that is corrected later changes it."""

    round = serializers.IntegerField()
    draft = serializers.IntegerField(help_text="Number of its draw.")
    published_at = serializers.DateTimeField()
    pairs = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    byes = GivenByeSerializer(many=True)


class AskedByeSerializer(serializers.Serializer[Any]):
    """A bye that was asked for."""

    entry = serializers.CharField()
    round = serializers.IntegerField()
    kind = serializers.ChoiceField(ByeRequest.Kind.choices)


class NextRoundSerializer(serializers.Serializer[Any]):
    """What becomes of the next round; what only directors see is null for others."""

    round = serializers.IntegerField()
    state = serializers.ChoiceField(
        ["before_draw", "open", "complete", "requested", "draft", "refused", "over"],
        help_text="`open`: the last round still has matches; `complete`: the next one can be asked for.",
    )
    draft = serializers.IntegerField(allow_null=True)
    publish_at = serializers.DateTimeField(
        allow_null=True, help_text="When the draft publishes itself; everybody may know that."
    )
    outdated = serializers.BooleanField(help_text="Entries, byes or scores have changed since it was made.")
    refusal = serializers.DictField(allow_null=True, help_text="Why it could not be paired: code, params.")
    remarks = serializers.ListField(
        child=serializers.DictField(), help_text="`later_round_impossible`: a round still planned has no pairing."
    )


class RoundsSerializer(serializers.Serializer[Any]):
    """A stage that is paired round by round."""

    stage = serializers.IntegerField()
    format = serializers.ChoiceField([(value, label) for value, label in Stage.Format.choices if value in BY_ROUND])
    rounds = serializers.IntegerField(allow_null=True, help_text="Planned; null: until one is unbeaten, or left.")
    allow_rematches = serializers.BooleanField()
    next_round = serializers.ChoiceField(
        [choice.value for choice in NextRound],
        help_text="What happens when a round is complete: `publish` is a draft that publishes itself.",
    )
    countdown = serializers.IntegerField(help_text="Seconds until such a draft publishes itself.")
    paired = PairedRoundSerializer(many=True)
    next = NextRoundSerializer()
    byes = AskedByeSerializer(many=True)


class PairRoundSerializer(shapes.AfterSerializer):
    """What is asked for."""

    reason = serializers.CharField(max_length=LONGEST_REASON, required=False, allow_blank=True)
    pairs = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField(max_length=LONGEST_ID), min_length=2, max_length=2),
        required=False,
        max_length=MOST_PAIRS,
        help_text="Entries that meet in any case.",
    )


class TakeBackRoundSerializer(shapes.TakeBackSerializer):
    """Which round is taken back, and why."""

    round = serializers.IntegerField(min_value=1, max_value=MOST_ROUNDS)


class ChangeRoundsSerializer(shapes.AfterSerializer):
    """What is to be otherwise; what is not named stays."""

    rounds = serializers.IntegerField(min_value=1, max_value=MOST_ROUNDS, required=False)
    allow_rematches = serializers.BooleanField(required=False)
    next_round = serializers.ChoiceField([choice.value for choice in NextRound], required=False)
    countdown = serializers.IntegerField(min_value=0, max_value=LONGEST_COUNTDOWN, required=False)


class TakeBackByeSerializer(serializers.Serializer[Any]):
    """Whose bye, of which round."""

    entry = serializers.CharField(max_length=LONGEST_ID)
    round = serializers.IntegerField(min_value=1, max_value=MOST_ROUNDS)


class AskByeSerializer(TakeBackByeSerializer):
    """Who misses which round, and for what."""

    kind = serializers.ChoiceField(ByeRequest.Kind.choices, default=ByeRequest.Kind.HALF.value)


def rounds_answer(division: Division, found: Rounds, *, directs: bool) -> dict[str, Any]:
    """The rounds as this reader may see them."""
    names = names_of(division, staff=directs)
    published = found.stage.draws.filter(state=Draw.State.PUBLISHED, round__gt=0).order_by("round")
    asked = pairing_desk.requested(found, names)
    return RoundsSerializer(
        {
            "stage": found.stage.number,
            "format": found.stage.format,
            "rounds": found.settings.rounds,
            "allow_rematches": found.settings.allow_rematches,
            "next_round": found.settings.next_round.value,
            "countdown": found.settings.countdown,
            "paired": [_paired(draw, names) for draw in published],
            "next": _next(pairing_desk.next_round(division, found), directs=directs),
            "byes": [{"entry": entry.public_id, "round": row.round, "kind": row.kind} for row, entry, _name in asked],
        }
    ).data


def _paired(draw: Draw, names: Names) -> dict[str, Any]:
    ids = {pk: entry.public_id for pk, entry in names.entries.items()}
    pairs = list(zip(draw.places[::2], draw.places[1::2], strict=True))
    return {
        "round": draw.round,
        "draft": draw.number,
        "published_at": draw.published_at,
        "pairs": [[ids[first], ids[second]] for first, second in pairs if second is not None],
        "byes": [{"entry": ids[first], "kind": draw.byes[str(first)]} for first, second in pairs if second is None],
    }


def _next(coming: pairing_desk.Next, *, directs: bool) -> dict[str, Any]:
    hidden = coming.state in DIRECTORS_ONLY and not directs
    draft = None if hidden or not directs else coming.draft
    return {
        "round": coming.number,
        "state": "complete" if hidden else coming.state,
        "draft": draft.number if draft else None,
        "publish_at": coming.draft.publish_at if coming.draft else None,
        "outdated": bool(draft) and coming.outdated,
        "refusal": draft.refusal if draft else None,
        "remarks": draft.remarks if draft else [],
    }


def _answer(request: Request, division: Division, status_: int = status.HTTP_200_OK) -> Response:
    division.refresh_from_db()
    directs = is_at_least(role_in(request.user, division.tournament.club), Role.DIRECTOR)
    return with_etag(rounds_answer(division, rounds_asked.rounds_of(division), directs=directs), division.seq, status_)


class AllRounds(APIView):
    """The rounds of a Swiss or of lives."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="rounds_list",
        summary="The rounds of a division that is paired round by round",
        description="409 `not_by_rounds` for any other. The tables stand at `standings/`, the matches at `pairings/`.",
        responses={200: RoundsSerializer, 409: WRITE[409], **READ},
    )
    def get(self, request: Request, division: str) -> Response:
        """Those paired, and what becomes of the next."""
        return _answer(request, access.division(request.user, division))

    @extend_schema(
        operation_id="rounds_pair",
        summary="Have the next round paired",
        description=(
            "A worker makes a draft: ask at `Location` while `state` is `requested`, then publish it as any draft. "
            "Pairing a round again needs a reason."
        ),
        parameters=[AFTER],
        request=PairRoundSerializer,
        examples=[OpenApiExample("Next", value={"after": 12}, request_only=True)],
        responses={202: shapes.DrawSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """202 and where to ask. 409 `round_open`, `rounds_over`, `draft_in_work`, `stale`."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(PairRoundSerializer, request)
        after = read_after(request, fields)
        pairs = [
            (entry_by_public_id(found, first, "pairs"), entry_by_public_id(found, second, "pairs"))
            for first, second in fields.get("pairs", [])
        ]
        draw = rounds_asked.request_round(
            division=found,
            manual=pairs,
            reason=fields.get("reason", ""),
            after=after or 0,
            by=by(request),
            now=timezone.now(),
        )
        here = request.build_absolute_uri(reverse("api-draw", args=[found.public_id, draw.number]))
        body = draw_answer(draw, Names({}, True), published=False)
        return Response(body, status=status.HTTP_202_ACCEPTED, headers={"Location": here})


class ChangeRounds(APIView):
    """How the rounds go on."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="rounds_change",
        summary="Change how a Swiss goes on while it runs",
        description="A round that could not be paired (`no_legal_pairing`) is asked for again.",
        parameters=[AFTER],
        request=ChangeRoundsSerializer,
        examples=example(after=12, allow_rematches=True),
        responses={200: RoundsSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """409 `rounds_paired` where more are paired already."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(ChangeRoundsSerializer, request)
        after = read_after(request, fields)
        if "next_round" in fields:
            fields["next_round"] = NextRound(fields["next_round"])
        rounds_asked.change_rounds(division=found, after=after or 0, by=by(request), now=timezone.now(), **fields)
        return _answer(request, found)


class AskBye(APIView):
    """A bye that is asked for."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="rounds_ask_bye",
        summary="Note that somebody will miss a round",
        request=AskByeSerializer,
        examples=example(entry="7k2p9wqx4z", round=3, kind="half"),
        responses={200: RoundsSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """Asking for the same again changes nothing. 409 `round_paired`."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(AskByeSerializer, request)
        rounds_asked.request_bye(
            entry=entry_by_public_id(found, fields["entry"]),
            round_number=fields["round"],
            kind=fields["kind"],
            by=by(request),
            now=timezone.now(),
        )
        return _answer(request, found)


class TakeBackRound(APIView):
    """A round that is to be paired again."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="rounds_take_back",
        summary="Take the round paired last back",
        description="While none of its matches has begun. The first round of a division is taken back as its draw.",
        parameters=[AFTER],
        request=TakeBackRoundSerializer,
        examples=example(after=12, round=2, reason="A result of round 1 was wrong"),
        responses={200: RoundsSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """409 `round_not_last`, `round_is_the_draw`, `round_begun`, `stale`."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(TakeBackRoundSerializer, request)
        after = read_after(request, fields)
        number = fields.pop("round")
        take_back_round(
            division=found, round_number=number, after=after or 0, by=by(request), now=timezone.now(), **fields
        )
        return _answer(request, found)


class TakeBackBye(APIView):
    """A bye that is not needed after all."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="rounds_take_back_bye",
        summary="Take back a bye that was asked for",
        request=TakeBackByeSerializer,
        examples=example(entry="7k2p9wqx4z", round=3),
        responses={200: RoundsSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """409 `no_bye_requested`."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(TakeBackByeSerializer, request)
        entry = entry_by_public_id(found, fields["entry"])
        rounds_asked.take_back_bye(entry=entry, round_number=fields["round"], by=by(request), now=timezone.now())
        return _answer(request, found)
