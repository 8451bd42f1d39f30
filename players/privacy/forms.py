"""Forms about a person's data."""

from django import forms
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm


class EraseForm(RefusingForm):
    """The erasure of a player, which cannot be undone and needs a tick."""

    sure = forms.BooleanField(
        label=_("Delete this person’s name and everything written about them"),
        error_messages={"required": _("Tick the box to confirm.")},
    )
