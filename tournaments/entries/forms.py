"""Forms about entries: adding players by name or by list, check-in and withdrawal."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH
from core.text_lengths import MAX_NAME_LENGTH, MAX_NOTE_LENGTH
from players.forms import ChosenListForm, RefusingForm
from tournaments.models import CheckIn, Entry, Tournament
from tournaments.state.forms import ReasonForm

DIVISION, EVENT = "division", "event"


class AddEntryForm(RefusingForm):
    """One player, by name."""

    name = forms.CharField(label=_("Add a player"), max_length=MAX_NAME_LENGTH)
    player = forms.CharField(max_length=LENGTH, required=False, widget=forms.HiddenInput)
    after = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)
    here = forms.BooleanField(required=False, widget=forms.HiddenInput)
    past_waiting = forms.BooleanField(required=False, widget=forms.HiddenInput)
    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        "already_entered": "name",
        "name_ambiguous": "name",
        "name_of_member": "name",
        "name_partial": "name",
    }


class SubstituteForm(AddEntryForm):
    """Who takes the place of an entry, and why."""

    here = None  # type: ignore[assignment]  # a substitute is not checked in
    name = forms.CharField(label=_("Who plays instead?"), max_length=MAX_NAME_LENGTH)
    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Reason"), max_length=MAX_NOTE_LENGTH, required=False)
    past_waiting = forms.BooleanField(label=_("Those on the waiting list keep waiting"), required=False)
    FIELD_OF: ClassVar[dict[str, str]] = {**AddEntryForm.FIELD_OF, "others_wait": "past_waiting"}


class UndoSubstitutionForm(RefusingForm):
    """The `seq` on the page that undoes a substitution."""

    after = forms.IntegerField(min_value=0)


class EnterListForm(ChosenListForm):
    """A list that was previewed, with the players chosen for unclear names."""

    after = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)
    past_waiting = forms.BooleanField(required=False, widget=forms.HiddenInput)


class CheckInForm(RefusingForm):
    """Whether a player is present."""

    present = forms.TypedChoiceField(
        choices=[("1", _("present")), ("0", _("not present"))], coerce=lambda value: value == "1"
    )


class OwnCheckInForm(CheckInForm):
    """Whether the signed-in player is present, and how they came to the page."""

    source = forms.ChoiceField(
        choices=[(CheckIn.Source.PLAYER, CheckIn.Source.PLAYER), (CheckIn.Source.POSTER, CheckIn.Source.POSTER)]
    )


class PresenceForm(RefusingForm):
    """Whether a player is here, away until a time of day, or missing."""

    entry = forms.CharField(max_length=LENGTH)
    state = forms.ChoiceField(choices=CheckIn.State.choices)
    until = forms.TimeField(label=_("Away until"), required=False)

    def clean(self) -> dict[str, Any]:
        """Require the time for a player who is away, and for nobody else."""
        cleaned = super().clean() or {}
        if cleaned.get("state") != CheckIn.State.AWAY:
            cleaned["until"] = None
        elif cleaned.get("until") is None and "until" not in self.errors:
            self.add_error("until", ValidationError(_("Say when the player will be back.")))
        return cleaned


class AllHereForm(RefusingForm):
    """Check in everybody who is missing, in one division or the whole event."""

    state = forms.ChoiceField(choices=[(CheckIn.State.HERE, _("here"))])
    division = forms.CharField(max_length=LENGTH, required=False)


class ArrivalForm(RefusingForm):
    """Entries that paid what they owe, and whether their players are here; `key` is the batch that undoes it."""

    PAID, BOTH = "paid", "both"

    act = forms.ChoiceField(choices=[(PAID, _("paid")), (BOTH, _("here and paid"))])
    entries = forms.ModelMultipleChoiceField(
        Entry.objects.none(), to_field_name="public_id", widget=forms.MultipleHiddenInput
    )
    amount = forms.IntegerField(min_value=0)
    key = forms.CharField(min_length=LENGTH, max_length=LENGTH)

    def __init__(self, data: Any, *, tournament: Tournament) -> None:
        super().__init__(data)
        field = self.fields["entries"]
        assert isinstance(field, forms.ModelMultipleChoiceField)  # noqa: S101, declared so
        field.queryset = Entry.objects.filter(division__tournament=tournament)


class UndoCheckInForm(RefusingForm):
    batch = forms.CharField(max_length=LENGTH)


class KioskCheckInForm(RefusingForm):
    entry = forms.CharField(max_length=LENGTH)


class RevokeKioskForm(RefusingForm):
    kiosk = forms.CharField(max_length=LENGTH)


class RevokeEventLinkForm(RefusingForm):
    """The generation of the personal link that the reader saw."""

    generation = forms.IntegerField(min_value=0, max_value=32_766)


class ReturnForm(ReasonForm):
    """The return of a withdrawn player, after its preview."""

    scope = forms.ChoiceField(choices=[(DIVISION, _("this division")), (EVENT, _("the whole event"))])
    seen = forms.CharField(max_length=64)


class PreviewedForm(ReasonForm):
    """A change of an entry after its preview: `after` is the division's `seq` that the preview showed.

    `past_waiting` confirms that those whom the preview of a re-entry names go on waiting.
    """

    after = forms.IntegerField(min_value=0)
    past_waiting = forms.BooleanField(required=False)


class ScopeForm(RefusingForm):
    """Whether a preview is about one division or the whole event."""

    scope = forms.ChoiceField(choices=[(DIVISION, _("this division")), (EVENT, _("the whole event"))])


class WithdrawEntryForm(ReasonForm):
    """Whether a player withdraws from one division or the whole event, and why."""

    scope = forms.ChoiceField(
        choices=[(DIVISION, _("this division")), (EVENT, _("the whole event"))],
        error_messages={"required": _("Choose what the player withdraws from.")},
    )


class WayBackForm(RefusingForm):
    """Where a page goes on after a player has entered or left a division."""

    back = forms.ChoiceField(choices=[("club", _("The page of the club"))], required=False)
