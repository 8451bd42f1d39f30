"""Forms of directors about draws and rounds."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.messages import sentence
from core.public_ids import LENGTH
from core.text_lengths import LONGEST_NOTE
from players.forms import RefusingForm
from tournaments.formats.settings import LONGEST_COUNTDOWN, MOST_ROUNDS, NextRound
from tournaments.models import ByeRequest
from tournaments.state.format_labels import NEXT_ROUND_NAMES


class AfterForm(RefusingForm):
    """The `seq` of the page, so that a change made since then is noticed."""

    after = forms.IntegerField(min_value=0)


class RequestDrawForm(RefusingForm):
    """A request for a draft; `publish_event` publishes a draft event first, `here_only` leaves out who is missing."""

    reason = forms.CharField(max_length=LONGEST_NOTE, required=False, label=_("Reason"))
    publish_event = forms.BooleanField(required=False)
    here_only = forms.BooleanField(required=False)


class PairRoundForm(AfterForm):
    """A request for the next round; each `first` is paired with the `second` in the same position."""

    reason = forms.CharField(max_length=LONGEST_NOTE, required=False, label=_("Reason"))
    first = forms.Field(required=False, widget=forms.MultipleHiddenInput, label=_("First player"))
    second = forms.Field(required=False, widget=forms.MultipleHiddenInput, label=_("Second player"))

    def clean(self) -> dict[str, Any]:
        """Replace the two lists with `pairs`; rows without any choice are ignored."""
        cleaned = super().clean() or self.cleaned_data
        first, second = cleaned.pop("first", None) or [], cleaned.pop("second", None) or []
        if len(first) != len(second):
            raise forms.ValidationError(sentence("choose_a_player", {}))
        cleaned["pairs"] = [pair for pair in zip(first, second, strict=True) if any(pair)]
        return cleaned


class ByeForm(RefusingForm):
    """A bye to request or, with `take_back`, to cancel."""

    entry = forms.CharField(max_length=LENGTH, label=_("Player"))
    round = forms.IntegerField(min_value=1, max_value=MOST_ROUNDS, label=_("Round"))
    kind = forms.ChoiceField(choices=ByeRequest.Kind.choices, required=False, label=_("Bye"))
    take_back = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Require the kind of a bye that is requested."""
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("take_back") and not cleaned.get("kind") and "kind" not in self.errors:
            self.add_error("kind", forms.Field.default_error_messages["required"])
        return cleaned


class ChangeRoundsForm(AfterForm):
    """New settings of a running stage; empty fields keep their current value."""

    rounds = forms.IntegerField(min_value=1, max_value=MOST_ROUNDS, required=False, label=_("Rounds"))
    allow_rematches = forms.TypedChoiceField(
        choices=[("0", "0"), ("1", "1")],
        coerce=lambda text: text == "1",
        empty_value=None,
        required=False,
        label=_("Rematches"),
    )
    next_round = forms.TypedChoiceField(
        choices=NEXT_ROUND_NAMES, coerce=NextRound, empty_value=None, required=False, label=_("Next round")
    )
    countdown = forms.IntegerField(min_value=0, max_value=LONGEST_COUNTDOWN, required=False, label=_("Countdown"))


class TakeBackForm(AfterForm):
    """Takes back a published draw; the reason will be shown to everybody."""

    reason = forms.CharField(max_length=LONGEST_NOTE, label=_("Reason"))


class TakeBackRoundForm(TakeBackForm):
    """Takes back a paired round."""

    round = forms.IntegerField(min_value=1, max_value=MOST_ROUNDS, label=_("Round"))
