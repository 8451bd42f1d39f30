"""Forms that parse input for the services and show refusals beside the field they concern."""

import re
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core import throttle
from core import time_zones as zones
from core.currencies import check_currency
from core.messages import sentence
from core.names import LONGEST_NAME, names_in
from engine.errors import Refused
from players.access import Role
from players.accounts.emails import request_email
from players.accounts.services import reset_password
from players.actors import Actor
from players.models import AccountEmail, Club, Membership, Player, User

LONGEST_LIST = 400_000
"""In characters; enough for the names of the largest draw."""


class RefusingForm(forms.Form):
    """A form that can show why a service refused."""

    FIELD_OF: ClassVar[dict[str, str]] = {
        "weak_password": "new_password",
        "wrong_password": "password",
        "bad_time_zone": "time_zone",
        "name_missing": "name",
        "name_too_long": "name",
        "namesake": "name",
        "bad_country": "country",
        "bad_currency": "currency",
        "player_has_account": "name",
        "slug_taken": "slug",
        "bad_slug": "slug",
    }

    def refuse(self, refused: Refused) -> None:
        """Add the message of a refusal to the field it concerns, or to the whole form."""
        field = self.FIELD_OF.get(refused.code)
        self.add_error(field if field in self.fields else None, sentence(refused.code, refused.params))


class ZoneField(forms.CharField):
    """A time zone, chosen from a list while typing; the name of a city is enough."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("label", _("Time zone"))
        widget = forms.TextInput(attrs={"list": "zones", "autocomplete": "off", "spellcheck": "false"})
        super().__init__(widget=widget, max_length=64, **options)

    def clean(self, value: Any) -> str:
        """Return the name of the zone. Raises ValidationError if no zone, or more than one, matches."""
        text = super().clean(value)
        if not text:
            return ""
        zone = zones.find(text)
        if zone is None:
            raise ValidationError(sentence("bad_time_zone", {"zone": text}), code="bad_time_zone")
        return zone


class CountryField(forms.CharField):
    """A country code in any case; empty for none."""

    def __init__(self, **options: Any) -> None:
        options = {"label": _("Country"), "required": False, "help_text": _("Two letters, for example DK."), **options}
        super().__init__(max_length=2, widget=forms.TextInput(attrs={"size": 3, "autocomplete": "country"}), **options)


class CurrencyField(forms.CharField):
    """A currency code in any case, or “ticket”."""

    def __init__(self, **options: Any) -> None:
        options = {"help_text": _("A code such as EUR, or “ticket” for fees in tickets."), **options}
        super().__init__(max_length=6, widget=forms.TextInput(attrs={"size": 7, "autocomplete": "off"}), **options)

    def clean(self, value: Any) -> str:
        """Return the currency. Raises ValidationError for anything else."""
        try:
            return check_currency(super().clean(value))
        except Refused as refused:
            raise _error_of(refused) from None


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
            raise _error_of(refused) from None


def _counted(count: Any, *args: Any) -> None:
    try:
        count(*args)
    except Refused as refused:
        raise _error_of(refused) from None


def _error_of(refused: Refused) -> ValidationError:
    return ValidationError(sentence(refused.code, refused.params), code=refused.code)


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


class ClubForm(RefusingForm):
    """The editable fields of a club."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    city = forms.CharField(label=_("City"), max_length=80, required=False)
    country = CountryField(required=True)
    currency = CurrencyField(label=_("Currency of fees"))
    time_zone = ZoneField(help_text=_("The time zone of the club's events. Type a city."))
    about = forms.CharField(
        label=_("About"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("Where and when you play, and whom to contact."),
    )


class HostsField(forms.CharField):
    """Hosts separated by spaces, commas or line breaks; their value is a text of origins, as in a security policy."""

    HOST = re.compile(r"(?:https://)?((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d{1,5})?)/?")

    def clean(self, value: Any) -> str:
        """Return the origins, separated by spaces. Raises ValidationError for anything but hosts."""
        origins = []
        for host in re.split(r"[\s,]+", super().clean(value).strip().lower()):
            match = self.HOST.fullmatch(host)
            if host and match is None:
                raise ValidationError(_("Enter hosts such as www.example.org, separated by spaces."))
            if match is not None:
                origins.append(f"https://{match[1]}")
        return " ".join(dict.fromkeys(origins))


class EditClubForm(ClubForm):
    """The editable fields of an existing club. Clubs that began without a country and a currency need none."""

    country = CountryField()
    currency = CurrencyField(label=_("Currency of fees"), required=False)
    embed_hosts = HostsField(
        label=_("Websites that may embed the club's events"),
        max_length=400,
        required=False,
        help_text=_("Hosts such as www.example.org. Brackets, standings and calls can be shown in a frame there."),
    )

    @classmethod
    def of(cls, club: Club, data: Any = None) -> "EditClubForm":
        """Return the form of an existing club."""
        fields = ("name", "city", "country", "currency", "time_zone", "about", "embed_hosts")
        return cls(data, initial={field: getattr(club, field) for field in fields})


class SecondFactorForm(forms.Form):
    """Whether the owners of a club need a second factor."""

    required = forms.BooleanField(required=False)


class AddMemberForm(RefusingForm):
    """A new player without an account."""

    name = forms.CharField(label=_("Add a player"), max_length=LONGEST_NAME)
    namesake = forms.BooleanField(label=_("Another person with the same name"), required=False)


class AddPlayerForm(RefusingForm):
    """A player who is known already."""

    player = forms.CharField(max_length=10)


class PasteForm(RefusingForm):
    """A list of names, one per line."""

    names = forms.CharField(
        label=_("Paste a list"),
        max_length=LONGEST_LIST,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text=_("One name per line. Existing members are recognised; case and accents do not matter."),
    )
    FIELD_OF = {**RefusingForm.FIELD_OF, "name_missing": "names", "name_too_long": "names", "too_many_names": "names"}

    def clean_names(self) -> list[str]:
        """Return the names without numbering."""
        return names_in(self.cleaned_data["names"])


class RoleForm(RefusingForm):
    """A member's role."""

    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)

    @classmethod
    def of(cls, membership: Membership) -> "RoleForm":
        """Return the form with the member's role."""
        return cls(initial={"role": Role(membership.role)})


class NameForm(RefusingForm):
    """A member's name and country."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    country = CountryField()

    @classmethod
    def of(cls, player: Player) -> "NameForm":
        """Return the form with the player's name and country."""
        return cls(initial={"name": player.name, "country": player.country}, auto_id="edit_%s")


class InviteForm(RefusingForm):
    """The recipient of an invitation; without an e-mail address it is only a link."""

    email = forms.EmailField(
        label=_("Email address"),
        required=False,
        max_length=254,
        help_text=_("Leave empty to share the link yourself. With an address, only that account can accept."),
    )


class MergeForm(RefusingForm):
    """The member that a player is merged into."""

    into = forms.ChoiceField(label=_("Same person as"))

    def __init__(self, *args: Any, others: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        into = self.fields["into"]
        assert isinstance(into, forms.ChoiceField)  # noqa: S101 - tells the type checker, and is so just above.
        into.choices = [("", _("Choose …")), *others]


class AliasForm(RefusingForm):
    """Another name of a player, as it appears in match records."""

    name = forms.CharField(label=_("Other name"), max_length=200)
