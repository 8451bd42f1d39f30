"""The forms behind the link of the installation's owner."""

import secrets
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm

KEY_BYTES = 16
LONGEST_KEY = 64


class KeyForm(RefusingForm):
    """The random key by which the same form is recognised when it is sent again."""

    key = forms.CharField(
        max_length=LONGEST_KEY, widget=forms.HiddenInput, initial=lambda: secrets.token_urlsafe(KEY_BYTES)
    )


class OwnClubForm(KeyForm):
    """The start with a club of one's own; a tick removes the demo, if there is one."""

    sure = forms.BooleanField(
        label=_("Remove the demo for good"), error_messages={"required": _("Tick the box to confirm.")}
    )

    def __init__(self, *args: Any, has_demo: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not has_demo:
            del self.fields["sure"]
