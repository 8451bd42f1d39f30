"""Forms of offers of side events and of their lists."""

from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from players.forms import RefusingForm
from tournaments.events.forms import LengthsField
from tournaments.ledger.fields import AmountField, SeenAmountField, ShareField, SharesField
from tournaments.ledger.money import WHOLE
from tournaments.models import Division
from tournaments.offers.services import OfferInput

ROOM_FOR_NUMBER = 10
"""Characters that the name of a list needs beside that of its offer."""


class SideEventForm(RefusingForm):
    """What is offered at the desk; amounts are in the currency of the event."""

    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH - ROOM_FOR_NUMBER)
    size = forms.TypedChoiceField(
        label=_("Players"), choices=[(size, str(size)) for size in (4, 8, 16)], coerce=int, initial=8
    )
    fee = AmountField(label=_("Entry fee"), required=False)
    lengths = LengthsField(
        label=_("Match length by round"),
        max_length=60,
        help_text=_("In points, for example 5 5 7. The last length applies to all later rounds."),
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    kept = ShareField(
        label=_("Kept by the club, in percent"), required=False, help_text=_("Of the sum of all fees, rounded down.")
    )
    shares = SharesField(
        label=_("Percentages"), help_text=_("By place, such as 70 30, or 100 if the winner takes all.")
    )
    unit = AmountField(
        label=_("Round down to"), required=False, help_text=_("The remainder goes to first place. Empty: no rounding.")
    )
    rated = forms.BooleanField(label=_("Rated"), required=False, initial=True)
    again = forms.BooleanField(
        label=_("Players of a list that is not over can join the next"), required=False, initial=True
    )
    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        "name_taken": "name",
        "bad_shares": "shares",
        "bad_round_lengths": "lengths",
    }

    def clean_shares(self) -> Any:
        """Refuse shares that do not make 100 %, beside their field."""
        shares = self.cleaned_data["shares"]
        if sum(shares) != WHOLE:
            self.refuse(Refused("bad_shares"))
        return shares

    @property
    def offer(self) -> OfferInput:
        data = self.cleaned_data
        values = {name: data[name] for name in ("name", "size", "lengths", "kept", "shares", "rated", "again")}
        return OfferInput(**values, fee=data["fee"] or 0, unit=data["unit"] or 1)


class JoinListForm(RefusingForm):
    """Who joins a list: one of the club's people by public id, or a name; and the fee that was seen."""

    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH, required=False)
    player = forms.CharField(max_length=LENGTH, required=False)
    amount = SeenAmountField()
    unpaid = forms.BooleanField(label=_("Pays later"), required=False, initial=False)

    def clean(self) -> dict[str, Any]:
        """Require a name or a player."""
        cleaned = super().clean() or {}
        if not (cleaned.get("name") or cleaned.get("player")):
            self.refuse(Refused("choose_a_player"))
        return cleaned


class ListedEntryForm(RefusingForm):
    """An entry of a list that has not started."""

    entry = forms.CharField(max_length=LENGTH)


class StartListForm(RefusingForm):
    """A list that starts now, with how many of its names, as the reader saw it."""

    division = forms.ModelChoiceField(Division.objects.none(), to_field_name="public_id")
    names = forms.IntegerField(min_value=0, max_value=16)
    after = forms.IntegerField(min_value=0)


class OfferStateForm(RefusingForm):
    """An offer that takes no more names, or takes them again."""
