"""Forms of an account's tokens, second factor and sessions."""

from typing import ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from players.accounts.api_tokens import DEFAULT_DAYS
from players.forms import RefusingForm
from players.models import ApiToken

NEVER = 0
LIFETIMES = [(30, _("30 days")), (90, _("90 days")), (DEFAULT_DAYS, _("1 year")), (NEVER, _("never"))]


class TokenForm(RefusingForm):
    """A new API token."""

    name = forms.CharField(label=_("Name"), max_length=60, help_text=_("The app or device that uses it."))
    scopes = forms.MultipleChoiceField(
        label=_("It may read, and also"),
        choices=[choice for choice in ApiToken.Scope.choices if choice[0] != ApiToken.Scope.READ],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(label=_("It expires after"), choices=LIFETIMES, coerce=int, initial=DEFAULT_DAYS)

    def clean_days(self) -> int | None:
        """Return the days until the token expires; None for never."""
        return self.cleaned_data["days"] or None


class RevokeTokenForm(forms.Form):
    """The token to revoke."""

    token = forms.IntegerField(min_value=1, max_value=10**18)


class CodeForm(RefusingForm):
    """A code of an authenticator app, or a recovery code."""

    one_time_code = forms.CharField(
        label=_("Code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": "", "spellcheck": "false"}),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {"wrong_code": "one_time_code"}


class ConfirmForm(RefusingForm):
    """The password, to confirm a change."""

    password = forms.CharField(
        label=_("Current password"),
        strip=False,
        max_length=128,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class SessionForm(forms.Form):
    """The session to end, by its name."""

    session = forms.CharField(max_length=64)
