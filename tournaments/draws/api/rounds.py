"""API: stages that are paired round by round: their rounds, pairing, byes and settings."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from players.access import Role, is_at_least, role_in
from tournaments.draws.api.draws import requested_response
from tournaments.draws.selectors import rounds as selectors
from tournaments.draws.serializers import (
    AskByeSerializer,
    ChangeRoundsSerializer,
    PairRoundSerializer,
    RoundsSerializer,
    TakeBackByeSerializer,
    TakeBackRoundSerializer,
)
from tournaments.draws.services import rounds as services
from tournaments.draws.services.rounds import PairedStage, RoundChanges
from tournaments.draws.services.take_back import take_back_round
from tournaments.events.api.base import DivisionView
from tournaments.formats.settings import NextRound
from tournaments.models import Division, Draw
from tournaments.state.api import AFTER, READ, WRITE, entry_by_public_id, example, read_after, validated, with_etag
from tournaments.state.names import Names, names_of
from tournaments.state.serializers import DrawSerializer

DIRECTORS_ONLY = (selectors.DRAFT, selectors.REFUSED)
"""States of the next round that others see as complete."""


def rounds_data(division: Division, current: PairedStage, *, directs: bool) -> dict[str, Any]:
    """Return the rounds as a director, or anybody else, may see them."""
    names = names_of(division, staff=directs)
    published = current.stage.draws.filter(state=Draw.State.PUBLISHED, round__gt=0).order_by("round")
    byes = selectors.requested_byes(current, names)
    return RoundsSerializer(
        {
            "stage": current.stage.number,
            "format": current.stage.format,
            "rounds": current.settings.rounds,
            "allow_rematches": current.settings.allow_rematches,
            "next_round": current.settings.next_round.value,
            "countdown": current.settings.countdown,
            "paired": [_paired(draw, names) for draw in published],
            "next": _next(selectors.next_round(division, current), directs=directs),
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


def _next(upcoming: selectors.NextRoundStatus, *, directs: bool) -> dict[str, Any]:
    hidden = upcoming.state in DIRECTORS_ONLY and not directs
    draft = upcoming.draft if directs else None
    return {
        "round": upcoming.number,
        "state": "complete" if hidden else upcoming.state,
        "draft": draft.number if draft else None,
        "publish_at": upcoming.draft.publish_at if upcoming.draft else None,
        "outdated": bool(draft) and upcoming.outdated,
        "refusal": draft.refusal if draft else None,
        "remarks": draft.remarks if draft else [],
    }


class RoundsView(DivisionView):
    """Base of the endpoints about rounds; most answer with all rounds of the stage."""

    def rounds_response(self, request: Request, division: Division) -> Response:
        """Return the rounds, with the ETag of the division."""
        division.refresh_from_db()
        directs = is_at_least(role_in(request.user, division.tournament.club), Role.DIRECTOR)
        data = rounds_data(division, services.paired_stage_of(division), directs=directs)
        return with_etag(data, division.seq, status.HTTP_200_OK)


class AllRounds(RoundsView):
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
        """The paired rounds and the state of the next."""
        return self.rounds_response(request, self.get_division())

    @extend_schema(
        operation_id="rounds_pair",
        summary="Request the next round",
        description=(
            "A worker makes a draft: poll `Location` while `state` is `requested`, then publish it like any draft. "
            "Pairing a round again needs a reason."
        ),
        parameters=[AFTER],
        request=PairRoundSerializer,
        examples=[OpenApiExample("Next", value={"after": 12}, request_only=True)],
        responses={202: DrawSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """202 with the URL to poll. 409 `round_open`, `rounds_over`, `draft_in_work`, `stale`."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(PairRoundSerializer, request)
        after = read_after(request, fields)
        pairs = [
            (entry_by_public_id(division, first, "pairs"), entry_by_public_id(division, second, "pairs"))
            for first, second in fields.get("pairs", [])
        ]
        draw = services.request_round(
            division=division, manual=pairs, reason=fields.get("reason", ""), after=after or 0, **self.acting()
        )
        return requested_response(request, division, draw)


class ChangeRounds(RoundsView):
    """The settings of a running stage."""

    @extend_schema(
        operation_id="rounds_change",
        summary="Change the settings of a running Swiss",
        description="A round that could not be paired (`no_legal_pairing`) is requested again.",
        parameters=[AFTER],
        request=ChangeRoundsSerializer,
        examples=example(after=12, allow_rematches=True),
        responses={200: RoundsSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `rounds_paired` if more rounds are already paired."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(ChangeRoundsSerializer, request)
        after = read_after(request, fields)
        if "next_round" in fields:
            fields["next_round"] = NextRound(fields["next_round"])
        services.change_rounds(division=division, changes=RoundChanges(**fields), after=after or 0, **self.acting())
        return self.rounds_response(request, division)


class AskBye(RoundsView):
    """A requested bye."""

    @extend_schema(
        operation_id="rounds_ask_bye",
        summary="Request a bye",
        request=AskByeSerializer,
        examples=example(entry="7k2p9wqx4z", round=3, kind="half"),
        responses={200: RoundsSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """Repeating it changes nothing. 409 `round_paired`."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(AskByeSerializer, request)
        entry = entry_by_public_id(division, fields["entry"])
        services.request_bye(entry=entry, round_number=fields["round"], kind=fields["kind"], **self.acting())
        return self.rounds_response(request, division)


class TakeBackRound(RoundsView):
    """Taking back the last paired round."""

    @extend_schema(
        operation_id="rounds_take_back",
        summary="Take back the last paired round",
        description=(
            "Only while none of its matches has begun. The first round of a division is taken back with its draw."
        ),
        parameters=[AFTER],
        request=TakeBackRoundSerializer,
        examples=example(after=12, round=2, reason="A result of round 1 was wrong"),
        responses={200: RoundsSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `round_not_last`, `round_is_the_draw`, `round_begun`, `stale`."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(TakeBackRoundSerializer, request)
        after = read_after(request, fields)
        number = fields.pop("round")
        take_back_round(division=division, round_number=number, after=after or 0, **self.acting(), **fields)
        return self.rounds_response(request, division)


class TakeBackBye(RoundsView):
    """Cancelling a requested bye."""

    @extend_schema(
        operation_id="rounds_take_back_bye",
        summary="Cancel a requested bye",
        request=TakeBackByeSerializer,
        examples=example(entry="7k2p9wqx4z", round=3),
        responses={200: RoundsSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `no_bye_requested`."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(TakeBackByeSerializer, request)
        entry = entry_by_public_id(division, fields["entry"])
        services.take_back_bye(entry=entry, round_number=fields["round"], **self.acting())
        return self.rounds_response(request, division)
