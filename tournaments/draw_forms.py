"""What directors send about draws and rounds."""

from django import forms
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm
from tournaments.formats.settings import LONGEST_COUNTDOWN, MOST_ROUNDS, NextRound
from tournaments.stage_words import NEXT_ROUND_NAMES

LONGEST_REASON = 300


class AfterForm(RefusingForm):
    """Acts on what the director saw: the number of the last change the page knew of."""

    after = forms.IntegerField(min_value=0)


class RequestDrawForm(RefusingForm):
    """Asks for a draft; of an unpublished event only together with its publication."""

    reason = forms.CharField(max_length=LONGEST_REASON, required=False, label=_("Reason"))
    publish_event = forms.BooleanField(required=False)


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
