"""Forms that several packages use: idempotency keys, the time a page was rendered, reasons, pairs kept apart."""

from datetime import UTC, datetime
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.public_ids import new_form_key
from core.text_lengths import MAX_KEY_LENGTH, MAX_NOTE_LENGTH
from players.forms import RefusingForm
from tournaments.models import Tournament

YEAR_2286 = 10**10 - 1
"""The last POSIX time of ten digits."""


class IdempotencyKeyForm(RefusingForm):
    """The idempotency key of a form, so that a second click finds what the first one created."""

    key = forms.CharField(max_length=MAX_KEY_LENGTH)

    @classmethod
    def key_of(cls, data: QueryDict) -> str:
        """Return the submitted key, or a new one for a fresh form."""
        form = cls(data)
        return str(form.cleaned_data["key"]) if form.is_valid() else new_form_key()


class PageTimeForm(forms.Form):
    """When the submitted page was rendered, in POSIX seconds."""

    seen = forms.IntegerField(min_value=0, max_value=YEAR_2286)

    @classmethod
    def instant_of(cls, data: QueryDict) -> datetime:
        """Return that time, or now if it is missing, so that no change is reported as new."""
        form = cls(data)
        return datetime.fromtimestamp(form.cleaned_data["seen"], UTC) if form.is_valid() else timezone.now()


class ReasonForm(RefusingForm):
    """The reason for an action, shown in the log."""

    reason = forms.CharField(label=_("Reason"), max_length=MAX_NOTE_LENGTH, required=False)


class AfterForm(RefusingForm):
    """The `seq` of the page, so that a change made since then is noticed."""

    after = forms.IntegerField(min_value=0)


class UndoPublishedForm(AfterForm):
    """Takes back something published; the reason will be shown to everybody."""

    reason = forms.CharField(max_length=MAX_NOTE_LENGTH, label=_("Reason"))


class KeepApartForm(RefusingForm):
    """Two players to keep apart or to let meet again, and the page to return to."""

    KEEP, LET_MEET = "keep", "let_meet"

    page = forms.ChoiceField(choices=[("draw", "draw"), ("rounds", "rounds")])
    act = forms.ChoiceField(choices=[(KEEP, KEEP), (LET_MEET, LET_MEET)])
    first = forms.CharField(label=_("First player"), max_length=10)
    second = forms.CharField(label=_("Second player"), max_length=10)
    FIELD_OF: ClassVar[dict[str, str]] = {}


class CancelForm(ReasonForm):
    """Confirms that the event shown on the page is to be cancelled."""

    event = forms.CharField(max_length=10, widget=forms.HiddenInput)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"event": tournament.public_id})
        super().__init__(*args, **kwargs)
        self.tournament = tournament

    def clean_event(self) -> str:
        """Check that the form was made for this event."""
        event: str = self.cleaned_data["event"]
        if event != self.tournament.public_id:
            raise ValidationError(_("This form belongs to another event."))
        return event
