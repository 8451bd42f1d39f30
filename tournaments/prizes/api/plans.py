"""API of prize plans, side pools and agreed splits, for directors."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Prefetch
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response

from players.access import Role
from tournaments.events.api.base import DivisionView
from tournaments.models import AgreedSplit, Division, Entry, PoolMember
from tournaments.prizes.api.cash import DIRECTORS_READ
from tournaments.prizes.api.plan_serializers import (
    NewPrizePlanSerializer,
    NewSidePoolSerializer,
    NewSplitSerializer,
    PoolMemberSerializer,
    PrizePlanSerializer,
    PrizePlansSerializer,
    SidePoolSerializer,
    SplitSerializer,
)
from tournaments.prizes.selectors.places import pot_keys
from tournaments.prizes.selectors.prizes import prizes_of
from tournaments.prizes.services.plans import PlanInput, agree_split, save_plan, take_back_split
from tournaments.prizes.services.pools import PoolInput, create_pool, join_pool, leave_pool
from tournaments.prizes.shares import Pot
from tournaments.state.api import WRITE, entry_by_public_id, example, validated


def _refuse_unknown(field: str, brackets: Sequence[str], division: Division, *, once: bool = True) -> None:
    """Raise 422 for a field that names a bracket which the division does not have, or one of them twice."""
    known = pot_keys(division)
    if not set(brackets) <= set(known):
        text = _("The brackets of this division are: %(brackets)s.") % {"brackets": ", ".join(known)}
        raise exceptions.ValidationError({field: [text]}, code="unknown")
    if once and len(set(brackets)) < len(brackets):
        raise exceptions.ValidationError({field: [_("Name each bracket once.")]}, code="invalid")


class PrizePlans(DivisionView):
    """The prizes of a division, in all their versions."""

    @extend_schema(
        operation_id="prize_plans_list",
        summary="List the versions of a division's prizes (directors)",
        responses={200: PrizePlansSerializer, **DIRECTORS_READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """The latest first, with the brackets that a plan may name."""
        division = self.get_division(Role.DIRECTOR)
        plans = division.prize_plans.order_by("-version")
        return Response(PrizePlansSerializer({"brackets": pot_keys(division), "plans": plans}).data)

    @extend_schema(
        operation_id="prize_plans_create",
        summary="Save the prizes of a division, as a draft or published (directors)",
        request=NewPrizePlanSerializer,
        examples=example(
            brackets=[{"bracket": "main", "shares": [6000, 3000, 500, 500]}], registration=600, unit=500, publish=True
        ),
        responses={201: PrizePlanSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the new version. 422 `bad_shares` unless all shares together are 100 %."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(NewPrizePlanSerializer, request)
        brackets, publish = fields.pop("brackets"), fields.pop("publish")
        _refuse_unknown("brackets", [row["bracket"] for row in brackets], division)
        plan = PlanInput([Pot(row["bracket"], tuple(row["shares"])) for row in brackets], **fields)
        saved = save_plan(division=division, plan=plan, publish=publish, **self.acting())
        return Response(PrizePlanSerializer(saved).data, status=status.HTTP_201_CREATED)


def _pools(division: Division) -> Any:
    members = Prefetch("members", PoolMember.objects.select_related("entry"))
    return division.side_pools.select_related("division__tournament__club").prefetch_related(members)


class SidePools(DivisionView):
    """The side pools of a division."""

    @extend_schema(
        operation_id="side_pools_list",
        summary="List the side pools of a division (directors)",
        responses={200: SidePoolSerializer(many=True), **DIRECTORS_READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """In the order in which they were added."""
        return Response(SidePoolSerializer(_pools(self.get_division(Role.DIRECTOR)), many=True).data)

    @extend_schema(
        operation_id="side_pools_create",
        summary="Add a side pool to a division (directors)",
        request=NewSidePoolSerializer,
        examples=example(
            name="Jackpot",
            fee=1000,
            shares=[7000, 3000],
            order=[{"bracket": "main", "place": place} for place in (1, 2)],
        ),
        responses={201: SidePoolSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the pool. 422 `bad_shares` unless the shares are 100 %, `name_taken`."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(NewSidePoolSerializer, request)
        order = [(row["bracket"], row["place"]) for row in fields.pop("order")]
        _refuse_unknown("order", [bracket for bracket, _place in order], division, once=False)
        pool = create_pool(division=division, pool=PoolInput(order=order, **fields), **self.acting())
        return Response(SidePoolSerializer(pool).data, status=status.HTTP_201_CREATED)


class PoolMembers(DivisionView):
    """The members of a side pool."""

    @extend_schema(
        operation_id="side_pool_members_create",
        summary="Put an entry into a side pool (directors)",
        request=PoolMemberSerializer,
        examples=example(entry="k3v9w2xq7m"),
        responses={201: SidePoolSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the pool. 409 `pool_joined` if the entry is in it."""
        division = self.get_division(Role.DIRECTOR)
        pool = get_object_or_404(_pools(division), public_id=self.kwargs["pool"])
        entry = entry_by_public_id(division, validated(PoolMemberSerializer, request)["entry"])
        join_pool(pool=pool, entry=entry, **self.acting())
        return Response(SidePoolSerializer(_pools(division).get(pk=pool.pk)).data, status=status.HTTP_201_CREATED)


class OnePoolMember(DivisionView):
    """One member of a side pool."""

    @extend_schema(
        operation_id="side_pool_members_destroy",
        summary="Take an entry out of a side pool (directors)",
        responses={204: None, **WRITE},
    )
    def delete(self, request: Request, **kwargs: str) -> Response:
        """204; what was paid for the pool is to be refunded. 409 `pool_not_joined` if the entry is not in it."""
        division = self.get_division(Role.DIRECTOR)
        pool = get_object_or_404(_pools(division), public_id=self.kwargs["pool"])
        entry = get_object_or_404(division.entries.select_related("player"), public_id=self.kwargs["entry"])
        leave_pool(pool=pool, entry=entry, **self.acting())
        return Response(status=status.HTTP_204_NO_CONTENT)


def split_data(split: AgreedSplit, *, applies: bool) -> dict[str, Any]:
    """Return a split as the serializer expects it."""
    ids = dict(Entry.objects.filter(division=split.division_id).values_list("pk", "public_id"))
    amounts = [{"entry": ids[entry], "amount": amount} for entry, amount in split.amounts]
    head = {"public_id": split.public_id, "bracket": split.pot, "note": split.note, "at": split.at}
    return {**head, "amounts": amounts, "applies": applies}


class Splits(DivisionView):
    """The splits that players of a division agreed on."""

    @extend_schema(
        operation_id="splits_list",
        summary="List the agreed splits of a division (directors)",
        responses={200: SplitSerializer(many=True), **DIRECTORS_READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Those that were not taken back."""
        splits = prizes_of(self.get_division(Role.DIRECTOR)).splits
        rows = [split_data(split, applies=applies) for split, applies in splits]
        return Response(SplitSerializer(rows, many=True).data)

    @extend_schema(
        operation_id="splits_create",
        summary="Record what holders of prizes agreed to receive (directors)",
        description="It replaces earlier splits of the same entries in the bracket.",
        request=NewSplitSerializer,
        examples=example(
            bracket="main", amounts=[{"entry": "k3v9w2xq7m", "amount": 4800}, {"entry": "p2q8k7jr4n", "amount": 4800}]
        ),
        responses={201: SplitSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the split. 422 `split_holders` or `split_sum` if these entries are not due these amounts."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(NewSplitSerializer, request)
        entries = {row["entry"]: entry_by_public_id(division, row["entry"], "amounts") for row in fields["amounts"]}
        if len(entries) < len(fields["amounts"]):
            raise exceptions.ValidationError({"amounts": [_("Name each entry once.")]}, code="invalid")
        amounts = {entries[row["entry"]].pk: row["amount"] for row in fields["amounts"]}
        split = agree_split(
            division=division, pot=fields["bracket"], amounts=amounts, note=fields["note"], **self.acting()
        )
        return Response(SplitSerializer(split_data(split, applies=True)).data, status=status.HTTP_201_CREATED)


class OneSplit(DivisionView):
    """One agreed split."""

    @extend_schema(
        operation_id="splits_destroy",
        summary="Take an agreed split back (directors)",
        responses={204: None, **WRITE},
    )
    def delete(self, request: Request, **kwargs: str) -> Response:
        """204; the prizes are due as published again. 409 `split_taken_back` if it was taken back before."""
        division = self.get_division(Role.DIRECTOR)
        rows = division.agreed_splits.select_related("division__tournament__club")
        take_back_split(split=get_object_or_404(rows, public_id=self.kwargs["split"]), **self.acting())
        return Response(status=status.HTTP_204_NO_CONTENT)
