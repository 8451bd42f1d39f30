"""Forms about entries: adding players by name or by list, check-in and withdrawal."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from core.lines import check_one_line
from core.public_ids import LENGTH
from core.text_lengths import MAX_NAME_LENGTH, MAX_NOTE_LENGTH
from engine.errors import Refused
from players.forms import ChosenListForm, ListForm, RefusingForm
from players.models import Player
from players.models.people import MAX_PAIR_NAME_LENGTH
from tournaments.ledger.fields import SeenAmountField
from tournaments.models import CheckIn, Entry, Tournament
from tournaments.state.forms import ReasonForm

DIVISION, EVENT = "division", "event"
SCOPES = [(scope, scope) for scope in (DIVISION, EVENT)]


def form_field(name: str, **options: Any) -> Any:
    """Return the field of a form for one of `Entry.FIELDS`."""
    return getattr(Entry, name).field.formfield(label=Entry.FIELDS[name].label, initial=None, **options)


def field_form(name: str) -> type[RefusingForm]:
    """Return the form for one of `Entry.FIELDS`."""
    return type(f"{name.capitalize()}Form", (RefusingForm,), {name: form_field(name)})


class AddEntryForm(RefusingForm):
    """One player, or a pair, by name."""

    name = forms.CharField(label=_("Add a player"), max_length=MAX_PAIR_NAME_LENGTH, validators=[check_one_line])
    player = forms.CharField(max_length=LENGTH, required=False, widget=forms.HiddenInput)
    partner = forms.CharField(max_length=MAX_NAME_LENGTH, required=False, widget=forms.HiddenInput)
    partner_player = forms.CharField(max_length=LENGTH, required=False, widget=forms.HiddenInput)
    after = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)
    here = forms.BooleanField(required=False, widget=forms.HiddenInput)
    past_waiting = forms.BooleanField(required=False, widget=forms.HiddenInput)
    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        "already_entered": "name",
        "already_in_pair": "name",
        "name_ambiguous": "name",
        "name_of_member": "name",
        "name_partial": "name",
        "pair_unclear": "name",
        "pairs_not_taken": "name",
        "partner_missing": "name",
        "partner_same": "name",
    }


def question_of(refused: Refused, form: AddEntryForm) -> dict[str, Any]:
    """Return which name a refusal asks about, whom it may mean, and the answer for the first of a pair; or nothing."""
    params = refused.params
    if "candidates" not in params:
        return {}
    answered = form.cleaned_data["player"] if params["asks"] == "partner_player" else ""
    return {"asks": params["asks"], "asked": params["name"], "candidates": params["candidates"], "answered": answered}


class SubstituteForm(AddEntryForm):
    """Who takes the place of an entry, and why."""

    here = None  # type: ignore[assignment]  # a substitute is not checked in
    name = forms.CharField(label=_("Who plays instead?"), max_length=MAX_PAIR_NAME_LENGTH, validators=[check_one_line])
    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Reason"), max_length=MAX_NOTE_LENGTH, required=False)
    past_waiting = forms.BooleanField(label=_("Those on the waiting list keep waiting"), required=False)
    FIELD_OF: ClassVar[dict[str, str]] = {**AddEntryForm.FIELD_OF, "others_wait": "past_waiting"}


class UndoSubstitutionForm(RefusingForm):
    """The `seq` on the page that undoes a substitution."""

    after = forms.IntegerField(min_value=0)


class EntryListForm(ListForm):
    """People to be entered, and their team."""

    team = form_field("team", help_text=_("In a match between teams: that of everybody in this list."))


class EnterListForm(ChosenListForm):
    """A list that was previewed, with the players chosen for unclear names."""

    in_line = 2

    team = form_field("team", widget=forms.HiddenInput)
    after = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)
    past_waiting = forms.BooleanField(required=False, widget=forms.HiddenInput)


class CheckInForm(RefusingForm):
    """Whether a player is present."""

    present = forms.TypedChoiceField(choices=[("1", "1"), ("0", "0")], coerce=lambda value: value == "1")


class OwnCheckInForm(CheckInForm):
    """Whether the signed-in player is present, and how they came to the page."""

    source = forms.ChoiceField(
        choices=[(CheckIn.Source.PLAYER, CheckIn.Source.PLAYER), (CheckIn.Source.POSTER, CheckIn.Source.POSTER)]
    )


class PersonForm(RefusingForm):
    """An entry, and of a pair `person`, one of the people who play in pairs at the event (`partners`)."""

    entry = forms.CharField(max_length=LENGTH)
    person = forms.ModelChoiceField(Player.objects.none(), to_field_name="public_id", required=False)

    def __init__(self, data: Any, *, partners: QuerySet[Player]) -> None:
        super().__init__(data)
        self.choose_from("person", partners)


class PresenceForm(PersonForm):
    """Whether a player is here, away until a time of day, or missing; or that a pair plays without them."""

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

    state = forms.ChoiceField(choices=[(CheckIn.State.HERE, CheckIn.State.HERE)])
    division = forms.CharField(max_length=LENGTH, required=False)


class ArrivalForm(RefusingForm):
    """Entries that paid what they owe, and whether their players are here; `key` is the batch that undoes it.

    `people` are those of whom it is said among pairs; without any, it is of both.
    """

    PAID, BOTH = "paid", "both"

    act = forms.ChoiceField(choices=[(PAID, PAID), (BOTH, BOTH)])
    entries = forms.ModelMultipleChoiceField(
        Entry.objects.none(), to_field_name="public_id", widget=forms.MultipleHiddenInput
    )
    people = forms.ModelMultipleChoiceField(
        Player.objects.none(), to_field_name="public_id", widget=forms.MultipleHiddenInput, required=False
    )
    amount = SeenAmountField()
    key = forms.CharField(min_length=LENGTH, max_length=LENGTH)

    def __init__(self, data: Any, *, tournament: Tournament, partners: QuerySet[Player]) -> None:
        super().__init__(data)
        self.choose_from("entries", Entry.objects.filter(division__tournament=tournament))
        self.choose_from("people", partners)


class UndoCheckInForm(RefusingForm):
    batch = forms.CharField(max_length=LENGTH)


class KioskCheckInForm(PersonForm):
    """Who is here."""


class RevokeKioskForm(RefusingForm):
    kiosk = forms.CharField(max_length=LENGTH)


class RevokeEventLinkForm(RefusingForm):
    """The generation of the personal link that the reader saw, and of a pair whose it is; else that of the first."""

    generation = forms.IntegerField(min_value=0, max_value=32_766)
    person = forms.CharField(max_length=LENGTH, required=False)


class ReturnForm(ReasonForm):
    """The return of a withdrawn player, after its preview."""

    scope = forms.ChoiceField(choices=SCOPES)
    seen = forms.CharField(max_length=64)


class PreviewedForm(ReasonForm):
    """A change of an entry after its preview: `after` is the division's `seq` that the preview showed.

    `past_waiting` confirms that those whom the preview of a re-entry names go on waiting.
    """

    after = forms.IntegerField(min_value=0)
    past_waiting = forms.BooleanField(required=False)


class ScopeForm(RefusingForm):
    """Whether a preview is about one division or the whole event."""

    scope = forms.ChoiceField(choices=SCOPES)


class WithdrawEntryForm(ReasonForm):
    """Whether a player withdraws from one division or the whole event, and why."""

    scope = forms.ChoiceField(
        choices=SCOPES,
        error_messages={"required": _("Choose what the player withdraws from.")},
    )


class WayBackForm(RefusingForm):
    """Where a page goes on after a player has entered or left a division."""

    back = forms.ChoiceField(choices=[("club", "club")], required=False)
