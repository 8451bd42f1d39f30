"""Forms of the helpers of an event."""

from django import forms
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH
from players.forms import RefusingForm


class HelperForm(RefusingForm):
    """Who is invited to help."""

    email = forms.EmailField(label=_("Email address"), max_length=254)


class RemoveHelperForm(RefusingForm):
    """Which helper to remove, or whose invitation to withdraw."""

    helper = forms.CharField(max_length=LENGTH)
