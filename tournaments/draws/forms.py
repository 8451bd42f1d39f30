"""What directors send about draws and rounds."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.messages import sentence
from core.public_ids import LENGTH
from players.forms import RefusingForm
from tournaments.formats.settings import LONGEST_COUNTDOWN, MOST_ROUNDS, NextRound
from tournaments.models import ByeRequest
from tournaments.state.format_labels import NEXT_ROUND_NAMES
from tournaments.state.forms import LONGEST_REASON


class AfterForm(RefusingForm):
    """Acts on what the director saw: the number of the last change the page knew of."""

    after = forms.IntegerField(min_value=0)


class RequestDrawForm(RefusingForm):
    """Asks for a draft; of an unpublished event only together with its publication."""

    reason = forms.CharField(max_length=LONGEST_REASON, required=False, label=_("Reason"))
    publish_event = forms.BooleanField(required=False)


class PairRoundForm(AfterForm):
    """Asks for the pairing of the next round; the n-th `first` and the n-th `second` meet in any case."""

    reason = forms.CharField(max_length=LONGEST_REASON, required=False, label=_("Reason"))
    first = forms.Field(required=False, widget=forms.MultipleHiddenInput, label=_("First player"))
    second = forms.Field(required=False, widget=forms.MultipleHiddenInput, label=_("Second player"))

    def clean(self) -> dict[str, Any]:
        """`pairs` in place of the two lists; a row of two empty choices is no pair."""
        cleaned = super().clean() or self.cleaned_data
        first, second = cleaned.pop("first", None) or [], cleaned.pop("second", None) or []
        if len(first) != len(second):
            raise forms.ValidationError(sentence("choose_a_player", {}))
        cleaned["pairs"] = [pair for pair in zip(first, second, strict=True) if any(pair)]
        return cleaned


class ByeForm(RefusingForm):
    """Notes that somebody will miss a round, for what, or that they will be there after all."""

    entry = forms.CharField(max_length=LENGTH, label=_("Player"))
    round = forms.IntegerField(min_value=1, max_value=MOST_ROUNDS, label=_("Round"))
    kind = forms.ChoiceField(choices=ByeRequest.Kind.choices, required=False, label=_("For"))
    take_back = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """What the bye is worth is needed where one is noted."""
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("take_back") and not cleaned.get("kind") and "kind" not in self.errors:
            self.add_error("kind", forms.Field.default_error_messages["required"])
        return cleaned


class ChangeRoundsForm(AfterForm):
    """Changes how the rounds go on; what is left empty stays as it is."""

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
    """Takes back a published draw; the reason will be public."""

    reason = forms.CharField(max_length=LONGEST_REASON, label=_("Reason"))


class TakeBackRoundForm(TakeBackForm):
    """Takes back the paired round of this number."""

    round = forms.IntegerField(min_value=1, max_value=MOST_ROUNDS, label=_("Round"))
