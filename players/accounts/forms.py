"""Forms of accounts: signing up and in, preferences, tokens, second factor and sessions."""

from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core import throttle
from core.text_lengths import LONGEST_NAME
from engine.errors import Refused
from players.accounts.api_tokens import DEFAULT_DAYS
from players.accounts.emails import request_email
from players.accounts.services import reset_password
from players.actors import Actor
from players.forms import CountryField, RefusingForm, ZoneField, error_of
from players.models import AccountEmail, ApiToken, Player, User

NEVER = 0
LIFETIMES = [(30, _("30 days")), (90, _("90 days")), (DEFAULT_DAYS, _("1 year")), (NEVER, _("never"))]


def _email(label: Any, **attrs: str) -> forms.EmailField:
    return forms.EmailField(label=label, max_length=254, widget=forms.EmailInput(attrs=attrs))


def _password(label: Any, autocomplete: str, **options: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=128, widget=widget, **options)


class SignInForm(AuthenticationForm):
    """E-mail address and password; AccountBackend limits the attempts."""

    username = _email(_("Email address"), autocomplete="username", autofocus="")
    error_messages = {
        "invalid_login": _("Wrong email or password."),
        "inactive": _("This account is deactivated."),
    }

    def clean(self) -> dict[str, Any]:
        """Add the error `too_many_attempts` after too many attempts."""
        try:
            return super().clean()
        except Refused as refused:
            raise error_of(refused) from None


def _counted(count: Any, *args: Any) -> None:
    try:
        count(*args)
    except Refused as refused:
        raise error_of(refused) from None


class ForgottenForm(forms.Form):
    """The e-mail address to send a password link to. It reveals nothing about whether the account exists."""

    email = _email(_("Email address"), autocomplete="email", autofocus="")

    def __init__(self, *args: Any, request: Any = None, **kwargs: Any) -> None:
        self.request = request
        super().__init__(*args, **kwargs)

    def clean(self) -> dict[str, Any]:
        """Add the error `too_many_attempts` after too many attempts."""
        cleaned = super().clean() or {}
        if email := cleaned.get("email"):
            _counted(throttle.count_password_reset, self.request, email)
        return cleaned

    def save(self, **_options: Any) -> None:
        """Store the e-mail for a worker, whether there is an account or not; Django's view calls this."""
        request_email(kind=AccountEmail.Kind.RESET, email=self.cleaned_data["email"], user=None, now=timezone.now())


class NewPasswordForm(RefusingForm):
    """A new password for an account."""

    new_password = _password(_("New password"), "new-password", help_text=_("At least 8 characters."))

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)

    def save(self) -> User:
        """Set the password; Django's view calls this. Refused: `weak_password`."""
        return reset_password(user=self.user, new_password=self.cleaned_data["new_password"], by=Actor.of(self.user))


class SignUpForm(RefusingForm):
    """A new account."""

    display_name = forms.CharField(
        label=_("Your name"),
        max_length=LONGEST_NAME,
        help_text=_("Shown in draws and standings."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = _email(_("Email address"), autocomplete="email")
    new_password = _password(_("Password"), "new-password", help_text=_("At least 8 characters."))

    FIELD_OF = {**RefusingForm.FIELD_OF, "name_missing": "display_name", "name_too_long": "display_name"}


class PreferencesForm(RefusingForm):
    """The preferences of an account."""

    display_name = forms.CharField(
        label=_("Your name"), max_length=LONGEST_NAME, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    initials_only = forms.BooleanField(
        label=_("Show only my initials"),
        required=False,
        help_text=_(
            "Others see your initials in draws, standings and rankings. Directors of your clubs still see your name."
        ),
    )
    analysis_visibility = forms.TypedChoiceField(
        label=_("Who may see how well you played"),
        choices=Player.AnalysisVisibility.choices,
        coerce=Player.AnalysisVisibility,
        help_text=_("Your error rate, luck and mistakes in analysed matches, on pages, in reports and in downloads."),
    )
    country = CountryField()
    language = forms.ChoiceField(label=_("Language"), required=False)
    time_zone = ZoneField(required=False, help_text=_("Type a city. Leave empty to use each event's time zone."))
    theme = forms.ChoiceField(label=_("Theme"), choices=User.Theme.choices)

    FIELD_OF = {**RefusingForm.FIELD_OF, "name_missing": "display_name", "name_too_long": "display_name"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        language = self.fields["language"]
        assert isinstance(language, forms.ChoiceField)  # noqa: S101 - tells the type checker, and is so just above.
        language.choices = [("", _("Browser default")), *settings.LANGUAGES]


class EmailForm(RefusingForm):
    """A new e-mail address."""

    email = _email(_("New email address"), autocomplete="email")
    password = _password(_("Current password"), "current-password")


class PasswordForm(RefusingForm):
    """A new password."""

    password = _password(_("Current password"), "current-password")
    new_password = _password(_("New password"), "new-password", help_text=_("At least 8 characters."))


class DeleteForm(RefusingForm):
    """The deletion of an account, which cannot be undone and needs the password and a tick."""

    password = _password(_("Current password"), "current-password")
    sure = forms.BooleanField(
        label=_("Delete my account and my name"), error_messages={"required": _("Tick the box to confirm.")}
    )


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
