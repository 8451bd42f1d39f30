"""Forms of the cash desk: payments, closing, prizes, side pools and splits."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from core.requests import parse_int
from core.text_lengths import MAX_KEY_LENGTH, MAX_NAME_LENGTH, MAX_NOTE_LENGTH
from players.forms import RefusingForm
from players.models import Pair, Player
from prizes.services import PlanInput, SidePoolInput
from tournaments.ledger.fields import AmountField, ShareField, SharesField, take_amounts_in
from tournaments.ledger.money import Currency
from tournaments.ledger.payments import PaymentInput
from tournaments.ledger.shares import Pot
from tournaments.models import AgreedSplit, Division, Entry, Payment, SidePool, Tournament
from tournaments.standings.brackets import places_name

SHARES = "shares_"
"""Prefix of the fields with the shares of each bracket."""


class CashForm(RefusingForm):
    """A form of the cash desk of an event; its amounts are in the currency of the event."""

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tournament = tournament
        take_amounts_in(Currency.of(tournament), self)

    def text(self, amount: int) -> str:
        """Return an amount of the event's currency, without its sign."""
        return Currency.of(self.tournament).text(abs(amount))

    def with_name(self, amount: int) -> str:
        """Return an amount with the event's currency, without its sign."""
        return Currency.of(self.tournament).with_name(abs(amount))


class PaymentForm(CashForm):
    """A payment: what, how and how much, with the idempotency key of the form."""

    amount = AmountField(label=_("Amount"), negative=True)
    method = forms.ChoiceField(label=_("Method"), choices=Payment.Method.choices, initial=Payment.Method.CASH)
    note = forms.CharField(label=_("Note"), max_length=MAX_NOTE_LENGTH, required=False)
    key = forms.CharField(max_length=MAX_KEY_LENGTH, widget=forms.HiddenInput)

    @property
    def payment(self) -> PaymentInput:
        data = self.cleaned_data
        return PaymentInput(data["amount"], data["key"], data["method"], data["note"])


def players_in(tournament: Tournament) -> QuerySet[Player]:
    """Return the players and pairs entered in an event, both of each pair, and whom they were merged into."""
    sides = Entry.objects.filter(division__tournament=tournament).values("player")
    pairs = Pair.objects.filter(player__in=sides)
    own = Player.objects.filter(Q(pk__in=sides) | Q(pk__in=pairs.values("first")) | Q(pk__in=pairs.values("second")))
    return own | Player.objects.filter(pk__in=own.filter(merged_into__isnull=False).values("merged_into"))


class FeeForm(PaymentForm):
    """A payment by a player or by both of a pair, or a refund to them; a refund is confirmed first."""

    RECEIVE, REFUND = "receive", "refund"

    act = forms.ChoiceField(choices=[(RECEIVE, RECEIVE), (REFUND, REFUND)])
    player = forms.ModelChoiceField(Player.objects.none(), to_field_name="public_id")
    confirmed = forms.BooleanField(required=False)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        self.choose_from("player", players_in(tournament))


class BoxForm(PaymentForm):
    """An expense, or money put into the box or taken out of it."""

    EXPENSE, FLOAT = "expense", "float"

    act = forms.ChoiceField(
        label=_("What"),
        choices=[(FLOAT, capfirst(Payment.Kind.FLOAT.label)), (EXPENSE, capfirst(Payment.Kind.EXPENSE.label))],
    )
    confirmed = forms.BooleanField(required=False)


class UndoPaymentForm(CashForm):
    payment = forms.ModelChoiceField(Payment.objects.none(), to_field_name="public_id")
    confirmed = forms.BooleanField(required=False)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        payments = Payment.objects.filter(tournament=tournament).select_related(
            "tournament__club", "entry__player", "player"
        )
        self.choose_from("payment", payments)


class PayoutForm(PaymentForm):
    """A prize to be paid out; the amount is what was due on the page."""

    entry = forms.ModelChoiceField(Entry.objects.none(), to_field_name="public_id")
    pot = forms.CharField(max_length=40)
    payee = forms.ModelChoiceField(Player.objects.none(), to_field_name="public_id", required=False)
    """Which of a pair is paid."""

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        entries = Entry.objects.filter(division__tournament=tournament)
        self.choose_from("entry", entries.select_related("player", "division__tournament__club"))
        self.choose_from("payee", players_in(tournament))


class CountBoxForm(CashForm):
    """What was counted in the box, and what the page expected."""

    counted = AmountField(label=_("Counted"))
    expected = AmountField(negative=True)
    note = forms.CharField(label=_("What happened, if it differs"), max_length=MAX_NOTE_LENGTH, required=False)
    FIELD_OF: ClassVar[dict[str, str]] = {**RefusingForm.FIELD_OF, "difference_needs_note": "note"}


class CashSettingsForm(CashForm):
    act = forms.ChoiceField(choices=[("save", "save")])  # An empty form must not untick the box.
    draw_needs_payment = forms.BooleanField(
        label=_("Publish a draw only once everybody in it has paid"), required=False
    )


class PrizePlanForm(CashForm):
    registration = AmountField(
        label=_("Registration share"), required=False, help_text=_("The part of each entry fee that the club keeps.")
    )
    reentry = AmountField(label=_("Re-entry fee"), required=False, help_text=_("Leave empty for half the entry fee."))
    guaranteed = AmountField(
        label=_("Guaranteed prize money"), required=False, help_text=_("The club adds what the fees do not reach.")
    )
    unit = AmountField(
        label=_("Round down to"), required=False, help_text=_("The remainder goes to first place. Empty: no rounding.")
    )
    kept = ShareField(
        label=_("Kept by the club, in percent"), required=False, help_text=_("Of the sum of all fees, rounded down.")
    )
    ties_share = forms.BooleanField(
        label=_("Equal points in a table share their prizes"),
        required=False,
        help_text=_("Otherwise the tie-breaks decide."),
    )
    publish = forms.BooleanField(required=False)
    FIELD_OF: ClassVar[dict[str, str]] = {**RefusingForm.FIELD_OF, "registration_too_large": "registration"}

    def __init__(self, *args: Any, division: Division, pots: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, tournament=division.tournament, **kwargs)
        self.pots = pots
        for key in pots:
            self.fields[SHARES + key] = SharesField(
                label=f"{_('Percentages')} · {places_name(key)}",
                required=False,
                help_text=_("By place, such as 40 25. All brackets together make 100."),
            )

    @property
    def share_fields(self) -> list[forms.BoundField]:
        return [self[SHARES + key] for key in self.pots]

    @property
    def plan(self) -> PlanInput:
        data = self.cleaned_data
        return PlanInput(
            [Pot(key, data[SHARES + key]) for key in self.pots if data[SHARES + key]],
            registration=data["registration"] or 0,
            reentry=data["reentry"],
            guaranteed=data["guaranteed"] or 0,
            unit=data["unit"] or 1,
            kept=data["kept"],
            ties_share=data["ties_share"],
        )


class SidePoolForm(CashForm):
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH)
    fee = AmountField(label=_("Entry fee"))
    shares = SharesField(label=_("Percentages"), help_text=_("By place among the members, such as 70 30."))
    unit = AmountField(label=_("Round down to"), required=False)
    kept = ShareField(label=_("Kept by the club, in percent"), required=False)
    order = forms.CharField(
        label=_("Order of places"),
        max_length=1000,
        help_text=_("Best first, such as: main 1, main 2, consolation 1. Members are ranked by it."),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {"name_taken": "name", "bad_shares": "shares"}

    def __init__(self, *args: Any, division: Division, pots: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, tournament=division.tournament, **kwargs)
        self.pots = pots

    def clean_order(self) -> list[tuple[str, int]]:
        """Parse places separated by commas, each a bracket and a number."""
        order = []
        for item in self.cleaned_data["order"].split(","):
            key, _space, number = item.strip().rpartition(" ")
            place = parse_int(number)
            if key not in self.pots or not place:
                raise ValidationError(_("“%(text)s” is not a place of this division.") % {"text": item.strip()})
            order.append((key, place))
        return order

    @property
    def pool(self) -> SidePoolInput:
        data = self.cleaned_data
        return SidePoolInput(data["name"], data["fee"], data["shares"], data["order"], data["unit"] or 1, data["kept"])


class PoolMemberForm(CashForm):
    """An entry that joins a side pool or leaves it."""

    JOIN, LEAVE = "join", "leave"

    act = forms.ChoiceField(choices=[(JOIN, JOIN), (LEAVE, LEAVE)])
    pool = forms.ModelChoiceField(SidePool.objects.none(), to_field_name="public_id")
    entry = forms.ModelChoiceField(Entry.objects.none(), to_field_name="public_id")

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        pools = SidePool.objects.filter(division__tournament=tournament)
        self.choose_from("pool", pools.select_related("division__tournament__club"))
        entries = Entry.objects.filter(division__tournament=tournament)
        self.choose_from("entry", entries.select_related("player"))


class SplitForm(CashForm):
    """What the holders of prizes of one bracket agreed to receive: an amount for each of those who take part."""

    pot = forms.CharField(max_length=40)
    note = forms.CharField(label=_("Note"), max_length=MAX_NOTE_LENGTH, required=False)

    def __init__(self, *args: Any, division: Division, entries: Sequence[Entry], **kwargs: Any) -> None:
        super().__init__(*args, tournament=division.tournament, **kwargs)
        self.entries = entries
        for entry in entries:
            self.fields[f"amount_{entry.public_id}"] = AmountField(Currency.of(self.tournament), required=False)

    @property
    def amounts(self) -> dict[int, int]:
        """The amounts that were entered, by entry id."""
        entered = {entry.pk: self.cleaned_data[f"amount_{entry.public_id}"] for entry in self.entries}
        return {entry: amount for entry, amount in entered.items() if amount is not None}


class SplitBackForm(CashForm):
    split = forms.ModelChoiceField(AgreedSplit.objects.none(), to_field_name="public_id")

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        rows = AgreedSplit.objects.filter(division__tournament=tournament)
        self.choose_from("split", rows.select_related("division__tournament__club"))
