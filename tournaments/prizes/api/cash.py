"""API of the cash desk and of the published prizes."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.public_ids import new_form_key
from players.access import Role
from tournaments.events.api.base import TournamentView
from tournaments.events.api.events import KEY, key_of
from tournaments.ledger.selectors.accounts import accounts_of
from tournaments.ledger.selectors.box import box_of, draw_needs_payment, payments_of, standing_count
from tournaments.ledger.services import desk, payments
from tournaments.ledger.services.payments import PaymentInput
from tournaments.models import Entry, Payment, Tournament
from tournaments.prizes.api.serializers import (
    CashCountSerializer,
    CashSerializer,
    CashSettingsSerializer,
    DivisionPrizesSerializer,
    NewPaymentSerializer,
    PaymentSerializer,
)
from tournaments.prizes.selectors.prize_views import prizes_for_staff, prizes_view
from tournaments.prizes.services.payouts import pay_out
from tournaments.state.api import READ, WRITE, example, validated
from tournaments.state.names import names_for

DIRECTORS_READ = {401: WRITE[401], 403: WRITE[403], **READ}


def cash_body(tournament: Tournament) -> dict[str, Any]:
    """Return the cash desk as the serializer expects it."""
    count = standing_count(tournament)
    divisions = tournament.divisions.select_related("tournament")
    sections = [section for row in divisions for section in prizes_for_staff(row).sections]
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
    }


class Cash(TournamentView):
    """The cash desk."""

    @extend_schema(
        operation_id="cash_retrieve",
        summary="Get the cash desk of an event",
        description="For directors: what everybody owes, the prizes, the payments and what should be in the box.",
        responses={200: CashSerializer, **DIRECTORS_READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Amounts are whole minor units of the currency."""
        return Response(CashSerializer(cash_body(self.get_tournament(Role.DIRECTOR))).data)

    @extend_schema(
        operation_id="cash_update",
        summary="Choose whether a draw waits for the payments",
        request=CashSettingsSerializer,
        examples=example(draw_needs_payment=True),
        responses={200: CashSerializer, **WRITE},
    )
    def patch(self, request: Request, **kwargs: str) -> Response:
        """While somebody in it owes, a draw is refused with `unpaid_entries`."""
        tournament = self.get_tournament(Role.DIRECTOR)
        needed = validated(CashSettingsSerializer, request)["draw_needs_payment"]
        desk.require_payment(tournament=tournament, needed=needed, **self.acting())
        return Response(CashSerializer(cash_body(tournament)).data)


class Payments(TournamentView):
    """Payments of an event."""

    @extend_schema(
        operation_id="cash_payments_create",
        summary="Record a payment",
        description=(
            "`receive` and `refund` settle the fees of the entry's player, entries before side pools; `payout` pays "
            "exactly what is due. 409 `owes_less`, `nothing_due` or `due_changed` if somebody else was faster."
        ),
        parameters=[KEY],
        request=NewPaymentSerializer,
        examples=example(act="receive", entry="k3v9w2xq7m", amount=3000, method="cash"),
        responses={201: PaymentSerializer(many=True), **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the payments; one for each thing that was paid."""
        tournament = self.get_tournament(Role.DIRECTOR)
        fields = validated(NewPaymentSerializer, request)
        key = key_of(request) or new_form_key()
        payment = PaymentInput(fields["amount"], key, fields["method"], fields["note"])
        rows = self._record(tournament, fields, payment)
        return Response(PaymentSerializer(rows, many=True).data, status=status.HTTP_201_CREATED)

    def _record(self, tournament: Tournament, fields: dict[str, Any], payment: PaymentInput) -> list[Payment]:
        box: dict[str, Any] = {"expense": payments.spend, "float": payments.add_float}
        fees: dict[str, Any] = {"receive": payments.receive, "refund": payments.refund}
        act = fields["act"]
        if act in box:
            rows: list[Payment] = box[act](tournament=tournament, payment=payment, **self.acting())
            return rows
        entry = _entry(tournament, fields)
        if act in fees:
            settled: list[Payment] = fees[act](
                tournament=tournament, player=entry.player, payment=payment, **self.acting()
            )
            return settled
        if "bracket" not in fields:
            raise exceptions.ValidationError({"bracket": [_("Name the bracket of the prize.")]}, code="required")
        return pay_out(entry=entry, pot=fields["bracket"], payment=payment, **self.acting())


def _entry(tournament: Tournament, fields: dict[str, Any]) -> Entry:
    """Return the entry that a payment names; 422 if it is missing or of another event."""
    rows = Entry.objects.filter(division__tournament=tournament, public_id=fields.get("entry", ""))
    entry = rows.select_related("player__merged_into", "division__tournament__club").first()
    if entry is None:
        raise exceptions.ValidationError({"entry": [_("This event has no such entry.")]}, code="unknown")
    return entry


class TakeBackPayment(TournamentView):
    """Taking a payment back."""

    @extend_schema(
        operation_id="cash_payments_take_back",
        summary="Take a payment back",
        request=None,
        responses={201: PaymentSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the payment in the other direction. 409 `payment_undone` if it was taken back before."""
        tournament = self.get_tournament(Role.DIRECTOR)
        rows = Payment.objects.select_related("tournament__club", "entry", "pool")
        payment = get_object_or_404(rows, tournament=tournament, public_id=self.kwargs["payment"])
        back = payments.take_back(payment=payment, **self.acting())
        return Response(PaymentSerializer(back).data, status=status.HTTP_201_CREATED)


class CloseCash(TournamentView):
    """Closing the cash desk."""

    @extend_schema(
        operation_id="cash_close",
        summary="Close the cash desk",
        request=CashCountSerializer,
        examples=example(counted=43160, expected=43660, note="Wrong change at the bar"),
        responses={200: CashSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `box_changed` if something else should be in the box now."""
        tournament = self.get_tournament(Role.DIRECTOR)
        desk.close_desk(tournament=tournament, **validated(CashCountSerializer, request), **self.acting())
        return Response(CashSerializer(cash_body(tournament)).data)


class ReopenCash(TournamentView):
    """Reopening the cash desk."""

    @extend_schema(
        operation_id="cash_reopen",
        summary="Reopen the cash desk",
        request=None,
        responses={200: CashSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `cash_not_closed` if it is open."""
        tournament = self.get_tournament(Role.DIRECTOR)
        desk.reopen_desk(tournament=tournament, **self.acting())
        return Response(CashSerializer(cash_body(tournament)).data)


class PublishedPrizes(TournamentView):
    """The published prizes of an event."""

    @extend_schema(
        operation_id="tournaments_prizes",
        summary="List the published prizes of an event",
        responses={200: DivisionPrizesSerializer(many=True), **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Only the divisions whose prizes are published."""
        rows = self.get_tournament().divisions.select_related("tournament__club")
        views = [prizes_view(row, names_for(request.user, row)) for row in rows]
        published = [view for view in views if view.is_published]
        return Response(DivisionPrizesSerializer(published, many=True).data)
