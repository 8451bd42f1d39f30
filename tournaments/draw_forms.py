"""What directors send about draws and rounds."""

from django import forms
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm
from tournaments.formats.settings import MOST_ROUNDS

LONGEST_REASON = 300


class AfterForm(RefusingForm):
    """Acts on what the director saw: the number of the last change the page knew of."""

    after = forms.IntegerField(min_value=0)


class RequestDrawForm(RefusingForm):
    """Asks for a draft; of an unpublished event only together with its publication."""

    reason = forms.CharField(max_length=LONGEST_REASON, required=False, label=_("Reason"))
    publish_event = forms.BooleanField(required=False)


class TakeBackForm(AfterForm):
    """Takes back a published draw; the reason will be public."""

    reason = forms.CharField(max_length=LONGEST_REASON, label=_("Reason"))


class TakeBackRoundForm(TakeBackForm):
    """Takes back the paired round of this number."""

    round = forms.IntegerField(min_value=1, max_value=MOST_ROUNDS, label=_("Round"))
