"""Pages of accounts: signing up, in and out, the second factor, preferences, sessions and tokens."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any, ClassVar

import segno
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, logout, update_session_auth_hash, views
from django.contrib.auth.forms import AuthenticationForm
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from core import throttle, times
from core.access import Who, open_to
from core.languages import choice_of, offers_choice
from core.messages import sentence
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from players import access, selectors
from players.access import has_second_factor
from players.accounts import kept_input
from players.accounts import second_factor as second_factor_services
from players.accounts import services as account_services
from players.accounts import sessions as session_services
from players.accounts import tokens as api_tokens
from players.accounts.backend import check_second_factor
from players.accounts.services import reset_password
from players.accounts.sessions import begin
from players.accounts.tokens import DEFAULT_DAYS
from players.actors import Actor
from players.forms import CountryField, RefusingForm, ZoneChoiceField, ZonedForm, error_of
from players.mail import read_verification, request_reset, request_verification
from players.models import ApiToken, Invitation, Player, User
from players.people import services as people_services
from players.people.erasure import erase_player
from players.people.leaving import parts_of
from players.people.rows import player_of
from players.people.services import accept_invitation, must_be_open
from players.requests import by, me, page, refused_back, safe_next, sent

# Forms of accounts: signing up and in, preferences, tokens, second factor and sessions.


NEVER = 0
LIFETIMES = (30, 90, DEFAULT_DAYS)


def _email(label: Any, **attrs: str) -> forms.EmailField:
    return forms.EmailField(label=label, max_length=254, widget=forms.EmailInput(attrs=attrs))


def _password(label: Any, autocomplete: str, **options: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=128, widget=widget, **options)


class SignInForm(AuthenticationForm):
    """E-mail address and password; AccountBackend limits the attempts."""

    username = _email(gettext_lazy("Email address"), autocomplete="username", autofocus="")
    error_messages = {
        "invalid_login": gettext_lazy("Wrong email or password."),
        "inactive": gettext_lazy("This account is deactivated."),
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

    email = _email(gettext_lazy("Email address"), autocomplete="email", autofocus="")

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
        request_reset(email=self.cleaned_data["email"], now=timezone.now())


class NewPasswordForm(RefusingForm):
    new_password = _password(
        gettext_lazy("New password"), "new-password", help_text=gettext_lazy("At least 8 characters.")
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)

    def save(self) -> User:
        """Set the password; Django's view calls this. Refused: `weak_password`."""
        new = self.cleaned_data["new_password"]
        return reset_password(user=self.user, new_password=new, by=Actor.of(self.user), now=timezone.now())


class SignUpForm(RefusingForm):
    display_name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=MAX_NAME_LENGTH,
        help_text=gettext_lazy("Shown in draws and standings."),
        widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": ""}),
    )
    email = _email(gettext_lazy("Email address"), autocomplete="email")
    new_password = _password(gettext_lazy("Password"), "new-password", help_text=gettext_lazy("At least 8 characters."))

    FIELD_OF = {**RefusingForm.FIELD_OF, "name_missing": "display_name", "name_too_long": "display_name"}


class PreferencesForm(ZonedForm):
    display_name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    initials_only = forms.BooleanField(
        label=gettext_lazy("Show only my initials"),
        required=False,
        help_text=gettext_lazy(
            "Others see your initials in draws, standings and rankings. Directors of your clubs still see your name."
        ),
    )
    analysis_visibility = forms.TypedChoiceField(
        label=gettext_lazy("Who may see how well you played"),
        choices=Player.AnalysisVisibility.choices,
        coerce=Player.AnalysisVisibility,
        help_text=gettext_lazy(
            "Your error rate, luck and mistakes in analysed matches, on pages, in reports and in downloads."
        ),
    )
    leave_out_of_lines = forms.BooleanField(
        label=gettext_lazy("Leave me out of the lines"),
        required=False,
        help_text=gettext_lazy("No line about an evening is then about a match of yours."),
    )
    puzzle_choice = forms.ChoiceField(
        label=gettext_lazy("Puzzles from your matches"),
        choices=Player.PuzzleChoice.choices,
        required=False,
        help_text=gettext_lazy(
            "A club asks one position a day, without names or a date, 30 days after its match or later. Yours is among "
            "them only if at least five players allow it."
        ),
    )
    country = CountryField()
    language = forms.ChoiceField(label=gettext_lazy("Language"), required=False)
    time_zone = ZoneChoiceField(
        required=False, help_text=gettext_lazy("Type a city. Leave empty to use each event's time zone.")
    )
    theme = forms.ChoiceField(label=gettext_lazy("Theme"), choices=User.Theme.choices)

    FIELD_OF = {**RefusingForm.FIELD_OF, "name_missing": "display_name", "name_too_long": "display_name"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choose_among("language", [("", gettext_lazy("Browser default")), *settings.LANGUAGES])
        if not offers_choice():
            del self.fields["language"]


class EmailForm(RefusingForm):
    email = _email(gettext_lazy("New email address"), autocomplete="email")
    password = _password(gettext_lazy("Current password"), "current-password")


class PasswordForm(RefusingForm):
    password = _password(gettext_lazy("Current password"), "current-password")
    new_password = _password(
        gettext_lazy("New password"), "new-password", help_text=gettext_lazy("At least 8 characters.")
    )


class DeleteForm(RefusingForm):
    """The deletion of an account, which cannot be undone and needs the password and a tick."""

    password = _password(gettext_lazy("Current password"), "current-password")
    sure = forms.BooleanField(
        label=gettext_lazy("Delete my account and my name"),
        error_messages={"required": gettext_lazy("Tick the box to confirm.")},
    )


def _lifetimes() -> list[tuple[int, str]]:
    """Return for how many days a token may last; asked for each form, since a text with a number is not lazy."""
    texts = [(days, ngettext("%(choice)s day", "%(choice)s days", days) % {"choice": days}) for days in LIFETIMES]
    return [*texts, (NEVER, _("never (only for reading)"))]


class TokenForm(RefusingForm):
    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=60, help_text=gettext_lazy("The app or device that uses it.")
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("It may read, and also"),
        choices=[choice for choice in ApiToken.Scope.choices if choice[0] != ApiToken.Scope.READ],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("It expires after"), choices=_lifetimes, coerce=int, initial=DEFAULT_DAYS
    )
    password = _password(gettext_lazy("Current password"), "current-password")

    FIELD_OF = {**RefusingForm.FIELD_OF, "token_needs_end": "days"}

    def clean_days(self) -> int | None:
        """Return the days until the token expires; None for never."""
        return self.cleaned_data["days"] or None


class RevokeTokenForm(forms.Form):
    token = forms.IntegerField(min_value=1, max_value=10**18)


class CodeForm(RefusingForm):
    """A code of an authenticator app, or a recovery code."""

    one_time_code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": "", "spellcheck": "false"}),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {"wrong_code": "one_time_code"}


class TurnOnForm(CodeForm):
    """The first code of an authenticator app, and the password."""

    password = _password(gettext_lazy("Current password"), "current-password")


class ConfirmPasswordForm(RefusingForm):
    password = forms.CharField(
        label=gettext_lazy("Current password"),
        strip=False,
        max_length=128,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class SessionForm(RefusingForm):
    """The session to end, by its name."""

    session = forms.CharField(max_length=64)


# Confirming an e-mail address.


@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.STATE)
def confirm_email(request: HttpRequest, secret: str) -> HttpResponse:
    """Show a button, since programs that check e-mails open every link; confirm the address when it is pressed."""
    read = read_verification(secret)
    user = User.objects.filter(pk=read[0], is_active=True).first() if read is not None else None
    if read is None or user is None:
        return render(request, "players/accounts/confirm_email.html", status=HTTPStatus.GONE)
    email = read[1]
    if request.method != "POST":
        return render(request, "players/accounts/confirm_email.html", {"email": email, "secret": secret})
    leads_to = "preferences" if request.user.is_authenticated else "sign-in"
    try:
        account_services.verify_email(user=user, email=email, by=Actor.of(user), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, leads_to)
    messages.success(request, _("Your email address is confirmed."))
    return redirect(leads_to)


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.KEY)
def resend_confirmation(request: HttpRequest) -> HttpResponse:
    user = me(request)
    if user.new_email:
        try:
            request_verification(user=user, now=timezone.now())
        except Refused as refused:
            return refused_back(request, refused, "preferences")
        text = _("We sent a link to {email}. Open it to confirm that this address is yours.")
        messages.success(request, text.format(email=user.new_email))
    return redirect("preferences")


# The preferences page; each of its forms has its own URL.


# The forms share a page, so their field ids need different prefixes.
IDS = {"form": "id_%s", "email_form": "email_%s", "password_form": "password_%s"}


def _next_link_in(email: str) -> str:
    """Say when the next link may be sent to an address; empty if it may be now."""
    minutes = throttle.wait(throttle.LINKS_TO, email) if email else 0
    return sentence("too_many_emails", {"minutes": minutes}) if minutes else ""


def _page(request: HttpRequest, **bound: Any) -> HttpResponse:
    user = me(request)
    player = account_services.ensure_player(user=user, by=by(request))
    fields = ("display_name", "language", "time_zone", "theme")
    initial = {name: getattr(user, name) for name in fields} | {
        "initials_only": player.initials_only,
        "analysis_visibility": player.analysis_visibility,
        "leave_out_of_lines": not player.in_event_lines,
        "puzzle_choice": player.puzzle_choice,
        "country": player.country,
    }
    context: dict[str, Any] = {
        "form": PreferencesForm(initial=initial, auto_id=IDS["form"]),
        "email_form": EmailForm(auto_id=IDS["email_form"]),
        "password_form": PasswordForm(auto_id=IDS["password_form"]),
        "tokens": api_tokens.live_tokens(user, timezone.now()).count(),
        "claims": selectors.claims_of(user, timezone.now()),
        "zones": times.offered(),
        "link_in": _next_link_in(user.new_email),
        **bound,
    }
    return page(request, "players/accounts/preferences.html", context, *bound.values())


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.HARMLESS)
def preferences(request: HttpRequest) -> HttpResponse:
    """Show the page and save name, country, language, time zone and theme."""
    if request.method != "POST":
        return _page(request)
    user = me(request)
    player = account_services.ensure_player(user=user, by=by(request))
    before = {"country": player.country, "time_zone": user.time_zone}
    form = PreferencesForm(request.POST, initial=before, auto_id=IDS["form"])
    if form.is_valid():
        changes = dict(form.cleaned_data)
        changes["in_event_lines"] = not changes.pop("leave_out_of_lines")
        try:
            account_services.update_preferences(user=user, by=by(request), **changes)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved."))
            return redirect("preferences")
    return _page(request, form=form)


@sensitive_post_parameters("password")
@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.KEY)
def change_email(request: HttpRequest) -> HttpResponse:
    form = EmailForm(request.POST, auto_id=IDS["email_form"])
    if form.is_valid():
        try:
            _count_password(me(request))
            account_services.change_email(user=me(request), by=by(request), now=timezone.now(), **form.cleaned_data)
        except Refused as refused:
            form.refuse(refused)
        else:
            text = _("We sent a link to {email}. Open it to confirm that this address is yours.")
            messages.success(request, text.format(email=form.cleaned_data["email"]))
            return redirect("preferences")
    return _page(request, email_form=form)


@sensitive_post_parameters("password", "new_password")
@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.HARMLESS)
def change_password(request: HttpRequest) -> HttpResponse:
    """Change the password and sign out all other devices."""
    form = PasswordForm(request.POST, auto_id=IDS["password_form"])
    if form.is_valid():
        user = me(request)
        try:
            _count_password(user)
            account_services.change_password(
                user=user, by=by(request), now=timezone.now(), current=request.session, **form.cleaned_data
            )
        except Refused as refused:
            form.refuse(refused)
        else:
            update_session_auth_hash(request, user)
            messages.success(request, _("Password changed. Sign in again on your other devices and in your apps."))
            return redirect("preferences")
    return _page(request, password_form=form)


def _count_password(user: User) -> None:
    """Limit the guesses of somebody who finds an unlocked phone."""
    throttle.count(throttle.PASSWORD_OF, str(user.pk))


def _check_password(user: User, password: str) -> None:
    """Refused: `wrong_password`, `too_many_attempts`."""
    _count_password(user)
    if not user.check_password(password):
        raise Refused("wrong_password")


@sensitive_post_parameters("password")
@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.STATE)
def delete_account(request: HttpRequest) -> HttpResponse:
    form = DeleteForm(sent(request))
    if form.is_valid():
        user = me(request)
        try:
            _count_password(user)
            if not user.check_password(form.cleaned_data["password"]):
                raise Refused("wrong_password")
            player = account_services.ensure_player(user=user, by=by(request))
            erase_player(player=player, by=by(request), now=timezone.now())
        except Refused as refused:
            form.refuse(refused)
        else:
            logout(request)
            messages.success(request, _("Your account was deleted."))
            return redirect("home")
    own = player_of(me(request))
    parts = parts_of(own, timezone.now()) if own is not None else []
    claims = selectors.claims_of(me(request), timezone.now()).exists()
    context = {"form": form, "parts": parts, "claims": claims}
    return page(request, "players/accounts/delete_account.html", context, form)


# Signing in with a second factor, and the page on which an account turns it on and off.


WAITING = "second_factor"
"""The session key of whoever has given the password but no code yet: user, next page, time, and hash of the password,
so that nobody gets in with the old one after it was changed."""
WAITS_FOR = timedelta(minutes=10)


def wait_for_code(request: HttpRequest, user: User, leads_to: str) -> HttpResponse:
    """Remember who has given the right password, and ask for the code."""
    request.session[WAITING] = [user.pk, leads_to, timezone.now().timestamp(), user.get_session_auth_hash()]
    return redirect("sign-in-code")


def _waiting(request: HttpRequest) -> tuple[User, str] | None:
    pk, leads_to, since, password_hash = request.session.get(WAITING, (None, "", 0.0, ""))
    if pk is None or timezone.now().timestamp() - since > WAITS_FOR.total_seconds():
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    if user is None or not constant_time_compare(password_hash, user.get_session_auth_hash()):
        return None
    return user, leads_to


@sensitive_post_parameters("one_time_code")
@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.HARMLESS)
def sign_in_code(request: HttpRequest) -> HttpResponse:
    """Ask for the code of the authenticator app, or a recovery code, and sign in."""
    waiting = _waiting(request)
    if waiting is None:
        return redirect("sign-in")
    user, leads_to = waiting
    form = CodeForm(sent(request))
    if form.is_valid():
        try:
            check_second_factor(request, user, form.cleaned_data["one_time_code"])
        except Refused as refused:
            form.refuse(refused)
        else:
            begin(request, user)
            request.session.pop(WAITING, None)
            return redirect(leads_to or resolve_url(settings.LOGIN_REDIRECT_URL))
    return page(request, "players/accounts/sign_in_code.html", {"form": form}, form)


@open_to(get=Who.SIGNED_IN)
@never_cache
def second_factor(request: HttpRequest) -> HttpResponse:
    """Show whether the second factor is on, and how to turn it on."""
    return _second_factor_page(request)


def _second_factor_page(request: HttpRequest, **bound: Any) -> HttpResponse:
    user = me(request)
    device = second_factor_services.waiting_device(user)
    context: dict[str, Any] = {
        "is_on": has_second_factor(user),
        "codes_left": user.recovery_codes.count(),
        "code_form": TurnOnForm(),
        "confirm_form": ConfirmPasswordForm(),
    }
    if device is not None:
        code = segno.make(second_factor_services.setup_url(device, user.shown_email), error="m")
        context["key"] = second_factor_services.key_of(device)
        context["svg"] = code.svg_inline(scale=4, border=2, omitsize=True, svgclass="qr", lineclass=None)
    return page(request, "players/accounts/second_factor.html", context | bound, *bound.values())


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.HARMLESS)
def start_second_factor(request: HttpRequest) -> HttpResponse:
    """Make the key that the app is to scan."""
    try:
        second_factor_services.start(user=me(request))
    except Refused as refused:
        return refused_back(request, refused, "second-factor")
    return redirect("second-factor")


@sensitive_post_parameters("one_time_code", "password")
@open_to(post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.STATE)
def turn_on(request: HttpRequest) -> HttpResponse:
    """Turn the second factor on, end all other sessions, and show the recovery codes once."""
    form = TurnOnForm(request.POST)
    if form.is_valid():
        try:
            _check_password(me(request), form.cleaned_data["password"])
            throttle.count_code(request, me(request).pk)
            codes = second_factor_services.turn_on(
                user=me(request), code=form.cleaned_data["one_time_code"], by=by(request), now=timezone.now()
            )
        except Refused as refused:
            form.refuse(refused)
        else:
            session_services.end_others(user=me(request), current=request.session)
            return page(request, "players/accounts/recovery_codes.html", {"codes": codes})
    return _second_factor_page(request, code_form=form)


@sensitive_post_parameters("password")
@open_to(post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.KEY)
def renew_codes(request: HttpRequest) -> HttpResponse:
    """Replace the recovery codes, and show them once."""
    return _confirmed(request, turn_off=False)


@sensitive_post_parameters("password")
@open_to(post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.STATE)
def turn_off(request: HttpRequest) -> HttpResponse:
    return _confirmed(request, turn_off=True)


def _confirmed(request: HttpRequest, *, turn_off: bool) -> HttpResponse:
    form = ConfirmPasswordForm(request.POST)
    user = me(request)
    if not form.is_valid():
        return _second_factor_page(request, confirm_form=form)
    try:
        throttle.count(throttle.PASSWORD_OF, str(user.pk))
        if turn_off:
            second_factor_services.turn_off(user=user, by=by(request), now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("The second factor is off."))
            return redirect("second-factor")
        codes = second_factor_services.renew_recovery_codes(
            user=user, by=by(request), now=timezone.now(), **form.cleaned_data
        )
    except Refused as refused:
        form.refuse(refused)
        return _second_factor_page(request, confirm_form=form)
    return page(request, "players/accounts/recovery_codes.html", {"codes": codes})


# Signing up, in and out, and resetting a password.


@sensitive_post_parameters("new_password")
@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.KEY)
def sign_up(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect(safe_next(request, "home"))
    form = SignUpForm(sent(request))
    if form.is_valid():
        user = open_account(request, form)
        if user is not None:
            return redirect(safe_next(request, "club-list"))
    return page(request, "players/accounts/sign_up.html", {"form": form, "next": safe_next(request, "")}, form)


def open_account(request: HttpRequest, form: SignUpForm, invitation: str = "") -> User | None:
    """Create an account and sign in; return None, with the reason in the form, if that was refused.

    Somebody who submits the form twice already has an account and is signed in with the password just chosen; with an
    invitation that account accepts it. The answer is the same, and takes as long, whether another account has the
    address or not.
    """
    fields = form.cleaned_data
    link_in = throttle.wait(throttle.LINKS_TO, fields["email"])
    try:
        throttle.count(throttle.SIGN_UP_FROM, throttle.client_network(request))
        user = _known(request, fields)
        if user is None:
            user = account_services.register_user(
                email=fields["email"],
                password=fields["new_password"],
                display_name=fields["display_name"],
                now=timezone.now(),
                invitation=invitation,
                # So that e-mails are in it too.
                language=choice_of(request).wish if offers_choice() else "",
            )
        elif invitation:
            accept_invitation(secret=invitation, user=user, by=Actor.of(user), now=timezone.now())
    except Refused as refused:
        form.refuse(refused)
        return None
    begin(request, user)
    if user.new_email and link_in:
        text = gettext(
            "{email} was sent several links within the last hour. You can have the next sent in {minutes} min, in your "
            "preferences."
        )
        messages.warning(request, text.format(email=user.new_email, minutes=link_in))
    elif user.new_email:
        text = gettext("We sent a link to {email}. Open it to confirm that this address is yours.")
        messages.info(request, text.format(email=user.new_email))
    return user


def _known(request: HttpRequest, fields: dict[str, Any]) -> User | None:
    typed = {"username": fields["email"], "password": fields["new_password"]}
    user = authenticate(request, **typed, is_sign_up=True)
    return user if isinstance(user, User) and not has_second_factor(user) else None


@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
class SignIn(views.LoginView):
    """Sign in with e-mail address and password, then return to the previous page."""

    repeat = Repeat.HARMLESS
    template_name = "players/accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the input that was kept for after signing in."""
        return super().get_context_data(**kwargs, kept=kept_input.read(self.request))

    def get_success_url(self) -> str:
        """Return the previous page, or the page that offers to send the kept input."""
        if self.request.method == "POST" and kept_input.read(self.request) is not None:
            return reverse("send-kept-input")
        return super().get_success_url()

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign in, or ask for the code of the second factor first."""
        user = form.get_user()
        if has_second_factor(user):
            return wait_for_code(self.request, user, self.get_success_url())
        begin(self.request, user)
        return redirect(self.get_success_url())

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show the form again; 429 after too many attempts."""
        response = super().form_invalid(form)
        response.status_code = _status(form)
        return response


@never_cache
@open_to(get=Who.SIGNED_IN)
def send_kept_input(request: HttpRequest) -> HttpResponse:
    """Offer to send the form that was refused without a session. The input is deleted, so this works once."""
    kept = kept_input.read(request)
    if kept is None:
        return redirect(settings.LOGIN_REDIRECT_URL)
    response = render(request, "players/accounts/send_kept_input.html", {"kept": kept})
    kept_input.forget(response)
    return response


def _status(form: Form) -> int:
    if form.has_error("__all__", "too_many_attempts"):
        return HTTPStatus.TOO_MANY_REQUESTS
    return HTTPStatus.UNPROCESSABLE_ENTITY


@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
class Forgotten(views.PasswordResetView):
    """First step: ask for the e-mail address. The answer is the same whether the account exists or not."""

    repeat = Repeat.HARMLESS
    template_name = "players/accounts/password_forgotten.html"
    form_class = ForgottenForm  # type: ignore[assignment]  # the view calls is_valid and save only
    success_url = reverse_lazy("password-sent")

    def get_form_kwargs(self) -> dict[str, Any]:
        """Pass the request, since attempts are counted by its IP address."""
        return {**super().get_form_kwargs(), "request": self.request}

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show the form again; 429 after too many attempts."""
        response = super().form_invalid(form)
        response.status_code = _status(form)
        return response


@open_to(get=Who.EVERYBODY)
class Sent(views.PasswordResetDoneView):
    """Second step: say that an e-mail was sent."""

    template_name = "players/accounts/password_sent.html"


@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
class Choose(views.PasswordResetConfirmView):
    """Third step: open the link of the e-mail and choose a new password."""

    repeat = Repeat.HARMLESS
    template_name = "players/accounts/password_choose.html"
    form_class = NewPasswordForm  # type: ignore[assignment]
    success_url = reverse_lazy("password-done")

    def form_valid(self, form: Any) -> HttpResponse:
        """Save the password, unless it is too weak. Guesses from elsewhere do not keep the owner out after that."""
        try:
            response = super().form_valid(form)
        except Refused as refused:
            form.refuse(refused)
            return self.form_invalid(form)
        throttle.SignInAttempt(self.request, form.user.email).owner_is_here()
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        response = super().form_invalid(form)
        response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
        return response


@open_to(get=Who.EVERYBODY)
class Done(views.PasswordResetCompleteView):
    """Fourth step: confirm that the password was changed."""

    template_name = "players/accounts/password_done.html"


sign_in = SignIn.as_view()
sign_out = repeated(Repeat.HARMLESS)(views.LogoutView.as_view())
password_forgotten = Forgotten.as_view()
password_sent = Sent.as_view()
password_choose = Choose.as_view()
password_done = Done.as_view()


# The pages behind the secret link of an invitation.


@never_cache
@open_to(get=Who.EVERYBODY)
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Show an invitation and the ways to accept it, or why it is no longer valid."""
    row = access.invitation(secret)
    initial = {"display_name": row.player.name, "email": row.email}
    return _invitation_page(request, row, secret, SignUpForm(initial=initial))


def _invitation_page(request: HttpRequest, row: Invitation, secret: str, form: SignUpForm) -> HttpResponse:
    context = {"invitation": row, "club": row.club, "player": row.player, "secret": secret, "form": form}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound and form.errors else HTTPStatus.OK
    try:
        must_be_open(row, timezone.now())
    except Refused as refused:
        context["reason"] = sentence(refused.code, refused.params)
        context["is_mine"] = isinstance(request.user, User) and row.player.user_id == request.user.pk
        status = HTTPStatus.GONE
    return render(request, "players/people/invitation.html", context, status=status)


@open_to(post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.STATE)
def accept(request: HttpRequest, secret: str) -> HttpResponse:
    row = access.invitation(secret)
    try:
        people_services.accept_invitation(secret=secret, user=me(request), by=by(request), now=timezone.now())
    except Refused as refused:
        messages.error(request, sentence(refused.code, refused.params))
        return redirect("invitation", secret)
    return _welcome(request, row)


@sensitive_post_parameters("new_password")
@never_cache
@open_to(post=Who.EVERYBODY)
@repeated(Repeat.KEY)
def sign_up_by_invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Create an account and accept the invitation."""
    row = access.invitation(secret)
    if request.user.is_authenticated:
        return redirect("invitation", secret)
    form = SignUpForm(request.POST)
    if form.is_valid() and open_account(request, form, invitation=secret):
        return _welcome(request, row)
    return _invitation_page(request, row, secret, form)


def _welcome(request: HttpRequest, row: Invitation) -> HttpResponse:
    messages.success(request, _("You are now a member of {club}.").format(club=row.club.name))
    return redirect("club", row.club.slug)


@open_to(get=Who.SIGNED_IN)
@never_cache
def sessions(request: HttpRequest) -> HttpResponse:
    rows = [
        {
            "name": session_services.name_of(row.session_key),
            "browser": row.browser,
            "started_at": row.started_at,
            "is_current": row.session_key == request.session.session_key,
        }
        for row in session_services.sessions_of(me(request))
    ]
    return render(request, "players/accounts/sessions.html", {"sessions": rows})


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def end_session(request: HttpRequest) -> HttpResponse:
    """End one session; harmless if there is none."""
    form = SessionForm(request.POST)
    if form.is_valid() and session_services.end(user=me(request), name=form.cleaned_data["session"]):
        messages.success(request, _signed_out(1))
    return redirect("sessions")


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    count = account_services.sign_out_elsewhere(user=me(request), current=request.session, now=timezone.now())
    messages.success(request, _signed_out(count))
    return redirect("sessions")


def _signed_out(count: int) -> str:
    text = ngettext("{count} other device is signed out.", "{count} other devices are signed out.", count)
    return text.format(count=count)


@sensitive_post_parameters("password")
@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.KEY)
def make_token(request: HttpRequest) -> HttpResponse:
    """List the tokens, and create one and show it once."""
    form = TokenForm(sent(request))
    new = None
    if form.is_valid():
        user, fields = me(request), dict(form.cleaned_data)
        try:
            _check_password(user, fields.pop("password"))
            new = api_tokens.create_token(user=user, by=by(request), now=timezone.now(), **fields)
        except Refused as refused:
            form.refuse(refused)
    if new is not None:
        return page(request, "players/accounts/token.html", {"token": new.key, "name": new.token.name})
    tokens = api_tokens.live_tokens(me(request), timezone.now())
    return page(request, "players/accounts/tokens.html", {"form": form, "tokens": tokens}, form)


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def revoke_token(request: HttpRequest) -> HttpResponse:
    """Delete a token; harmless if there is none."""
    form = RevokeTokenForm(request.POST)
    if form.is_valid():
        api_tokens.revoke_token(user=me(request), token_id=form.cleaned_data["token"], by=by(request))
        messages.success(request, _("Token revoked."))
    return redirect("make-token")
