"""Payments, side pools, prize plans and the closing of the cash desk, as facts that are never edited.

Amounts are whole minor units of the event's currency. What somebody owes, the prize table and what should be in the
box are derived: `tournaments.ledger` and `prizes`.
"""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.name_field import NameField
from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_KEY_LENGTH, MAX_NAME_LENGTH, MAX_NOTE_LENGTH
from tournaments.models.recorded import Recorded


class CashDesk(models.Model):
    """The cash desk of an event. Its row is the lock for everything in this module; no other lock is taken after it."""

    tournament = models.OneToOneField("tournaments.Tournament", on_delete=models.PROTECT, related_name="cash_desk")
    seq = models.PositiveIntegerField(default=0, help_text="Grows by one with every change.")
    draw_needs_payment = models.BooleanField("only those who have paid are drawn", default=False)

    class Meta:
        verbose_name = "cash desk"
        verbose_name_plural = "cash desks"

    def __str__(self) -> str:
        return str(self.tournament)


class SidePool(Recorded):
    """A side pool of a division: its fee, its shares, and the places across brackets that rank its members."""

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    division = models.ForeignKey("tournaments.Division", on_delete=models.PROTECT, related_name="side_pools")
    name = NameField("name", max_length=MAX_NAME_LENGTH)
    fee = models.PositiveIntegerField("fee")
    shares = models.JSONField(default=list, help_text="Shares of the places, in hundredths of a percent.")
    order = models.JSONField(default=list, help_text="Places across brackets, best first, as [bracket, place].")
    unit = models.PositiveIntegerField("rounded down to", default=1)
    kept = models.PositiveSmallIntegerField(
        "kept by the club", default=0, db_default=0, help_text="Part of the fees, in hundredths of a percent."
    )

    class Meta(Recorded.Meta):
        verbose_name = "side pool"
        verbose_name_plural = "side pools"
        constraints: ClassVar = [models.UniqueConstraint(fields=["division", "name"], name="side_pool_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def key(self) -> str:
        return f"pool:{self.public_id}"


class PoolMember(Recorded):
    """An entry that joined a side pool, until that is taken back."""

    pool = models.ForeignKey(SidePool, on_delete=models.PROTECT, related_name="members")
    entry = models.ForeignKey("tournaments.Entry", on_delete=models.PROTECT, related_name="+")
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta(Recorded.Meta):
        verbose_name = "member of a side pool"
        verbose_name_plural = "members of side pools"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pool", "entry"], condition=Q(taken_back_at=None), name="pool_joined_once"),
        ]

    def __str__(self) -> str:
        return f"{self.pool} · {self.entry}"


class Payment(Recorded):
    """Money or tickets that changed hands. A refund is a payment, and so is taking one back.

    `amount` is positive if the club received it and negative if it paid.
    """

    class Kind(models.TextChoices):
        FLOAT = "float", pgettext_lazy("cash", "float")
        ENTRY = "entry", pgettext_lazy("fee", "entry")
        REGISTRATION = "registration", _("registration")
        REENTRY = "reentry", _("re-entry")
        POOL = "pool", _("side pool")
        REFUND = "refund", _("refund")
        PAYOUT = "payout", _("prize")
        EXPENSE = "expense", _("expense")
        SEASON = "season", _("pool of a season")

    class Method(models.TextChoices):
        """How it was paid; only cash is in the box."""

        CASH = "cash", _("cash")
        CARD = "card", _("card")
        TRANSFER = "transfer", _("transfer")
        TICKET = "ticket", _("ticket")
        OTHER = "other", _("other")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=12, choices=Kind)
    method = models.CharField(max_length=8, choices=Method, default=Method.CASH)
    amount = models.IntegerField(help_text="In whole minor units; negative if the club paid.")
    entry = models.ForeignKey(
        "tournaments.Entry", on_delete=models.PROTECT, null=True, blank=True, related_name="payments"
    )
    pool = models.ForeignKey(SidePool, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    pot = models.CharField(max_length=40, blank=True, help_text="For a prize: the bracket, table or side pool.")
    series = models.ForeignKey(
        "tournaments.Series",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="payments",
        help_text="The season out of whose pool it was paid.",
    )
    player = models.ForeignKey(
        "players.Player",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Which of the two of a pair; or who was paid out of the pool of a season, which needs no entry.",
    )
    note = models.CharField("note", max_length=MAX_NOTE_LENGTH, blank=True)
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")
    key = models.CharField(max_length=MAX_KEY_LENGTH, help_text="Idempotency key of the form or request.")
    part = models.PositiveSmallIntegerField(default=0, help_text="Counts the payments with the same key.")

    class Meta(Recorded.Meta):
        verbose_name = "payment"
        verbose_name_plural = "payments"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tournament", "key", "part"], name="payment_once"),
            models.CheckConstraint(condition=~Q(amount=0), name="payment_of_something"),
            models.CheckConstraint(
                condition=Q(undoes__isnull=False)
                | Q(kind="float")
                | Q(kind__in=["entry", "registration", "reentry", "pool"], amount__gt=0)
                | Q(kind__in=["refund", "payout", "expense", "season"], amount__lt=0),
                name="payment_direction",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["float", "expense", "season"], entry__isnull=True)
                | (~Q(kind__in=["float", "expense", "season"]) & Q(entry__isnull=False)),
                name="payment_of_an_entry",
            ),
            models.CheckConstraint(
                condition=Q(kind="season", series__isnull=False, player__isnull=False)
                | (~Q(kind="season") & Q(series__isnull=True) & (Q(player__isnull=True) | Q(entry__isnull=False))),
                name="payment_out_of_a_season",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} · {self.amount}"


class CashCount(Recorded):
    """The closing of the cash desk: what should have been in the box and what was counted."""

    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="cash_counts")
    expected = models.IntegerField()
    counted = models.IntegerField()
    note = models.CharField("what happened", max_length=MAX_NOTE_LENGTH, blank=True)
    fee_shares = models.ManyToManyField(
        "tournaments.SeriesFeeShare",
        related_name="counts",
        blank=True,
        help_text="The parts of the entry fees for the pools of seasons, as they applied.",
    )

    class Meta(Recorded.Meta):
        verbose_name = "cash count"
        verbose_name_plural = "cash counts"

    def __str__(self) -> str:
        return f"{self.tournament} · {self.at:%Y-%m-%d}"

    @property
    def difference(self) -> int:
        """What was counted beyond what was expected; negative if the box was short."""
        return self.counted - self.expected


class CashReopening(Recorded):
    """A cash desk that was opened again after it had been closed."""

    count = models.OneToOneField(CashCount, on_delete=models.PROTECT, related_name="reopened")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)

    class Meta(Recorded.Meta):
        verbose_name = "reopening of a cash desk"
        verbose_name_plural = "reopenings of cash desks"

    def __str__(self) -> str:
        return f"{self.count} · {self.at:%Y-%m-%d}"


class PrizePlan(Recorded):
    """A version of a division's prizes. Saving makes a new version; the highest published one counts."""

    division = models.ForeignKey("tournaments.Division", on_delete=models.PROTECT, related_name="prize_plans")
    version = models.PositiveSmallIntegerField()
    registration = models.PositiveIntegerField("registration share", default=0)
    reentry = models.PositiveIntegerField("re-entry fee", null=True, blank=True, help_text="Empty: half the fee.")
    guaranteed = models.PositiveIntegerField("guaranteed prize money", default=0)
    unit = models.PositiveIntegerField("rounded down to", default=1)
    kept = models.PositiveSmallIntegerField(
        "kept by the club", default=0, db_default=0, help_text="Part of the fees, in hundredths of a percent."
    )
    ties_share = models.BooleanField("equal points share their prizes", default=False)
    shares = models.JSONField(default=list, help_text="[bracket, shares in hundredths of a percent by place]")
    published = models.BooleanField(default=False)

    class Meta:
        ordering = ("division", "version")
        verbose_name = "prize plan"
        verbose_name_plural = "prize plans"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["division", "version"], name="prize_plan_version"),
            models.CheckConstraint(condition=Q(unit__gte=1), name="prize_plan_unit"),
        ]

    def __str__(self) -> str:
        return f"{self.division} · {self.version}"


class AgreedSplit(Recorded):
    """Prizes that their holders agreed to divide differently; it applies while they hold the same places."""

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    division = models.ForeignKey("tournaments.Division", on_delete=models.PROTECT, related_name="agreed_splits")
    pot = models.CharField(max_length=40)
    amounts = models.JSONField(default=list, help_text="[entry id, amount]")
    places = models.JSONField(default=list, help_text="First place of each of them, in ascending order.")
    note = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta(Recorded.Meta):
        verbose_name = "agreed split"
        verbose_name_plural = "agreed splits"

    def __str__(self) -> str:
        return f"{self.division} · {self.pot}"
