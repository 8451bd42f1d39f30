"""API of draws, rounds, kept-apart pairs and commitments."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.left_out import within_division
from core.public_ids import LENGTH
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NOTE_LENGTH
from formats.settings import BY_ROUND, MAX_ROUNDS, NextRound
from formats.swiss.event import ByeKind
from players import access
from players.access import Role, is_at_least, role_in
from tournaments.draws import kept_apart, rounds, services, verifiable
from tournaments.draws import lists as draw_lists
from tournaments.draws.kept_apart import pairs_apart
from tournaments.draws.lists import FATES, CommitmentLine, commitments_of, lines
from tournaments.draws.rounds import PairedStage, WayOut
from tournaments.events.api import DivisionView, PublicView
from tournaments.models import ByeRequest, Division, Draw, Stage
from tournaments.standings import brackets
from tournaments.state.api import (
    AFTER,
    LOCATION,
    PROBLEM,
    READ,
    WRITE,
    AfterSerializer,
    DrawSerializer,
    ReasonSerializer,
    entry_by_public_id,
    example,
    read_after,
    validated,
    with_etag,
)
from tournaments.state.derivation import StageState
from tournaments.state.names import Names, names_of
from tournaments.state.plans import is_continuous

MAX_PAIRS = 2048


class RequestDrawSerializer(ReasonSerializer):
    """A request for a draft."""

    here_only = serializers.BooleanField(
        default=False, help_text="Leave out whoever is not checked in. Publishing puts them on the waiting list."
    )


class GivenByeSerializer(serializers.Serializer[Any]):
    """An entry without a match in a round: by the pairing (full, sit_out) or requested (half, requested)."""

    entry = serializers.CharField()
    kind = serializers.CharField(help_text=", ".join(kind.value for kind in ByeKind))


class PairedRoundSerializer(serializers.Serializer[Any]):
    """A round as it was paired, in the order of tables; later corrections do not change it."""

    round = serializers.IntegerField()
    draft = serializers.IntegerField(help_text="Number of its draft.")
    published_at = serializers.DateTimeField()
    pairs = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    byes = GivenByeSerializer(many=True)


class AskedByeSerializer(serializers.Serializer[Any]):
    """A requested bye."""

    entry = serializers.CharField()
    round = serializers.IntegerField()
    kind = serializers.ChoiceField(ByeRequest.Kind.choices)


class NextRoundSerializer(serializers.Serializer[Any]):
    """The next round; values that only directors may see are null for others."""

    round = serializers.IntegerField()
    state = serializers.ChoiceField(
        ["before_draw", "open", "complete", "requested", "draft", "refused", "over"],
        help_text="`open`: the last round still has open matches; `complete`: the next round can be requested.",
    )
    draft = serializers.IntegerField(allow_null=True)
    publish_at = serializers.DateTimeField(
        allow_null=True, help_text="When the draft is published automatically; shown to everybody."
    )
    outdated = serializers.BooleanField(help_text="Entries, byes or scores have changed since the draft was made.")
    refusal = serializers.DictField(allow_null=True, help_text="Why the round could not be paired: code, params.")
    remarks = serializers.ListField(
        child=serializers.DictField(),
        help_text="`later_round_impossible`: a later round would have no pairing.",
    )
    ways_out = serializers.ListField(
        child=serializers.ChoiceField([way.value for way in WayOut]),
        help_text=(
            "What a director can do if this round, or a later one, cannot be paired: `allow_rematches`, or `end` after "
            "`end_after` rounds (`rounds_change`); `let_meet` a pair that is kept apart; `cancel_bye`; `add_players`."
        ),
    )
    end_after = serializers.IntegerField(
        allow_null=True, help_text="The number of rounds with which `end` is possible; else null."
    )


class RoundsSerializer(serializers.Serializer[Any]):
    """A stage that is paired round by round."""

    stage = serializers.IntegerField()
    format = serializers.ChoiceField([(value, label) for value, label in Stage.Format.choices if value in BY_ROUND])
    rounds = serializers.IntegerField(
        allow_null=True, help_text="Planned number; null: until one player is unbeaten, or left."
    )
    allow_rematches = serializers.BooleanField()
    next_round = serializers.ChoiceField(
        [choice.value for choice in NextRound],
        help_text="What happens when a round is complete: `publish` is a draft that is published automatically.",
    )
    countdown = serializers.IntegerField(help_text="Seconds until such a draft is published.")
    paired = PairedRoundSerializer(many=True)
    next = NextRoundSerializer()
    byes = AskedByeSerializer(many=True)


class PairRoundSerializer(AfterSerializer):
    """A request for the next round."""

    reason = serializers.CharField(max_length=MAX_NOTE_LENGTH, required=False, allow_blank=True)
    pairs = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField(max_length=LENGTH), min_length=2, max_length=2),
        required=False,
        max_length=MAX_PAIRS,
        help_text="Pairs of entries that are fixed beforehand.",
    )


class TakeBackByeSerializer(serializers.Serializer[Any]):
    """The entry and round of a bye."""

    entry = serializers.CharField(max_length=LENGTH)
    round = serializers.IntegerField(min_value=1, max_value=MAX_ROUNDS)


class AskByeSerializer(TakeBackByeSerializer):
    """A bye to request, and what it is worth."""

    kind = serializers.ChoiceField(ByeRequest.Kind.choices, default=ByeRequest.Kind.HALF.value)


class ApartSerializer(serializers.Serializer[Any]):
    """Two entries, by their public ids."""

    first = serializers.CharField(max_length=LENGTH)
    second = serializers.CharField(max_length=LENGTH)


class CommittedDraftSerializer(serializers.Serializer[Any]):
    """A draft drawn from the seed of a commitment."""

    number = serializers.IntegerField()
    round = serializers.IntegerField(help_text="The round it pairs; 0: the whole stage.")
    state = serializers.ChoiceField(Draw.State.choices)
    seen = serializers.BooleanField(help_text="Whether it was made, so that directors could see it.")
    reason = serializers.CharField(help_text="Why it was drawn again; empty for the first draft.")
    made_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    taken_back_at = serializers.DateTimeField(allow_null=True)
    taken_back_reason = serializers.CharField()


class CommitmentSerializer(serializers.Serializer[Any]):
    """A commitment of a club. Commitments are never removed; only their fate changes."""

    number = serializers.IntegerField(help_text="Counts the commitments of the club from 1, without gaps.")
    at = serializers.DateTimeField()
    tournament = serializers.CharField(help_text="Public id of the event.")
    tournament_name = serializers.CharField()
    division = serializers.CharField(help_text="Public id of the division.")
    division_name = serializers.CharField()
    stage = serializers.IntegerField()
    seed_hash = serializers.CharField(help_text="SHA-256 of the bytes of the seed for drafts.")
    lots_hash = serializers.CharField(help_text="SHA-256 of the bytes of the seed for lots after the draw.")
    fate = serializers.ChoiceField(list(FATES))
    ended_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField(help_text="Why the draw was taken back.")
    seed = serializers.CharField(allow_null=True, help_text="Null while it is secret.")
    lots_seed = serializers.CharField(allow_null=True, help_text="Null while it is secret.")
    drafts = CommittedDraftSerializer(many=True)
    draws = serializers.CharField(help_text="URL of the division's published draws.")


def draw_data(
    draw: Draw, names: Names, *, published: bool, state: StageState | None = None, directs: bool = False
) -> dict[str, Any]:
    """Return a draw for the API; with `published`, its seed is included once nothing more is drawn from it.

    With the `state` of its stage, what it is repeated from is included as well.
    """
    division = draw.stage.division
    ratings = {pk: entry.rating or 0.0 for pk, entry in names.entries.items()}
    seeds = brackets.seeds_of(draw, division) | verifiable.group_seeds(draw, division, ratings)
    is_published = published and draw.state == Draw.State.PUBLISHED
    has_lots = is_published and draw.stage.lots_seed_is_public and state is not None
    pairing, pairing_state = None, None
    if is_published and state is not None and draw.round and not is_continuous(draw.stage):
        is_public = draw.stage.seed_is_public
        pairing = verifiable.pairing_input(state, draw, directs=directs) if is_public else None
        pairing_state = "secret" if not is_public else "changed" if pairing is None else "public"
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
            "kept_apart": verifiable.keeps_apart(draw, division),
            "left_out": [names.entries[entry].public_id for entry in draw.left_out],
            "places": [_place(entry, names, seeds) for entry in _shown_places(draw, directs=directs)],
            "groups": verifiable.groups_of(draw.stage),
            "apart": verifiable.apart_in(draw, division) if directs and not draw.round else None,
            "pairing": pairing,
            "pairing_state": pairing_state,
            "later_lots": verifiable.later_lots(state) if has_lots and state else [],
        }
    ).data


def _shown_places(draw: Draw, *, directs: bool) -> Sequence[int | None]:
    """Return the places of a draw; of a stage without rounds, only directors see who was not paired at first."""
    places: Sequence[int | None] = draw.places
    if directs or not is_continuous(draw.stage):
        return places
    pairs = zip(places[::2], places[1::2], strict=True)
    return [entry for pair in pairs if pair[1] is not None for entry in pair]


def requested_response(request: Request, division: Division, draw: Draw) -> Response:
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
    with within_division(division):
        states = verifiable.state_for(rows, division)
        return [
            draw_data(row, names, published=published, state=states.get(row.stage_id), directs=directs) for row in rows
        ]


@open_to(get=Who.EVERYBODY, post=Who.DIRECTORS)
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
        description="A worker makes it: poll `Location` while `state` is `requested`. A new draft needs a reason. In a "
        "division that is being played it replaces the draft of the next round.",
        parameters=[LOCATION],
        request=RequestDrawSerializer,
        examples=[OpenApiExample("Again", value={"reason": "Two players came late"}, request_only=True)],
        responses={202: DrawSerializer, **WRITE},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, **kwargs: str) -> Response:
        """202 with the URL to poll."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(RequestDrawSerializer, request)
        draw = services.request_draw(division=division, **fields, **self.acting())
        return requested_response(request, division, draw)


@open_to(get=Who.EVERYBODY)
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


class FlowEntrySerializer(serializers.Serializer[Any]):
    """An entry of a stage without rounds."""

    number = serializers.IntegerField()
    person = serializers.IntegerField(help_text="The number of the first entry of this player in the division.")
    club = serializers.CharField(allow_null=True, help_text="For directors, if club-mates are kept apart.")
    late = serializers.BooleanField()


class BatchesSerializer(serializers.Serializer[Any]):
    """The pairings of a stage without rounds."""

    algorithm = serializers.CharField()
    format = serializers.CharField()
    seed = serializers.CharField(allow_null=True, help_text="Hexadecimal; null before the stage is over.")
    seed_hash = serializers.CharField()
    commitment = serializers.IntegerField(allow_null=True, help_text="Its number in the list of the club.")
    settings = serializers.DictField()
    entries = FlowEntrySerializer(many=True)
    field_corrected = serializers.BooleanField(
        help_text="Whether a result of the stage before was corrected since the first batch, so that others may have "
        "played: no batch can be checked then."
    )
    events = serializers.ListField(
        child=serializers.DictField(), help_text="In order; what each has beside its `kind` depends on that."
    )


@open_to(get=Who.EVERYBODY)
class Batches(DivisionView):
    """The pairings of a stage without rounds."""

    @extend_schema(
        operation_id="batches_retrieve",
        summary="Get all pairings of a stage without rounds, with what they follow from",
        description=(
            "For `verify_pairings.py`, which checks that each batch was one of least cost by the committed lots. "
            "There are no events before the stage is over. 404 if the division has no such stage."
        ),
        responses={200: BatchesSerializer, **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """The first stage without rounds."""
        division = self.get_division()
        stage = next((row for row in division.stages.order_by("number") if is_continuous(row)), None)
        if stage is None:
            raise Http404
        stage.division = division
        directs = is_at_least(role_in(request.user, division.tournament.club), Role.DIRECTOR)
        with within_division(stage):
            data = verifiable.pairings_data(stage, directs=directs)
        return with_etag(BatchesSerializer(data).data, division.seq)


def changed_draw(draw: Draw, division: Division) -> Response:
    """Return a draw that was changed, with the new ETag of its division."""
    draw.stage.division = division
    division.refresh_from_db()
    is_published = draw.state == Draw.State.PUBLISHED
    return with_etag(draw_data(draw, names_of(division, staff=True), published=is_published), division.seq)


DIRECTORS_ONLY = (draw_lists.DRAFT, draw_lists.REFUSED)
"""States of the next round that others see as complete."""


def rounds_data(division: Division, current: PairedStage, *, directs: bool) -> dict[str, Any]:
    """Return the rounds as a director, or anybody else, may see them."""
    names = names_of(division, staff=directs)
    published = current.stage.draws.filter(state=Draw.State.PUBLISHED, round__gt=0).order_by("round")
    byes = draw_lists.requested_byes(current, names)
    return RoundsSerializer(
        {
            "stage": current.stage.number,
            "format": current.stage.format,
            "rounds": current.settings.rounds,
            "allow_rematches": current.settings.allow_rematches,
            "next_round": current.settings.next_round.value,
            "countdown": current.settings.countdown,
            "paired": [_paired(draw, names) for draw in published],
            "next": _next(draw_lists.next_round(division, current), directs=directs),
            "byes": [{"entry": entry.public_id, "round": row.round, "kind": row.kind} for row, entry, _name in byes],
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


def _next(upcoming: draw_lists.NextRoundStatus, *, directs: bool) -> dict[str, Any]:
    hidden = upcoming.state in DIRECTORS_ONLY and not directs
    draft = upcoming.draft if directs else None
    ways = upcoming.ways_out if directs else draw_lists.NO_WAYS
    return {
        "round": upcoming.number,
        "state": "complete" if hidden else upcoming.state,
        "draft": draft.number if draft else None,
        "publish_at": upcoming.draft.publish_at if upcoming.draft else None,
        "outdated": bool(draft) and upcoming.outdated,
        "refusal": draft.refusal if draft else None,
        "remarks": draft.remarks if draft else [],
        "ways_out": ways.ways,
        "end_after": ways.end_after if WayOut.END in ways.ways else None,
    }


def rounds_response(request: Request, division: Division) -> Response:
    """Return all rounds of the stage, with the ETag of the division."""
    division.refresh_from_db()
    directs = is_at_least(role_in(request.user, division.tournament.club), Role.DIRECTOR)
    data = rounds_data(division, rounds.paired_stage_of(division), directs=directs)
    return with_etag(data, division.seq, status.HTTP_200_OK)


@open_to(get=Who.EVERYBODY, post=Who.DIRECTORS)
class AllRounds(DivisionView):
    """The rounds of a Swiss or of lives."""

    @extend_schema(
        operation_id="rounds_list",
        summary="Get the rounds of a division",
        description=(
            "409 `not_by_rounds` unless it is paired round by round. See `standings/` for its table and `pairings/` "
            "for its matches."
        ),
        responses={200: RoundsSerializer, 409: WRITE[409], **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        return rounds_response(request, self.get_division())

    @extend_schema(
        operation_id="rounds_pair",
        summary="Request the next round",
        description=(
            "A worker makes a draft: poll `Location` while `state` is `requested`, then publish it like any draft. "
            "Pairing a round again needs a reason."
        ),
        parameters=[AFTER, LOCATION],
        request=PairRoundSerializer,
        examples=[OpenApiExample("Next", value={"after": 12}, request_only=True)],
        responses={202: DrawSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """202 with the URL to poll. 409 `round_open`, `rounds_over`, `draft_in_work`, `stale`."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(PairRoundSerializer, request)
        after = read_after(request, fields)
        pairs = [
            (entry_by_public_id(division, first, "pairs"), entry_by_public_id(division, second, "pairs"))
            for first, second in fields.get("pairs", [])
        ]
        draw = rounds.request_round(
            division=division, manual=pairs, reason=fields.get("reason", ""), after=after or 0, **self.acting()
        )
        return requested_response(request, division, draw)


@open_to(post=Who.DIRECTORS)
class AskBye(DivisionView):
    @extend_schema(
        operation_id="rounds_ask_bye",
        summary="Request a bye",
        request=AskByeSerializer,
        examples=example(entry="7k2p9wqx4z", round=3, kind="half"),
        responses={200: RoundsSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """Repeating it changes nothing. 409 `round_paired`."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(AskByeSerializer, request)
        entry = entry_by_public_id(division, fields["entry"])
        rounds.request_bye(entry=entry, round_number=fields["round"], kind=fields["kind"], **self.acting())
        return rounds_response(request, division)


@open_to(post=Who.DIRECTORS)
class TakeBackBye(DivisionView):
    @extend_schema(
        operation_id="rounds_take_back_bye",
        summary="Cancel a requested bye",
        request=TakeBackByeSerializer,
        examples=example(entry="7k2p9wqx4z", round=3),
        responses={200: RoundsSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `no_bye_requested`."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(TakeBackByeSerializer, request)
        entry = entry_by_public_id(division, fields["entry"])
        rounds.withdraw_bye(entry=entry, round_number=fields["round"], **self.acting())
        return rounds_response(request, division)


PAIR = example(first="7k2p9wqx4z", second="3hn8rtw2yc")


class KeptApartView(DivisionView):
    """Base of the endpoints about pairs; each answers with all pairs of the division."""

    def pair_arguments(self, request: Request, division: Division) -> dict[str, Any]:
        """Return the arguments of a service: the two entries in the body, and who acts when."""
        fields = validated(ApartSerializer, request)
        entries = {field: entry_by_public_id(division, public_id, field) for field, public_id in fields.items()}
        return {**entries, **self.acting()}

    def pairs_response(self, division: Division, status_code: int = status.HTTP_200_OK) -> Response:
        division.refresh_from_db()
        pairs = pairs_apart(division, names_of(division, staff=True))
        rows = [{"first": pair.first.public_id, "second": pair.second.public_id} for pair in pairs]
        return with_etag(ApartSerializer(rows, many=True).data, division.seq, status_code)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class AllApart(KeptApartView):
    @extend_schema(
        operation_id="kept_apart_list",
        summary="List pairs that are kept apart",
        description="For directors. They are never paired in a round; a draw keeps them as far apart as possible.",
        responses={200: ApartSerializer(many=True), **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Oldest first."""
        return self.pairs_response(self.get_division(Role.DIRECTOR))

    @extend_schema(
        operation_id="kept_apart_add",
        summary="Keep two entries apart",
        description=(
            "A draft of the whole draw is discarded, a draft of a round becomes outdated. Paired rounds do not change."
        ),
        request=ApartSerializer,
        examples=PAIR,
        responses={201: ApartSerializer(many=True), **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """Repeating it changes nothing. 409 `nothing_to_keep_apart`, `draft_in_work`, `not_entered`."""
        division = self.get_division(Role.DIRECTOR)
        kept_apart.keep_apart(**self.pair_arguments(request, division))
        return self.pairs_response(division, status.HTTP_201_CREATED)


@open_to(post=Who.DIRECTORS)
class LetMeet(KeptApartView):
    @extend_schema(
        operation_id="kept_apart_take_back",
        summary="Let two entries meet again",
        request=ApartSerializer,
        examples=PAIR,
        responses={200: ApartSerializer(many=True), **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `not_kept_apart`, `nothing_to_keep_apart`, `draft_in_work`."""
        division = self.get_division(Role.DIRECTOR)
        kept_apart.let_meet(**self.pair_arguments(request, division))
        return self.pairs_response(division)


def _listed_commitment(line: CommitmentLine) -> dict[str, Any]:
    row = line.commitment
    return {
        "number": row.number,
        "at": row.at,
        "tournament": row.division.tournament.public_id,
        "tournament_name": row.division.tournament.name,
        "division": row.division.public_id,
        "division_name": row.division.name,
        "stage": row.stage_number,
        "seed_hash": row.seed_hash,
        "lots_hash": row.lots_hash,
        "fate": line.fate,
        "ended_at": line.ended_at,
        "reason": row.reason,
        "seed": line.seed,
        "lots_seed": line.lots_seed,
        "drafts": [_draft(draft) for draft in line.drafts],
        "draws": reverse("api-draws", args=[row.division.public_id]),
    }


def _draft(draft: Draw) -> dict[str, Any]:
    return {
        "number": draft.number,
        "round": draft.round,
        "state": draft.state,
        "seen": bool(draft.places),
        "reason": draft.reason,
        "made_at": draft.made_at,
        "published_at": draft.published_at,
        "taken_back_at": draft.taken_back_at,
        "taken_back_reason": draft.taken_back_reason,
    }


@open_to(get=Who.EVERYBODY)
class Commitments(PublicView, generics.GenericAPIView[Any]):
    """The seeds a club has committed itself to."""

    serializer_class = CommitmentSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="clubs_commitments",
        summary="List the commitments of a club",
        description=(
            "Newest first; published before anything is drawn. Keep a copy: if the number, time or hashes of a "
            "commitment change later, the list was tampered with."
        ),
        responses={200: CommitmentSerializer(many=True), **READ},
    )
    def get(self, request: Request, slug: str) -> Response:
        page = self.paginate_queryset(commitments_of(access.club(slug)))
        rows = [_listed_commitment(line) for line in lines(page or [])]
        return self.get_paginated_response(CommitmentSerializer(rows, many=True).data)
