"""API of the cash desk and the prizes: payments, plans, side pools and agreed splits."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import Prefetch
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.public_ids import LENGTH, new_form_key
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NOTE_LENGTH
from players.access import Role
from players.actions import FormSerializer
from players.models import Player
from prizes.forms import CashSettingsForm, CountBoxForm
from prizes.prizes import divisions_with_prizes, pot_keys, prizes_for_staff, prizes_of, prizes_view
from prizes.services import (
    PlanInput,
    SidePoolInput,
    agree_split,
    create_pool,
    join_pool,
    leave_pool,
    pay_out,
    pools_closed_at,
    save_plan,
    undo_split,
)
from tournaments.events.api import DivisionView, TournamentView
from tournaments.ledger import payments as desk
from tournaments.ledger.accounts import accounts_of, box_of, draw_needs_payment, payments_of, standing_count
from tournaments.ledger.fields import MAX_PLACES, SHARES_HELP
from tournaments.ledger.money import WHOLE
from tournaments.ledger.payments import PaymentInput
from tournaments.ledger.shares import Pot
from tournaments.ledger.sides import Sides
from tournaments.models import AgreedSplit, Division, Entry, Payment, PoolMember, SidePool, Tournament
from tournaments.models.events import MAX_MINOR_UNITS
from tournaments.state.api import READ, WRITE, entry_by_public_id, example, validated
from tournaments.state.names import names_for

# Serializers of the cash desk and the prizes; amounts are whole minor units of the event's currency.


MAX_POT = 40
KINDS = f"One of {', '.join(Payment.Kind.values)}."


class PrizeLineSerializer(serializers.Serializer[Any]):
    """A prize; `entry` is null while nobody has it."""

    bracket = serializers.CharField(source="pot", help_text="Bracket, table, or `pool:` and the id of a side pool.")
    place = serializers.CharField()
    entry = serializers.SerializerMethodField()
    name = serializers.CharField(allow_blank=True)
    share = serializers.CharField(allow_blank=True, help_text="Such as 40 %.")
    due = serializers.IntegerField(source="due_amount")
    agreed = serializers.BooleanField(help_text="Whether an agreed split replaced the amount.")

    def get_entry(self, line: Any) -> str | None:
        """Return the public id of the entry."""
        return line.entry_id or None


class PersonShareSerializer(serializers.Serializer[Any]):
    """What one of a pair gets of its prize."""

    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    due = serializers.IntegerField(source="due_amount")
    paid = serializers.IntegerField(source="paid_amount")
    open = serializers.IntegerField(source="open_amount", help_text="Negative if too much was paid.")


class PaidPrizeLineSerializer(PrizeLineSerializer):
    """A prize with what was paid of it, for directors."""

    paid = serializers.IntegerField(source="paid_amount")
    open = serializers.IntegerField(source="open_amount", help_text="Negative if too much was paid.")
    people = PersonShareSerializer(many=True, help_text="The two of a pair, who get half each; empty for one person.")


class DivisionPrizesSerializer(serializers.Serializer[Any]):
    """The published prizes of a division."""

    division = serializers.CharField(source="division.public_id")
    name = serializers.CharField(source="division.name")
    summary = serializers.CharField()
    prizes = serializers.SerializerMethodField()

    def get_prizes(self, view: Any) -> list[dict[str, Any]]:
        """Return the prizes by bracket and place."""
        lines = [line for section in view.sections for line in section.lines]
        return [dict(PrizeLineSerializer(line).data) for line in lines]


class OwedLineSerializer(serializers.Serializer[Any]):
    """One thing that a player owes; each of a pair owes half."""

    entry = serializers.CharField(source="entry.public_id")
    kind = serializers.CharField(help_text=KINDS)
    pool = serializers.SerializerMethodField()
    due = serializers.IntegerField()
    paid = serializers.IntegerField()
    owes = serializers.IntegerField(help_text="Negative if it is to be refunded.")

    def get_pool(self, line: Any) -> str | None:
        """Return the public id of the side pool."""
        return None if line.pool is None else str(line.pool.public_id)


class AccountSerializer(serializers.Serializer[Any]):
    """The account of a player in the event."""

    player = serializers.CharField(source="player.public_id")
    name = serializers.CharField()
    due = serializers.IntegerField()
    paid = serializers.IntegerField()
    owes = serializers.IntegerField(help_text="Negative if it is to be refunded.")
    lines = OwedLineSerializer(many=True)


class PaymentSerializer(serializers.Serializer[Any]):
    """A payment; negative if the club paid."""

    public_id = serializers.CharField()
    kind = serializers.CharField(help_text=KINDS)
    method = serializers.ChoiceField(Payment.Method.choices)
    amount = serializers.IntegerField()
    entry = serializers.SerializerMethodField()
    bracket = serializers.CharField(source="pot", allow_blank=True)
    season = serializers.SerializerMethodField()
    player = serializers.SerializerMethodField()
    note = serializers.CharField(allow_blank=True)
    undoes = serializers.SerializerMethodField()
    at = serializers.DateTimeField()

    def get_entry(self, row: Payment) -> str | None:
        """Return the public id of the entry."""
        return None if row.entry is None else row.entry.public_id

    def get_season(self, row: Payment) -> str | None:
        """Return the public id of the season out of whose pool it was paid."""
        return None if row.series is None else row.series.public_id

    def get_player(self, row: Payment) -> str | None:
        """Return the public id of the one of a pair, or of who was paid out of the pool of a season."""
        return None if row.player is None else row.player.public_id

    def get_undoes(self, row: Payment) -> str | None:
        """Return the public id of the payment that this one took back."""
        return None if row.undoes is None else row.undoes.public_id


class SeasonPartSerializer(serializers.Serializer[Any]):
    """What the entry fees of a division give to the pool of a season."""

    season = serializers.CharField(source="series.public_id", help_text="Public id.")
    amount = serializers.IntegerField(help_text="In whole minor units.")
    is_fixed = serializers.BooleanField(help_text="Whether the cash desk was closed with this share.")


class KeptPartSerializer(serializers.Serializer[Any]):
    """What the club keeps of the fees of a division or a side pool."""

    name = serializers.CharField()
    amount = serializers.IntegerField(help_text="In whole minor units.")


class CashSerializer(serializers.Serializer[Any]):
    """The cash desk of an event."""

    currency = serializers.CharField()
    currency_exponent = serializers.IntegerField()
    accounts = AccountSerializer(many=True)
    prizes = PaidPrizeLineSerializer(many=True)
    expected = serializers.IntegerField(help_text="What should be in the box.")
    draw_needs_payment = serializers.BooleanField(help_text="A draw is published only once everybody in it has paid.")
    closed = serializers.BooleanField()
    counted = serializers.IntegerField(allow_null=True)
    payments = PaymentSerializer(many=True)
    kept = KeptPartSerializer(many=True, help_text="What the club keeps of the fees.")
    season_pools = SeasonPartSerializer(many=True, help_text="What the fees give to the pools of seasons.")


class CashSettingsSerializer(FormSerializer):
    """Settings of the cash desk."""

    class Meta:
        form = CashSettingsForm
        exclude = ("act",)


class NewPaymentSerializer(serializers.Serializer[Any]):
    """A payment to record; the `Idempotency-Key` header makes repeating it harmless."""

    ACTS = ("receive", "refund", "payout", "expense", "float")

    act = serializers.ChoiceField(ACTS)
    amount = serializers.IntegerField(
        min_value=-MAX_MINOR_UNITS,
        max_value=MAX_MINOR_UNITS,
        help_text="Positive; only a float that is taken out of the box is negative.",
    )
    method = serializers.ChoiceField(Payment.Method.choices, default=Payment.Method.CASH)
    entry = serializers.CharField(required=False, help_text="Public id; needed for `receive`, `refund` and `payout`.")
    player = serializers.CharField(
        required=False, help_text="Which of a pair pays or is paid, by public id; without it, both do."
    )
    bracket = serializers.CharField(max_length=MAX_POT, required=False, help_text="Needed for `payout`.")
    note = serializers.CharField(max_length=MAX_NOTE_LENGTH, required=False, allow_blank=True, default="")


class CashCountSerializer(FormSerializer):
    """What was counted in the box, and what was expected when it was counted."""

    class Meta:
        form = CountBoxForm
        extra_kwargs: ClassVar = {"note": {"default": ""}}


# Serializers of prize plans, side pools and agreed splits; amounts are whole minor units of the event's currency.


MAX_HOLDERS = 256
KEPT_HELP = "What the club keeps of the sum of all fees, rounded down, in hundredths of a percent."
UNIT_HELP = "Prizes are rounded down to multiples of it; the remainder goes to first place."


def amount(**options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=0, max_value=MAX_MINOR_UNITS, **options)


def unit() -> serializers.IntegerField:
    """A field for what prizes are rounded down to."""
    return serializers.IntegerField(min_value=1, max_value=MAX_MINOR_UNITS, default=1, help_text=UNIT_HELP)


def kept() -> serializers.IntegerField:
    """A field for the share that the club keeps of the sum of all fees."""
    return serializers.IntegerField(min_value=0, max_value=WHOLE, default=0, help_text=KEPT_HELP)


def shares() -> serializers.ListField:
    share = serializers.IntegerField(min_value=0, max_value=WHOLE)
    return serializers.ListField(child=share, min_length=1, max_length=MAX_PLACES, help_text=SHARES_HELP)


class BracketSharesSerializer(serializers.Serializer[Any]):
    """The shares of the places of a bracket, table or group."""

    bracket = serializers.CharField(max_length=MAX_POT)
    shares = shares()


class NewPrizePlanSerializer(serializers.Serializer[Any]):
    """The prizes of a division; the shares of all brackets together are 100 %."""

    brackets = serializers.ListField(child=BracketSharesSerializer(), min_length=1, max_length=MAX_PLACES)
    registration = amount(default=0, help_text="The part of each entry fee that the club keeps.")
    reentry = amount(allow_null=True, default=None, help_text="The re-entry fee; null: half the entry fee.")
    guaranteed = amount(default=0, help_text="The club adds what the fees do not reach.")
    unit = unit()
    kept = kept()
    ties_share = serializers.BooleanField(default=False, help_text="In tables, equal points share their prizes.")
    publish = serializers.BooleanField(help_text="Otherwise a draft that only directors see.")


class PrizePlanSerializer(serializers.Serializer[Any]):
    """A version of the prizes of a division."""

    version = serializers.IntegerField()
    published = serializers.BooleanField()
    brackets = serializers.SerializerMethodField()
    registration = serializers.IntegerField()
    reentry = serializers.IntegerField(allow_null=True)
    guaranteed = serializers.IntegerField()
    unit = serializers.IntegerField()
    kept = serializers.IntegerField(help_text=KEPT_HELP)
    ties_share = serializers.BooleanField()
    at = serializers.DateTimeField()

    def get_brackets(self, plan: Any) -> list[dict[str, Any]]:
        """Return the shares by bracket."""
        return [{"bracket": bracket, "shares": list(row)} for bracket, row in plan.shares]


class PrizePlansSerializer(serializers.Serializer[Any]):
    """The brackets of a division that may have prizes, and the versions of its plan."""

    brackets = serializers.ListField(child=serializers.CharField())
    plans = PrizePlanSerializer(many=True, help_text="The latest version first; the latest published one counts.")


class PoolPlaceSerializer(serializers.Serializer[Any]):
    """A place by which the members of a side pool are ranked."""

    bracket = serializers.CharField(max_length=MAX_POT)
    place = serializers.IntegerField(min_value=1, max_value=MAX_HOLDERS)


class NewSidePoolSerializer(serializers.Serializer[Any]):
    """A side pool to add to a division."""

    name = serializers.CharField(max_length=SidePool._meta.get_field("name").max_length)
    fee = amount()
    shares = shares()
    order = serializers.ListField(
        child=PoolPlaceSerializer(),
        min_length=1,
        max_length=MAX_PLACES,
        help_text="Best first; members are ranked by it.",
    )
    unit = unit()
    kept = kept()


class SidePoolSerializer(serializers.Serializer[Any]):
    """A side pool with its members."""

    public_id = serializers.CharField()
    name = serializers.CharField()
    fee = serializers.IntegerField()
    shares = serializers.ListField(child=serializers.IntegerField())
    order = serializers.SerializerMethodField()
    unit = serializers.IntegerField()
    kept = serializers.IntegerField(help_text=KEPT_HELP)
    closed_at = serializers.SerializerMethodField(
        help_text="When the first result closed it, so that nobody can join it any more; null: open."
    )
    members = serializers.SerializerMethodField()

    def get_closed_at(self, pool: SidePool) -> datetime | None:
        """Return when the first result of its division closed it."""
        return pools_closed_at([pool.division]).get(pool.division_id)

    def get_order(self, pool: SidePool) -> list[dict[str, Any]]:
        """Return the places by which the members are ranked, best first."""
        return [{"bracket": bracket, "place": place} for bracket, place in pool.order]

    def get_members(self, pool: SidePool) -> list[str]:
        """Return the public ids of the entries that joined and did not leave."""
        return [member.entry.public_id for member in pool.members.all() if member.taken_back_at is None]


class PoolMemberSerializer(serializers.Serializer[Any]):
    """An entry that joins a side pool."""

    entry = serializers.CharField(max_length=LENGTH)


class SplitAmountSerializer(serializers.Serializer[Any]):
    """What an entry is to receive."""

    entry = serializers.CharField(max_length=LENGTH)
    amount = amount()


class NewSplitSerializer(serializers.Serializer[Any]):
    """What the holders of prizes of a bracket agreed to receive; together it is what they are due."""

    bracket = serializers.CharField(max_length=MAX_POT)
    amounts = serializers.ListField(child=SplitAmountSerializer(), min_length=1, max_length=MAX_HOLDERS)
    note = serializers.CharField(max_length=MAX_NOTE_LENGTH, allow_blank=True, default="")


class SplitSerializer(serializers.Serializer[Any]):
    """An agreed split."""

    public_id = serializers.CharField()
    bracket = serializers.CharField()
    amounts = SplitAmountSerializer(many=True)
    note = serializers.CharField(allow_blank=True)
    applies = serializers.BooleanField(help_text="False while its entries do not hold its places.")
    at = serializers.DateTimeField()


# API of the cash desk and of the published prizes.


DIRECTORS_READ = {401: WRITE[401], 403: WRITE[403], **READ}


def cash_body(tournament: Tournament) -> dict[str, Any]:
    """Return the cash desk as the serializer expects it."""
    count = standing_count(tournament)
    views = [prizes_for_staff(row) for row in divisions_with_prizes(tournament)]
    sections = [section for view in views for section in view.sections]
    return {
        "currency": tournament.currency,
        "currency_exponent": tournament.currency_exponent,
        "accounts": accounts_of(tournament),
        "prizes": [line for section in sections for line in section.lines],
        "expected": box_of(tournament).expected,
        "draw_needs_payment": draw_needs_payment(tournament),
        "closed": count is not None,
        "counted": None if count is None else count.counted,
        "payments": payments_of(tournament),
        "kept": [{"name": name, "amount": amount} for view in views for name, amount in view.kept],
        "season_pools": [line for view in views for line in view.seasons],
    }


@open_to(get=Who.DIRECTORS, patch=Who.DIRECTORS)
class Cash(TournamentView):
    @extend_schema(
        operation_id="cash_retrieve",
        summary="Get the cash desk of an event",
        description="For directors: what everybody owes, the prizes, the payments and what should be in the box.",
        responses={200: CashSerializer, **DIRECTORS_READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        return Response(CashSerializer(cash_body(self.get_tournament(Role.DIRECTOR))).data)

    @extend_schema(
        operation_id="cash_update",
        summary="Choose whether a draw waits for the payments",
        request=CashSettingsSerializer,
        examples=example(draw_needs_payment=True),
        responses={200: CashSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def patch(self, request: Request, **kwargs: str) -> Response:
        """While somebody in it owes, a draw is refused with `unpaid_entries`."""
        tournament = self.get_tournament(Role.DIRECTOR)
        needed = validated(CashSettingsSerializer, request)["draw_needs_payment"]
        desk.require_payment(tournament=tournament, needed=needed, **self.acting())
        return Response(CashSerializer(cash_body(tournament)).data)


@open_to(post=Who.DIRECTORS)
class Payments(TournamentView):
    @extend_schema(
        operation_id="cash_payments_create",
        summary="Record a payment",
        description=(
            "`receive` and `refund` settle the fees of the entry's player, entries before side pools; `payout` pays "
            "exactly what is due. Of a pair, each owes and gets half. "
            "409 `owes_less`, `nothing_due` or `due_changed` if somebody else was faster."
        ),
        request=NewPaymentSerializer,
        examples=example(act="receive", entry="k3v9w2xq7m", amount=3000, method="cash"),
        responses={201: PaymentSerializer(many=True), **WRITE},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, **kwargs: str) -> Response:
        tournament = self.get_tournament(Role.DIRECTOR)
        fields = validated(NewPaymentSerializer, request)
        payment = PaymentInput(fields["amount"], new_form_key(), fields["method"], fields["note"])
        rows = self._record(tournament, fields, payment)
        return Response(PaymentSerializer(rows, many=True).data, status=status.HTTP_201_CREATED)

    def _record(self, tournament: Tournament, fields: dict[str, Any], payment: PaymentInput) -> list[Payment]:
        box: dict[str, Any] = {"expense": desk.spend, "float": desk.add_float}
        fees: dict[str, Any] = {"receive": desk.receive, "refund": desk.refund}
        act = fields["act"]
        if act in box:
            rows: list[Payment] = box[act](tournament=tournament, payment=payment, **self.acting())
            return rows
        entry = _entry(tournament, fields)
        player = _partner(entry, fields)
        if act in fees:
            settled: list[Payment] = fees[act](
                tournament=tournament, player=player or entry.player, payment=payment, **self.acting()
            )
            return settled
        if "bracket" not in fields:
            raise exceptions.ValidationError({"bracket": ["Name the bracket of the prize."]}, code="required")
        return pay_out(entry=entry, pot=fields["bracket"], payment=payment, player=player, **self.acting())


def _entry(tournament: Tournament, fields: dict[str, Any]) -> Entry:
    """Return the entry that a payment names; 422 if it is missing or of another event."""
    rows = Entry.objects.filter(division__tournament=tournament, public_id=fields.get("entry", ""))
    entry = rows.select_related("player__merged_into", "division__tournament__club").first()
    if entry is None:
        raise exceptions.ValidationError({"entry": ["This event has no such entry."]}, code="unknown")
    return entry


def _partner(entry: Entry, fields: dict[str, Any]) -> Player | None:
    """Return which of a pair a payment names, None without one; 422 if they are not of the entry."""
    if "player" not in fields:
        return None
    people = Sides([entry]).of(entry.pk)
    player = next((row for row in people if row.public_id == fields["player"]), None)
    if player is None:
        raise exceptions.ValidationError({"player": ["This player is not of the entry."]}, code="unknown")
    return player


@open_to(post=Who.DIRECTORS)
class TakeBackPayment(TournamentView):
    @extend_schema(
        operation_id="cash_payments_take_back",
        summary="Take a payment back",
        request=None,
        responses={201: PaymentSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the payment in the other direction. 409 `payment_undone` if it was taken back before."""
        tournament = self.get_tournament(Role.DIRECTOR)
        rows = Payment.objects.select_related("tournament__club", "entry", "pool")
        payment = get_object_or_404(rows, tournament=tournament, public_id=self.kwargs["payment"])
        back = desk.undo_payment(payment=payment, **self.acting())
        return Response(PaymentSerializer(back).data, status=status.HTTP_201_CREATED)


@open_to(get=Who.EVERYBODY)
class PublishedPrizes(TournamentView):
    @extend_schema(
        operation_id="tournaments_prizes",
        summary="List the published prizes of an event",
        responses={200: DivisionPrizesSerializer(many=True), **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Only the divisions whose prizes are published."""
        rows = divisions_with_prizes(self.get_tournament())
        views = [prizes_view(row, names_for(request.user, row)) for row in rows]
        published = [view for view in views if view.is_published]
        return Response(DivisionPrizesSerializer(published, many=True).data)


# API of prize plans, side pools and agreed splits, for directors.


def _refuse_unknown(field: str, brackets: Sequence[str], division: Division, *, once: bool = True) -> None:
    """Raise 422 for a field that names a bracket which the division does not have, or one of them twice."""
    known = pot_keys(division)
    if not set(brackets) <= set(known):
        text = f"The brackets of this division are: {', '.join(known)}."
        raise exceptions.ValidationError({field: [text]}, code="unknown")
    if once and len(set(brackets)) < len(brackets):
        raise exceptions.ValidationError({field: ["Name each bracket once."]}, code="invalid")


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class PrizePlans(DivisionView):
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
    @repeated(Repeat.KEY)
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
    members = Prefetch("members", PoolMember.objects.filter(entry__joined_to=None).select_related("entry"))
    return division.side_pools.select_related("division__tournament__club").prefetch_related(members)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class SidePools(DivisionView):
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
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the pool. 422 `bad_shares` unless the shares are 100 %, `name_taken`."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(NewSidePoolSerializer, request)
        order = [(row["bracket"], row["place"]) for row in fields.pop("order")]
        _refuse_unknown("order", [bracket for bracket, _place in order], division, once=False)
        pool = create_pool(division=division, pool=SidePoolInput(order=order, **fields), **self.acting())
        return Response(SidePoolSerializer(pool).data, status=status.HTTP_201_CREATED)


@open_to(post=Who.DIRECTORS)
class PoolMembers(DivisionView):
    @extend_schema(
        operation_id="side_pool_members_create",
        summary="Put an entry into a side pool (directors)",
        request=PoolMemberSerializer,
        examples=example(entry="k3v9w2xq7m"),
        responses={201: SidePoolSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the pool. 409 `pool_joined` if the entry is in it."""
        division = self.get_division(Role.DIRECTOR)
        pool = get_object_or_404(_pools(division), public_id=self.kwargs["pool"])
        entry = entry_by_public_id(division, validated(PoolMemberSerializer, request)["entry"])
        join_pool(pool=pool, entry=entry, **self.acting())
        return Response(SidePoolSerializer(_pools(division).get(pk=pool.pk)).data, status=status.HTTP_201_CREATED)


@open_to(delete=Who.DIRECTORS)
class OnePoolMember(DivisionView):
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


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class Splits(DivisionView):
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
        description=(
            "It replaces earlier splits of the same entries in the bracket. The two of a final can agree before they "
            "play it, on the prizes of places 1 and 2 together; it applies once they hold them."
        ),
        request=NewSplitSerializer,
        examples=example(
            bracket="main", amounts=[{"entry": "k3v9w2xq7m", "amount": 4800}, {"entry": "p2q8k7jr4n", "amount": 4800}]
        ),
        responses={201: SplitSerializer, **WRITE},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the split. 422 `split_holders` or `split_sum` if these entries are not due these amounts."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(NewSplitSerializer, request)
        entries = {row["entry"]: entry_by_public_id(division, row["entry"], "amounts") for row in fields["amounts"]}
        if len(entries) < len(fields["amounts"]):
            raise exceptions.ValidationError({"amounts": ["Name each entry once."]}, code="invalid")
        amounts = {entries[row["entry"]].pk: row["amount"] for row in fields["amounts"]}
        split = agree_split(
            division=division, pot=fields["bracket"], amounts=amounts, note=fields["note"], **self.acting()
        )
        applies = {row.pk: is_applied for row, is_applied in prizes_of(division).splits}[split.pk]
        return Response(SplitSerializer(split_data(split, applies=applies)).data, status=status.HTTP_201_CREATED)


@open_to(delete=Who.DIRECTORS)
class OneSplit(DivisionView):
    @extend_schema(
        operation_id="splits_destroy",
        summary="Take an agreed split back (directors)",
        responses={204: None, **WRITE},
    )
    def delete(self, request: Request, **kwargs: str) -> Response:
        """204; the prizes are due as published again. 409 `split_taken_back` if it was taken back before."""
        division = self.get_division(Role.DIRECTOR)
        rows = division.agreed_splits.select_related("division__tournament__club")
        undo_split(split=get_object_or_404(rows, public_id=self.kwargs["split"]), **self.acting())
        return Response(status=status.HTTP_204_NO_CONTENT)
