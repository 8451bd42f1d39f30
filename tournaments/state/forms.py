"""Small forms that pages carry beside what is typed: keys, times of a page, choices of where to go back to."""

import secrets
from datetime import UTC, datetime
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm
from tournaments.models import Tournament

LONGEST_KEY = 100
LONGEST_REASON = 300
YEAR_2286 = 10**10 - 1
"""The last POSIX time of ten digits."""


class IdempotencyKeyForm(forms.Form):
    """What makes the second of two clicks find what the first has made."""

    key = forms.CharField(max_length=LONGEST_KEY)

    @classmethod
    def key_of(cls, data: QueryDict) -> str:
        """The key that was sent, or a new one for a form to be shown."""
        form = cls(data)
        return str(form.cleaned_data["key"]) if form.is_valid() else secrets.token_urlsafe(12)


class PageTimeForm(forms.Form):
    """When the form that was sent was made, as it says itself."""

    seen = forms.IntegerField(min_value=0, max_value=YEAR_2286)

    @classmethod
    def instant_of(cls, data: QueryDict) -> datetime:
        """That instant; now where the form does not say, so that nothing is told as new."""
        form = cls(data)
        return datetime.fromtimestamp(form.cleaned_data["seen"], UTC) if form.is_valid() else timezone.now()


class ReasonForm(RefusingForm):
    """Why something is done that others will ask about."""

    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_REASON, required=False)


class KeepApartForm(RefusingForm):
    """Two players, whether they are to be kept apart or may meet after all, and the page it was said on."""

    KEEP, LET_MEET = "keep", "let_meet"

    page = forms.ChoiceField(choices=[("draw", "draw"), ("rounds", "rounds")])
    act = forms.ChoiceField(choices=[(KEEP, KEEP), (LET_MEET, LET_MEET)])
    first = forms.CharField(label=_("First player"), max_length=10)
    second = forms.CharField(label=_("Second player"), max_length=10)
    FIELD_OF: ClassVar[dict[str, str]] = {}


class CancelForm(ReasonForm):
    """Calls off the event that the page names, and no other."""

    event = forms.CharField(max_length=10, widget=forms.HiddenInput)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"event": tournament.public_id})
        super().__init__(*args, **kwargs)
        self.tournament = tournament

    def clean_event(self) -> str:
        """The event of this page."""
        event: str = self.cleaned_data["event"]
        if event != self.tournament.public_id:
            raise ValidationError(_("This form belongs to another event."))
        return event
