"""Serializers of the cash desk and the prizes; amounts are whole minor units of the event's currency."""

from typing import Any

from rest_framework import serializers

from core.text_lengths import LONGEST_NOTE
from tournaments.models import Payment
from tournaments.models.events import MOST_MINOR_UNITS

LONGEST_POT = 40
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


class PaidPrizeLineSerializer(PrizeLineSerializer):
    """A prize with what was paid of it, for directors."""

    paid = serializers.IntegerField(source="paid_amount")
    open = serializers.IntegerField(source="open_amount", help_text="Negative if too much was paid.")


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
    """One thing that a player owes."""

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
    note = serializers.CharField(allow_blank=True)
    undoes = serializers.SerializerMethodField()
    at = serializers.DateTimeField()

    def get_entry(self, row: Payment) -> str | None:
        """Return the public id of the entry."""
        return None if row.entry is None else row.entry.public_id

    def get_undoes(self, row: Payment) -> str | None:
        """Return the public id of the payment that this one took back."""
        return None if row.undoes is None else row.undoes.public_id


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


class CashSettingsSerializer(serializers.Serializer[Any]):
    """Settings of the cash desk."""

    draw_needs_payment = serializers.BooleanField()


class NewPaymentSerializer(serializers.Serializer[Any]):
    """A payment to record; the `Idempotency-Key` header makes repeating it harmless."""

    ACTS = ("receive", "refund", "payout", "expense", "float")

    act = serializers.ChoiceField(ACTS)
    amount = serializers.IntegerField(
        min_value=-MOST_MINOR_UNITS,
        max_value=MOST_MINOR_UNITS,
        help_text="Positive; only a float that is taken out of the box is negative.",
    )
    method = serializers.ChoiceField(Payment.Method.choices, default=Payment.Method.CASH)
    entry = serializers.CharField(required=False, help_text="Public id; needed for `receive`, `refund` and `payout`.")
    bracket = serializers.CharField(max_length=LONGEST_POT, required=False, help_text="Needed for `payout`.")
    note = serializers.CharField(max_length=LONGEST_NOTE, required=False, allow_blank=True, default="")


class CashCountSerializer(serializers.Serializer[Any]):
    """What was counted in the box, and what was expected when it was counted."""

    counted = serializers.IntegerField(min_value=0, max_value=MOST_MINOR_UNITS)
    expected = serializers.IntegerField(min_value=-MOST_MINOR_UNITS, max_value=MOST_MINOR_UNITS)
    note = serializers.CharField(max_length=LONGEST_NOTE, required=False, allow_blank=True, default="")
